// How far the times of several jobs on one storage may be off because of inputs that nobody gave.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/result/shared_result.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One input that nobody gave, and what it does to the jobs.
struct AssumedJobsInput {
  AssumedValue assumed;
  std::vector<std::size_t> jobs;  // whose input it is
  // The jobs with this input alone at the low and at the high end of its range; none where it was not tried.
  std::optional<std::pair<SharedResult, SharedResult>> ends;
  // By which a job's time differs between the ends, over that as given: of the job where that is most.
  double time_effect = 0.0;  // **Range** >= 0
  std::size_t most_affected = 0;
};

struct JobsRanges {
  std::vector<AssumedJobsInput> inputs;  // most effect first, where they were drawn
  bool drawn = false;                    // what they are worth is known
  SharedResult as_given;                 // simulated as the draws are: what they are compared with
  std::vector<SharedResult> draws;
  double most_model_error = 0.0;  // relative half-width that the model's own error leaves (run/model_error.h)
};

// What was assumed of any of the jobs, without a look at what it is worth.
JobsRanges assumed_of_jobs(const ResolvedScenario& resolved);

// What a job takes beside the others: its time, or of one without an end that of a sample.
double time_of(const SharedJob& job);

struct RangedJobs {
  SharedResult result;  // as simulate_jobs() gives it
  JobsRanges ranges;
};

// The jobs, and again with what nobody gave, and with run.uncertain of each, drawn from its intervals; then with one
// input alone at either end of its range: those that the draws and the lost time point to (run/input_ranges.h).
// **Model** as input_ranges(). What is not known of the storage is one truth for all jobs, and so is what two jobs have
// from one record; other inputs of two jobs are drawn apart.
// **Cost** beside that of the jobs 20 simulations of them at about a tenth of the effort and two for each input that is
// tried, on all cores; nothing where nothing was assumed.
// **Checked by** tests/core/run/jobs_ranges_test.cpp
RangedJobs simulate_jobs_with_ranges(const ResolvedScenario& resolved, const RunOptions& options);

}  // namespace stallcast
