// The whole answer about one training job: what simulate and explain find out, and the JSON object they print.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/cost/cost_breakdown.h"
#include "core/plan/explain/advice.h"
#include "core/plan/explain/explain.h"
#include "core/plan/rules/rules.h"
#include "core/result/bound.h"
#include "core/result/run_result.h"
#include "core/run/input_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/run_options.h"

namespace stallcast {

// What becomes of inputs that nobody gave: drawn from their ranges, or taken as the one value that was filled in.
enum class AssumedInputs { kRanges, kPoint };

struct RunAnswer {
  RunResult result;
  Bound bound;
  CostBreakdown cost;
  InputRanges ranges;
  CostBreakdown widened_cost;  // of ranges.widened
};

// Simulates, draws what nobody gave unless the run was stopped, and prices both.
// **Range** one training job. **Errors** as simulate()
RunAnswer answer_run(const ResolvedScenario& resolved, const RunOptions& run, AssumedInputs inputs);

// What `simulate --format json` prints: result_document(), assumed_inputs_to_json() and the catalogue.
nlohmann::ordered_json run_document(const ResolvedScenario& resolved, const RunAnswer& answer);

struct ExplainAnswer {
  Explanation explanation;
  Advice advice;
  InputRanges ranges;
  CostBreakdown widened_cost;
};

// **Range** one training job; `file` is what it was resolved from. **Errors** as simulate()
ExplainAnswer answer_explain(const ScenarioFile& file, const ResolvedScenario& resolved, const std::vector<Rule>& rules,
                             const Catalogue& catalogue, const RunOptions& run, AssumedInputs inputs);

// What `explain --format json` prints.
nlohmann::ordered_json explain_document(const ResolvedScenario& resolved, const ExplainAnswer& answer);

}  // namespace stallcast
