#include "core/result/input_spread.h"

#include <algorithm>
#include <cmath>

namespace stallcast {

Estimate widened(const Estimate& simulated, const std::vector<double>& ratios) {
  double lowest = 1.0, highest = 1.0;
  for (const double ratio : ratios) {
    lowest = std::min(lowest, ratio);
    highest = std::max(highest, ratio);
  }
  const double mean = simulated.mean;
  Estimate out = simulated;
  if (lowest < 1.0) out.ci95_low = std::max(0.0, mean - std::hypot(mean - mean * lowest, mean - simulated.ci95_low));
  if (highest > 1.0) out.ci95_high = mean + std::hypot(mean * highest - mean, simulated.ci95_high - mean);
  return out;
}

}  // namespace stallcast
