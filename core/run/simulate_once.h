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

}  // namespace stallcast
