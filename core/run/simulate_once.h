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

// The first part of it: the steps, as nothing interrupts them. Where checkpoints and interruptions come with the
// calendar, there are none yet.
RunResult simulate_pace(const Scenario& scenario, std::uint64_t seed, const RunOptions& options, Trace* trace);

// The second: drawn out, where it has to be.
RunResult with_its_calendar(const Scenario& scenario, RunResult pace, std::uint64_t seed, const RunOptions& options);

}  // namespace stallcast
