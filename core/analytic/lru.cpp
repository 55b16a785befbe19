#include "core/analytic/lru.h"

#include <algorithm>
#include <cmath>

namespace stallcast {

double lru_reshuffle_hit_ratio(double cached) {
  if (cached >= 1.0) return 1.0;
  if (cached <= 0.0) return 0.0;
  return cached + (1.0 - cached) * std::log1p(-cached);
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): the header names both fractions
double lru_reshuffle_hit_ratio_at(double cached, double position) {
  if (cached >= 1.0) return 1.0;
  return std::max(0.0, (cached - position) / (1.0 - position));
}

}  // namespace stallcast
