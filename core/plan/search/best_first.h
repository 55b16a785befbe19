// Finds the best points of a space that keep targets, and proves that they are the best, with few simulations.
//
// Best-first branch and bound over boxes (box.h). No point of a box does better than its `reach`; boxes wait in a
// queue, the one that reaches furthest first:
//
//   while the queue is not empty and fewer than `wanted` are accepted:
//     take the box with the best reach
//       not looked at yet   reach = its best case (best_case.h), or drop it: no target can be kept
//       looked at           simulate its top, coarsely first; the top goes back alone, with the reach that leaves it;
//                           then precisely without checkpoints and interruptions, which is one run for all cadences and
//                           no worse than any of them; then as it is. So do the parts of the box without it, which
//                           reach no further than the top where more workers, more prefetched batches or more capacity
//                           do not hurt
//       a top, simulated    if its inputs are uncertain, simulate it with them; accept it if it still keeps the targets
//
// A simulated top waits with its value bettered by `tolerance`: when its turn comes, nothing that is left can be better
// than it by more than that. With tolerance 0 nothing is concluded from one point about another but by the best case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/plan/search/assessor.h"
#include "core/plan/space/box.h"

namespace stallcast {

struct Goal {
  Figure objective = Figure::kTotal;
  std::vector<Target> targets;
  double confidence = 0.95;
  double tolerance = 0.005;  // fraction of the objective
  std::int64_t wanted = 1;
  std::function<bool(const Point&)> among;  // empty: all points
};

struct SizedPoint {
  std::int64_t index = 0;
  Point point;
  Figures figures;
  std::string bottleneck;
  bool with_uncertain_inputs = false;  // its intervals hold what its inputs may truly be
};

// Why points needed no simulation of their own; with those simulated they sum to the points of the space.
struct SearchCounts {
  std::int64_t invalid = 0;        // no possible scenario, or nothing to judge them by
  std::int64_t over_quota = 0;     // memory, GPUs, nodes or capacity, known without simulating
  std::int64_t target_missed = 0;  // even at the very best
  std::int64_t not_better = 0;     // even at the very best
  std::int64_t undecided = 0;      // when a stop came
  std::int64_t like_another = 0;   // more of everything, simulated, misses a target or is no better
};

struct SearchState {
  std::int64_t points = 0, decided = 0;
  std::int64_t simulations = 0;
  const SizedPoint* best = nullptr;  // so far; may be none
  bool of_front = false;             // the answer is known, and its trade-offs are looked for
};
using SearchWatch = std::function<void(const SearchState&)>;

struct SearchOutcome {
  std::vector<SizedPoint> accepted;  // best first
  SearchCounts counts;
  std::map<std::string, std::int64_t> reasons;  // of invalid points: code and field, how many
  bool complete = true;                         // false: stopped
  double gap =
      1.0;  // fraction by which some other point may still be better than the first accepted one, as far as known
};

// **Errors** as evaluate(). The same whatever the threads.
// **Checked by** tests/core/plan/size_test.cpp
SearchOutcome find_best(const BoxedSpace& boxes, Assessor& assessor, const Goal& goal, const SearchWatch& watch = {});

// The figure at its very best over all points that `goal.among` allows, by their best cases; nothing where unknown.
std::optional<double> furthest_reach(const BoxedSpace& boxes, Assessor& assessor, Figure figure,
                                     const std::function<bool(const Point&)>& among);

}  // namespace stallcast
