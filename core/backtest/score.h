// How far a backtest's predictions are from what was measured, and how far measurements are from each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/backtest/loader/real_loader.h"
#include "core/backtest/prediction.h"

namespace stallcast {

// One setting: predicted, then run some times.
struct SettingOutcome {
  LoaderSetting setting;
  Prediction predicted;              // before any setting ran
  std::vector<LoaderRun> runs;       // finished ones
  std::vector<Prediction> foreseen;  // of each run, from the brackets before it; empty = as `predicted`

  bool measured() const { return !runs.empty(); }
  double samples_per_s() const;  // mean of the runs
  double utilization() const;    // likewise
  const Prediction& foreseen_at(std::size_t run) const { return foreseen.empty() ? predicted : foreseen[run]; }
  double foreseen_samples_per_s() const;  // mean over the runs; `predicted` without any
  double foreseen_utilization() const;    // likewise
  double error() const;                   // foreseen / measured - 1, of samples/s
  double noise() const;                   // standard deviation of one run's samples/s / their mean; 0 with one run
};

// Where a curve stops rising. **Range** workers of settings that were run
struct Knee {
  std::string workload;
  std::int64_t predicted = 0, measured = 0;
};

struct BacktestScore {
  std::size_t settings = 0;        // measured
  double mape = 0.0;               // mean |error| of samples/s
  double first_mape = 0.0;         // likewise of what was predicted before any setting ran
  double bias = 0.0;               // mean error
  double worst = 0.0;              // largest |error|
  double utilization_error = 0.0;  // mean |predicted - measured|, as a fraction of 1
  // Mean relative difference between two runs of one setting: the error of the best predictor there is, the same thing
  // measured before. Settings with one run are left out.
  double repeat_difference = 0.0;
  double inside_interval = 0.0;  // share of runs whose samples/s lie in the interval that was predicted for them
  std::vector<Knee> knees;       // workloads of which all settings were measured
};

// The fewest workers that reach `share` of the best of a curve. **Shape** workers ascending, as many as rates.
inline constexpr double kKneeShare = 0.95;
std::int64_t knee_of(const std::vector<std::int64_t>& workers, const std::vector<double>& rates,
                     double share = kKneeShare);

BacktestScore score_backtest(const std::vector<SettingOutcome>& outcomes);

}  // namespace stallcast
