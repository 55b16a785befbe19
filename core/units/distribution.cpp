#include "core/units/distribution.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace stallcast {
namespace {

// Plain doubles throughout: promotion to long double costs three times the time and gains nothing that we use.
using DoublePolicy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

using Coefficients = std::array<double, 8>;  // ascending powers

// Of degree 7 in x, by Estrin's scheme: pairs first, so that no term waits for more than two others.
double polynomial(const Coefficients& c, double x) {
  const double x2 = x * x, x4 = x2 * x2;
  const double low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
  const double high = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2;
  return low + high * x4;
}

double ratio(const Coefficients& top, const Coefficients& bottom, double x) {
  return polynomial(top, x) / polynomial(bottom, x);
}

// AS 241's coefficients: |p - 1/2| <= 0.425; then r = sqrt(-log(min(p, 1 - p))) up to 5, and beyond.
constexpr Coefficients kCentreTop = {3.3871328727963666080,    1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                     3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients kCentreBottom = {1.0,
                                        4.2313330701600911252e+1,
                                        6.8718700749205790830e+2,
                                        5.3941960214247511077e+3,
                                        2.1213794301586595867e+4,
                                        3.9307895800092710610e+4,
                                        2.8729085735721942674e+4,
                                        5.2264952788528545610e+3};
constexpr Coefficients kTailTop = {1.42343711074968357734,    4.63033784615654529590,   5.76949722146069140550,
                                   3.64784832476320460504,    1.27045825245236838258,   2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kTailBottom = {1.0,
                                      2.05319162663775882187,
                                      1.67638483018380384940,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};
constexpr Coefficients kFarTop = {6.65790464350110377720,    5.46378491116411436990,    1.78482653991729133580,
                                  2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kFarBottom = {1.0,
                                     5.99832206555887937690e-1,
                                     1.36929880922735805310e-1,
                                     1.48753612908506148525e-2,
                                     7.86869131145613259100e-4,
                                     1.84631831751005468180e-5,
                                     1.42151175831644588870e-7,
                                     2.04426310338993978564e-15};

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

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi); }

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(kCentreTop, kCentreBottom, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0.0 ? p : 1.0 - p));
  const double z = r <= 5.0 ? ratio(kTailTop, kTailBottom, r - 1.6) : ratio(kFarTop, kFarBottom, r - 5.0);
  return q < 0.0 ? -z : z;
}

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
