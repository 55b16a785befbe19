// One of the simulated runs that a result is the mean of, moment by moment.
#pragma once

#include <cstdint>
#include <optional>

#include "core/result/run_result.h"
#include "core/result/timeline_log.h"
#include "core/scenario/scenario.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {

struct LoggedRun {
  SimulatedRun run;
  TimelineLog log;
};

// What the simulated runs of `result` move by. Nothing where the length of the run is not known.
// **Range** `result` is of simulate(scenario), without --exact.
std::optional<TimelineInput> timeline_input(const Scenario& scenario, const RunResult& result);

// Run number `replication` of simulate(scenario), simulated again; where nothing interrupts the run, the only one
// there is. Nothing where the length of the run is not known, or where the run is going nowhere (simulate_timeline).
// **Model** the paces and the checkpoints' behaviour are in the result already: nothing is simulated again.
// **Cost** microseconds to milliseconds, by the number of interruptions and checkpoints.
// **Checked by** tests/core/run/logged_run_test.cpp
std::optional<LoggedRun> logged_run(const Scenario& scenario, const RunResult& result, std::uint64_t replication = 0);

}  // namespace stallcast
