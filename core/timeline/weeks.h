// A run that something interrupts: the pace and the checkpoints that were simulated, extrapolated to simulated runs of
// hours to months.
#pragma once

#include <vector>

#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/account.h"
#include "core/steps/run_options.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {

// Whether the run has to be drawn out: something interrupts it. False where the length of the run is not known.
bool needs_timeline(const Scenario& scenario);

// Steps of the whole run; 0 = not known.
double run_steps(const Scenario& scenario);

// What it takes to bring the dataset back to a storage that lost it.
void add_rehydration(const Scenario& scenario, TimelineInput& input);

// What `saves` say of a checkpoint, every `interval_steps` of `step_s` each.
CheckpointBehaviour behaviour_of(const Scenario& scenario, const SaveStatistics& saves, double interval_steps,
                                 double step_s);

// The paces of `base`, the run without checkpoints, and what it takes to start: by regime, so that they sum to the time
// of all steps.
TimelineInput paced_input(const Scenario& scenario, const RunResult& base);

// `base` extrapolated over its simulated runs: phases for checkpoints, rework and recovery, and the run timeline's own
// figures.
RunResult extrapolate(const Scenario& scenario, RunResult base, const CheckpointBehaviour& checkpoint,
                      const RunOptions& options);

// Adds what `stored` checkpoints write to storage.
void add_writes(std::vector<LedgerPhase>& ledger, const Scenario& scenario, double stored);

}  // namespace stallcast
