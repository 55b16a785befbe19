// From the steps that were simulated to the account of the run: what they add up to, each as often as it counts
// (counted_steps.h).
#pragma once

#include <vector>

#include "core/result/run_result.h"
#include "core/steps/counted_steps.h"

namespace stallcast {

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
  std::vector<double> regime_step_s;     // mean, by regime
  std::vector<PlaceTimes> place_step_s;  // of steps that no checkpoint is near, by regime
  SaveStatistics saves;
  double half_width = 0.0;  // of utilization, 95 %; infinite when not known
  bool settled = true;      // both halves of what was measured agree
  StepTimes step_time_s;    // quantiles; the mean is of all steps
  double after_last_step_s = 0.0;
  double au_steady = 0.0;
  double au_mlperf = 0.0, samples_per_s_mlperf = 0.0;
};

// **Range** at least one step.
Account account_of(const Simulated& what);

}  // namespace stallcast
