#include "core/engine/statistics.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/engine/random_stream.h"

namespace stallcast {
namespace {

double normal(RandomStream& draw) { return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * draw.uniform()); }

// x_t = phi x_{t-1} + e_t, started at `first`: mean 0.
std::vector<double> ar1(std::size_t n, double phi, double first, RandomStream& draw) {
  std::vector<double> out(n);
  double x = first;
  for (double& value : out) value = x = phi * x + normal(draw);
  return out;
}

TEST(Statistics, MserDropsATransient) {
  // A start 40 standard deviations off that decays as 0.95^t is below one after ln 40 / -ln 0.95 = 72 observations.
  RandomStream draw(1, DrawPurpose::kTest, 0);
  std::vector<double> series = ar1(2000, 0.5, 0.0, draw);
  for (std::size_t t = 0; t < series.size(); ++t) series[t] += 40.0 * std::pow(0.95, static_cast<double>(t));
  const std::size_t drop = mser5_truncation(series);
  EXPECT_GE(drop, 50u);
  EXPECT_LE(drop, 300u);
}

TEST(Statistics, MserKeepsAConstantAndNeverDropsMoreThanHalf) {
  EXPECT_EQ(mser5_truncation(std::vector<double>(1000, 3.0)), 0u);
  std::vector<double> ramp(1000);  // never settles
  for (std::size_t t = 0; t < ramp.size(); ++t) ramp[t] = static_cast<double>(t);
  EXPECT_LE(mser5_truncation(ramp), 500u);
  EXPECT_EQ(mser5_truncation(std::vector<double>(3, 1.0)), 0u);
}

TEST(Statistics, BatchMeansCoverTheTruth) {
  // 400 series of a stationary AR(1) with phi 0.7, true mean 0. At 95 % coverage the share that covers has a standard
  // error of sqrt(0.95 * 0.05 / 400) = 0.011; 20 batches of 100 keep the batches nearly independent.
  int covered = 0;
  for (std::uint64_t s = 0; s < 400; ++s) {
    RandomStream draw(11, DrawPurpose::kTest, s);
    const std::vector<double> series = ar1(2000, 0.7, normal(draw) / std::sqrt(1 - 0.49), draw);
    const Interval interval = ratio_of_sums(series, std::vector<double>(2000, 1.0), 1, 20);
    covered += std::abs(interval.mean) <= interval.half_width;
  }
  EXPECT_NEAR(covered / 400.0, 0.95, 3 * 0.011);
}

TEST(Statistics, RatioOfSumsIsOfSumsNotOfRatios) {
  // (1 + 9) / (2 + 3) = 2, while the mean ratio is (0.5 + 3) / 2. Two observations are too few for an interval.
  const Interval interval = ratio_of_sums(std::vector<double>{1, 9}, std::vector<double>{2, 3});
  EXPECT_DOUBLE_EQ(interval.mean, 2.0);
  EXPECT_TRUE(std::isinf(interval.half_width));
}

TEST(Statistics, JackknifeOfEqualDenominatorsIsTheBatchMeansInterval) {
  // Four observations 1, 3, 5, 7 in two batches of means 2 and 6: mean 4, standard error |6 - 2| / 2 = 2, one degree of
  // freedom: t = 12.7062.
  const Interval interval = ratio_of_sums(std::vector<double>{1, 3, 5, 7}, std::vector<double>(4, 1.0), 1, 2);
  EXPECT_DOUBLE_EQ(interval.mean, 4.0);
  EXPECT_NEAR(interval.half_width, 12.7062 * 2.0, 1e-3);
}

TEST(Statistics, ReplicationsGiveStudentsInterval) {
  // 2, 4, 6: mean 4, s = 2, standard error 2 / sqrt 3, t(2) = 4.30265.
  const Interval interval = mean_of_replications(std::vector<double>{2, 4, 6});
  EXPECT_DOUBLE_EQ(interval.mean, 4.0);
  EXPECT_NEAR(interval.half_width, 4.30265 * 2.0 / std::sqrt(3.0), 1e-4);
  EXPECT_TRUE(std::isinf(mean_of_replications(std::vector<double>{1.0}).half_width));
  EXPECT_EQ(mean_of_replications(std::vector<double>{1.0, INFINITY, INFINITY}).half_width, 0.0);
}

// 3 + 1 over 10 + 30, not the mean of 0.3 and 0.033. Residuals are 2 and -2: half of 40 with sd 2.83 / sqrt(2) = 2.
TEST(Statistics, RatioOfMeansIsOfMeansNotOfRatios) {
  const Interval ratio = ratio_of_means(std::vector<double>{3.0, 1.0}, std::vector<double>{10.0, 30.0});
  EXPECT_DOUBLE_EQ(ratio.mean, 0.1);
  EXPECT_NEAR(ratio.half_width, student_t95(1) * 2.0 / 20.0, 1e-12);
  const Interval never =
      ratio_of_means(std::vector<double>{3.0, 1.0}, std::vector<double>{10.0, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(never.mean, 0.0);
  EXPECT_EQ(never.half_width, 0.0);
}

TEST(Statistics, RatioOfMeansCoversTheTruth) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomStream draw(12, DrawPurpose::kTest, seed);
    std::vector<double> walls, useful;
    for (int i = 0; i < 30; ++i) {
      walls.push_back(2.0 + draw.uniform());
      useful.push_back(0.4 * walls.back() + 0.2 * (draw.uniform() - 0.5));
    }
    const Interval ratio = ratio_of_means(useful, walls);
    covered += std::abs(ratio.mean - 0.4) <= ratio.half_width ? 1 : 0;
  }
  EXPECT_GE(covered, 366);  // 95 % of 400, less three standard deviations of that
  EXPECT_LE(covered, 393);
}

TEST(Statistics, StudentT) {
  // Printed tables, two-sided 95 %: 1: 12.706, 2: 4.303, 5: 2.571, 19: 2.093, 30: 2.042, infinite: 1.960.
  EXPECT_NEAR(student_t95(1), 12.706, 5e-4);
  EXPECT_NEAR(student_t95(2), 4.303, 5e-4);
  EXPECT_NEAR(student_t95(5), 2.571, 5e-4);
  EXPECT_NEAR(student_t95(19), 2.093, 5e-4);
  EXPECT_NEAR(student_t95(30), 2.042, 5e-4);
  EXPECT_NEAR(student_t95(1'000'000), 1.960, 5e-4);
  EXPECT_EQ(student_t95(0), student_t95(1));
}

// Every 30th observation is 31, the others 1. Batches of 50 of 1000 hold one or two of the 31s, an interval that comes
// from cutting; whole periods are all alike: mean 30 / 60 and no spread at all.
TEST(Statistics, BatchesOfWholeCyclesDoNotCutThem) {
  std::vector<double> wall(1020, 1.0);
  for (std::size_t k = 7; k < wall.size(); k += 30) wall[k] = 31.0;
  const std::vector<double> compute(wall.size(), 1.0);
  EXPECT_GT(ratio_of_sums(compute, wall).half_width, 0.02);
  const Interval whole = ratio_of_sums(compute, wall, 30);
  EXPECT_DOUBLE_EQ(whole.mean, 0.5);
  EXPECT_LT(whole.half_width, 1e-12);
  // Seven cycles and a part of one: too few for 20 batches, enough for seven.
  const Interval few = ratio_of_sums({compute.data(), 225}, {wall.data(), 225}, 30);
  EXPECT_EQ(few.batches, 7U);
  EXPECT_LT(few.half_width, 1e-12);
}

// Two inputs make the result, one more than the other; a copy of the first adds nothing to it, and neither does the
// one without influence as long as any is left.
TEST(Statistics, MostInfluentialInputsComeFirst) {
  std::vector<std::vector<double>> inputs(4);
  std::vector<double> results;
  for (int i = 0; i < 25; ++i) {
    const double a = i % 5, b = (i / 5 + 2 * i) % 5, none = (7 * i) % 25;
    inputs[0].push_back(none);
    inputs[1].push_back(b);
    inputs[2].push_back(a);
    inputs[3].push_back(a);
    results.push_back(10.0 * a + 3.0 * b);
  }
  const std::vector<std::size_t> order = most_influential(inputs, results, 2);
  EXPECT_EQ(order, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(most_influential(inputs, std::vector<double>(25, 1.0), 4).size(), 0U) << "nothing varies";
}

}  // namespace
}  // namespace stallcast
