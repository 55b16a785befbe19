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

ObjectTally tally_of(double requests) {
  ObjectTally tally;
  tally.requests = requests;
  return tally;
}

TEST(ObjectFlaws, NoneWhereNothingWentWrong) { EXPECT_THAT(object_flaws(tally_of(1000)), IsEmpty()); }

// Errors are in the points, and grade's; that the probe ended because of them is not.
TEST(ObjectFlaws, AStoreThatNoLongerAnsweredRefuses) {
  ObjectTally tally = tally_of(985);
  tally.errors = 15;
  EXPECT_THAT(object_flaws(tally), IsEmpty());
  tally.gave_up = true;
  ASSERT_THAT(codes(object_flaws(tally)), ElementsAre("gave_up"));
  EXPECT_EQ(object_flaws(tally).front().weight, Weight::kRefuse);
}

TEST(ObjectFlaws, NameConnectionsRangesCachesAndOwnLimits) {
  ObjectTally tally = tally_of(100);
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
  ObjectTally tally = tally_of(100);
  tally.best_in_flight = 8;
  tally.best_under_way = 6;
  EXPECT_THAT(object_flaws(tally), IsEmpty());
  tally.best_under_way = 5;
  EXPECT_THAT(codes(object_flaws(tally)), ElementsAre("client_cpu"));
  tally.errors = 0.5;
  EXPECT_THAT(object_flaws(tally), IsEmpty());
}

TEST(ObjectTally, KeepsTheLoadOfTheFastestVisit) {
  ObjectTally tally;
  for (const double rate : {10.0, 30.0, 20.0}) {
    MeasuredVisit measured;
    measured.span.to_s = 1.0;
    measured.span.bytes = rate;
    measured.span.requests = 2.0;
    measured.tally.own_cpu_fraction = rate / 100.0;
    tally.add(measured, 4);
  }
  EXPECT_EQ(tally.requests, 6.0);
  EXPECT_EQ(tally.best_bytes_per_s, 30.0);
  EXPECT_EQ(tally.best_cpu_fraction, 0.3);
}

}  // namespace
}  // namespace stallcast
