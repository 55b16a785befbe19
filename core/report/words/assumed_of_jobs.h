// How far inputs that nobody gave leave the times of several jobs on one storage open, and which of them: as text and
// as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/cost/price_jobs.h"
#include "core/result/shared_result.h"
#include "core/run/jobs_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct AssumedOfJobs {
  const ResolvedScenario& scenario;
  const SharedResult& result;
  const SharedCost& cost;
  const JobsRanges& ranges;
};

// A line for each job, of its time, how much slower it is beside the others, how busy its GPUs are, and its bill; ""
// where nothing was drawn.
std::string ranges_block(const AssumedOfJobs& all);

// What was assumed and decides, most influence first. "" when all was given.
std::string assumed_inputs_block(const AssumedOfJobs& all);

// 90 % ranges of the figures of one job: {"alone_s", "together_s", "slowdown", "gpu_utilization", "samples_per_s",
// "total_usd": {"low", "high"}}, each null where nothing was drawn or the job has no such figure.
nlohmann::ordered_json job_ranges_to_json(const AssumedOfJobs& all, std::size_t job);

// "assumptions" as assumed_inputs_to_json() of one job gives them; with "jobs", whose input it is, "effect_s", by which
// the job that it affects most is sooner or later, "effect_on", which that is, and "effect_usd", on all bills.
nlohmann::ordered_json assumptions_to_json(const AssumedOfJobs& all);

}  // namespace stallcast
