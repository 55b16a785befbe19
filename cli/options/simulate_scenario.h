// What `stallcast simulate` does, for commands that end with it.
#pragma once

#include "cli/options/scenario_options.h"
#include "cli/shell/environment.h"

namespace stallcast {

// Simulates the scenario and delivers the result; the exit code of it.
// **Errors** WorldError
int simulate_scenario(const ScenarioOptions& options, const Environment& environment);

}  // namespace stallcast
