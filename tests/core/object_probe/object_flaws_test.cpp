#include "core/object_probe/object_flaws.h"

#include <gmock/gmock.h>

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Weight = ProbeFlaw::Weight;

std::vector<std::string> codes(const std::vector<ProbeFlaw>& flaws) {
  std::vector<std::string> names;
  for (const ProbeFlaw& flaw : flaws) names.push_back(flaw.code);
  return names;
}

ObjectTally tally_of(double requests, double errors, double throttled) {
  ObjectTally tally;
  tally.requests = requests;
  tally.errors = errors;
  tally.throttled = throttled;
  return tally;
}

TEST(ObjectFlaws, NoneWhereNothingWentWrong) { EXPECT_THAT(object_flaws(tally_of(1000, 0, 0)), IsEmpty()); }

// 5 of 995 + 5 are less than 1 %; 15 of 1000 are more; 300 of 1000 more than a fifth. Throttled ones are no other
// errors.
TEST(ObjectFlaws, WidenFromOnePercentAndRefuseFromAFifth) {
  EXPECT_THAT(object_flaws(tally_of(995, 5, 0)), IsEmpty());
  const auto some = object_flaws(tally_of(985, 15, 0));
  ASSERT_THAT(codes(some), ElementsAre("errors"));
  EXPECT_EQ(some[0].weight, Weight::kWiden);
  EXPECT_GT(some[0].widen, 1.0);
  const auto storm = object_flaws(tally_of(700, 300, 300));
  ASSERT_THAT(codes(storm), ElementsAre("throttled"));
  EXPECT_EQ(storm[0].weight, Weight::kRefuse);
  EXPECT_EQ(storm[0].text.find("300 of 1000"), 0U);
  ObjectTally ended = tally_of(985, 15, 15);
  ended.gave_up = true;
  EXPECT_EQ(object_flaws(ended).front().weight, Weight::kRefuse);
}

TEST(ObjectFlaws, NameConnectionsRangesCachesAndOwnLimits) {
  ObjectTally tally = tally_of(100, 0, 0);
  tally.connections = 50;
  tally.set_up_s = 5;
  tally.ranges = false;
  tally.cached = true;
  tally.best_cpu_fraction = 0.97;
  const auto flaws = object_flaws(tally);
  ASSERT_THAT(codes(flaws), ElementsAre("range_ignored", "connections", "client_cpu", "cache"));
  EXPECT_NE(flaws[1].text.find("0.1 s each"), std::string::npos);  // 5 s over 50
}

// Rate times latency says that 5 of 8 were under way: less than 0.7 of them; 6 of 8 are more. Pauses after errors hold
// requests back too, and say nothing.
TEST(ObjectFlaws, NamesAMachineThatCannotKeepRequestsUnderWay) {
  ObjectTally tally = tally_of(100, 0, 0);
  tally.best_in_flight = 8;
  tally.best_under_way = 6;
  EXPECT_THAT(object_flaws(tally), IsEmpty());
  tally.best_under_way = 5;
  EXPECT_THAT(codes(object_flaws(tally)), ElementsAre("client_cpu"));
  tally.errors = 0.5;
  EXPECT_THAT(object_flaws(tally), IsEmpty());
}

TEST(ObjectTally, KeepsTheLoadOfTheFastestPoint) {
  ObjectTally tally;
  for (const double rate : {10.0, 30.0, 20.0}) {
    MeasuredPoint measured;
    measured.point.seconds = 1.0;
    measured.point.bytes = rate;
    measured.point.requests = 2.0;
    measured.tally.own_cpu_fraction = rate / 100.0;
    tally.add(measured);
  }
  EXPECT_EQ(tally.requests, 6.0);
  EXPECT_EQ(tally.best_bytes_per_s, 30.0);
  EXPECT_EQ(tally.best_cpu_fraction, 0.3);
}

}  // namespace
}  // namespace stallcast
