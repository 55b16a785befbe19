// What `stallcast simulate` does, for commands that end with it.
#pragma once

#include "cli/environment.h"
#include "cli/scenario_options.h"

namespace stallcast {

// Simulates the scenario and delivers the result; the exit code of it.
// **Errors** WorldError
int simulate_scenario(const ScenarioOptions& options, const Environment& environment);

}  // namespace stallcast
