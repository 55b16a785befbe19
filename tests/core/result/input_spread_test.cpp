#include "core/result/input_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace stallcast {
namespace {

// The simulation may be half or twice as much, and so may the inputs make it: both together 2^sqrt(2) either way.
TEST(Widened, AddsLogarithmsInQuadratureOnEachSide) {
  const Estimate out = widened({10.0, 5.0, 20.0}, {1.1, 0.5, 2.0, 0.9});
  EXPECT_DOUBLE_EQ(out.mean, 10.0);
  EXPECT_DOUBLE_EQ(out.ci95_low, 10.0 / std::pow(2.0, std::sqrt(2.0)));
  EXPECT_DOUBLE_EQ(out.ci95_high, 10.0 * std::pow(2.0, std::sqrt(2.0)));
}

// A time has the range of its rate.
TEST(Widened, OfATimeIsThatOfItsRateTurnedOver) {
  const std::vector<double> faster = {0.2, 0.7, 1.5};
  const Estimate rate = widened({100.0, 60.0, 140.0}, faster);
  std::vector<double> longer;
  for (const double ratio : faster) longer.push_back(1.0 / ratio);
  const Estimate time = widened({1.0 / 100.0, 1.0 / 140.0, 1.0 / 60.0}, longer);
  EXPECT_NEAR(time.ci95_low * rate.ci95_high, 1.0, 1e-12);
  EXPECT_NEAR(time.ci95_high * rate.ci95_low, 1.0, 1e-12);
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
  EXPECT_DOUBLE_EQ(out.ci95_high, 10.0 * std::exp(std::hypot(std::log(1.4), std::log(1.1))));
}

TEST(Widened, IsNothingOnlyWhereNothingIsLeft) {
  EXPECT_GT(widened({10.0, 1.0, 11.0}, {0.1}).ci95_low, 0.0);
  EXPECT_EQ(widened({10.0, 0.0, 11.0}, {0.1}).ci95_low, 0.0);
  EXPECT_EQ(widened({0.0, 0.0, 1.0}, {0.1, 2.0}).ci95_high, 1.0) << "of nothing there is no factor";
}

TEST(Widened, StopsAtNothingAndReachesForever) {
  const Estimate out = widened({10.0, 1.0, 11.0}, {0.0, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(out.ci95_low, 0.0);
  EXPECT_EQ(out.ci95_high, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace stallcast
