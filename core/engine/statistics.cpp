#include "core/engine/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/units/student_t.h"

namespace stallcast {

std::size_t mser5_truncation(std::span<const double> series) {
  const std::size_t n = series.size() / 5;
  if (n < 4) return 0;
  std::vector<double> means(n);
  for (std::size_t i = 0; i < n; ++i)
    means[i] = std::accumulate(series.begin() + static_cast<std::ptrdiff_t>(5 * i),
                               series.begin() + static_cast<std::ptrdiff_t>(5 * i + 5), 0.0) /
               5.0;
  // Sums from the right give mean and squared deviation of every tail in one pass (Welford).
  double mean = 0.0, squares = 0.0, best = std::numeric_limits<double>::infinity();
  std::size_t drop = 0;
  for (std::size_t d = n; d-- > 0;) {
    const auto count = static_cast<double>(n - d);
    const double delta = means[d] - mean;
    mean += delta / count;
    squares += delta * (means[d] - mean);
    if (d <= n / 2 && n - d >= 2) {
      const double score = squares / (count * count);
      if (score <= best) {
        best = score;
        drop = d;
      }
    }
  }
  return 5 * drop;
}

double student_t95(std::size_t degrees) {
  return student_t_quantile(static_cast<double>(std::max<std::size_t>(1, degrees)), 0.975);
}

Interval ratio_of_sums(std::span<const double> numerator, std::span<const double> denominator, std::size_t cycle,
                       std::size_t batches) {
  const std::size_t n = numerator.size();
  // Whole cycles in each batch, and what is left over at the end in none; equal parts when that leaves too few batches.
  std::size_t length = 0;
  if (cycle > 1 && batches > 0) {
    const std::size_t cycles = (n + batches * cycle - 1) / (batches * cycle);
    if (n / (cycles * cycle) >= kLeastCycles) {
      length = cycles * cycle;
      batches = n / length;
    }
  }
  const auto edge = [&](std::size_t b) {
    const std::size_t at = length == 0 ? b * n / batches : b * length;
    return static_cast<std::ptrdiff_t>(at);
  };
  const double top = std::accumulate(numerator.begin(), numerator.end(), 0.0);
  const double bottom = std::accumulate(denominator.begin(), denominator.end(), 0.0);
  Interval out;
  out.mean = bottom > 0 ? top / bottom : 0.0;
  out.half_width = std::numeric_limits<double>::infinity();
  if (batches < 2 || n < 2 * batches) return out;
  std::vector<double> without(batches);
  for (std::size_t b = 0; b < batches; ++b) {
    const auto from = edge(b), to = edge(b + 1);
    const double x = std::accumulate(numerator.begin() + from, numerator.begin() + to, 0.0);
    const double y = std::accumulate(denominator.begin() + from, denominator.begin() + to, 0.0);
    without[b] = bottom > y ? (top - x) / (bottom - y) : 0.0;
  }
  const auto count = static_cast<double>(batches);
  const double center = std::accumulate(without.begin(), without.end(), 0.0) / count;
  double squares = 0.0;
  for (double w : without) squares += (w - center) * (w - center);
  out.half_width = student_t95(batches - 1) * std::sqrt(squares * (count - 1.0) / count);
  out.batches = batches;
  return out;
}

Interval ratio_of_means(std::span<const double> numerator, std::span<const double> denominator) {
  const auto count = static_cast<double>(numerator.size());
  const double top = std::accumulate(numerator.begin(), numerator.end(), 0.0);
  const double bottom = std::accumulate(denominator.begin(), denominator.end(), 0.0);
  Interval out;
  if (!std::isfinite(bottom)) return out;
  out.half_width = std::numeric_limits<double>::infinity();
  out.mean = bottom > 0.0 ? top / bottom : 0.0;
  if (numerator.size() < 2 || bottom <= 0.0) return out;
  double squares = 0.0;
  for (std::size_t i = 0; i < numerator.size(); ++i) {
    const double residual = numerator[i] - out.mean * denominator[i];
    squares += residual * residual;
  }
  out.half_width = student_t95(numerator.size() - 1) * std::sqrt(squares / (count - 1.0) / count) / (bottom / count);
  return out;
}

Interval mean_of_replications(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Interval out;
  out.half_width = std::numeric_limits<double>::infinity();
  if (values.empty()) return out;
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (!std::isfinite(out.mean)) out.half_width = 0.0;  // runs that never end: that is known
  if (values.size() < 2 || !std::isfinite(out.mean)) return out;
  double squares = 0.0;
  for (double v : values) squares += (v - out.mean) * (v - out.mean);
  out.half_width = student_t95(values.size() - 1) * std::sqrt(squares / (count - 1.0) / count);
  return out;
}

namespace {

// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<double> out;
  for (const double value : values) {
    double below = 0.0, equal = 0.0;
    for (const double other : values) {
      below += other < value ? 1.0 : 0.0;
      equal += other == value ? 1.0 : 0.0;
    }
    out.push_back(below + 0.5 * (equal - 1.0));
  }
  return out;
}

}  // namespace

double squared_rank_correlation(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> a = ranks_of(x), b = ranks_of(y);
  const double mean = 0.5 * (static_cast<double>(a.size()) - 1.0);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa > 0.0 && bb > 0.0 ? ab * ab / (aa * bb) : 0.0;
}

std::vector<std::size_t> most_influential(const std::vector<std::vector<double>>& inputs,
                                          std::span<const double> results, std::size_t count) {
  const double mean = 0.5 * (static_cast<double>(results.size()) - 1.0);
  const auto centred = [mean](std::span<const double> values) {
    std::vector<double> out = ranks_of(values);
    for (double& rank : out) rank -= mean;
    return out;
  };
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  std::vector<std::vector<double>> left;
  for (const std::vector<double>& input : inputs) left.push_back(centred(input));
  std::vector<double> unexplained = centred(results);
  std::vector<std::size_t> out;
  const double all = product(unexplained, unexplained);
  while (out.size() < std::min(count, inputs.size())) {
    constexpr double kNothing = 1e-9;
    std::size_t best = inputs.size();
    double most = kNothing * all;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (std::find(out.begin(), out.end(), i) != out.end()) continue;
      const double size = product(left[i], left[i]), with = product(left[i], unexplained);
      if (size > kNothing && with * with / size > most) {
        most = with * with / size;
        best = i;
      }
    }
    if (best == inputs.size()) break;
    out.push_back(best);
    // What this one explains goes, of the results and of the inputs not yet chosen.
    const std::vector<double> chosen = left[best];
    const double size = product(chosen, chosen);
    const auto without = [&](std::vector<double>& values) {
      const double part = product(values, chosen) / size;
      for (std::size_t k = 0; k < values.size(); ++k) values[k] -= part * chosen[k];
    };
    without(unexplained);
    for (std::vector<double>& input : left) without(input);
  }
  return out;
}

}  // namespace stallcast
