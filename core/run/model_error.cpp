#include "core/run/model_error.h"

#include <algorithm>
#include <cmath>

namespace stallcast {
namespace {

void widen(Estimate& utilization, double most) {
  const double half = utilization.mean * model_error(utilization.mean, most);
  utilization.ci95_low = std::max(0.0, utilization.mean - std::hypot(half, utilization.mean - utilization.ci95_low));
  utilization.ci95_high = std::min(1.0, utilization.mean + std::hypot(half, utilization.ci95_high - utilization.mean));
}

}  // namespace

double model_error(double utilization, double most) {
  return std::min(most, most / kModelError * kModelLogit * (1.0 - utilization));
}

RunResult with_model_error(RunResult result, double most) {
  widen(result.gpu_utilization, most);
  for (RegimeResult& regime : result.regimes) widen(regime.gpu_utilization, most);
  return result;
}

}  // namespace stallcast
