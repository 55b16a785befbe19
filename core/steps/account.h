// From the steps that were simulated to the account of the run: how often each of them counts, and what they add up to.
//
// A step is at the start of an epoch, at its end, or between; and it is in the shadow of a checkpoint or not: its stop,
// its write and the refilling of queues. Steps that are alike in this, in one kind of epoch, count alike, so that all
// of them together are as many as the run has, and checkpoints too (post-stratification). Simulated whole, every step
// counts once.
// **Source** Cochran, Sampling Techniques, 3rd ed. 1977, 5A.9; stratified samples of a running simulation: Wunderlich
// et al., SMARTS, ISCA 2003
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/training_model.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/outline.h"

namespace stallcast {

// What was simulated of an outline.
struct Simulated {
  const Scenario& scenario;  // of the simulated nodes
  const Scenario& job;       // of all nodes
  const Outline& outline;
  const TrainingModel& model;
  std::size_t steps = 0;  // finished
  std::size_t drop = 0;   // of an endless run: steps of its warm-up
  bool finished = true;   // nothing of the outline is missing
};

// How a checkpoint behaved. **Units** seconds, means over those that were simulated
struct SaveStatistics {
  double count = 0.0;   // of the run, those that were skipped left out
  double stored = 0.0;  // of those, the ones that go on to storage
  double skipped = 0.0;
  double simulated = 0.0;
  double stop_s = 0.0, backlog_s = 0.0;  // stop_s has backlog_s in it
  double slowdown_s = 0.0;               // steps meanwhile and afterwards took longer, or less long
  double write_s = 0.0;                  // to the first level: async from when training goes on, else from its start
  double storage_s = 0.0;                // from there on to storage
};

struct Account {
  std::vector<LedgerPhase> phases;
  std::vector<RegimeResult> regimes;
  std::vector<double> regime_step_s;   // mean, by regime
  std::vector<CellTimes> cell_step_s;  // mean of steps that no checkpoint is near, by regime
  SaveStatistics saves;
  double half_width = 0.0;  // of utilization, 95 %; infinite when not known
  bool settled = true;      // both halves of what was measured agree
  StepTimes step_time_s;    // quantiles; the mean is of all steps
  double au_steady = 0.0;
  double au_mlperf = 0.0, samples_per_s_mlperf = 0.0;
};

// **Range** at least one step.
Account account_of(const Simulated& what);

// Steps of a run without an end that are its warm-up: the batches loaded ahead, or what MSER-5 drops.
std::size_t warm_up_steps(const Scenario& scenario, const StepLog& log, std::size_t steps);

}  // namespace stallcast
