#include "core/run/step_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/scenario/data_path.h"

namespace stallcast {

StepSeries::StepSeries(const StepLog& log, std::size_t steps, double ranks) : compute(steps), wall(steps) {
  for (const std::int64_t first : log.epoch_first_step)
    if (first > 0 && static_cast<std::size_t>(first) < steps) epoch_starts.push_back(static_cast<std::size_t>(first));
  double previous = log.epoch_start_s.empty() ? 0.0 : log.epoch_start_s.front();
  for (std::size_t k = 0; k < steps; ++k) {
    compute[k] = log.compute_s[k] / ranks;
    wall[k] = log.end_s[k] - previous;
    previous = log.end_s[k];
  }
}

Estimate to_estimate(const Interval& interval) {
  const double half = std::isfinite(interval.half_width) ? interval.half_width : 1.0;
  return {interval.mean, std::max(0.0, interval.mean - half), std::min(1.0, interval.mean + half)};
}

Estimate steady_utilization(const Scenario& s, const StepSeries& series, std::size_t drop) {
  const std::span<const double> compute(series.compute), wall(series.wall);
  return to_estimate(ratio_of_sums(compute.subspan(drop), wall.subspan(drop),
                                   std::max<std::size_t>(1, static_cast<std::size_t>(s.loader.num_workers))));
}

bool settled(const StepSeries& series, std::size_t drop, double precision) {
  const auto mean_of_part = [&](std::size_t from, std::size_t to) {
    double compute = 0.0, wall = 0.0;
    for (std::size_t k = from; k < to; ++k) {
      compute += series.compute[k];
      wall += series.wall[k];
    }
    return compute / wall;
  };
  const std::size_t steps = series.wall.size(), middle = drop + (steps - drop) / 2;
  return std::abs(mean_of_part(drop, middle) - mean_of_part(middle, steps)) <= 2.0 * precision;
}

std::size_t fill_steps(const Scenario& s) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, batches_ahead(s)));
}
namespace {

// One value for each of whole sweeps that are too short to be told apart into parts; of very few, as if they were none.
Estimate short_sweeps(const Scenario& s, const StepSeries& series, std::size_t drop, std::size_t sweep) {
  constexpr std::size_t kFewest = 4;
  const std::size_t sweeps = (series.wall.size() - drop) / sweep;
  if (sweeps < kFewest) return steady_utilization(s, series, drop);
  std::vector<double> compute(sweeps, 0.0), wall(sweeps, 0.0);
  for (std::size_t k = 0; k < sweeps * sweep; ++k) {
    compute[k / sweep] += series.compute[drop + k];
    wall[k / sweep] += series.wall[drop + k];
  }
  return to_estimate(ratio_of_sums(compute, wall, 1, std::min<std::size_t>(20, sweeps / 2)));
}

}  // namespace

Estimate sweep_utilization(const Scenario& s, const StepSeries& series, std::size_t drop, std::size_t sweep) {
  constexpr std::size_t kParts = 40, kFewestParts = 10;
  if (sweep < kParts) return short_sweeps(s, series, drop, sweep);
  const auto cycle = static_cast<std::size_t>(std::max<std::int64_t>(1, s.loader.num_workers));
  const std::size_t part = std::max<std::size_t>(
      1, std::min((sweep / kParts + cycle - 1) / cycle * cycle, std::max<std::size_t>(1, sweep / kFewestParts)));
  double compute = 0.0, wall = 0.0;
  for (std::size_t k = drop; k < series.wall.size(); ++k) {
    compute += series.compute[k];
    wall += series.wall[k];
  }
  const double mean = compute / wall;
  std::vector<double> residual((series.wall.size() - drop) / part, 0.0);
  for (std::size_t k = 0; k < residual.size() * part; ++k)
    residual[k / part] += series.compute[drop + k] - mean * series.wall[drop + k];
  const auto epoch_starts_in = [&](std::size_t from, std::size_t to) {
    const auto& starts = series.epoch_starts;
    const auto next = std::lower_bound(starts.begin(), starts.end(), from);
    return next != starts.end() && *next < to;
  };
  double squares = 0.0;
  std::size_t differences = 0;
  for (std::size_t p = 1; p + 1 < residual.size(); ++p) {
    const std::size_t from = (p - 1) * part, to = (p + 2) * part;
    if (from / sweep != (to - 1) / sweep || epoch_starts_in(drop + from, drop + to)) continue;
    const double d = residual[p - 1] - 2.0 * residual[p] + residual[p + 1];
    squares += d * d / 6.0;
    ++differences;
  }
  if (differences == 0) return to_estimate({mean, std::numeric_limits<double>::infinity()});
  const double parts = static_cast<double>(series.wall.size() - drop) / static_cast<double>(part);
  const double variance = squares / static_cast<double>(differences) * parts;
  return to_estimate({mean, student_t95(std::max<std::size_t>(1, differences / 2)) * std::sqrt(variance) / wall});
}

}  // namespace stallcast
