// How to get a job to a target: one change after the other, each tried on top of those before it.
#pragma once

#include <vector>

#include "core/plan/explain/explain.h"

namespace stallcast {

struct ShortestWay {
  double target = 0.0;                // of gpu_utilization
  std::vector<Counterfactual> steps;  // each with the utilization after it, and its gain over the step before
  bool reached = false;
  bool complete = true;  // false when stopped early
};
inline constexpr std::size_t kMostWaySteps = 6;

// **Model** Greedy: of all possible_changes() to the job as it is then, the setting that buys back most; where no
// setting buys back kSmallestGain, the resource that does when it is idealised, which somebody has to buy. Where
// nothing does by itself, the resource that sets the bound, if the step after it buys something. Ends at the target,
// where nothing helps any more, or after kMostWaySteps. Greedy is not always shortest.
// **Range** 0 < target < 1 **Errors** as simulate(). **Cost** for each step one simulation and, after the first, which
// takes what `explanation` tried, up to 30 coarse ones
// **Checked by** tests/core/plan/shortest_way_test.cpp
ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options, const Simulation& run);
ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options);

}  // namespace stallcast
