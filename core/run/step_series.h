// The steps of one stretch of a run, and the GPU utilization they show once it is under way.
#pragma once

#include <cstddef>
#include <vector>

#include "core/engine/statistics.h"
#include "core/model/training_model.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// **Shape** one entry per finished step: compute per rank, and wall time. **Units** seconds
struct StepSeries {
  std::vector<double> compute, wall;
  std::vector<std::size_t> epoch_starts;  // first steps of all epochs but the first, in order
  StepSeries(const StepLog& log, std::size_t steps, double ranks);
};

// Held to [0, 1]; an interval that is not known is all of it.
Estimate to_estimate(const Interval& interval);

// Steps that fill the queues before anything is measured.
std::size_t fill_steps(const Scenario& s);

// Utilization after warm-up. A run that ends by itself is one finite sample: nothing is dropped but its start-up.
// Workers that start together finish in waves of one batch each: a cycle of num_workers steps.
Estimate steady_utilization(const Scenario& s, const StepSeries& series, std::size_t drop);

// Mean over whole sweeps of the positions of an epoch. What changes along the epoch is not chance: the interval is that
// of what is left when the sweep, in parts of whole loader cycles, is a line between neighbours.
// Neither is what lies on both sides of a turn from one epoch to the next.
// **Model** variance of a part's sum from second differences of neighbouring parts, (a - 2 b + c)^2 / 6; of sweeps of
// less than 40 steps, batch means over them
// **Shape** the steps from `drop` on are whole sweeps of `sweep` steps
// **Source** Gasser, Sroka & Jennen-Steinmetz 1986, Biometrika 73(3): residual variance in nonlinear regression
Estimate sweep_utilization(const Scenario& s, const StepSeries& series, std::size_t drop, std::size_t sweep);

// A nearly sufficient supply drains the first batches loaded ahead only slowly: both halves must agree.
bool settled(const StepSeries& series, std::size_t drop, double precision);

}  // namespace stallcast
