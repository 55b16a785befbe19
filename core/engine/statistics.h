// From a correlated series to a mean with an interval: warm-up removal by MSER-5, then batch means.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stallcast {

struct Interval {
  double mean = 0.0;
  double half_width = 0.0;  // 95 %; infinite when there are too few batches
  std::size_t batches = 0;  // behind it
};

// Fewer whole cycles than these tell nothing of how cycles differ.
inline constexpr std::size_t kLeastCycles = 4;

// Number of leading observations to drop so that the marginal standard error of the rest is least.
// **Model** MSER-5: means of 5, truncation point d minimising sum (x - mean)^2 / (n - d)^2 over the first half.
// **Range** result in [0, n / 2]. **Cost** O(n).
// **Source** White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69(6),
// 1997; White, Cobb & Spratt 2000. **Checked by** Statistics.MserDropsATransient.
std::size_t mser5_truncation(std::span<const double> series);

// Ratio of sums, sum(numerator) / sum(denominator), with a 95 % interval from `batches` batch means.
// **Model** delete-one-batch jackknife over equal batches, Student t with batches - 1 degrees of freedom. Batches are a
//   multiple of `cycle` long where there are kLeastCycles, and then fewer than asked for: a series with a period (a
//   loader's workers, which finish in waves) has whole periods in every batch, and the interval is not that of cutting
//   them.
// **Shape** both series have the same length. **Source** Law, Simulation Modeling and Analysis, 5th ed., 9.5.
// **Checked by** Statistics.BatchMeansCoverTheTruth.
Interval ratio_of_sums(std::span<const double> numerator, std::span<const double> denominator, std::size_t cycle = 1,
                       std::size_t batches = 20);

// Ratio of the means of two figures of independent replications, with its 95 % interval; 0 where the second is infinite
// in one of them, with a half width of 0.
// **Model** the ratio estimator: Student t over the residuals numerator - ratio * denominator.
// **Shape** both have the same length. **Source** Cochran, Sampling Techniques, 3rd ed. 1977, 6.3 and 6.4.
// **Checked by** Statistics.RatioOfMeansCoversTheTruth.
Interval ratio_of_means(std::span<const double> numerator, std::span<const double> denominator);

// Mean of independent replications with its 95 % interval; an infinite mean has a half width of 0.
Interval mean_of_replications(std::span<const double> values);

// Squared Spearman correlation of two series of the same length; 0 where one of them does not vary.
double squared_rank_correlation(std::span<const double> x, std::span<const double> y);

// The `count` of `inputs` that say most about `results`, most first: forward selection by correlation of ranks, each
// next one by what those before it leave unexplained. Fewer where nothing is left.
// **Shape** each input and `results` have the same length.
std::vector<std::size_t> most_influential(const std::vector<std::vector<double>>& inputs,
                                          std::span<const double> results, std::size_t count);

// Two-sided Student t quantile for 95 %: P(|T| <= t) = 0.95 with `degrees` >= 1 of freedom.
double student_t95(std::size_t degrees);

}  // namespace stallcast
