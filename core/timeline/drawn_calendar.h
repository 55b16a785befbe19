// One of the calendars that a result is the mean of, moment by moment.
#pragma once

#include <cstdint>
#include <optional>

#include "core/result/calendar_log.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/timeline/calendar.h"

namespace stallcast {

struct DrawnCalendar {
  CalendarRun run;
  CalendarLog log;
};

// What the calendars of `result` were drawn from. Nothing where the length of the run is not known.
// **Range** `result` is of simulate(scenario), without --exact.
std::optional<CalendarInput> calendar_input(const Scenario& scenario, const RunResult& result);

// Calendar number `replication` of simulate(scenario), drawn again; where nothing interrupts the run, the only one
// there is. Nothing where the length of the run is not known, or where the run is going nowhere (run_calendar).
// **Model** the paces and the checkpoints' behaviour are in the result already: nothing is simulated again.
// **Cost** microseconds to milliseconds, by the number of interruptions and checkpoints.
// **Checked by** tests/core/run/drawn_calendar_test.cpp
std::optional<DrawnCalendar> draw_calendar(const Scenario& scenario, const RunResult& result,
                                           std::uint64_t replication = 0);

}  // namespace stallcast
