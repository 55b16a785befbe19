// Many calendars of one run, on all cores.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result/calendar_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"
#include "core/timeline/calendar.h"

namespace stallcast {

// How many there are to be: one where nothing is left to chance.
std::int64_t replications_of(const Scenario& scenario, const RunOptions& options);

// Those calendars, by replication number; fewer when a stop was requested. Same seed: the same, whatever the threads.
// With a journal, finished ones are read from it and new ones added to it.
std::vector<CalendarRun> replicate(const Scenario& scenario, const CalendarInput& input, std::uint64_t seed,
                                   const RunOptions& options);

CalendarRun mean_of(const std::vector<CalendarRun>& runs);

}  // namespace stallcast
