#include "core/backtest/score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

// 100 samples in 100 / rate seconds, `utilization` of them in steps.
LoaderRun run_of(double rate, double utilization) {
  LoaderRun run;
  run.samples = 100.0;
  run.wall_s = 100.0 / rate;
  run.steps_s = utilization * run.wall_s;
  run.finished = true;
  return run;
}

SettingOutcome outcome(const std::string& workload, std::int64_t workers, double predicted,
                       const std::vector<double>& measured) {
  SettingOutcome out;
  out.setting.workload = workload;
  out.setting.workers = workers;
  out.predicted = {{predicted, 0.98 * predicted, 1.02 * predicted}, {0.5, 0.5, 0.5}};
  for (const double rate : measured) out.runs.push_back(run_of(rate, 0.4));
  return out;
}

TEST(SettingOutcome, ComparesThePredictionWithTheMeanOfTheRuns) {
  const SettingOutcome one = outcome("read", 2, 110.0, {95.0, 105.0});
  EXPECT_DOUBLE_EQ(one.samples_per_s(), 100.0);
  EXPECT_NEAR(one.error(), 0.10, 1e-12);
  EXPECT_DOUBLE_EQ(one.utilization(), 0.4);
  // Deviations -5 and 5, n - 1 = 1: sqrt(50) / 100.
  EXPECT_NEAR(one.noise(), std::sqrt(50.0) / 100.0, 1e-12);
  EXPECT_EQ(outcome("read", 2, 110.0, {95.0}).noise(), 0.0);
}

TEST(BacktestScore, IsTheMeanOverSettingsThatWereMeasured) {
  // Errors +10 %, -10 %, 0 %; the last setting was never run.
  const BacktestScore score =
      score_backtest({outcome("a", 0, 110.0, {100.0, 100.0}), outcome("a", 1, 180.0, {190.0, 210.0}),
                      outcome("b", 0, 50.0, {50.0}), outcome("b", 1, 50.0, {})});
  EXPECT_EQ(score.settings, 3U);
  EXPECT_NEAR(score.mape, (0.10 + 0.10 + 0.0) / 3, 1e-12);
  EXPECT_NEAR(score.bias, 0.0, 1e-12);
  EXPECT_NEAR(score.worst, 0.10, 1e-12);
  EXPECT_NEAR(score.utilization_error, 0.1, 1e-12);
  // Two settings were repeated: they differ by 0 and 20 of 200.
  EXPECT_NEAR(score.repeat_difference, 0.5 * (0.0 + 0.1), 1e-12);
  // Of five runs only that of the third setting lies within 2 % of its prediction.
  EXPECT_NEAR(score.inside_interval, 1.0 / 5, 1e-12);
  // Workload b has no curve: one of its settings is missing.
  ASSERT_EQ(score.knees.size(), 1U);
  EXPECT_EQ(score.knees[0].workload, "a");
  EXPECT_EQ(score.knees[0].predicted, 1);
}

TEST(BacktestScore, OfNothingIsZero) {
  const BacktestScore score = score_backtest({});
  EXPECT_EQ(score.settings, 0U);
  EXPECT_EQ(score.mape, 0.0);
  EXPECT_EQ(score.repeat_difference, 0.0);
}

TEST(Knee, IsTheFewestWorkersThatReachNearlyTheBest) {
  EXPECT_EQ(knee_of({0, 1, 2, 4, 8}, {30, 60, 96, 100, 99}), 2);
  EXPECT_EQ(knee_of({0, 1, 2, 4, 8}, {30, 60, 94, 100, 99}), 4);
  EXPECT_EQ(knee_of({3}, {5}), 3);
}

}  // namespace
}  // namespace stallcast
