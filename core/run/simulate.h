// One scenario in, one result out: the model on the engine until the asked precision is reached.
#pragma once

#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Simulates `scenario`, which must come from resolve() (all values present and in range). With run.uncertain, means are
// those of the inputs as given, and intervals hold what the inputs may truly be as well (uncertainty.h).
// **Errors** InvariantError if it does not; nothing else. Same scenario and seed: the same result, bit for bit.
RunResult simulate(const Scenario& scenario, const RunOptions& options = {});

}  // namespace stallcast
