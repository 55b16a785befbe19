// A run that something interrupts: the pace and the checkpoints that were simulated, drawn out over calendars of hours
// to months.
#pragma once

#include <vector>

#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/account.h"
#include "core/steps/run_options.h"
#include "core/timeline/calendar.h"

namespace stallcast {

// Whether the run has to be drawn out: something interrupts it. False where the length of the run is not known.
bool needs_calendar(const Scenario& scenario);

// Steps of the whole run; 0 = not known.
double run_steps(const Scenario& scenario);

// What it takes to bring the dataset back to a storage that lost it.
void add_rehydration(const Scenario& scenario, CalendarInput& input);

// What `saves` say of a checkpoint, every `interval_steps` of `step_s` each.
CheckpointBehaviour behaviour_of(const Scenario& scenario, const SaveStatistics& saves, double interval_steps,
                                 double step_s);

// The paces of `base`, the run without checkpoints, and what it takes to start: by regime, so that they sum to the time
// of all steps.
CalendarInput paced_input(const Scenario& scenario, const RunResult& base);

// `base` with its calendars: phases for checkpoints, rework and recovery, and the calendar's own figures.
RunResult draw_out(const Scenario& scenario, RunResult base, const CheckpointBehaviour& checkpoint,
                   const RunOptions& options);

// Adds what `stored` checkpoints write to storage.
void add_writes(std::vector<LedgerPhase>& ledger, const Scenario& scenario, double stored);

}  // namespace stallcast
