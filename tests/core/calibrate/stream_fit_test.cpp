// Streams through the page cache: points made by the law with a known request, or with a known limit of all readers.
#include "core/calibrate/fit/stream_fit.h"

#include <gtest/gtest.h>

#include "tests/core/calibrate/synthetic_storage.h"

namespace stallcast {
namespace {

StorageLaw given_law() {
  StorageLaw out;
  out.latency_s = 1e-3;
  out.seconds_per_byte = 1.0 / 2e9;
  out.stream_seconds_per_byte = 1.0 / 0.5e9;  // of single requests; a read-ahead has several
  return out;
}

ReadPoint reading_in_order(double readers, double bytes_per_s) {
  ReadPoint point;
  point.pattern = AccessPattern::kStream;
  point.request_bytes = 131072.0;
  point.in_flight = readers;
  point.seconds = 1.0;
  point.bytes = bytes_per_s;
  point.requests = bytes_per_s / 131072.0;
  return point;
}

StorageFit fit_without_scatter() {
  StorageFit fit;
  fit.reads.t90 = 1.7;
  return fit;
}

StorageLaw without_stream_rate() {
  StorageLaw out = given_law();
  out.stream_seconds_per_byte = 0.0;
  return out;
}

// Of 512 KiB at a time one reader gets 524288 B / (1 ms + 524288 B / 2 GB/s) = 415 MB/s.
TEST(StreamFit, TheRequestIsTheOneWithWhichTheLawGivesTheRate) {
  std::vector<ReadPoint> points;
  for (const double readers : {1.0, 2.0, 4.0}) {
    const double rate = 524288.0 * requests_per_s(without_stream_rate(), AccessPattern::kSequential, readers, 524288.0);
    points.push_back(reading_in_order(readers, rate));
  }
  EXPECT_NEAR(points.front().bytes_per_s(), 524288.0 / (1e-3 + 524288.0 / 2e9), 1.0);
  const StreamFit fit = fit_streams(points, given_law(), fit_without_scatter());
  ASSERT_TRUE(fit.request_bytes.known);
  EXPECT_NEAR(fit.request_bytes.value, 524288.0, 1.0);
  EXPECT_NEAR(fit.request_bytes.low, fit.request_bytes.value, 1.0) << "nothing scatters";
  EXPECT_FALSE(fit.bytes_per_s.known) << "four still get more than two";
  EXPECT_EQ(fit.points, 3u);
}

// 400, 700, 750, 760 MB/s: twice as many readers gain 1 % at last.
TEST(StreamFit, WhereMoreReadersGainNothingTheyShareOneLimit) {
  const std::vector<ReadPoint> points = {reading_in_order(8.0, 760e6), reading_in_order(1.0, 400e6),
                                         reading_in_order(2.0, 700e6), reading_in_order(4.0, 750e6)};
  const StreamFit fit = fit_streams(points, given_law(), fit_without_scatter());
  ASSERT_TRUE(fit.bytes_per_s.known);
  EXPECT_DOUBLE_EQ(fit.bytes_per_s.value, 760e6);
  // r / (1 ms + r / 760 MB/s) = 400 MB/s: r = 400 kB / (1 - 400 / 760).
  EXPECT_NEAR(fit.request_bytes.value, 400e3 / (1.0 - 400.0 / 760.0), 1.0);
}

// The interval of the rate of one reader is that of its visits: exp(1.7 * 10 % / 2) of four visits that differ by 10 %.
TEST(StreamFit, TheIntervalIsThatOfTheRate) {
  ReadPoint alone = reading_in_order(1.0, 400e6);
  alone.relative_sd = 0.1;
  alone.slice_bytes_per_s = {360e6, 400e6, 400e6, 440e6};
  const StreamFit fit = fit_streams({alone}, given_law(), fit_without_scatter());
  const double factor = std::exp(1.7 * 0.1 / 2.0);
  EXPECT_NEAR(fit.alone_bytes_per_s(fit.request_bytes.low), 400e6 / factor, 1e3);
  EXPECT_NEAR(fit.alone_bytes_per_s(fit.request_bytes.high), 400e6 * factor, 1e3);
}

// More than the law has is the largest request that a kernel makes; nothing in order is nothing known.
TEST(StreamFit, WhatTheLawCannotGive) {
  const StreamFit fast = fit_streams({reading_in_order(1.0, 3e9)}, given_law(), fit_without_scatter());
  EXPECT_DOUBLE_EQ(fast.request_bytes.value, 8.0 * 1024.0 * 1024.0);
  EXPECT_GE(fast.request_bytes.low, fast.request_bytes.value / 9.0);
  EXPECT_FALSE(fit_streams({}, given_law(), fit_without_scatter()).request_bytes.known);
  EXPECT_FALSE(fit_streams({reading_in_order(4.0, 1e9)}, given_law(), fit_without_scatter()).request_bytes.known)
      << "nobody read alone";
}

}  // namespace
}  // namespace stallcast
