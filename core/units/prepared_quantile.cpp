#include "core/units/prepared_quantile.h"

#include <bit>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace stallcast {
namespace {

using Prepared = PreparedQuantile;
using Cubic = PreparedQuantile::Cubic;
using Table = PreparedQuantile::Table;

struct Point {
  double value, slope;  // and its derivative by the probability
};

// Of scale 1 where the probability of less (lower), or of more, is `tail`.
Point point_at(DistributionKind kind, double shape, double tail, bool lower) {
  switch (kind) {
    case DistributionKind::kGamma: {
      const boost::math::gamma_distribution<double> gamma(shape);
      const double value =
          lower ? boost::math::quantile(gamma, tail) : boost::math::quantile(boost::math::complement(gamma, tail));
      return {value, (lower ? 1.0 : -1.0) / boost::math::pdf(gamma, value)};
    }
    case DistributionKind::kLognormal: {
      const double z = normal_quantile(tail), value = std::exp(lower ? shape * z : -shape * z);
      return {value, (lower ? shape : -shape) * value / normal_density(z)};
    }
    default:
      return lower ? Point{-std::log1p(-tail), 1.0 / (1.0 - tail)} : Point{-std::log(tail), -1.0 / tail};
  }
}

Cubic between(const Point& from, const Point& to, double width) {
  const double rise = to.value - from.value, first = width * from.slope, last = width * to.slope;
  return {from.value, first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise};
}

// The cells of the lower half and one for 1/2 itself, then those of the upper half. Null where values are so near to 0
// that they are no numbers any more.
Table table_of(DistributionKind kind, double shape) {
  std::vector<Cubic> cells;
  cells.reserve(2 * Prepared::kHalf);
  for (const bool lower : {true, false}) {
    const auto edge = [](std::size_t i) {
      return std::bit_cast<double>((Prepared::kFirst + i) << Prepared::kRestBits);
    };
    Point from = point_at(kind, shape, Prepared::kSmallest, lower);
    for (std::size_t i = 0; i < Prepared::kCells; ++i) {
      const Point to = point_at(kind, shape, edge(i + 1), lower);
      if (!(from.value > 0.0) || !std::isfinite(from.slope)) return nullptr;
      cells.push_back(between(from, to, edge(i + 1) - edge(i)));
      from = to;
    }
    cells.push_back({from.value, 0.0, 0.0, 0.0});
  }
  return std::make_shared<const std::vector<Cubic>>(std::move(cells));
}

// The tables of the shapes that were asked for last.
Table shared_table(DistributionKind kind, double shape) {
  constexpr std::size_t kMost = 100;
  static std::mutex mutex;
  static std::map<std::pair<DistributionKind, double>, Table> tables;
  const std::pair key{kind, shape};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = tables.find(key); found != tables.end()) return found->second;
  }
  Table made = table_of(kind, shape);
  const std::lock_guard lock(mutex);
  if (tables.size() >= kMost) tables.clear();
  return tables.try_emplace(key, std::move(made)).first->second;
}

}  // namespace

PreparedQuantile::PreparedQuantile(Distribution distribution)
    : distribution_(std::move(distribution)), mean_(mean_of(distribution_)) {
  const Distribution& d = distribution_;
  if (d.mean <= 0.0) return;
  if (d.kind == DistributionKind::kGamma && d.shape > 0.0) {
    scale_ = d.mean / d.shape;
    cells_ = shared_table(d.kind, d.shape);
  } else if (d.kind == DistributionKind::kLognormal && d.sigma > 0.0) {
    scale_ = d.mean * std::exp(-0.5 * d.sigma * d.sigma);
    cells_ = shared_table(d.kind, d.sigma);
  } else if (d.kind == DistributionKind::kExponential) {
    scale_ = d.mean;
    cells_ = shared_table(d.kind, 0.0);
  }
}

}  // namespace stallcast
