// What uncertain inputs do to a result: the run again and again with inputs drawn from their intervals.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result/estimate.h"
#include "core/result/run_totals.h"
#include "core/result/timeline_result.h"

namespace stallcast {

// One uncertain input, and how much of the spread comes from it.
struct InputShare {
  std::string pointer;                         // "/storage/read_bandwidth"
  double low_factor = 1.0, high_factor = 1.0;  // 90 % interval of the true value / the value given
  // Squared rank correlation with the result over the draws, as a fraction of the sum over all inputs; 0 where the
  // result does not vary. Of few inputs and 39 draws, one without influence shows up with about 0.03.
  double utilization_share = 0.0, throughput_share = 0.0;
};

// One run of a set of drawn inputs, as far as a bill needs it.
struct DrawnRun {
  std::vector<double> factors;  // of each input, in order
  double gpu_utilization = 0.0;
  double time_to_train_s = 0.0;
  RunTotals totals;
  std::uint64_t events = 0;  // of the simulation
};

// A figure of a result, by its name in JSON, that has no interval of its own there.
struct FigureRange {
  std::string name;  // "au_mlperf"
  Estimate range;
};

// The intervals of a result that inputs widen, as the simulation alone leaves them.
struct SimulationIntervals {
  Estimate gpu_utilization;
  Estimate wall_s, goodput_fraction, ettr;  // of the timeline
  std::array<Estimate, kInterruptions> interruptions;
  std::vector<Estimate> regimes;  // gpu_utilization of each
};

// **Definitions** Every Estimate has the value of the inputs as given as its mean. Its interval holds 95 % of what the
// inputs may truly be (run/uncertainty.h) together with what the simulation leaves open.
struct InputSpread {
  std::int64_t draws_wanted = 0;  // 0 = no input is uncertain
  std::vector<InputShare> inputs;
  SimulationIntervals simulation;
  double simulation_half = 0.0;  // half-width / mean of it (of a run timeline: of its time); 0 = too few steps
  Estimate samples_per_s;
  Estimate time_to_train_s;          // all 0 when the length of the run is not given
  Estimate goodput_fraction;         // likewise
  std::vector<FigureRange> figures;  // others; 0 where the run has none
  DrawnRun as_given;                 // simulated as the draws are: what they are compared with
  std::vector<DrawnRun> drawn;       // fewer than draws_wanted when a stop was requested
};

// `simulated`, its interval widened by what inputs do: `ratios` are results of drawn inputs over that of the inputs as
// given.
// **Model** of ratios r the lowest and highest, and the simulation's own half-intervals, which are independent of them.
// Both are factors of the mean m, so that a time has the range of its rate, turned over; their logarithms are added in
// quadrature on each side of m:
//   low = m / exp(hypot(ln(1 / min(1, r)), ln(m / low))), high = m * exp(hypot(ln(max(1, r)), ln(high / m)))
// **Range** of the result: not below 0, and 0 only where a ratio or `low` is. Without ratios, or with all of them 1, it
// is `simulated`.
Estimate widened(const Estimate& simulated, const std::vector<double>& ratios);

// A figure that is `mean` in the full simulation and `value` of each draw, all of them compared with `ranges.as_given`;
// `half` is what the model's own error leaves of it either way.
template <class Ranges, class Value>
Estimate range_of_draws(double mean, double half, const Ranges& ranges, const Value& value) {
  const double base = value(ranges.as_given);
  std::vector<double> ratios;
  for (const auto& draw : ranges.draws) ratios.push_back(base > 0.0 ? value(draw) / base : 1.0);
  return widened({mean, mean - half, mean + half}, ratios);
}

}  // namespace stallcast
