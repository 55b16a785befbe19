// One configuration, simulated and priced.
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/cost/cost_breakdown.h"
#include "core/diagnostics/finding.h"
#include "core/plan/space/space.h"
#include "core/result/bound.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/run_options.h"

namespace stallcast {

struct Evaluation {
  RunResult result;
  Bound bound;
  CostBreakdown cost;
};

// The scenario at `point`, everything filled in. Findings name what the point set "--vary".
// **Errors** as resolve().
Loaded<ResolvedScenario> resolve_at(const ScenarioFile& base, const Point& point, const Catalogue& catalogue);

// Simulates, bounds and prices. **Errors** as simulate().
Evaluation evaluate(const ResolvedScenario& resolved, const RunOptions& options);

// The same with a run that is already simulated: of a scenario with an equal simulation_key().
Evaluation evaluate(const ResolvedScenario& resolved, RunResult result);

// The options of one of many runs that are compared: without trace, progress and journal, which are for one scenario's
// own, and on one thread, since many run side by side.
RunOptions one_of_many(RunOptions options);

// The scenario with its inputs taken as given: without run.uncertain, which costs forty runs.
ResolvedScenario with_inputs_as_given(ResolvedScenario resolved);

}  // namespace stallcast
