#include "core/analytic/queueing.h"

#include <cmath>
#include <limits>

namespace stallcast {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Seconds mm1_mean_sojourn(PerSecond arrival, PerSecond service) {
  if (arrival >= service) return seconds(kInfinity);
  return seconds(1.0 / (service - arrival).base());
}

double erlang_c(std::int64_t servers, double offered_load) {
  if (offered_load >= static_cast<double>(servers)) return 1.0;
  double blocking = 1.0;
  for (std::int64_t k = 1; k <= servers; ++k) {
    blocking = offered_load * blocking / (static_cast<double>(k) + offered_load * blocking);
  }
  const double rho = offered_load / static_cast<double>(servers);
  return blocking / (1.0 - rho * (1.0 - blocking));
}

Seconds mmc_mean_wait(std::int64_t servers, PerSecond arrival, PerSecond service) {
  const double spare_per_s = static_cast<double>(servers) * service.base() - arrival.base();
  if (spare_per_s <= 0.0) return seconds(kInfinity);
  return seconds(erlang_c(servers, arrival / service) / spare_per_s);
}

Seconds mg1_mean_wait(PerSecond arrival, Seconds service_mean, Seconds service_sd) {
  const double rho = arrival.base() * service_mean.base();
  if (rho >= 1.0) return seconds(kInfinity);
  const double second_moment = service_mean.base() * service_mean.base() + service_sd.base() * service_sd.base();
  return seconds(arrival.base() * second_moment / (2.0 * (1.0 - rho)));
}

Seconds md1_mean_wait(PerSecond arrival, Seconds service) { return mg1_mean_wait(arrival, service, seconds(0.0)); }

Seconds mg1_ps_mean_sojourn(PerSecond arrival, Seconds service_mean) {
  const double rho = arrival.base() * service_mean.base();
  if (rho >= 1.0) return seconds(kInfinity);
  return service_mean / (1.0 - rho);
}

double mm1k_loss(PerSecond arrival, PerSecond service, std::int64_t places) {
  // 1 / P = sum over i = 0..k of rho^(i-k): no cancellation near rho = 1, and no overflow beyond it.
  const double inverse_rho = service / arrival;
  double inverse_loss = 0.0;
  double term = 1.0;
  for (std::int64_t i = 0; i <= places && !std::isinf(inverse_loss); ++i, term *= inverse_rho) inverse_loss += term;
  return 1.0 / inverse_loss;
}

}  // namespace stallcast
