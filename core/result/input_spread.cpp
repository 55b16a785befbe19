#include "core/result/input_spread.h"

#include <algorithm>
#include <cmath>

namespace stallcast {

namespace {

// Of a value that two independent influences may each multiply by a factor: by how much both together do.
double both(double one, double other) { return std::exp(std::hypot(std::log(one), std::log(other))); }

}  // namespace

Estimate widened(const Estimate& simulated, const std::vector<double>& ratios) {
  double lowest = 1.0, highest = 1.0;
  for (const double ratio : ratios) {
    lowest = std::min(lowest, ratio);
    highest = std::max(highest, ratio);
  }
  const double mean = simulated.mean;
  Estimate out = simulated;
  if (!(mean > 0.0)) return out;
  if (lowest < 1.0) out.ci95_low = mean / both(1.0 / lowest, mean / std::max(0.0, simulated.ci95_low));
  if (highest > 1.0) out.ci95_high = mean * both(highest, simulated.ci95_high / mean);
  return out;
}

}  // namespace stallcast
