// What the fast path leaves out - most nodes, and every step between two interruptions - against simulating all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

#include "core/cost/price_run.h"
#include "core/model/absent_nodes.h"
#include "core/run/simulate.h"
#include "core/scenario/representatives.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

// A job of 72 to 128 ranks and 1,500 to 2,500 steps, bound by computing, by the storage or by decoding, with or without
// checkpoints that share the storage with its reads; those with checkpoints are interrupted two to six times.
Scenario large_job(std::uint64_t number) {
  Dice dice(991 + number);
  Scenario s;
  s.cluster.gpus_per_node = dice.chance(0.5) ? 8 : 4;
  s.cluster.nodes = dice.whole(72, 128) / s.cluster.gpus_per_node;
  if (s.cluster.gpus_per_node == 4) s.cluster.nodes = std::max<std::int64_t>(s.cluster.nodes, 20);
  s.cluster.cores_per_node = static_cast<double>(dice.whole(8, 32));
  s.cluster.nic_bandwidth = bytes_per_second(dice.chance(0.5) ? 2e9 : 0.0);
  const double ranks = static_cast<double>(s.ranks());
  constexpr double kStep = 0.1;
  s.workload.batch_size = dice.whole(1, 3);
  s.workload.step_time = random_distribution(dice, kStep);
  s.workload.gradient_bytes = bytes(dice.chance(0.5) ? 1e8 : 0.0);
  s.cluster.gpu_link_bandwidth = bytes_per_second(20e9);
  s.dataset.sample_size = random_distribution(dice, 1e6);
  s.dataset.decode_time = random_distribution(dice, dice.uniform(0.001, 0.03));
  s.loader.num_workers = dice.whole(1, 3);
  s.loader.prefetch_factor = dice.whole(1, 4);
  const double demand = 1e6 * ranks * static_cast<double>(s.workload.batch_size) / kStep;
  s.storage.read_bandwidth = bytes_per_second(demand * dice.uniform(0.7, 3.0));
  s.storage.write_bandwidth = s.storage.read_bandwidth * 0.5;
  s.storage.duplex = dice.chance(0.5);
  s.storage.latency = random_distribution(dice, dice.uniform(0.0005, 0.02));
  s.run.steps_per_epoch = dice.whole(1500, 2500);
  s.run.precision = 0.002;
  CheckpointSpec& c = s.checkpoint;
  c.mode = static_cast<CheckpointMode>(dice.whole(0, 2));
  c.interval_steps = dice.whole(40, 150);
  c.writers = dice.chance(0.7) ? CheckpointWriters::kAll : CheckpointWriters::kRank0;
  c.size = bytes(dice.uniform(0.2, 0.8) * s.storage.write_bandwidth.base());
  c.snapshot_time = seconds(0.1);
  FailureSpec& f = s.failures;
  s.cost.node_price = UsdPerHour::from_base(98.0);
  if (c.mode == CheckpointMode::kNone) return s;  // nothing to go back to
  Scenario undisturbed = s;
  undisturbed.run.precision = 0.01;
  undisturbed.checkpoint.mode = CheckpointMode::kNone;
  f.mtti = seconds(simulate(undisturbed).time_to_train_s / dice.uniform(2.0, 6.0));
  f.detection_time = seconds(1.0);
  f.replacement_time = seconds(2.0);
  f.restart_time = seconds(1.0);
  return s;
}

std::string text_of(const Scenario& s) {
  return describe(s) + ", " + std::to_string(s.cluster.nodes) + " x " + std::to_string(s.cluster.gpus_per_node);
}

// One failure that falls on the other side of a checkpoint is a percent of such a short run: over a few simulated runs
// it is luck what both lose, over two dozen it is not.
TEST(FastPath, AgreesWithEveryRankAndStepSimulated) {
  constexpr std::int64_t kRuns = 24;
  double worst = 0.0, worst_cost = 0.0;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const Scenario s = large_job(number);
    ASSERT_FALSE(representatives_of(s).all()) << text_of(s);
    RunOptions options;
    options.replications = s.checkpoint.mode == CheckpointMode::kNone ? 0 : kRuns;
    const RunResult fast = simulate(s, options);
    options.exact = true;
    const RunResult exact = simulate(s, options);
    ASSERT_EQ(fast.timeline.replications, s.checkpoint.mode == CheckpointMode::kNone ? 0 : kRuns);
    const double difference = fast.gpu_utilization.mean - exact.gpu_utilization.mean;
    EXPECT_NEAR(difference, 0.0, 0.005) << number << ": " << text_of(s);
    EXPECT_NEAR(fast.goodput_fraction / exact.goodput_fraction, 1.0, 0.01) << number << ": " << text_of(s);
    const double fast_cost = price_run(s, {}, fast).category_total(CostCategory::kCompute)->to_double();
    const double exact_cost = price_run(s, {}, exact).category_total(CostCategory::kCompute)->to_double();
    EXPECT_NEAR(fast_cost / exact_cost, 1.0, 0.01) << number << ": " << text_of(s);
    worst = std::max(worst, std::abs(difference));
    worst_cost = std::max(worst_cost, std::abs(fast_cost / exact_cost - 1.0));
  }
  std::cout << "worst differences: " << 100.0 * worst << " points of utilization, " << 100.0 * worst_cost
            << " % of cost\n";
}

constexpr double kIdle = 1e9;  // storage that nobody waits for

// Nodes of one rank that have their batches in time.
std::vector<RankAtBarrier> computing(const std::vector<double>& times) {
  std::vector<RankAtBarrier> out;
  for (const double time_s : times) out.push_back({time_s, 1e9, 0});
  return out;
}

// The slowest of n nodes whose times are exponential beyond a second with mean 1: 1 + H(n) on average. A tail that is
// bounded stays so, and nodes that are all alike keep nobody waiting.
class SlowestOf : public testing::TestWithParam<std::int64_t> {};

TEST_P(SlowestOf, ManyNodesIsThatOfTheirDistribution) {
  const std::int64_t all = GetParam();
  constexpr std::int64_t kSeen = 8;
  const RandomStream draw(3, DrawPurpose::kTest, 0);
  AbsentNodes exponential(all - kSeen, 1, RandomStream(3, DrawPurpose::kAbsentNodes, 1));
  AbsentNodes uniform(all - kSeen, 1, RandomStream(3, DrawPurpose::kAbsentNodes, 2));
  AbsentNodes constant(all - kSeen, 1, RandomStream(3, DrawPurpose::kAbsentNodes, 3));
  double exponential_sum = 0.0, uniform_sum = 0.0;
  std::uint64_t index = 0;
  constexpr int kSteps = 4000, kWarm = 1000;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> e, u;
    for (std::int64_t n = 0; n < kSeen; ++n) {
      const double x = draw.uniform_at(index++);
      e.push_back(1.0 - std::log(x));
      u.push_back(1.0 + x);
    }
    const double e_all = *std::max_element(e.begin(), e.end()) + exponential.wait_after(computing(e), 0.0, kIdle);
    const double u_all = *std::max_element(u.begin(), u.end()) + uniform.wait_after(computing(u), 0.0, kIdle);
    EXPECT_EQ(constant.wait_after(computing(std::vector<double>(kSeen, 2.0)), 0.0, kIdle), 0.0);
    if (step < kWarm) continue;
    exponential_sum += e_all;
    uniform_sum += u_all;
  }
  double harmonic = 0.0;
  for (std::int64_t n = 1; n <= all; ++n) harmonic += 1.0 / static_cast<double>(n);
  EXPECT_NEAR(exponential_sum / (kSteps - kWarm), 1.0 + harmonic, 0.06 * (1.0 + harmonic));
  EXPECT_NEAR(uniform_sum / (kSteps - kWarm), 1.0 + static_cast<double>(all) / static_cast<double>(all + 1), 0.06);
}

// After long steps all have filled their queues: none is late, and none of those that are not seen is taken to be.
TEST_P(SlowestOf, ManyNodesIsAsLateAsWhatWasBeforeLets) {
  const std::int64_t all = GetParam();
  constexpr std::int64_t kSeen = 8;
  const RandomStream draw(3, DrawPurpose::kTest, 1);
  AbsentNodes nodes(all - kSeen, 1, RandomStream(3, DrawPurpose::kAbsentNodes, 4));
  std::uint64_t index = 0;
  double short_sum = 0.0, short_steps = 0.0;
  for (int step = 0; step < 4000; ++step) {
    const bool after_long = draw.uniform_at(index++) < 0.5;
    std::vector<double> times;
    for (std::int64_t n = 0; n < kSeen; ++n)
      times.push_back(after_long ? 1.0 : 1.0 - std::log(draw.uniform_at(index++)));
    const double slowest = *std::max_element(times.begin(), times.end());
    const double wait = nodes.wait_after(computing(times), after_long ? 5.0 : 2.0, kIdle);
    if (step < 1000) continue;
    if (after_long) {
      EXPECT_NEAR(wait, 0.0, 1e-9);
    } else {
      short_sum += slowest + wait;
      short_steps += 1.0;
    }
  }
  double harmonic = 0.0;
  for (std::int64_t n = 1; n <= all; ++n) harmonic += 1.0 / static_cast<double>(n);
  EXPECT_NEAR(short_sum / short_steps, 1.0 + harmonic, 0.08 * (1.0 + harmonic));
}

// Of twelve steps there is one in which any node may be late, with a chance that the step draws: so one is late among n
// nodes with probability n / (n + 1). What other steps are like says nothing of it.
TEST_P(SlowestOf, ManyNodesIsNotLateInStepsInWhichNobodyIs) {
  const std::int64_t all = GetParam();
  constexpr std::int64_t kSeen = 8;
  constexpr double kUsual = 0.05, kLate = 30.0, kOften = 1.0 / 12.0;
  const RandomStream draw(3, DrawPurpose::kTest, 2);
  AbsentNodes nodes(all - kSeen, 1, RandomStream(3, DrawPurpose::kAbsentNodes, 5));
  std::uint64_t index = 0;
  double sum = 0.0, in_quiet_steps = 0.0, steps = 0.0;
  for (int step = 0; step < 8000; ++step) {
    const bool quiet = draw.uniform_at(index++) >= kOften;
    const double chance = quiet ? 0.0 : draw.uniform_at(index++);
    std::vector<double> times;
    for (std::int64_t n = 0; n < kSeen; ++n) times.push_back(draw.uniform_at(index++) < chance ? kLate : kUsual);
    const double wait = nodes.wait_after(computing(times), 0.0, kIdle);
    if (step < 200) continue;
    sum += *std::max_element(times.begin(), times.end()) + wait;
    if (quiet) in_quiet_steps += wait;
    steps += 1.0;
  }
  const double late = static_cast<double>(all) / static_cast<double>(all + 1);
  const double expected = kUsual + kOften * late * (kLate - kUsual);
  EXPECT_NEAR(sum / steps, expected, 0.15 * expected);
  EXPECT_EQ(in_quiet_steps, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Nodes, SlowestOf, testing::Values(12, 16, 64, 512, 2048, 16384));

}  // namespace
}  // namespace stallcast
