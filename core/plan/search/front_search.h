// Finds the front of a space: the configurations that no other betters in cost, utilization and time at once.
//
// The boxes, rooflines and runs of the search for the best (best_first.h), but with another question: a box is dropped
// when a point that was simulated comes within the tolerance of the best corner that the box can reach, in every
// figure.
//
//   while the queue is not empty:
//     take the box whose first figure reaches furthest
//       within the tolerance of a simulated point    drop it: all that it has is told by that point
//       not looked at yet                            reach = its best case (best_case.h)
//       looked at                                    simulate its top, coarsely first; the parts without the top reach
//                                                    no further than it, at their own prices
//       a top, simulated coarsely                    simulate it precisely, before anything else
//       bounded by a coarse run                      make that run precise first: it mostly settles many boxes at once
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/search/best_first.h"

namespace stallcast {

struct FrontGoal {
  std::vector<Figure> by;       // the first of them decides what is looked at first
  std::vector<Target> targets;  // of figures that are known without a simulation: quotas and memory
  double tolerance = 0.01;      // more than 0: fraction of a cost and of a time, and the utilization itself
  std::int64_t most_runs = 0;   // simulations; 0 = as many as it takes
};

struct FrontOutcome {
  bool complete = false;       // every point is within the tolerance of one that `assessor` has simulated as given
  std::int64_t undecided = 0;  // points that are not known to be
  std::int64_t runs = 0;       // simulations that it took
};

// What was simulated is in `assessor` (Level::kAsGiven); a stop, or `most_runs`, leaves the rest undecided.
// **Model** half of the tolerance is for what more of a knob may do harm after all, as in best_first.h.
// **Range** points that lack one of the figures, or that take more than `targets` allow, are none of the front.
// **Errors** as evaluate(). The same whatever the threads.
// **Checked by** tests/core/plan/front_search_test.cpp, against enumeration
FrontOutcome search_front(const BoxedSpace& boxes, Assessor& assessor, const FrontGoal& goal,
                          const SearchWatch& watch = {});

// Whether a point with the figures `one` stands for any that reaches no further than `other`: it is worse by no more
// than the tolerance in each of `by`. False where either lacks one of them.
bool stands_for(const Figures& one, const Figures& other, const std::vector<Figure>& by, double tolerance);

}  // namespace stallcast
