// What another seed might give: the interval of a run's utilization, from how its steps vary.
#pragma once

#include <limits>
#include <vector>

#include "core/steps/counted_steps.h"

namespace stallcast {

struct Luck {
  double half_width = std::numeric_limits<double>::infinity();  // of utilization, 95 %; infinite when not known
  bool settled = true;                                          // both halves of what was measured agree
};

// **Model** variances add up over regimes, each as often as its steps count.
Luck luck_of(const Simulated& what, const std::vector<CountedStep>& steps);

// Steps of a run without an end that are its warm-up: the batches loaded ahead, or what MSER-5 drops.
std::size_t warm_up_steps(const Scenario& scenario, const StepLog& log, std::size_t steps);

}  // namespace stallcast
