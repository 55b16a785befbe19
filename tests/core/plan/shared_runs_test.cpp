#include "core/plan/evaluate/shared_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const RunResult> result(double utilization) {
  RunResult run;
  run.gpu_utilization.mean = utilization;
  return std::make_shared<const RunResult>(run);
}

TEST(SharedRuns, ARunIsClaimedOnceAndFoundAfterwards) {
  SharedRuns runs;
  EXPECT_TRUE(runs.claim("a", 0).is_yours);
  EXPECT_THAT(runs.finish("a", result(0.5)), IsEmpty());
  const SharedRuns::Claim again = runs.claim("a", 1);
  EXPECT_FALSE(again.is_yours);
  ASSERT_TRUE(again.result);
  EXPECT_EQ(again.result->gpu_utilization.mean, 0.5);
}

TEST(SharedRuns, PointsThatComeMeanwhileAreHandedToWhoFinishes) {
  SharedRuns runs;
  EXPECT_TRUE(runs.claim("a", 0).is_yours);
  EXPECT_TRUE(runs.claim("b", 1).is_yours);
  for (const std::int64_t point : {2, 3}) {
    const SharedRuns::Claim claim = runs.claim("a", point);
    EXPECT_FALSE(claim.is_yours || claim.result);
  }
  EXPECT_THAT(runs.finish("b", result(0.1)), IsEmpty());
  EXPECT_THAT(runs.finish("a", result(0.2)), ElementsAre(2, 3));
}

TEST(SharedRuns, TheOldestIsForgotten) {
  SharedRuns runs(2);
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_TRUE(runs.claim(key, 0).is_yours);
    runs.finish(key, result(0.5));
  }
  EXPECT_TRUE(runs.claim("c", 0).result);
  EXPECT_TRUE(runs.claim("b", 0).result);
  EXPECT_TRUE(runs.claim("a", 0).is_yours);
}

TEST(SharedRuns, ARunThatIsGivenUpCanBeClaimedAgain) {
  SharedRuns runs;
  EXPECT_TRUE(runs.claim("a", 0).is_yours);
  runs.give_up("a");
  EXPECT_TRUE(runs.claim("a", 1).is_yours);
  EXPECT_THAT(runs.finish("a", result(0.5)), IsEmpty());
}

}  // namespace
}  // namespace stallcast
