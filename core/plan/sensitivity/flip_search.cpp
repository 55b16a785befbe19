#include "core/plan/sensitivity/flip_search.h"

#include <algorithm>
#include <cmath>

#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

// Factors as logarithms: an interval whose near end has the advice at 1 and whose far end another.
Flip bisected(double near, double far, int far_advice, const std::function<int(double)>& advice, int at_one,
              const FlipSearch& search) {
  while (std::abs(far - near) > std::log1p(search.tolerance) && !(search.stop && search.stop())) {
    const double middle = 0.5 * (near + far);
    const int there = advice(std::exp(middle));
    if (there == at_one) {
      near = middle;
    } else {
      far = middle;
      far_advice = there;
    }
  }
  return {std::exp(far), far_advice};
}

}  // namespace

std::optional<Flip> find_flip_towards(double furthest, const std::function<int(double)>& advice,
                                      const FlipSearch& search) {
  invariant(furthest > 0.0 && search.steps_per_decade > 0, "find_flip_towards: nowhere to look");
  const int at_one = advice(1.0);
  const double end = std::log(furthest);
  const double decades = std::abs(std::log10(furthest));
  const int steps = std::max(1, static_cast<int>(std::lround(decades * search.steps_per_decade)));
  double near = 0.0;
  for (int step = 1; step <= steps && !(search.stop && search.stop()); ++step) {
    const double far = end * step / steps;
    const int there = advice(step == steps ? furthest : std::exp(far));
    if (there != at_one) return bisected(near, far, there, advice, at_one, search);
    near = far;
  }
  return std::nullopt;
}

}  // namespace stallcast
