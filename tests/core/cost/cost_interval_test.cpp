#include "core/cost/cost_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/cost/bills.h"

namespace stallcast {
namespace {

// Ten hours of a machine at $32.77, with draws that take nine and twelve hours, and what the simulation leaves open
// of the time.
RunResult drawn_result(const Scenario& s, double simulation_half) {
  RunResult r = bills::run(s, 10.0, 0.5);
  r.inputs.draws_wanted = 39;
  r.inputs.simulation_half = simulation_half;
  r.inputs.inputs = {{"/storage/read_bandwidth", 0.8, 1.25, 1.0, 1.0}};
  r.inputs.as_given = {{1.0}, 0.5, r.time_to_train_s, r.totals};
  for (const double factor : {0.9, 1.2}) {
    RunTotals totals = r.totals;
    totals.training_s *= factor;
    r.inputs.drawn.push_back({{1.0 / factor}, 0.5 / factor, r.time_to_train_s * factor, totals});
  }
  return r;
}

TEST(CostInterval, ThereIsNoneWithoutUncertainInputs) {
  const Scenario s = bills::job();
  const CostBreakdown cost = price_run(s, {}, bills::run(s, 10.0));
  EXPECT_FALSE(cost.total_interval);
  EXPECT_FALSE(cost.price_interval);
}

// $327.70; 9 to 12 hours are 294.93 to 393.24. The GPU-hours that computed are the same, 40: $8.1925 each.
TEST(CostInterval, EveryDrawHasItsBill) {
  const Scenario s = bills::job();
  const CostBreakdown cost = price_run(s, {}, drawn_result(s, 0.0));
  ASSERT_TRUE(cost.total_interval);
  EXPECT_NEAR(cost.total_interval->mean, 327.70, 1e-9);
  EXPECT_NEAR(cost.total_interval->ci95_low, 294.93, 1e-9);
  EXPECT_NEAR(cost.total_interval->ci95_high, 393.24, 1e-9);
  ASSERT_TRUE(cost.price_interval);
  EXPECT_NEAR(cost.price_interval->mean, 8.1925, 1e-9);
  EXPECT_NEAR(cost.price_interval->ci95_high, 1.2 * 8.1925, 1e-9);
}

// Draws go 10 % down and 20 % up; the simulation leaves 7 % open either way.
TEST(CostInterval, WhatTheSimulationLeavesOpenIsAFactorBesideTheInputs) {
  constexpr double kHalf = 0.07;
  const Scenario s = bills::job();
  const CostBreakdown cost = price_run(s, {}, drawn_result(s, kHalf));
  const auto together = [](double one, double other) { return std::exp(std::hypot(std::log(one), std::log(other))); };
  EXPECT_NEAR(cost.total_interval->ci95_low, 327.70 / together(0.9, 1.0 - kHalf), 1e-9);
  EXPECT_NEAR(cost.total_interval->ci95_high, 327.70 * together(1.2, 1.0 + kHalf), 1e-9);
}

// The price of the machines itself is uncertain: 10 hours at 0.8 and 1.5 times $32.77.
TEST(CostInterval, APriceMayBeUncertain) {
  const Scenario s = bills::job();
  RunResult r = bills::run(s, 10.0, 0.5);
  r.inputs.draws_wanted = 39;
  r.inputs.inputs = {{"/cost/node_price", 0.8, 1.5, 0.0, 0.0}};
  r.inputs.as_given = {{1.0}, 0.5, r.time_to_train_s, r.totals};
  for (const double factor : {0.8, 1.5}) r.inputs.drawn.push_back({{factor}, 0.5, r.time_to_train_s, r.totals});
  const CostBreakdown cost = price_run(s, {}, r);
  EXPECT_NEAR(cost.total_interval->ci95_low, 0.8 * 327.70, 1e-9);
  EXPECT_NEAR(cost.total_interval->ci95_high, 1.5 * 327.70, 1e-9);
}

// Without a length there is no total, but dollars per hour over the GPUs that are busy: half as busy, twice the price.
TEST(CostInterval, WithoutALengthThePriceHasOne) {
  const Scenario s = bills::job();
  RunResult r;
  r.gpu_utilization = {0.8, 0.8, 0.8};
  r.inputs.draws_wanted = 39;
  r.inputs.inputs = {{"/storage/read_bandwidth", 0.8, 1.25, 1.0, 1.0}};
  r.inputs.as_given = {{1.0}, 0.8, 0.0, {}};
  r.inputs.drawn.push_back({{0.5}, 0.4, 0.0, {}});
  const CostBreakdown cost = price_run(s, {}, r);
  EXPECT_FALSE(cost.total_interval);
  ASSERT_TRUE(cost.price_interval);
  EXPECT_NEAR(cost.price_interval->ci95_low, 32.77 / 6.4, 1e-9);
  EXPECT_NEAR(cost.price_interval->ci95_high, 32.77 / 3.2, 1e-9);
}

}  // namespace
}  // namespace stallcast
