#include "core/units/distribution.h"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace stallcast {
namespace {

// Plain doubles throughout: promotion to long double costs three times the time and gains nothing that we use.
using DoublePolicy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi); }
double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// The z with P(Z <= z) = p for a standard normal Z. Taken on the smaller tail, so that it is exact to rounding there.
double normal_quantile(double p) {
  if (p < 0.5) return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p, DoublePolicy());
  return std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * (1.0 - p), DoublePolicy());
}

// Mean of max(0, X) for X normal with `mean` m and `sd` s.
// **Model** m * Phi(m/s) + s * phi(m/s), the first moment of a normal censored at 0.
double censored_normal_mean(double mean, double sd) {
  if (sd <= 0.0) return std::max(0.0, mean);
  const double z = mean / sd;
  return mean * normal_cdf(z) + sd * normal_density(z);
}

// Mean of max(0, X)^2. **Model** (m^2 + s^2) * Phi(m/s) + m * s * phi(m/s).
double censored_normal_square(double mean, double sd) {
  if (sd <= 0.0) return std::max(0.0, mean) * std::max(0.0, mean);
  const double z = mean / sd;
  return (mean * mean + sd * sd) * normal_cdf(z) + mean * sd * normal_density(z);
}

// Values at probabilities (i + 0.5) / n, linear between them and level outside.
double empirical_quantile(const std::vector<double>& values, double p) {
  if (values.empty()) return 0.0;
  const double position = p * static_cast<double>(values.size()) - 0.5;
  if (position <= 0.0) return values.front();
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= values.size()) return values.back();
  return std::lerp(values[below], values[below + 1], position - static_cast<double>(below));
}

// Mean square of that curve: each of the n - 1 sloping parts has probability 1/n and mean square (a^2 + ab + b^2) / 3,
// each of the two level ends has probability 1/(2n).
double empirical_square(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  double sum = 0.5 * (values.front() * values.front() + values.back() * values.back());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double a = values[i];
    const double b = values[i + 1];
    sum += (a * a + a * b + b * b) / 3.0;
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

double mean_of(const Distribution& d) {
  switch (d.kind) {
    case DistributionKind::kConstant:
    case DistributionKind::kLognormal:
    case DistributionKind::kExponential:
    case DistributionKind::kGamma:
      return d.mean;
    case DistributionKind::kUniform:
      return 0.5 * (d.low + d.high);
    case DistributionKind::kNormal:
      return censored_normal_mean(d.mean, d.sd);
    case DistributionKind::kBimodal:
      return std::lerp(d.fast, d.slow, d.slow_probability);
    case DistributionKind::kEmpirical:
      break;
  }
  if (d.quantiles.empty()) return 0.0;
  return std::reduce(d.quantiles.begin(), d.quantiles.end()) / static_cast<double>(d.quantiles.size());
}

double standard_deviation_of(const Distribution& d) {
  switch (d.kind) {
    case DistributionKind::kConstant:
      return 0.0;
    case DistributionKind::kUniform:
      return (d.high - d.low) / std::sqrt(12.0);
    case DistributionKind::kNormal: {
      const double mean = censored_normal_mean(d.mean, d.sd);
      return std::sqrt(std::max(0.0, censored_normal_square(d.mean, d.sd) - mean * mean));
    }
    case DistributionKind::kLognormal:
      return d.mean * std::sqrt(std::expm1(d.sigma * d.sigma));
    case DistributionKind::kExponential:
      return d.mean;
    case DistributionKind::kGamma:
      return d.shape > 0.0 ? d.mean / std::sqrt(d.shape) : 0.0;
    case DistributionKind::kBimodal:
      return std::abs(d.slow - d.fast) * std::sqrt(d.slow_probability * (1.0 - d.slow_probability));
    case DistributionKind::kEmpirical:
      break;
  }
  const double mean = mean_of(d);
  return std::sqrt(std::max(0.0, empirical_square(d.quantiles) - mean * mean));
}

double quantile_of(const Distribution& d, double p) {
  switch (d.kind) {
    case DistributionKind::kConstant:
      return d.mean;
    case DistributionKind::kUniform:
      return std::lerp(d.low, d.high, p);
    case DistributionKind::kNormal:
      return std::max(0.0, d.mean + d.sd * normal_quantile(p));
    // mean = exp(mu + sigma^2 / 2), so the variable is mean * exp(sigma z - sigma^2 / 2).
    case DistributionKind::kLognormal:
      return d.mean * std::exp(d.sigma * (normal_quantile(p) - 0.5 * d.sigma));
    case DistributionKind::kExponential:
      return -d.mean * std::log1p(-p);
    case DistributionKind::kGamma: {
      if (d.mean <= 0.0 || d.shape <= 0.0) return 0.0;
      return boost::math::quantile(boost::math::gamma_distribution<double, DoublePolicy>(d.shape, d.mean / d.shape), p);
    }
    case DistributionKind::kBimodal: {
      const bool slow_is_larger = d.slow >= d.fast;  // the larger value takes the upper end of p
      const double lower_probability = slow_is_larger ? 1.0 - d.slow_probability : d.slow_probability;
      return (p < lower_probability) == slow_is_larger ? d.fast : d.slow;
    }
    case DistributionKind::kEmpirical:
      break;
  }
  return empirical_quantile(d.quantiles, p);
}

}  // namespace stallcast
