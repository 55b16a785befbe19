// A random quantity as people describe it: a kind, its mean and what else the kind needs, in base units.
#pragma once

#include <vector>

namespace stallcast {

enum class DistributionKind {
  kConstant,     // mean
  kUniform,      // low, high
  kNormal,       // mean, sd; negative draws are cut off at 0
  kLognormal,    // mean (of the variable, not of its logarithm), sigma (of its logarithm)
  kExponential,  // mean
  kGamma,        // mean, shape
  kBimodal,      // slow with probability slow_probability, else fast
  kEmpirical,    // equally likely quantiles, interpolated linearly
};

// **Range** every parameter is >= 0 except `quantiles`, which is ascending; mean() is finite.
// **Units** those of the quantity it describes (seconds or bytes), in base units.
struct Distribution {
  DistributionKind kind = DistributionKind::kConstant;
  double mean = 0.0;
  double sd = 0.0;
  double sigma = 0.0;
  double shape = 1.0;
  double low = 0.0, high = 0.0;
  double fast = 0.0, slow = 0.0, slow_probability = 0.0;
  std::vector<double> quantiles;  // empirical: values at probabilities (i + 0.5) / n

  bool operator==(const Distribution&) const = default;

  static Distribution constant(double value) {
    Distribution d;
    d.mean = value;
    return d;
  }
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): mean in the quantity's unit, then sigma, as everywhere
  static Distribution lognormal(double mean, double sigma) {
    Distribution d;
    d.kind = DistributionKind::kLognormal;
    d.mean = mean;
    d.sigma = sigma;
    return d;
  }
};

// Expected value of one draw. For kNormal the cut-off at 0 is taken into account.
double mean_of(const Distribution& distribution);

// Standard deviation of one draw. For kNormal the cut-off at 0 is taken into account.
double standard_deviation_of(const Distribution& distribution);

// Of a standard normal variable: density, and P(Z <= z).
double normal_density(double z);
double normal_cdf(double z);

// The z with P(Z <= z) = p for a standard normal Z, to 16 digits.
// **Model** a ratio of polynomials of degree 7 for the centre and for each of two ranges of the tails. A third of the
// time of
//   inverting erfc, and every latency and size is drawn through it.
// **Range** p in (0, 1). **Source** Wichura, "Algorithm AS 241: the percentage points of the normal distribution",
// Applied Statistics 37(3), 1988, PPND16. **Checked by** Distribution.NormalQuantileAgreesWithBoost.
double normal_quantile(double p);

// The value at probability `p` in (0, 1): the inverse of the cumulative distribution function.
// A draw is quantile_of(d, u) for u uniform in (0, 1), so two scenarios that share u share their luck.
double quantile_of(const Distribution& distribution, double p);

}  // namespace stallcast
