#include "core/units/distribution.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/units/prepared_quantile.h"

namespace stallcast {
namespace {

Distribution make(DistributionKind kind) {
  Distribution d;
  d.kind = kind;
  return d;
}

std::vector<Distribution> one_of_each() {
  std::vector<Distribution> all = {Distribution::constant(3.0), Distribution::lognormal(2.0, 0.8)};
  Distribution d = make(DistributionKind::kUniform);
  d.low = 1, d.high = 5;
  all.push_back(d);
  d = make(DistributionKind::kNormal);
  d.mean = 10, d.sd = 2;
  all.push_back(d);
  d.mean = 1, d.sd = 2;  // a third of the draws would be negative
  all.push_back(d);
  d = make(DistributionKind::kExponential);
  d.mean = 4;
  all.push_back(d);
  d = make(DistributionKind::kGamma);
  d.mean = 4, d.shape = 2.5;
  all.push_back(d);
  d = make(DistributionKind::kBimodal);
  d.fast = 1, d.slow = 20, d.slow_probability = 0.1;
  all.push_back(d);
  d.fast = 20, d.slow = 1;  // the wrong way round, but still a distribution
  all.push_back(d);
  d = make(DistributionKind::kEmpirical);
  d.quantiles = {1, 2, 4, 9};
  all.push_back(d);
  return all;
}

// Midpoint rule over p: the mean of quantile_of is the mean, and its spread the standard deviation.
TEST(Distribution, MomentsAreThoseOfTheQuantileFunction) {
  constexpr int kPoints = 200000;
  for (const Distribution& d : one_of_each()) {
    double sum = 0.0;
    double square = 0.0;
    double before = 0.0;
    for (int i = 0; i < kPoints; ++i) {
      const double value = quantile_of(d, (i + 0.5) / kPoints);
      ASSERT_GE(value, before) << "quantiles ascend";
      before = value;
      sum += value;
      square += value * value;
    }
    const double mean = sum / kPoints;
    const double sd = std::sqrt(std::max(0.0, square / kPoints - mean * mean));
    EXPECT_NEAR(mean_of(d), mean, 1e-3 * mean) << static_cast<int>(d.kind);
    EXPECT_NEAR(standard_deviation_of(d), sd, 5e-3 * mean) << static_cast<int>(d.kind);
  }
}

TEST(Distribution, LognormalHasTheMedianOfItsMeanAndSigma) {
  // median = mean * exp(-sigma^2 / 2) = 2 * exp(-0.32); p99 = median * exp(2.3263478740408408 * 0.8)
  const Distribution d = Distribution::lognormal(2.0, 0.8);
  EXPECT_NEAR(quantile_of(d, 0.5), 2.0 * std::exp(-0.32), 1e-14);
  EXPECT_NEAR(quantile_of(d, 0.99), 2.0 * std::exp(-0.32) * std::exp(2.3263478740408408 * 0.8), 1e-12);
}

TEST(Distribution, NormalCutAtZeroHasTheCensoredMean) {
  // m = 0, s = 1: E max(0, Z) = phi(0) = 1 / sqrt(2 pi) = 0.398942; E max(0, Z)^2 = 1/2.
  Distribution d = make(DistributionKind::kNormal);
  d.sd = 1;
  EXPECT_NEAR(mean_of(d), 0.3989422804014327, 1e-15);
  EXPECT_NEAR(standard_deviation_of(d), std::sqrt(0.5 - 0.3989422804014327 * 0.3989422804014327), 1e-15);
  EXPECT_EQ(quantile_of(d, 0.25), 0.0);
}

TEST(Distribution, ExponentialAndGammaOfShapeOneAgree) {
  Distribution e = make(DistributionKind::kExponential);
  e.mean = 4;
  Distribution g = make(DistributionKind::kGamma);
  g.mean = 4, g.shape = 1;
  for (const double p : {1e-9, 0.01, 0.5, 0.99, 1 - 1e-9}) {
    EXPECT_NEAR(quantile_of(g, p), quantile_of(e, p), 1e-9 * quantile_of(e, p));
  }
}

TEST(Distribution, EmpiricalIsLinearBetweenItsQuantilesAndLevelOutside) {
  Distribution d = make(DistributionKind::kEmpirical);
  d.quantiles = {1, 2, 4, 9};  // at 1/8, 3/8, 5/8, 7/8
  EXPECT_EQ(quantile_of(d, 0.05), 1);
  EXPECT_EQ(quantile_of(d, 0.375), 2);
  EXPECT_EQ(quantile_of(d, 0.5), 3);
  EXPECT_EQ(quantile_of(d, 0.75), 6.5);
  EXPECT_EQ(quantile_of(d, 0.999), 9);
  EXPECT_EQ(mean_of(d), 4);
}

TEST(Distribution, TailsAreFinite) {
  for (const Distribution& d : one_of_each()) {
    for (const double p : {1e-300, 1e-17, 1 - 0x1p-53}) EXPECT_TRUE(std::isfinite(quantile_of(d, p)));
  }
}

TEST(Distribution, ZeroMeanIsAlwaysZero) {
  for (const DistributionKind kind :
       {DistributionKind::kConstant, DistributionKind::kLognormal, DistributionKind::kExponential,
        DistributionKind::kGamma, DistributionKind::kNormal, DistributionKind::kEmpirical}) {
    EXPECT_EQ(quantile_of(make(kind), 0.7), 0.0);
    EXPECT_EQ(mean_of(make(kind)), 0.0);
    EXPECT_EQ(standard_deviation_of(make(kind)), 0.0);
  }
}

TEST(Distribution, NormalQuantileAgreesWithBoost) {
  // Both are said to be good to the last digits; they differ by no more than a few roundings over all of (0, 1).
  for (int k = -1000; k <= 1000; ++k) {
    const double t = 0.03 * k;  // p from e^-30 to 1 - e^-30
    const double p = t < 0 ? 0.5 * std::exp(t) : 1.0 - 0.5 * std::exp(-t);
    if (p >= 1.0) continue;
    const double exact = p < 0.5 ? -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * p)
                                 : std::sqrt(2.0) * boost::math::erfc_inv(2.0 * (1.0 - p));
    EXPECT_NEAR(normal_quantile(p), exact, 1e-14 * std::max(1.0, std::abs(exact))) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
}

// From the smallest draw of 53 bits to the largest, shapes from strongly skewed (most values near 0) to nearly normal.
TEST(Distribution, APreparedQuantileAgreesWithTheExactOne) {
  std::vector<Distribution> all;
  for (const double shape : {0.05, 0.3, 1.0, 4.6, 30.0, 2000.0}) {
    all.push_back(make(DistributionKind::kGamma));
    all.back().mean = 146.6e6;
    all.back().shape = shape;
  }
  for (const double sigma : {0.001, 0.1, 1.0, 2.0}) all.push_back(Distribution::lognormal(146.6e6, sigma));
  all.push_back(make(DistributionKind::kExponential));
  all.back().mean = 2e-3;
  for (const Distribution& d : all) {
    const PreparedQuantile prepared(d);
    double worst = 0.0;
    for (int k = -24000; k <= 24000; ++k) {
      const double t = 0.0015 * k + 0.0001;
      const double p = t < 0 ? 0.5 * std::exp(t) : 1.0 - 0.5 * std::exp(-t);
      if (p >= 1.0) continue;
      const double exact = quantile_of(d, p);
      worst = std::max(worst, std::abs(prepared(p) - exact) / std::max(exact, d.mean));
    }
    EXPECT_LT(worst, 2e-8) << d.shape << ", " << d.sigma;
  }
}

TEST(Distribution, PreparedOthersAreTheVerySame) {
  for (const Distribution& d : one_of_each()) {
    using enum DistributionKind;
    if (d.kind == kGamma || d.kind == kLognormal || d.kind == kExponential) continue;
    const PreparedQuantile prepared(d);
    for (const double p : {1e-12, 0.2, 0.5, 0.93, 1 - 1e-12}) EXPECT_EQ(prepared(p), quantile_of(d, p));
  }
}

}  // namespace
}  // namespace stallcast
