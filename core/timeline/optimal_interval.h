// The interval between checkpoints that takes the least wall time, found over the run's own timeline.
#pragma once

#include <cstdint>

#include "core/result/timeline_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {

// **Model** mean wall time over the same simulated runs (same moments of interruption) at intervals that are evenly
// spaced on
//   a logarithmic scale, first over a factor of 8 to both sides of the closed form, then over a factor of 2 around the
//   best; the least of a cubic in log(interval) through the second set (least squares), held to that set's range. The
//   mean at a point is so flat that its own least would be luck. An interval shorter than a step is one step; longer
//   than the run, the run.
//   Where the best is below checkpoint.shortest_interval, that is taken instead, and the best is told beside it.
// **Source** response surface with common random numbers: Law, Simulation Modeling and Analysis, 5th ed., 12.3
// **Checked by** OptimalInterval tests against the exact optimum for exponential failures
OptimalInterval optimal_interval_of(const Scenario& scenario, const TimelineInput& input, double step_s,
                                    std::uint64_t seed, const RunOptions& options);

// An estimate of it from the scenario alone: daly_interval() of the time that training stops for a checkpoint with
// nothing else going on, no shorter than a write lasts beside training and than checkpoint.shortest_interval allows.
// **Units** seconds, `least_stop_s` too: what a stop takes at least. 0 where nothing interrupts the run.
double estimated_interval(const Scenario& scenario, double least_stop_s = 0.0);

}  // namespace stallcast
