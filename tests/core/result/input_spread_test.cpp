#include "core/result/input_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace stallcast {
namespace {

// 10 with -3 and +4 of the simulation; inputs take it to 6 (-4) and 13 (+3): 5 on each side.
TEST(Widened, AddsInQuadratureOnEachSide) {
  const Estimate out = widened({10.0, 7.0, 14.0}, {1.1, 0.6, 1.3, 0.9});
  EXPECT_DOUBLE_EQ(out.mean, 10.0);
  EXPECT_DOUBLE_EQ(out.ci95_low, 5.0);
  EXPECT_DOUBLE_EQ(out.ci95_high, 15.0);
}

TEST(Widened, WithoutInfluenceNothingChanges) {
  for (const std::vector<double>& ratios : {std::vector<double>{}, {1.0, 1.0}}) {
    const Estimate out = widened({0.3, 0.1, 0.7}, ratios);
    EXPECT_EQ(out.mean, 0.3);
    EXPECT_EQ(out.ci95_low, 0.1);
    EXPECT_EQ(out.ci95_high, 0.7);
  }
}

// Only what lies above widens above: the simulation's own interval stays below.
TEST(Widened, IsOneSidedWhereTheInputsAre) {
  const Estimate out = widened({10.0, 9.0, 11.0}, {1.2, 1.4});
  EXPECT_EQ(out.ci95_low, 9.0);
  EXPECT_DOUBLE_EQ(out.ci95_high, 10.0 + std::sqrt(17.0));
}

TEST(Widened, StopsAtNothingAndReachesForever) {
  const Estimate out = widened({10.0, 1.0, 11.0}, {0.1, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(out.ci95_low, 0.0);  // 10 - sqrt(81 + 81) is below
  EXPECT_EQ(out.ci95_high, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace stallcast
