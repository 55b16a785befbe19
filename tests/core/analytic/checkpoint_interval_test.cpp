#include "core/analytic/checkpoint_interval.h"

#include <gtest/gtest.h>

#include <boost/math/tools/minima.hpp>
#include <cmath>

namespace stallcast {
namespace {

// sqrt(2 * 60 * 8424) = sqrt(1,010,880) = 1005.43; sqrt(2 * 20 * 11135) = sqrt(445,400) = 667.38;
// sqrt(2 * 300 * 86400) = sqrt(51,840,000) = 7200.
TEST(CheckpointInterval, Young) {
  EXPECT_NEAR(young_interval(60, 8424), 1005.43, 0.005);
  EXPECT_NEAR(young_interval(20, 11135), 667.38, 0.005);
  EXPECT_NEAR(young_interval(300, 86400), 7200.0, 1e-9);
}

// delta / 2M = 60 / 16848 = 0.0035613, its root 0.059676: 1005.43 * (1 + 0.019892 + 0.000396) - 60 = 965.83.
// 300 / 172800 = 0.0017361, root 0.0416667: 7200 * (1 + 0.0138889 + 0.0001929) - 300 = 7001.39.
// 20 / 22270 = 0.00089807, root 0.029968: 667.383 * (1 + 0.0099893 + 0.0000998) - 20 = 654.116.
TEST(CheckpointInterval, DalyHigherOrder) {
  EXPECT_NEAR(daly_interval(60, 8424), 965.83, 0.01);
  EXPECT_NEAR(daly_interval(20, 11135), 654.12, 0.01);
  EXPECT_NEAR(daly_interval(300, 86400), 7001.39, 0.01);
}

// sqrt(2 * 60 * (8424 + 576)) - 60 = sqrt(1,080,000) - 60 = 979.23.
TEST(CheckpointInterval, DalyFirstOrderKnowsTheRestart) {
  EXPECT_NEAR(daly_first_order_interval(60, 8424, 576), 979.23, 0.005);
  EXPECT_DOUBLE_EQ(daly_first_order_interval(60, 8424, 0), young_interval(60, 8424) - 60.0);
}

// Training takes all but sqrt(2 delta / M) = 11.9 % to first order; 11.47 % when the optimum is taken exactly.
TEST(CheckpointInterval, LossAtTheOptimum) {
  EXPECT_NEAR(wasted_fraction(optimal_interval(60, 8424), 60, 8424, 0), 0.1147, 5e-5);
}

struct Machine {
  double delta, mtti, restart;
};
constexpr Machine kMachines[] = {{0.5, 1e6, 0},   {20, 11135, 0}, {60, 8424, 300}, {300, 86400, 60},
                                 {600, 830, 100}, {5000, 830, 0}, {1e5, 830, 0}};

// Brent's method knows only expected_wall_time(); a flat minimum is found to the root of the precision of its values.
TEST(CheckpointInterval, OptimumIsTheMinimumOfTheWallTime) {
  for (const auto& [delta, mtti, restart] : kMachines) {
    const double m = mtti, d = delta, r = restart;
    const auto wall = [=](double tau) { return expected_wall_time(1e6, tau, d, m, r); };
    const double found = boost::math::tools::brent_find_minima(wall, 1e-5 * m, 3.0 * m, 30).first;
    EXPECT_NEAR(optimal_interval(delta, mtti), found, 1e-4 * found) << delta << " s, M " << mtti;
  }
}

// d/dtau of the wall time is 0 where exp((tau + delta)/M) (1 - tau/M) = 1.
TEST(CheckpointInterval, OptimumHasNoSlope) {
  for (const auto& [delta, mtti, restart] : kMachines) {
    const double y = optimal_interval(delta, mtti) / mtti;
    if (1.0 - y < 1e-6) continue;  // exp(delta / M) is beyond what the difference can hold
    EXPECT_NEAR(y + delta / mtti + std::log1p(-y), 0.0, 1e-9) << delta << " s, M " << mtti;
  }
}

// Daly's formula is the optimum to s^4 / 270 of M, s = sqrt(2 delta / M): from y + ln(1 - y) + s^2 / 2 = 0,
// y = s - s^2/3 + s^3/36 + s^4/270 + ...
TEST(CheckpointInterval, DalyIsNearTheOptimumForShortCheckpoints) {
  for (const double x : {1e-5, 1e-4, 1e-3, 1e-2}) {
    const double s = std::sqrt(2.0 * x);
    const double gap = optimal_interval(x, 1.0) - daly_interval(x, 1.0);
    EXPECT_NEAR(gap, std::pow(s, 4) / 270.0, 0.1 * std::pow(s, 4) / 270.0 + 1e-11) << x;
  }
}

TEST(CheckpointInterval, LimitsOfTheCheckpointsLength) {
  EXPECT_EQ(optimal_interval(0.0, 100.0), 0.0);
  EXPECT_EQ(daly_interval(0.0, 100.0), 0.0);
  EXPECT_EQ(daly_interval(200.0, 100.0), 100.0);  // delta = 2 M: one mean time to interruption
  EXPECT_EQ(daly_interval(1e6, 100.0), 100.0);
  EXPECT_DOUBLE_EQ(optimal_interval(1e6, 100.0), 100.0);  // W(-0) = 0
  // Both sides of where Lambert's function gives way to the series: s differs by 1e-5 of itself, s - s^2/3 by
  // 1e-5 (1 - s/3), s = sqrt(2e-6).
  EXPECT_NEAR(optimal_interval(0.99999e-6, 1.0) / optimal_interval(1.00001e-6, 1.0),
              1.0 - 1e-5 * (1.0 - std::sqrt(2e-6) / 3.0), 2e-10);
}

// No interruption, no checkpoint: expm1(tau/M)/ (tau/M) -> 1. With tau = M and R = delta = 0, it is e - 1.
TEST(CheckpointInterval, WallTime) {
  EXPECT_NEAR(expected_wall_time(1000, 1.0, 0.0, 1e9, 0.0), 1000.0, 1e-5);
  EXPECT_NEAR(expected_wall_time(1000, 50.0, 0.0, 50.0, 0.0), 1000.0 * (std::exp(1.0) - 1.0), 1e-9);
  // Recovery is stretched by the failures that strike it: exp(R / M).
  EXPECT_NEAR(expected_wall_time(7, 50, 3, 50, 20) / expected_wall_time(7, 50, 3, 50, 0), std::exp(0.4), 1e-12);
}

// 6.5 interruptions per 1000 node-days. 256 nodes: 1.664 a day; u0 5 min, tau 60 min: 1 - 1.664 * 35/1440 = 0.95956,
// over 1 + 5/60 = 0.8857, over 1 + 0.5/60 = 0.9516. 1024 nodes: 6.656 a day, tau 15 min:
// (1 - 6.656 * 12.5/1440) / (1 + 0.5/15) = 0.9118. 2048 nodes: 0.8559.
TEST(CheckpointInterval, EffectiveTrainingTimeOfKokolis) {
  const auto ettr = [](double nodes, double tau_min, double write_min) {
    const double mtti = 86400.0 / (nodes * 6.5e-3);
    return expected_ettr(tau_min * 60, write_min * 60, mtti, 300);
  };
  EXPECT_NEAR(ettr(256, 60, 5), 0.8857, 5e-5);
  EXPECT_NEAR(ettr(256, 60, 0.5), 0.9516, 5e-5);
  EXPECT_NEAR(ettr(1024, 15, 0.5), 0.9118, 5e-5);
  EXPECT_NEAR(ettr(2048, 15, 0.5), 0.8559, 5e-5);
  EXPECT_EQ(expected_ettr(3600, 60, 600, 60), 0.0);  // 1860 s lost per 600 s
}

}  // namespace
}  // namespace stallcast
