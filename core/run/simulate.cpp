#include "core/run/simulate.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/engine/statistics.h"
#include "core/run/simulate_once.h"
#include "core/run/step_series.h"
#include "core/run/totals.h"
#include "core/run/uncertainty.h"
#include "core/run/weeks.h"

namespace stallcast {
namespace {

// Makes every mean of `pooled`, over n - 1 runs so far, one over n with `more`.
void pool(RunResult& pooled, const RunResult& more, double n) {
  const auto add = [n](double& mean, double value) { mean += (value - mean) / n; };
  add(pooled.au, more.au);
  add(pooled.au_steady, more.au_steady);
  add(pooled.au_mlperf, more.au_mlperf);
  add(pooled.goodput_fraction, more.goodput_fraction);
  add(pooled.samples_per_s, more.samples_per_s);
  add(pooled.samples_per_s_steady, more.samples_per_s_steady);
  add(pooled.samples_per_s_mlperf, more.samples_per_s_mlperf);
  add(pooled.step_time_s.mean, more.step_time_s.mean);
  add(pooled.step_time_s.p50, more.step_time_s.p50);
  add(pooled.step_time_s.p99, more.step_time_s.p99);
  add(pooled.time_to_first_batch_s, more.time_to_first_batch_s);
  add(pooled.time_to_train_s, more.time_to_train_s);
  for (std::size_t c = 0; c < pooled.lost_fraction.size(); ++c) add(pooled.lost_fraction[c], more.lost_fraction[c]);
  for (const auto member : kSums) add(pooled.totals.*member, more.totals.*member);
  add(pooled.totals.training_s, more.totals.training_s);
  add(pooled.totals.lost_gpu_s, more.totals.lost_gpu_s);
  for (std::size_t r = 0; r < std::min(pooled.regimes.size(), more.regimes.size()); ++r) {
    RegimeResult& regime = pooled.regimes[r];
    add(regime.gpu_utilization.mean, more.regimes[r].gpu_utilization.mean);
    add(regime.gpu_utilization.ci95_low, more.regimes[r].gpu_utilization.ci95_low);
    add(regime.gpu_utilization.ci95_high, more.regimes[r].gpu_utilization.ci95_high);
    add(regime.samples_per_s, more.regimes[r].samples_per_s);
    add(regime.time_s, more.regimes[r].time_s);
  }
}

// A run that ends by itself is one finite sample. When its own steps do not give the asked precision, replications do.
constexpr std::int64_t kMostReplications = 40;

// The run of the inputs as they are given.
RunResult simulate_as_given(const Scenario& scenario, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed));
  RunResult first = simulate_pace(scenario, seed, options, options.trace);
  const bool ended_early = !scenario.run.whole_run && first.gpu_utilization.half_width() > scenario.run.precision &&
                           first.steps < scenario.run.max_steps;
  // Those asked for of a run that is drawn out are its calendars.
  const std::int64_t asked = needs_calendar(scenario) ? 1 : options.replications;
  const std::int64_t wanted = asked > 1 ? asked : ended_early ? kMostReplications : 1;
  std::vector<double> utilization{first.gpu_utilization.mean};
  for (std::int64_t r = 1; r < wanted && !options.stop.stop_requested(); ++r) {
    const RunResult more = simulate_pace(scenario, seed + static_cast<std::uint64_t>(r), options, nullptr);
    utilization.push_back(more.gpu_utilization.mean);
    pool(first, more, static_cast<double>(r + 1));
    first.events += more.events;
    first.wall_s += more.wall_s;
    first.gpu_utilization = to_estimate(mean_of_replications(utilization));
    first.converged = first.gpu_utilization.half_width() <= scenario.run.precision;
    if (asked <= 1 && r >= 2 && first.converged) break;
  }
  return with_interruptions(scenario, std::move(first), seed, options);
}

}  // namespace

RunResult simulate(const Scenario& scenario, const RunOptions& options) {
  RunResult result = simulate_as_given(scenario, options);
  if (scenario.run.uncertain.empty()) return result;
  return with_uncertain_inputs(scenario, std::move(result), options);
}

}  // namespace stallcast
