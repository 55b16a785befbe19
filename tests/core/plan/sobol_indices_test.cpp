#include "core/plan/sensitivity/sobol_indices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

namespace stallcast {
namespace {

using Model = std::function<double(const std::vector<double>&)>;

std::optional<std::vector<SobolIndex>> indices_of(const Model& model, std::size_t inputs, std::int64_t samples,
                                                  std::uint64_t seed = 1) {
  std::vector<double> results;
  for (const auto& point : sobol_points(inputs, samples, seed)) results.push_back(model(point));
  return sobol_indices(inputs, results, seed);
}

void expect_holds(const Estimate& estimate, double truth, double tolerance) {
  EXPECT_NEAR(estimate.mean, truth, tolerance);
  EXPECT_LE(estimate.ci95_low, truth + 1e-9);
  EXPECT_GE(estimate.ci95_high, truth - 1e-9);
}

// y = 1 x1 + 2 x2 + 3 x3 of uniform inputs: variances as 1 : 4 : 9, no interaction.
TEST(SobolIndices, OfASumAreTheSharesOfItsTerms) {
  const auto found = indices_of([](const auto& x) { return x[0] + 2.0 * x[1] + 3.0 * x[2]; }, 3, 256);
  ASSERT_TRUE(found);
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = std::pow(static_cast<double>(i + 1), 2) / 14.0;
    expect_holds((*found)[i].first_order, share, 0.02);
    expect_holds((*found)[i].total, share, 0.02);
  }
}

// y = x1 x2 with E = 1/2, V = 1/12 each: V(y) = (1/12 + 1/4)^2 - 1/16 = 7/144. V1 = 1/4 * 1/12 = 3/144, so S = 3/7;
// the interaction is 1/7, T = 4/7.
TEST(SobolIndices, OfAProductHaveItsInteraction) {
  const auto found = indices_of([](const auto& x) { return x[0] * x[1]; }, 2, 512);
  ASSERT_TRUE(found);
  for (const SobolIndex& index : *found) {
    expect_holds(index.first_order, 3.0 / 7.0, 0.02);
    expect_holds(index.total, 4.0 / 7.0, 0.02);
  }
}

// Ishigami and Homma 1990, sin x1 + a sin^2 x2 + b x3^4 sin x1 on (-pi, pi)^3, a = 7, b = 0.1:
// V1 = (1 + b pi^4 / 5)^2 / 2 = 4.3459, V2 = a^2 / 8 = 6.125, V13 = b^2 pi^8 (1/18 - 1/50) = 3.3737, V = 13.8446.
TEST(SobolIndices, OfIshigamisFunctionAreItsClosedForms) {
  const double pi = std::numbers::pi, a = 7.0, b = 0.1;
  const double v1 = 0.5 * std::pow(1.0 + b * std::pow(pi, 4) / 5.0, 2), v2 = a * a / 8.0;
  const double v13 = b * b * std::pow(pi, 8) * (1.0 / 18.0 - 1.0 / 50.0), v = v1 + v2 + v13;
  const auto found = indices_of(
      [&](const auto& u) {
        const auto x = [&](std::size_t i) { return pi * (2.0 * u[i] - 1.0); };
        return std::sin(x(0)) + a * std::pow(std::sin(x(1)), 2) + b * std::pow(x(2), 4) * std::sin(x(0));
      },
      3, 4096);
  ASSERT_TRUE(found);
  expect_holds((*found)[0].first_order, v1 / v, 0.02);
  expect_holds((*found)[1].first_order, v2 / v, 0.02);
  expect_holds((*found)[2].first_order, 0.0, 0.02);
  expect_holds((*found)[0].total, (v1 + v13) / v, 0.02);
  expect_holds((*found)[1].total, v2 / v, 0.02);
  expect_holds((*found)[2].total, v13 / v, 0.02);
}

// As few samples as the command takes: the interval is wider, and holds the truth.
TEST(SobolIndices, OfFewSamplesHaveIntervalsThatHoldTheTruth) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto found = indices_of([](const auto& x) { return x[0] + 2.0 * x[1] + 3.0 * x[2]; }, 3, 32, seed);
    ASSERT_TRUE(found);
    held += (*found)[2].total.ci95_low <= 9.0 / 14.0 && 9.0 / 14.0 <= (*found)[2].total.ci95_high ? 1 : 0;
  }
  EXPECT_GE(held, 36);  // at a probability of 95 %, 35 or fewer of 40 happen in 4.8 % of cases
}

TEST(SobolIndices, OfAnInputWithoutInfluenceAreNothing) {
  const auto found = indices_of([](const auto& x) { return std::exp(x[0]); }, 2, 64);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[1].total.mean, 0.0);
  EXPECT_EQ((*found)[1].total.ci95_high, 0.0);
  EXPECT_EQ((*found)[1].first_order.mean, 0.0);
}

TEST(SobolIndices, OfAConstantOrAnUnknownResultThereAreNone) {
  EXPECT_FALSE(indices_of([](const auto&) { return 5.0; }, 2, 16));
  EXPECT_FALSE(indices_of([](const auto& x) { return x[0] > 0.9 ? INFINITY : x[0]; }, 2, 16));
}

// A digital shift keeps what a Sobol sequence is: of 64 points one in each 64th of every coordinate.
TEST(SobolPoints, FillEveryCoordinateEvenlyAndDependOnTheSeedAlone) {
  const auto points = sobol_points(3, 64, 7);
  ASSERT_EQ(points.size(), 64U * 5U);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<int> hits(64);
    for (std::size_t r = 0; r < 64; ++r) ++hits[static_cast<std::size_t>(64.0 * points[r][i])];
    EXPECT_EQ(hits, std::vector<int>(64, 1)) << i;
  }
  EXPECT_EQ(points, sobol_points(3, 64, 7));
  EXPECT_NE(points, sobol_points(3, 64, 8));
}

// Row r of the block of input i is row r of A but in column i, which is of B.
TEST(SobolPoints, ChangeOneColumnInEachBlock) {
  const auto points = sobol_points(2, 4, 1);
  for (std::size_t r = 0; r < 4; ++r) {
    const auto &a = points[r], &b = points[4 + r], &ab0 = points[8 + r], &ab1 = points[12 + r];
    EXPECT_EQ(ab0, (std::vector<double>{b[0], a[1]}));
    EXPECT_EQ(ab1, (std::vector<double>{a[0], b[1]}));
  }
}

}  // namespace
}  // namespace stallcast
