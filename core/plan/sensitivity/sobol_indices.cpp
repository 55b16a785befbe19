#include "core/plan/sensitivity/sobol_indices.h"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>

#include "core/diagnostics/invariant.h"
#include "core/engine/random_stream.h"

namespace stallcast {
namespace {

constexpr std::size_t kBootstraps = 1000;
constexpr std::uint64_t kBootstrapStream = 1U << 20;  // streams before it belong to the dimensions

// The leading bits of a random number, to move a coordinate by.
std::uint64_t shift_of(std::uint64_t seed, std::size_t dimension) {
  const RandomStream stream(seed, DrawPurpose::kUncertainInput, dimension);
  return static_cast<std::uint64_t>(stream.uniform_at(0) * 0x1.0p53) << 11;
}

// samples rows of `dimensions` columns.
std::vector<std::vector<double>> shifted_sequence(std::size_t dimensions, std::int64_t samples, std::uint64_t seed) {
  boost::random::sobol_engine<std::uint64_t, 64> sequence(dimensions);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(samples), std::vector<double>(dimensions));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::uint64_t bits = r == 0 ? 0 : sequence();  // Boost leaves out the first point, all zeros
      rows[r][d] = (static_cast<double>((bits ^ shift_of(seed, d)) >> 12) + 0.5) * 0x1.0p-52;
    }
  }
  return rows;
}

struct Sums {
  double f_b_times_change = 0.0, squared_change = 0.0;
};

// Results as the design has them, less their mean.
class Results {
 public:
  Results(std::size_t inputs, const std::vector<double>& values)
      : inputs_(inputs), samples_(values.size() / (inputs + 2)), values_(values) {
    const std::size_t both = 2 * samples_;
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(both);
    const double mean = std::accumulate(values.begin(), end, 0.0) / static_cast<double>(both);
    for (double& value : values_) value -= mean;
  }

  std::size_t samples() const { return samples_; }

  // Of the rows `rows`, [input] first orders and then [input] totals; empty where the result does not vary in them.
  std::vector<double> indices(const std::vector<std::size_t>& rows) const {
    double sum = 0.0, squares = 0.0;
    for (const std::size_t r : rows) {
      sum += a(r) + b(r);
      squares += a(r) * a(r) + b(r) * b(r);
    }
    const auto n = static_cast<double>(rows.size());
    const double variance = squares / (2.0 * n) - std::pow(sum / (2.0 * n), 2);
    if (!(variance > 0.0)) return {};
    std::vector<double> out(2 * inputs_);
    for (std::size_t i = 0; i < inputs_; ++i) {
      const Sums sums = sums_of(i, rows);
      out[i] = sums.f_b_times_change / n / variance;
      out[inputs_ + i] = sums.squared_change / (2.0 * n) / variance;
    }
    return out;
  }

 private:
  double a(std::size_t row) const { return values_[row]; }
  double b(std::size_t row) const { return values_[samples_ + row]; }
  Sums sums_of(std::size_t input, const std::vector<std::size_t>& rows) const {
    Sums sums;
    for (const std::size_t r : rows) {
      const double change = values_[(2 + input) * samples_ + r] - a(r);
      sums.f_b_times_change += b(r) * change;
      sums.squared_change += change * change;
    }
    return sums;
  }

  std::size_t inputs_, samples_;
  std::vector<double> values_;
};

Estimate with_percentiles(double value, std::vector<double> bootstrapped) {
  if (bootstrapped.empty()) return {value, value, value};
  std::sort(bootstrapped.begin(), bootstrapped.end());
  const auto at = [&](double p) {
    return bootstrapped[static_cast<std::size_t>(p * static_cast<double>(bootstrapped.size() - 1))];
  };
  return {value, std::min(value, at(0.025)), std::max(value, at(0.975))};
}

}  // namespace

std::vector<std::vector<double>> sobol_points(std::size_t inputs, std::int64_t samples, std::uint64_t seed) {
  invariant(inputs > 0 && samples > 0, "sobol_points: nothing to sample");
  const auto rows = shifted_sequence(2 * inputs, samples, seed);
  const auto split = static_cast<std::ptrdiff_t>(inputs);
  std::vector<std::vector<double>> points;
  for (const auto& row : rows) points.emplace_back(row.begin(), row.begin() + split);
  for (const auto& row : rows) points.emplace_back(row.begin() + split, row.end());
  for (std::size_t i = 0; i < inputs; ++i) {
    for (const auto& row : rows) {
      points.emplace_back(row.begin(), row.begin() + split);
      points.back()[i] = row[inputs + i];
    }
  }
  return points;
}

std::optional<std::vector<SobolIndex>> sobol_indices(std::size_t inputs, const std::vector<double>& results,
                                                     std::uint64_t seed) {
  invariant(!results.empty() && results.size() % (inputs + 2) == 0, "sobol_indices: results of another design");
  if (!std::all_of(results.begin(), results.end(), [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  const Results model(inputs, results);
  std::vector<std::size_t> rows(model.samples());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::vector<double> values = model.indices(rows);
  if (values.empty()) return std::nullopt;
  std::vector<std::vector<double>> bootstrapped(values.size());
  RandomStream stream(seed, DrawPurpose::kUncertainInput, kBootstrapStream);
  for (std::size_t k = 0; k < kBootstraps; ++k) {
    for (std::size_t& row : rows)
      row = static_cast<std::size_t>(stream.uniform() * static_cast<double>(model.samples()));
    const std::vector<double> again = model.indices(rows);
    for (std::size_t i = 0; i < again.size(); ++i) bootstrapped[i].push_back(again[i]);
  }
  std::vector<SobolIndex> out;
  for (std::size_t i = 0; i < inputs; ++i)
    out.push_back({with_percentiles(values[i], std::move(bootstrapped[i])),
                   with_percentiles(values[inputs + i], std::move(bootstrapped[inputs + i]))});
  return out;
}

}  // namespace stallcast
