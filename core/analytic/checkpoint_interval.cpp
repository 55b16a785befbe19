#include "core/analytic/checkpoint_interval.h"

#include <algorithm>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>

namespace stallcast {

double young_interval(double delta, double mtti) { return std::sqrt(2.0 * delta * mtti); }

double daly_first_order_interval(double delta, double mtti, double restart) {
  return std::sqrt(2.0 * delta * (mtti + restart)) - delta;
}

double daly_interval(double delta, double mtti) {
  if (delta >= 2.0 * mtti) return mtti;
  const double half = delta / (2.0 * mtti);
  return std::sqrt(2.0 * delta * mtti) * (1.0 + std::sqrt(half) / 3.0 + half / 9.0) - delta;
}

double optimal_interval(double delta, double mtti) {
  // Near its branch point W loses digits by cancellation; there Daly's expansion is the exact one to 1e-11.
  constexpr double kBranchPoint = 1e-6;
  const double x = delta / mtti;
  if (x < kBranchPoint) return daly_interval(delta, mtti);
  return mtti * (1.0 + boost::math::lambert_w0(-std::exp(-1.0 - x)));
}

double expected_wall_time(double solve, double tau, double delta, double mtti, double restart) {
  return mtti * std::exp(restart / mtti) * std::expm1((tau + delta) / mtti) * solve / tau;
}

double wasted_fraction(double tau, double delta, double mtti, double restart) {
  return 1.0 - 1.0 / expected_wall_time(1.0, tau, delta, mtti, restart);
}

double expected_ettr(double tau, double delta, double mtti, double restart) {
  return std::max(0.0, 1.0 - (restart + tau / 2.0) / mtti) / (1.0 + delta / tau);
}

}  // namespace stallcast
