// A job with a change made to it, to be tried beside the job as it is.
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/plan/space/space.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// The job with its inputs as given: what changes are tried on. Its checkpoints stay as seldom as `result` has them by
// time, whatever the change does to a step: the interval is not searched for again.
Scenario for_changes(const Scenario& scenario, const RunResult& result);

bool is_of_checkpoints(const Point& set);

// `file` with `set`, to be tried beside the job whose answer is `now`. An interval of checkpoints that was searched for
// there is searched for again only where the change is one of checkpoints. **Errors** those of resolve_at()
Loaded<ResolvedScenario> changed_job(const ScenarioFile& file, const Point& set, const RunResult& now,
                                     const Catalogue& catalogue);

}  // namespace stallcast
