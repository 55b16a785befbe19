#include "core/units/prepared_quantile.h"

#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

namespace stallcast {
namespace {

// z of the smallest and largest uniform draw of 53 bits is -+8.21; beyond the table the exact function answers.
constexpr double kReach = 8.5;
constexpr double kStepsPerUnit = 32.0;
constexpr std::size_t kNodes = static_cast<std::size_t>(2.0 * kReach * kStepsPerUnit) + 1;

using Table = PreparedQuantile::Table;

// Of scale 1.
Table table_of(double shape) {
  const boost::math::gamma_distribution<double> gamma(shape);
  std::vector<PreparedQuantile::Node> nodes(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double z = static_cast<double>(i) / kStepsPerUnit - kReach;
    // Each tail by the probability that is small, which keeps its digits.
    const double tail = 0.5 * std::erfc(std::abs(z) / std::numbers::sqrt2);
    const double value =
        z < 0.0 ? boost::math::quantile(gamma, tail) : boost::math::quantile(boost::math::complement(gamma, tail));
    // dx/dz = phi(z) / f(x), so d(log x)/dz = phi(z) / (x f(x)).
    const double slope = normal_density(z) / (value * boost::math::pdf(gamma, value) * kStepsPerUnit);
    if (!(value > 0.0) || !std::isfinite(slope)) return nullptr;  // so skewed that its smallest values are no numbers
    nodes[i] = {std::log(value), slope};
  }
  return std::make_shared<const std::vector<PreparedQuantile::Node>>(std::move(nodes));
}

// The tables of the shapes that were asked for last.
Table shared_table(double shape) {
  constexpr std::size_t kMost = 100;
  static std::mutex mutex;
  static std::map<double, Table> tables;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = tables.find(shape); found != tables.end()) return found->second;
  }
  Table made = table_of(shape);
  const std::lock_guard lock(mutex);
  if (tables.size() >= kMost) tables.clear();
  return tables.try_emplace(shape, std::move(made)).first->second;
}

}  // namespace

PreparedQuantile::PreparedQuantile(Distribution distribution)
    : distribution_(std::move(distribution)), mean_(mean_of(distribution_)) {
  const Distribution& d = distribution_;
  if (d.kind != DistributionKind::kGamma || d.mean <= 0.0 || d.shape <= 0.0) return;
  scale_ = d.mean / d.shape;
  nodes_ = shared_table(d.shape);
}

double PreparedQuantile::operator()(double p) const {
  if (nodes_ == nullptr) return quantile_of(distribution_, p);
  const double position = (normal_quantile(p) + kReach) * kStepsPerUnit;
  if (!(position >= 0.0 && position < static_cast<double>(kNodes - 1))) return quantile_of(distribution_, p);
  const auto below = static_cast<std::size_t>(position);
  const Node& a = (*nodes_)[below];
  const Node& b = (*nodes_)[below + 1];
  const double t = position - static_cast<double>(below);
  const double rise = b.log_value - a.log_value;
  const double curve = (1.0 - t) * (a.slope - rise) + t * (rise - b.slope);
  return scale_ * std::exp(a.log_value + t * (rise + (1.0 - t) * curve));
}

}  // namespace stallcast
