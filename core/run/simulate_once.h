// One run from start to end, drawn out over its calendar where something interrupts it.
#pragma once

#include <cstdint>

#include "core/result/run_result.h"
#include "core/result/trace.h"
#include "core/run/simulate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// One run of `scenario` with the luck of `seed`, without replications of it (options.replications are its calendars).
// run.uncertain is not looked at. `trace` is filled when not null.
RunResult simulate_once(const Scenario& scenario, std::uint64_t seed, const RunOptions& options, Trace* trace);

// The first part of it: the steps, as nothing interrupts them. Checkpoints are among them in runs that are simulated
// whole and have nothing else that interrupts them; `trace` has them always.
RunResult simulate_pace(const Scenario& scenario, std::uint64_t seed, const RunOptions& options, Trace* trace);

// The second: what interrupts the steps, checkpoints among it.
RunResult with_interruptions(const Scenario& scenario, RunResult pace, std::uint64_t seed, const RunOptions& options);

}  // namespace stallcast
