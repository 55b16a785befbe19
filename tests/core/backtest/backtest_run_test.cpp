// A backtest of a few seconds on files of its own. How near the prediction comes is not tested: on a machine that does
// other things it need not come near. That it is measured, computed and stated as it should be is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/backtest/backtest.h"
#include "tests/core/backtest/made_up_machine.h"
#include "tests/core/backtest/temporary_files.h"

namespace stallcast {
namespace {

BacktestOptions short_options() {
  BacktestOptions options;
  options.sweep.workers = {0, 1, 2};
  options.sweep.seconds = 2.0;
  options.sweep.bytes = 64e6;
  options.sweep.decode_s = 0.001;
  options.parts_seconds = 1.0;
  options.parts_bytes = 64e6;
  return options;
}

class BacktestRun : public testing::Test {
 protected:
  BacktestRun() : directory(std::vector<std::size_t>(20, 100000)), files(find_sample_files(directory.path())) {}

  Backtest predicted(const BacktestOptions& options) {
    MeasuredParts parts = measure_parts(files, ProbeResult{}, made_up_machine().storage, options);
    return predict_backtest(directory.path().string(), files, std::move(parts), options);
  }

  TemporaryFiles directory;
  SampleFiles files;
};

TEST_F(BacktestRun, PredictsEverySettingBeforeTheFirstRuns) {
  const BacktestOptions options = short_options();
  Backtest backtest = predicted(options);
  ASSERT_EQ(backtest.outcomes.size(), 4U * 3U);
  std::vector<Prediction> before;
  for (const SettingOutcome& outcome : backtest.outcomes) {
    EXPECT_FALSE(outcome.measured());
    EXPECT_GT(outcome.predicted.samples_per_s.mean, 0.0);
    before.push_back(outcome.predicted);
  }
  run_backtest(backtest, options);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(backtest.outcomes[i].predicted.samples_per_s.mean, before[i].samples_per_s.mean);
    for (const LoaderRun& run : backtest.outcomes[i].runs) EXPECT_GE(run.started, backtest.predicted_at);
  }
}

TEST_F(BacktestRun, StatesErrorsAndNoiseAsComputedFromItsRuns) {
  const BacktestOptions options = short_options();
  Backtest backtest = predicted(options);
  run_backtest(backtest, options);
  double errors = 0.0, first_errors = 0.0, differences = 0.0;
  for (const SettingOutcome& outcome : backtest.outcomes) {
    ASSERT_EQ(outcome.runs.size(), 2U);
    const double a = outcome.runs[0].samples / outcome.runs[0].wall_s;
    const double b = outcome.runs[1].samples / outcome.runs[1].wall_s;
    ASSERT_EQ(outcome.foreseen.size(), 2U);
    const double foreseen = 0.5 * (outcome.foreseen[0].samples_per_s.mean + outcome.foreseen[1].samples_per_s.mean);
    errors += std::abs(foreseen / (0.5 * (a + b)) - 1.0);
    first_errors += std::abs(outcome.predicted.samples_per_s.mean / (0.5 * (a + b)) - 1.0);
    differences += std::abs(a - b) / (0.5 * (a + b));
    // Two equal runs to the nanosecond there are not.
    EXPECT_GT(outcome.noise(), 0.0);
  }
  EXPECT_NEAR(backtest.score.mape, errors / 12, 1e-9);
  EXPECT_NEAR(backtest.score.first_mape, first_errors / 12, 1e-9);
  EXPECT_NEAR(backtest.score.repeat_difference, differences / 12, 1e-9);
  EXPECT_GT(backtest.verdict.rest.drift, 0.0);
  EXPECT_EQ(backtest.score.knees.size(), 4U);
  std::printf("MAPE %.1f %%, repeats differ by %.1f %%, others %.1f %% of the cores\n", 100 * backtest.score.mape,
              100 * backtest.score.repeat_difference, 100 * backtest.use.others_fraction);
}

// 24 runs in 8 blocks of 3: a bracket between two blocks and one after the last, beside the first ones.
TEST_F(BacktestRun, EveryRunStandsBetweenBracketsAndIsPredictedFromThoseBefore) {
  const BacktestOptions options = short_options();
  Backtest backtest = predicted(options);
  EXPECT_EQ(backtest.brackets.size(), 3U);
  run_backtest(backtest, options);
  ASSERT_EQ(backtest.brackets.size(), 3U + 8U);
  for (std::size_t k = 2; k + 1 < backtest.brackets.size(); ++k) {
    int runs = 0;
    for (const SettingOutcome& outcome : backtest.outcomes)
      for (const LoaderRun& run : outcome.runs)
        if (run.started >= backtest.brackets[k].at && run.started < backtest.brackets[k + 1].at) ++runs;
    EXPECT_EQ(runs, 3) << "after bracket " << k;
  }
  // In the first block nothing is known but what was known at the beginning.
  for (const SettingOutcome& outcome : backtest.outcomes)
    for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
      if (outcome.runs[i].started > backtest.brackets[3].at) continue;
      EXPECT_EQ(outcome.foreseen[i].samples_per_s.mean, outcome.predicted.samples_per_s.mean);
      EXPECT_EQ(outcome.foreseen[i].samples_per_s.ci95_low, outcome.predicted.samples_per_s.ci95_low);
    }
}

TEST_F(BacktestRun, KeepsFinishedSettingsWhenInterrupted) {
  BacktestOptions options = short_options();
  std::stop_source source;
  options.stop = source.get_token();
  Backtest backtest = predicted(options);
  options.progress = [&](const BacktestProgress& progress) {
    if (progress.done == 5) source.request_stop();  // before the sixth run
  };
  run_backtest(backtest, options);
  EXPECT_TRUE(backtest.interrupted);
  EXPECT_EQ(backtest.score.settings, 5U);
}

TEST_F(BacktestRun, SaysWhichFileVanishedWhileItRan) {
  const BacktestOptions options = short_options();
  Backtest backtest = predicted(options);
  std::filesystem::remove(directory.file(7));
  EXPECT_THROW(run_backtest(backtest, options), WorldError);
}

}  // namespace
}  // namespace stallcast
