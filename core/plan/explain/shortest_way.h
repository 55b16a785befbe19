// How to get a job to a target: one change after the other, each tried on top of those before it.
#pragma once

#include <functional>
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

// Changes beside possible_changes(), to the job as it is on the way, whose answer is `result`: what rules say to set
// (ruled_changes.h).
using MoreChanges = std::function<std::vector<Change>(const Scenario& scenario, const RunResult& result)>;

// **Model** Greedy: of all possible_changes() to the job as it is then, and `more`, the setting that buys back most;
// where no setting buys back kSmallestGain, the resource that does when it is idealised, which somebody has to buy.
// Where nothing does by itself, the resource that sets the bound, if the step after it buys something. Ends at the
// target, where nothing helps any more, or after kMostWaySteps. Greedy is not always shortest. The first step has the
// value that `explanation` has for it, others that of a coarse run (evaluate/paired_trials.h), and the last one that of
// a full run.
// **Range** 0 < target < 1 **Errors** as simulate(). **Cost** for each step up to 40 coarse runs, and one full run in
// the end
// **Checked by** tests/core/plan/shortest_way_test.cpp
ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options, const MoreChanges& more = {}, const Simulation& run = simulate);

}  // namespace stallcast
