#include "core/plan/sensitivity/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/diagnostics/invariant.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/run/simulate_once.h"
#include "core/run/uncertainty.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

constexpr std::int64_t kMostRuns = 400, kFewestSamples = 16, kMostSamples = 128;

using Rows = std::vector<std::vector<double>>;

// As given, then each input low and high, then Sobol's design.
Rows factors_of(const std::vector<UncertainInput>& inputs, std::int64_t samples, std::uint64_t seed) {
  Rows rows{std::vector<double>(inputs.size(), 1.0)};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const double factor : {inputs[i].low_factor, inputs[i].high_factor}) {
      rows.push_back(rows.front());
      rows.back()[i] = factor;
    }
  }
  if (samples == 0) return rows;
  for (std::vector<double>& point : sobol_points(inputs.size(), samples, seed)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) point[i] = factor_at(inputs[i], point[i]);
    rows.push_back(std::move(point));
  }
  return rows;
}

double swing(const TornadoBar& bar) {
  const double width = std::abs(bar.at_high.front() - bar.at_low.front());
  return std::isfinite(width) ? width : std::numeric_limits<double>::infinity();
}

// Shape [row][figure]; a row that a stop prevented is empty.
Rows run_rows(const Rows& rows, const FiguresAt& figures_at, const SensitivityOptions& options) {
  Rows out(rows.size());
  std::mutex mutex;
  std::int64_t done = 0;
  parallel_for(static_cast<std::int64_t>(rows.size()), options.run.threads, [&](std::int64_t r) {
    if (options.run.stop.stop_requested()) return;
    std::vector<double> figures = figures_at(rows[static_cast<std::size_t>(r)]);
    if (options.run.stop.stop_requested()) return;
    out[static_cast<std::size_t>(r)] = std::move(figures);
    const std::lock_guard lock(mutex);
    ++done;
    if (options.counted) options.counted(done, static_cast<std::int64_t>(rows.size()));
  });
  return out;
}

std::vector<double> column(const Rows& rows, std::size_t from, std::size_t figure) {
  std::vector<double> out;
  for (std::size_t r = from; r < rows.size(); ++r) out.push_back(rows[r][figure]);
  return out;
}

}  // namespace

std::int64_t default_samples(std::size_t inputs) {
  std::int64_t samples = kMostSamples;
  while (samples > kFewestSamples && samples * static_cast<std::int64_t>(inputs + 2) > kMostRuns) samples /= 2;
  return samples;
}

void sort_widest_first(std::vector<TornadoBar>& tornado) {
  std::stable_sort(tornado.begin(), tornado.end(),
                   [](const TornadoBar& a, const TornadoBar& b) { return swing(a) > swing(b); });
}

Sensitivity analyse(const std::vector<UncertainInput>& inputs, const FiguresAt& figures_at,
                    const SensitivityOptions& options) {
  invariant(!inputs.empty() && !options.figures.empty(), "analyse: nothing to look at");
  const std::uint64_t seed = options.run.seed.value_or(1);
  Sensitivity out;
  out.inputs = inputs;
  if (options.indices) out.samples = options.samples > 0 ? options.samples : default_samples(inputs.size());
  const Rows results = run_rows(factors_of(inputs, out.samples, seed), figures_at, options);
  out.runs = std::count_if(results.begin(), results.end(), [](const auto& row) { return !row.empty(); });
  out.complete = out.runs == static_cast<std::int64_t>(results.size());
  out.as_given = results.front();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto &low = results[1 + 2 * i], &high = results[2 + 2 * i];
    if (!low.empty() && !high.empty()) out.tornado.push_back({inputs[i], std::nullopt, low, high, i});
  }
  sort_widest_first(out.tornado);
  for (std::size_t f = 0; f < options.figures.size() && out.complete && options.indices; ++f)
    out.indices.push_back(sobol_indices(inputs.size(), column(results, 1 + 2 * inputs.size(), f), seed));
  return out;
}

std::vector<double> figures_with(PairedEvaluations& pairs, const std::vector<UncertainInput>& inputs,
                                 const std::vector<double>& factors, const std::vector<const Kpi*>& figures) {
  ResolvedScenario drawn = pairs.job();
  std::vector<double> possible = factors;
  drawn.scenario = drawn_scenario(pairs.job().scenario, inputs, possible);
  const KpiValues values = pairs.of(drawn);
  std::vector<double> out;
  for (const Kpi* kpi : figures) out.push_back(mean_of(*kpi, values));
  return out;
}

PairedEvaluations pairs_for_draws(const ResolvedScenario& resolved, const RunOptions& seeded) {
  const ResolvedScenario given = with_inputs_as_given(resolved);
  const RunResult answer = simulate_once(given.scenario, *seeded.seed, seeded, nullptr);
  return {given, evaluate(given, answer), seeded};
}

Sensitivity analyse(const ResolvedScenario& resolved, const std::vector<UncertainInput>& inputs,
                    const SensitivityOptions& options) {
  SensitivityOptions seeded = options;
  const std::uint64_t seed = options.run.seed.value_or(static_cast<std::uint64_t>(resolved.scenario.run.seed));
  seeded.run.seed = seed;
  PairedEvaluations pairs = pairs_for_draws(resolved, seeded.run);
  Sensitivity out = analyse(
      inputs, [&](const std::vector<double>& factors) { return figures_with(pairs, inputs, factors, options.figures); },
      seeded);
  out.runs = pairs.runs();
  for (TornadoBar& bar : out.tornado) bar.value = input_value(resolved, bar.input.pointer);
  return out;
}

}  // namespace stallcast
