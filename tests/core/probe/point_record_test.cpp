#include "core/probe/result/point_record.h"

#include <gtest/gtest.h>

#include <numeric>

namespace stallcast {
namespace {

// `count` completions of 1000 bytes, one each ms after `began_s`.
VisitTally even_visit(double began_s, int count, float latency_s = 0.002F) {
  VisitTally tally;
  tally.began_s = began_s;
  for (int i = 1; i <= count; ++i) tally.completions.push_back({began_s + 0.001 * i, latency_s, 1000});
  tally.full_until_s = began_s + 0.001 * count;
  return tally;
}

PointRecord two_in_flight() {
  ReadPoint point;
  point.request_bytes = 1000;
  point.in_flight = 2;
  return {point, 100.0};
}

// 1000 requests in 1 s: 1 MB/s, whatever part is looked at. The first 2 fill the pipe and are not counted.
TEST(PointRecord, AnEvenVisitHasItsRateInEverySlice) {
  PointRecord record = two_in_flight();
  record.add(even_visit(101.0, 1000));
  const ReadPoint point = record.point();
  EXPECT_EQ(point.requests, 998);
  EXPECT_NEAR(point.bytes_per_s(), 1e6, 1.0);
  ASSERT_EQ(point.slice_bytes_per_s.size(), 8u);
  for (const double rate : point.slice_bytes_per_s) EXPECT_NEAR(rate, 1e6, 1.0);
  EXPECT_NEAR(point.relative_sd, 0.0, 1e-6);
  EXPECT_NEAR(point.latency.quantile(0.5), 0.002, 1e-9);
  EXPECT_NEAR(point.slice_at_s.front(), 1.002 + 0.998 / 16, 1e-9);  // middle of the first of 8, since 100 s
}

// What completes after requests are no longer replaced comes slower and does not count.
TEST(PointRecord, TheRampDownIsLeftOut) {
  PointRecord record = two_in_flight();
  VisitTally tally = even_visit(101.0, 100);
  tally.completions.push_back({105.0, 4.0F, 1000});
  record.add(tally);
  EXPECT_EQ(record.point().requests, 98);
  EXPECT_NEAR(record.point().bytes_per_s(), 1e6, 1.0);
  EXPECT_NEAR(record.point().latency.max_s, 0.002, 1e-9);
}

// 3 completions with 2 in flight leave one after the ramp: too few, so all 3 count from the start of the visit.
TEST(PointRecord, AVisitOfAFewRequestsCountsWhole) {
  PointRecord record = two_in_flight();
  record.add(even_visit(101.0, 3));
  EXPECT_EQ(record.point().requests, 3);
  EXPECT_NEAR(record.point().seconds, 0.003, 1e-9);
}

TEST(PointRecord, VisitsAddUpAndAreToldApart) {
  PointRecord record = two_in_flight();
  record.add(even_visit(101.0, 34));   // 32 counted, one slice
  record.add(even_visit(102.0, 102));  // 100 counted, three slices
  const ReadPoint point = record.point();
  EXPECT_EQ(point.requests, 132);
  EXPECT_EQ(point.slice_visit, (std::vector<int>{0, 1, 1, 1}));
  EXPECT_NEAR(point.seconds, 0.132, 1e-9);
}

TEST(PointRecord, NothingCompletedIsNoPoint) {
  PointRecord record = two_in_flight();
  VisitTally failed;
  failed.errors = 5;
  record.add(failed);
  EXPECT_EQ(record.point().requests, 0);
  EXPECT_EQ(record.point().errors, 5);
  EXPECT_EQ(record.point().bytes_per_s(), 0);
}

// A visit measured elsewhere: 3 requests of 1000 bytes between 101 s and 103 s, two slices, latencies of which the
// third of three is the largest.
TEST(PointRecord, ASpanIsTakenAsItIs) {
  PointRecord record = two_in_flight();
  record.add_errors(3, 2);
  record.add(MeasuredSpan{101.0, 103.0, 3, 3000, {0.1F, 0.2F, 0.3F}, {0.01F, 0.02F, 0.03F}, {1000, 2000}});
  const ReadPoint point = record.point();
  EXPECT_EQ(record.last_requests_per_s(), 1.5);
  EXPECT_EQ(point.slice_bytes_per_s, (std::vector<double>{1000, 2000}));
  EXPECT_EQ(point.slice_at_s, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(point.slice_visit, (std::vector<int>{0, 0}));
  EXPECT_NEAR(point.latency.max_s, 0.3, 1e-6);
  EXPECT_NEAR(point.first_byte.quantile(0.5), 0.02, 1e-6);
  EXPECT_EQ(point.errors, 3);
  EXPECT_EQ(point.throttled, 2);
  record.add(MeasuredSpan{});
  EXPECT_EQ(record.point().requests, 3);
  EXPECT_EQ(record.last_requests_per_s(), 0);
}

// Bytes of the slices are the bytes of the visit, however completions fall into them.
TEST(PointRecord, SlicesConserveBytes) {
  ReadPoint blank;
  blank.in_flight = 1;
  PointRecord record(blank, 0.0);
  VisitTally tally;
  double at_s = 0.0;
  for (int i = 0; i < 300; ++i) {
    at_s += 0.001 * (1 + i * i % 7);
    tally.completions.push_back({at_s, 0.001F, static_cast<std::uint32_t>(100 + i % 13)});
  }
  tally.full_until_s = at_s;
  record.add(tally);
  const ReadPoint point = record.point();
  ASSERT_EQ(point.slice_bytes_per_s.size(), 8u);
  const double mean = std::accumulate(point.slice_bytes_per_s.begin(), point.slice_bytes_per_s.end(), 0.0) / 8;
  EXPECT_NEAR(mean * point.seconds, point.bytes, 1e-6 * point.bytes);
}

}  // namespace
}  // namespace stallcast
