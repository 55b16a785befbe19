// One run simulated many times, on all cores.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result/timeline_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {

// How many there are to be: one where nothing is left to chance.
std::int64_t replications_of(const Scenario& scenario, const RunOptions& options);

// Those simulated runs, by replication number; fewer when a stop was requested. Same seed: the same, whatever the
// threads. With a journal, finished ones are read from it and new ones added to it.
std::vector<SimulatedRun> replicate(const Scenario& scenario, const TimelineInput& input, std::uint64_t seed,
                                    const RunOptions& options);

SimulatedRun mean_of(const std::vector<SimulatedRun>& runs);

}  // namespace stallcast
