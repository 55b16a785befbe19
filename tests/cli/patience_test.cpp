#include "cli/shell/patience.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace stallcast {
namespace {

Progress runs(std::int64_t done, std::int64_t wanted) {
  Progress progress;
  progress.runs = done;
  progress.runs_wanted = wanted;
  return progress;
}

Progress steps(std::int64_t done, double half_width) {
  Progress progress;
  progress.steps = done;
  progress.gpu_utilization = {0.5, 0.5 - half_width, 0.5 + half_width};
  return progress;
}

TEST(RunEstimate, SaysNothingOfOnePart) {
  const Scenario scenario;
  RunEstimate estimate(scenario);
  EXPECT_EQ(estimate.total_s(), std::nullopt);
  estimate.add(runs(1, 100), 10.0);
  EXPECT_EQ(estimate.total_s(), std::nullopt);
}

// The first run was there after 10 s, two more in 4 s: 97 more take 194 s.
TEST(RunEstimate, RunsTakeEquallyLongAndWhatWasBeforeThemIsNotRepeated) {
  const Scenario scenario;
  RunEstimate estimate(scenario);
  estimate.add(steps(1000, 0.001), 9.0);
  estimate.add(runs(1, 100), 10.0);
  estimate.add(runs(3, 100), 14.0);
  EXPECT_DOUBLE_EQ(estimate.total_s().value(), 14.0 + 97.0 * 2.0);
}

// Four times as wide as asked after 1000 steps: sixteen times as many, at 1 s for 500.
TEST(RunEstimate, APrecisionTakesTheSquareOfTheWidth) {
  Scenario scenario;
  scenario.run.precision = 0.01;
  scenario.run.max_steps = 1'000'000;
  RunEstimate estimate(scenario);
  estimate.add(steps(500, 0.05), 1.0);
  estimate.add(steps(1000, 0.04), 2.0);
  EXPECT_NEAR(estimate.total_s().value(), 2.0 + 15'000.0 / 500.0, 1e-9);
  scenario.run.max_steps = 2000;  // given up then, at 1 s for 500 still
  estimate.add(steps(1500, 0.04), 3.0);
  EXPECT_NEAR(estimate.total_s().value(), 4.0, 1e-9);
}

// An interval of few steps says little: 100 steps a second, and 400 of them before it counts.
TEST(RunEstimate, FewStepsDoNotTellOfThePrecision) {
  Scenario scenario;
  scenario.run.precision = 0.01;
  RunEstimate estimate(scenario);
  estimate.add(steps(100, 0.5), 1.0);
  estimate.add(steps(200, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(estimate.total_s().value(), 4.0);
}

// 20 steps of 5 epochs; the last of them is there after 100.
TEST(RunEstimate, AWholeRunHasItsSteps) {
  Scenario scenario;
  scenario.run.whole_run = true;
  scenario.run.steps_per_epoch = 20;
  scenario.run.epochs = 5;
  RunEstimate estimate(scenario);
  estimate.add(steps(10, 0.5), 1.0);
  estimate.add(steps(20, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(estimate.total_s().value(), 10.0);
}

TEST(Patience, StopsWithWhatItListensTo) {
  const Scenario scenario;
  std::stop_source other;
  const Patience patience(scenario, other.get_token());
  EXPECT_FALSE(patience.stop().stop_requested());
  other.request_stop();
  EXPECT_TRUE(patience.stop().stop_requested());
  EXPECT_FALSE(patience.finding().has_value());
}

// 1e9 simulated runs of 10 ms or more.
TEST(Patience, StopsWhatTakesTooLongAndSaysSo) {
  const Scenario scenario;
  Patience patience(scenario, {}, std::chrono::milliseconds(20));
  const auto watch = patience.watch({});
  watch(runs(0, 1'000'000'000));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  watch(runs(1, 1'000'000'000));
  while (!patience.stop().stop_requested()) std::this_thread::yield();
  ASSERT_TRUE(patience.finding().has_value());
  EXPECT_EQ(patience.finding()->code, "too_much");
}

}  // namespace
}  // namespace stallcast
