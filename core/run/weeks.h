// A run of days to months: the inner simulation's pace and the checkpoints' behaviour, drawn out over its calendar.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result/run_result.h"
#include "core/run/calendar.h"
#include "core/run/simulate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Whether the run has to be drawn out: something interrupts it, or it stops for checkpoints and not every step of it is
// simulated. False where the length of the run is not known.
bool needs_calendar(const Scenario& scenario);

// Whether checkpoints are simulated among the steps: the run is simulated whole, and nothing else interrupts it. True
// where there are none.
bool saves_among_steps(const Scenario& scenario);

// Steps between checkpoints by the cadence; `step_s` is a step's time. 0 = optimal: to be searched for.
double interval_steps(const Scenario& scenario, double step_s);

// Steps of the whole run; 0 = not known.
double run_steps(const Scenario& scenario);

// The stretches of `base` that have steps of one length, up to the last step.
std::vector<Pace> paces_of(const Scenario& scenario, const RunResult& base);

// What it takes to bring the dataset back to a storage that lost it.
void add_rehydration(const Scenario& scenario, CalendarInput& input);

// What the calendar is given, from `base`: the run without checkpoints and interruptions.
CalendarInput calendar_input(const Scenario& scenario, const RunResult& base, std::uint64_t seed,
                             const RunOptions& options);

// `base` with its calendar: mean times, totals for the bill, utilization with the checkpoints' stops.
RunResult draw_out(const Scenario& scenario, RunResult base, std::uint64_t seed, const RunOptions& options);

// The same of a run without a stated end: its checkpoints take the part of the time that a hundred of them take.
RunResult with_endless_checkpoints(const Scenario& scenario, RunResult pace, std::uint64_t seed,
                                   const RunOptions& options);

}  // namespace stallcast
