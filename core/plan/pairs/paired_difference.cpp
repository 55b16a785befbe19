#include "core/plan/pairs/paired_difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/diagnostics/invariant.h"
#include "core/engine/statistics.h"

namespace stallcast {

Estimate paired_difference(std::span<const double> base, std::span<const double> other) {
  invariant(base.size() == other.size(), "paired_difference: one side has more replications");
  std::vector<double> differences;
  for (std::size_t r = 0; r < base.size(); ++r) differences.push_back(other[r] - base[r]);
  const Interval interval = mean_of_replications(differences);
  return {interval.mean, interval.mean - interval.half_width, interval.mean + interval.half_width};
}

Estimate about_difference(double difference, const Estimate& paired) {
  const double apart = std::abs(difference - paired.mean);
  return {difference, difference - (paired.mean - paired.ci95_low) - apart,
          difference + (paired.ci95_high - paired.mean) + apart};
}

Estimate widened_difference(const Estimate& difference, double as_given, std::span<const double> drawn) {
  double lower = 0.0, higher = 0.0;
  for (const double one : drawn) {
    lower = std::max(lower, as_given - one);
    higher = std::max(higher, one - as_given);
  }
  return {difference.mean, difference.mean - std::hypot(lower, difference.mean - difference.ci95_low),
          difference.mean + std::hypot(higher, difference.ci95_high - difference.mean)};
}

}  // namespace stallcast
