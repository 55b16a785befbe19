// The part of a run that its checkpoints and interruptions do not change, simulated once for many cadences.
#pragma once

#include <optional>

#include "core/run/simulate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// What simulate() simulates of `scenario` before it draws the calendar: the same job without checkpoints, failures and
// data loss. Nothing where no calendar is drawn, or where inputs are uncertain.
std::optional<Scenario> undisturbed_part(const Scenario& scenario);

// simulate(scenario, options), bit for bit and wall_s apart, from simulate_undisturbed(*undisturbed_part(scenario)).
// **Checked by** tests/core/plan/size_test.cpp
RunResult simulate_undisturbed(const Scenario& undisturbed, const RunOptions& options);
RunResult with_calendar(const Scenario& scenario, const RunResult& undisturbed, const RunOptions& options);

}  // namespace stallcast
