// How bad checkpoints and interruptions may get before a run's effective training time falls to a target.
#pragma once

#include <optional>

#include "core/result/timeline_result.h"

namespace stallcast {

// Each limit is for that one quantity alone, the others as they are; nothing where the run has no such thing.
struct TimelineRequirements {
  double target_ettr = 0.0;
  double wall_s = 0.0;  // the run's wall time at the target
  // As the simulated runs have it, mean over all kinds.
  double interruption_cost_now_s = 0.0;           // work lost and recovery, of one interruption
  double stop_now_s = 0.0;                        // training stands still for one checkpoint, backlog included
  double between_interruptions_now_s = 0.0;       // wall time per interruption
  std::optional<double> interruption_cost_s;      // at most
  std::optional<double> stop_s;                   // at most
  std::optional<double> between_interruptions_s;  // at least
};

// Limits for the effective training time ratio to stay at the next of 0.99, 0.95 and 0.9 below it, else a hundredth
// below what it is. Nothing when there is nothing to limit, or when the target would not be above 0.
// **Model** with T seconds of kept training, P before it (preparation, first start), c checkpoints and n interruptions,
//   wall = T + P + c * stop + n * cost        (T + P: the run without checkpoints and interruptions)
//   ettr = T / wall, so the target e allows the wall time T / e, and the budget B = T / e - T - P is what
//   checkpoints and interruptions may take together:
//   cost <= (B - c * stop) / n,   stop <= (B - n * cost) / c,
//   and with n = wall / between:  between >= (T / e) * cost / (B - c * stop).
//   Means over simulated runs stand for each; that lost work grows with the interval between checkpoints is in cost.
// **Checked by** tests/core/result/timeline_requirements_test.cpp
std::optional<TimelineRequirements> timeline_requirements(const TimelineResult& timeline);

}  // namespace stallcast
