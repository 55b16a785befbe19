// One simulated run from its beginning to its end: what a picture of it needs.
#pragma once

#include <vector>

#include "core/result/timeline_result.h"

namespace stallcast {

// A stretch of wall time with one purpose. Between checkpoints and backlog no difference is made inside training.
// **Units** seconds since the job began
struct TimelinePhase {
  WallTime what = WallTime::kTraining;
  double begin_s = 0.0, end_s = 0.0;
};

struct TimelineInterruption {
  Interruption kind = Interruption::kFailure;
  double at_s = 0.0;
};

// **Identities** phases are in order of time, without gaps, from 0 to the run's end; the kRework phases sum to the
// run's rework, the kTraining ones to its training, checkpoints and backlog, every other kind to its own wall time.
struct TimelineLog {
  std::vector<TimelinePhase> phases;
  std::vector<TimelineInterruption> interruptions;
  std::vector<double> checkpoints_s;  // when training went on after one; of very many in a stretch the latest only

  // Adds a stretch from where the last one ended; one of the same kind is made longer.
  void add(WallTime what, double until_s);
  // The last `training_s` of training that is still counted as kept are work to be done again.
  void lose(double training_s);
};

}  // namespace stallcast
