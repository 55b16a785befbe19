// Inputs that nobody gave, fitted so that the simulation shows what was seen.
//
// **Model** Each input that was assumed, or is known to an interval, has the distribution that its range says
// (factor_at in run/uncertainty.h): its standard normal score z is 0 at the value taken. What was seen is that run's
// figure with a normal error: the spread that was observed, at least kLeastPoints of a fraction and kLeastShare of
// anything else. The most probable z,
//
//     argmin |z|^2 / 2 + sum_j (y_j(z) - seen_j)^2 / (2 sd_j^2),        rates and times by their logarithms,
//
// is found by Gauss-Newton steps, each shortened until it helps, with slopes from runs at either side of each input:
// utilization has a ceiling, where a slope from one side may be zero. Where they end without explaining what was seen,
// they start again from single inputs far from their values. What is left of an input's range is the Laplace
// approximation there, (I + J^T S^-1 J)^-1. One figure cannot tell two inputs apart that act alike: both move, each in
// proportion to how unsure it was, and both keep most of their range.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

inline constexpr double kLeastPoints = 0.01;
inline constexpr double kLeastShare = 0.02;
inline constexpr double kLeastTime = 1e-3;  // seconds, of a time that may be shown as 0

// One run that somebody watched: the job, and figures of it that predicted_outcome() knows.
struct WatchedRun {
  ResolvedScenario job;
  std::vector<Observation> outcomes;
};

struct FittedInput {
  AssumedValue assumed;                        // with the range before
  double factor = 1.0;                         // the fitted value over that before
  double low_factor = 1.0, high_factor = 1.0;  // 90 % of its true value over the fitted one
  double learned = 0.0;                        // 1 - deviation of z after; 0 = what was seen says nothing of it
};

struct FittedOutcome {
  Observation seen;
  std::size_t run = 0;
  double before = 0.0, after = 0.0;
  double sd = 0.0;  // of its error, as it was weighed
};

struct OutcomeFit {
  std::vector<FittedInput> inputs;      // that moved or were learned, most learned first
  std::vector<AssumedValue> untouched;  // the others
  std::vector<FittedOutcome> outcomes;
  bool explained = false;  // each outcome is within three of its deviations
  bool stopped = false;    // before it was done
};

// Observations that predicted_outcome() does not know are left out. Runs are of one job with different settings; the
// inputs that can move are those of the first.
// **Errors** InvariantError without a run or an outcome that can be predicted.
// **Cost** two runs for each input, about ten times at most, of up to 3e5 samples, on all cores.
// **Checked by** tests/core/diagnose/outcome_fit_test.cpp
OutcomeFit fit_outcomes(const std::vector<WatchedRun>& runs, const RunOptions& options = {});

// The scenario file with the fitted values in it, and what is left of their ranges in run.uncertain.
nlohmann::ordered_json with_fit(const nlohmann::ordered_json& document, const ResolvedScenario& job,
                                const OutcomeFit& fit);

}  // namespace stallcast
