// The whole answer about machines that load a model, and about several jobs on one storage.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/answers/run_answer.h"
#include "core/cost/cost_breakdown.h"
#include "core/cost/price_jobs.h"
#include "core/result/bound.h"
#include "core/result/serving_result.h"
#include "core/result/shared_result.h"
#include "core/run/jobs_ranges.h"
#include "core/run/serving_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

struct ServingAnswer {
  ServingResult result;
  CostBreakdown cost;
  ServingRanges ranges;
};

// **Range** one job that serves, on storage of its own. **Errors** as simulate_serving()
ServingAnswer answer_serving(const ResolvedScenario& resolved, const RunOptions& run, AssumedInputs inputs);

struct JobsAnswer {
  SharedResult result;
  std::vector<Bound> bounds;
  SharedCost cost;
  JobsRanges ranges;
};

// **Range** `resolved` has jobs beside it. **Errors** as simulate_jobs()
JobsAnswer answer_jobs(const ResolvedScenario& resolved, const RunOptions& run, AssumedInputs inputs);

// What `simulate --format json` prints of each, the catalogue included.
nlohmann::ordered_json serving_answer_document(const ResolvedScenario& resolved, const ServingAnswer& answer);
nlohmann::ordered_json jobs_answer_document(const ResolvedScenario& resolved, const JobsAnswer& answer);

}  // namespace stallcast
