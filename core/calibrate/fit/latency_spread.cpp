#include "core/calibrate/fit/latency_spread.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/units/distribution.h"

namespace stallcast {
namespace {

constexpr double kLeastProbability = 0.1, kMostProbability = 0.99;
constexpr double kMostConstant = 0.25;  // of the median: an error of the constant part hardly moves the slope

struct Slope {
  double sigma = 0.0;
  double error = 0.0;           // of the line
  double sampling_error = 0.0;  // of that many requests
  double lines_freedom = 0.0;
  double constant_share = 0.0;  // of the median
};

// The part of a request's time that does not vary.
double constant_part(const ReadPoint& point, const StorageLaw& law, bool first_byte) {
  StorageLaw without_latency = law;
  without_latency.latency_s = 0.0;
  const double rate = requests_per_s(without_latency, point.pattern, 1.0, first_byte ? 0.0 : point.request_bytes);
  return std::isfinite(rate) ? 1.0 / rate : 0.0;
}

// Of sum_i weights_i z_i, z_i the empirical quantile at p_i of many draws of a standard normal, times their number.
// **Source** Mosteller, "On some useful 'inefficient' statistics", Ann. Math. Stat. 17(4), 1946, eq. 3.
double variance_of_slope(const std::vector<double>& p, const std::vector<double>& weights) {
  std::vector<double> share(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double z = normal_quantile(p[i]);
    share[i] = weights[i] * std::sqrt(2.0 * std::numbers::pi) * std::exp(z * z / 2.0);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < p.size(); ++j)
      sum += share[i] * share[j] * std::min(p[i], p[j]) * (1.0 - std::max(p[i], p[j]));
  return sum;
}

std::optional<Slope> slope_of(const ReadPoint& point, const StorageLaw& law) {
  if (point.in_flight > 1.0) return std::nullopt;
  const bool first_byte = !point.first_byte.quantiles.empty();
  const LatencySummary& summary = first_byte ? point.first_byte : point.latency;
  const double constant = constant_part(point, law, first_byte);
  std::vector<double> p, z, y;
  for (const auto& [probability, value] : summary.quantiles) {
    if (probability < kLeastProbability || probability > kMostProbability || value <= constant) continue;
    p.push_back(probability);
    z.push_back(normal_quantile(probability));
    y.push_back(std::log(value - constant));
  }
  const auto count = static_cast<double>(z.size());
  if (count < 2.0) return std::nullopt;
  double z_mean = 0.0, y_mean = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    z_mean += z[i] / count;
    y_mean += y[i] / count;
  }
  double zz = 0.0, zy = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    zz += (z[i] - z_mean) * (z[i] - z_mean);
    zy += (z[i] - z_mean) * (y[i] - y_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
  }
  if (zz <= 0.0) return std::nullopt;
  Slope out;
  out.sigma = std::max(zy / zz, 0.0);
  out.lines_freedom = count - 2.0;
  if (count > 2.0) out.error = std::sqrt(std::max(yy - zy * zy / zz, 0.0) / out.lines_freedom / zz);
  for (double& weight : z) weight = (weight - z_mean) / zz;
  if (point.requests > 0.0) out.sampling_error = out.sigma * std::sqrt(variance_of_slope(p, z) / point.requests);
  const double median = summary.quantile(0.5);
  out.constant_share = median > 0.0 ? constant / median : 1.0;
  return out;
}

}  // namespace

LatencySpread latency_spread(const std::vector<ReadPoint>& points, const StorageLaw& law) {
  std::vector<Slope> slopes;
  for (const ReadPoint& point : points)
    if (const auto slope = slope_of(point, law)) slopes.push_back(*slope);
  std::sort(slopes.begin(), slopes.end(),
            [](const Slope& a, const Slope& b) { return a.constant_share < b.constant_share; });
  std::size_t used = 0;
  while (used < slopes.size() && slopes[used].constant_share <= kMostConstant) ++used;
  if (used == 0) used = std::min<std::size_t>(slopes.size(), 1);
  slopes.resize(used);
  if (slopes.empty()) return {};

  LatencySpread out;
  out.known = true;
  const auto count = static_cast<double>(slopes.size());
  for (const Slope& slope : slopes) out.sigma += slope.sigma / count;
  if (slopes.size() == 1) {
    out.standard_error = std::hypot(slopes.front().error, slopes.front().sampling_error);
    out.degrees_of_freedom = std::max(1.0, slopes.front().lines_freedom);
    return out;
  }
  double squares = 0.0, sampling = 0.0;
  for (const Slope& slope : slopes) {
    squares += (slope.sigma - out.sigma) * (slope.sigma - out.sigma);
    sampling += slope.sampling_error * slope.sampling_error / (count * count);
  }
  out.degrees_of_freedom = count - 1.0;
  out.standard_error = std::sqrt(std::max(squares / (count - 1.0) / count, sampling));
  return out;
}

}  // namespace stallcast
