#include "core/plan/pairs/paired_difference.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/run/simulate_once.h"
#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

// Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t with 2 degrees of freedom 4.3027 (95 %).
TEST(PairedDifference, IsAStudentIntervalOfTheDifferences) {
  const std::array<double, 3> base = {10.0, 20.0, 30.0}, other = {11.0, 22.0, 33.0};
  const Estimate difference = paired_difference(base, other);
  EXPECT_DOUBLE_EQ(difference.mean, 2.0);
  EXPECT_NEAR(difference.half_width(), 4.302653 / std::sqrt(3.0), 1e-5);
}

TEST(PairedDifference, OfEqualRunsIsExactlyNothing) {
  const std::array<double, 3> runs = {0.1, 0.7, 0.3};
  const Estimate difference = paired_difference(runs, runs);
  EXPECT_EQ(difference.mean, 0.0);
  EXPECT_EQ(difference.ci95_low, 0.0);
  EXPECT_EQ(difference.ci95_high, 0.0);
}

TEST(PairedDifference, OfOnePairSaysNothing) {
  const std::array<double, 1> base = {1.0}, other = {2.0};
  EXPECT_TRUE(std::isinf(paired_difference(base, other).ci95_high));
}

// Pairs at 1 to 3, the two answers 0.5 apart: 1.5 from the pairs' middle, so 1.5 more on both sides of 0.5.
TEST(PairedDifference, IsMovedToTheAnswersThatAreShown) {
  const Estimate difference = about_difference(0.5, {2.0, 1.0, 3.0});
  EXPECT_DOUBLE_EQ(difference.mean, 0.5);
  EXPECT_DOUBLE_EQ(difference.ci95_low, -2.0);
  EXPECT_DOUBLE_EQ(difference.ci95_high, 3.0);
}

// Down: 3 for the inputs, 4 for the simulation, together 5. Up: no draw is higher than as given.
TEST(PairedDifference, UncertainInputsAddInQuadratureOnEachSide) {
  const std::array<double, 2> drawn = {-2.0, 0.0};
  const Estimate difference = widened_difference({10.0, 6.0, 14.0}, 1.0, drawn);
  EXPECT_DOUBLE_EQ(difference.mean, 10.0);
  EXPECT_DOUBLE_EQ(difference.ci95_low, 5.0);
  EXPECT_DOUBLE_EQ(difference.ci95_high, 14.0);
}

// Reads of a latency that varies much, half hidden behind compute; 2 % more latency.
Scenario waits_for_reads(double latency_s) {
  Scenario s;
  s.cluster.cores_per_node = 8;
  s.workload.batch_size = 4;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.sample_size = Distribution::lognormal(1e5, 0.5);
  s.loader.num_workers = 2;
  s.storage.latency = Distribution::lognormal(latency_s, 1.0);
  s.storage.stream_bandwidth = bytes_per_second(1e9);
  s.run.steps_per_epoch = 300;
  s.run.whole_run = true;
  return s;
}

// The what-if of one setting: with common luck the interval of the difference is narrower than that of independent
// runs, whose variances add up.
TEST(PairedDifference, OfOneSettingIsNarrowerThanOfIndependentRuns) {
  constexpr std::size_t kRuns = 8;
  std::array<double, kRuns> base{}, other{}, independent{};
  for (std::size_t r = 0; r < kRuns; ++r) {
    base[r] = simulate_once(waits_for_reads(0.005), 1 + r, {}, nullptr).gpu_utilization.mean;
    other[r] = simulate_once(waits_for_reads(0.0051), 1 + r, {}, nullptr).gpu_utilization.mean;
    independent[r] = simulate_once(waits_for_reads(0.0051), 1001 + r, {}, nullptr).gpu_utilization.mean;
  }
  const Estimate paired = paired_difference(base, other), unpaired = paired_difference(base, independent);
  EXPECT_LT(paired.ci95_high, 0.0);  // told apart: more latency, less utilization
  EXPECT_LT(paired.half_width(), 0.5 * unpaired.half_width());
}

}  // namespace
}  // namespace stallcast
