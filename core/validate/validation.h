// Predicted beside measured: how far the simulator is from real runs, by mechanism, beside predictors that need none.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/validate/measured_run.h"

namespace stallcast {

// Where a prediction's random values come from.
enum class DrawSource {
  kRecorded,  // the draws the recorded seed gives: sampling noise drops out, what is left is model error
  kRandom,    // the stated distributions only, as for a run that has not happened yet
};

struct ValidationCase {
  std::string id;
  std::int64_t repeat = 0;
  std::string mechanism;
  RunOutputs predicted;
  std::optional<RunOutputs> measured;  // none when the record holds no outputs
  RunOutputs bound;                    // the min-of-rates predictor
};

// Distribution of an error. **Units** percentage points for utilization, percent of the measured value for rates.
struct ErrorSummary {
  std::size_t count = 0;
  double bias = 0.0;  // mean of predicted - measured
  double mean = 0.0;  // of the absolute error; for rates this is the MAPE
  double median = 0.0;
  double p90 = 0.0;
  double worst = 0.0;
};

struct PredictorScore {
  ErrorSummary au_steady, au, samples_per_s;
};

struct MechanismScore {
  std::string mechanism;  // "all" and "quiet" sum up
  PredictorScore model;
  PredictorScore bound;
  PredictorScore repeat_noise;  // differences between repeats of one configuration: what no predictor can beat
};

struct Validation {
  DrawSource draws = DrawSource::kRecorded;
  std::vector<ValidationCase> cases;
  std::vector<UnknownRun> unknown;
  std::vector<MechanismScore> scores;  // by mechanism in alphabetical order, then "quiet", then "all"
};

struct ValidationOptions {
  DrawSource draws = DrawSource::kRecorded;
  std::function<void(std::size_t done, std::size_t total)> progress;
  std::stop_token stop;
};

// Predicts every run from its configuration and inputs, then scores. Same input, same output, whatever the cores.
Validation validate_runs(const MeasuredRuns& runs, const ValidationOptions& options);

// What the smallest of the mean rates allows: GPU, workers, cores, shared device; a checkpoint's pause is added.
// **Model** wall per step = max(step, batch (read + decode) / workers, ranks batch decode / cores, ranks batch bytes /
// bandwidth) + pause / interval; no queueing, no order, no overhead, no start-up.
RunOutputs min_of_rates(const Scenario& scenario);

// **Range** values may be empty (all zero then). Percentiles by linear interpolation.
ErrorSummary summarise_errors(const std::vector<double>& errors);

}  // namespace stallcast
