#include "core/run/model_error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stallcast {
namespace {

void widen(Estimate& utilization) {
  const double half = utilization.mean * model_error(utilization.mean);
  utilization.ci95_low = std::max(0.0, utilization.mean - std::hypot(half, utilization.mean - utilization.ci95_low));
  utilization.ci95_high = std::min(1.0, utilization.mean + std::hypot(half, utilization.ci95_high - utilization.mean));
}

}  // namespace

double model_error(double utilization) { return std::min(kModelError, kModelLogit * (1.0 - utilization)); }

RunResult with_model_error(RunResult result) {
  widen(result.gpu_utilization);
  for (RegimeResult& regime : result.regimes) widen(regime.gpu_utilization);
  return result;
}

}  // namespace stallcast
