#include "core/timeline/interruptions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stallcast {
namespace {

constexpr std::size_t index(Interruption kind) { return static_cast<std::size_t>(kind); }

double data_loss_s(const Scenario& s) {
  return s.storage.scope == TierScope::kShared ? s.storage.mean_time_to_data_loss.base() : 0.0;
}

// Only spot machines are preempted.
double preemption_mtti_s(const Scenario& s) {
  return s.cost.pricing == HostPricing::kSpot ? s.failures.preemption_mtti.base() : 0.0;
}

}  // namespace

double failure_mtti_s(const Scenario& s) {
  if (s.failures.mtti.base() > 0.0) return s.failures.mtti.base();
  const double per_day = s.failures.per_1000_node_days * 1e-3 * static_cast<double>(s.cluster.nodes);
  return per_day > 0.0 ? 86400.0 / per_day : 0.0;
}

double unplanned_mtti_s(const Scenario& s) {
  double rate = 0.0;
  for (const double mean : {failure_mtti_s(s), s.failures.outage_mtti.base(), preemption_mtti_s(s), data_loss_s(s)})
    if (mean > 0.0) rate += 1.0 / mean;
  return rate > 0.0 ? 1.0 / rate : 0.0;
}

bool is_interrupted_at_random(const Scenario& s) { return unplanned_mtti_s(s) > 0.0; }

bool is_interrupted(const Scenario& s) {
  return is_interrupted_at_random(s) || s.failures.maintenance_interval.base() > 0.0;
}

Interruptions::Interruptions(const Scenario& s, std::uint64_t seed, std::uint64_t replication) {
  mean_s_[index(Interruption::kFailure)] = failure_mtti_s(s);
  mean_s_[index(Interruption::kOutage)] = s.failures.outage_mtti.base();
  mean_s_[index(Interruption::kDataLoss)] = data_loss_s(s);
  mean_s_[index(Interruption::kPreemption)] = preemption_mtti_s(s);
  mean_s_[index(Interruption::kMaintenance)] = s.failures.maintenance_interval.base();
  constexpr std::array<DrawPurpose, kInterruptions> kPurposes{DrawPurpose::kFailure, DrawPurpose::kOutage,
                                                              DrawPurpose::kDataLoss, DrawPurpose::kPreemption,
                                                              DrawPurpose::kPreemption};
  if (s.failures.law == FailureLaw::kWeibull) {
    weibull_shape_ = s.failures.weibull_shape;
    weibull_scale_ = 1.0 / std::tgamma(1.0 + 1.0 / weibull_shape_);
  }
  for (std::size_t k = 0; k < kInterruptions; ++k) {
    streams_[k] = RandomStream(seed, kPurposes[k], replication);
    next_s_[k] = gap(k);
  }
}

double Interruptions::gap(std::size_t kind) {
  const double mean = mean_s_[kind];
  if (mean <= 0.0) return std::numeric_limits<double>::infinity();
  if (kind == index(Interruption::kMaintenance)) return mean;
  const double unit = -std::log(streams_[kind].uniform());
  if (kind != index(Interruption::kFailure)) return mean * unit;
  return mean * weibull_scale_ * std::pow(unit, 1.0 / weibull_shape_);
}

Interruptions::Next Interruptions::next() const {
  const auto first = std::min_element(next_s_.begin(), next_s_.end());
  return {*first, static_cast<Interruption>(first - next_s_.begin())};
}

void Interruptions::pass(Interruption kind) { next_s_[index(kind)] += gap(index(kind)); }

void Interruptions::pass_before(Interruption kind, double at_s) {
  while (next_s_[index(kind)] < at_s) pass(kind);
}

}  // namespace stallcast
