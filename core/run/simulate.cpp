#include "core/run/simulate.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/engine/statistics.h"
#include "core/run/simulate_once.h"
#include "core/run/uncertainty.h"
#include "core/scenario/run_length.h"
#include "core/steps/figures.h"
#include "core/timeline/weeks.h"

namespace stallcast {
namespace {

// A sum over several runs, made their mean.
void pool(RunResult& pooled, const RunResult& more, double n) {
  const auto add = [n](double& mean, double value) { mean += (value - mean) / n; };
  add(pooled.au_steady, more.au_steady);
  add(pooled.au_mlperf, more.au_mlperf);
  add(pooled.samples_per_s_mlperf, more.samples_per_s_mlperf);
  add(pooled.step_time_s.p50, more.step_time_s.p50);
  add(pooled.step_time_s.p99, more.step_time_s.p99);
  add(pooled.time_to_first_batch_s, more.time_to_first_batch_s);
  for (LedgerPhase& phase : pooled.ledger) stallcast::add(phase, LedgerPhase(phase), -1.0 / n);
  for (const LedgerPhase& phase : more.ledger) {
    const auto same = std::find_if(pooled.ledger.begin(), pooled.ledger.end(), [&phase](const LedgerPhase& other) {
      return other.kind == phase.kind && other.epochs == phase.epochs;
    });
    if (same != pooled.ledger.end()) {
      stallcast::add(*same, phase, 1.0 / n);
    } else {
      pooled.ledger.push_back(phase);
      stallcast::add(pooled.ledger.back(), phase, 1.0 / n - 1.0);
    }
  }
  for (std::size_t r = 0; r < std::min(pooled.regimes.size(), more.regimes.size()); ++r) {
    RegimeResult& regime = pooled.regimes[r];
    add(regime.gpu_utilization.mean, more.regimes[r].gpu_utilization.mean);
    add(regime.gpu_utilization.ci95_low, more.regimes[r].gpu_utilization.ci95_low);
    add(regime.gpu_utilization.ci95_high, more.regimes[r].gpu_utilization.ci95_high);
    add(regime.samples_per_s, more.regimes[r].samples_per_s);
    add(regime.time_s, more.regimes[r].time_s);
  }
}

// The run of the inputs as they are given.
RunResult simulate_as_given(const Scenario& scenario, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed));
  Undisturbed first = simulate_undisturbed(scenario, seed, options, options.trace);
  // Those asked for of a run that is interrupted are its simulated runs.
  const std::int64_t wanted = needs_timeline(scenario) ? 1 : options.replications;
  std::vector<double> utilization{first.result.gpu_utilization.mean};
  for (std::int64_t r = 1; r < wanted && !options.stop.stop_requested(); ++r) {
    const RunResult more =
        simulate_undisturbed(scenario, seed + static_cast<std::uint64_t>(r), options, nullptr).result;
    utilization.push_back(more.gpu_utilization.mean);
    pool(first.result, more, static_cast<double>(r + 1));
    first.result.events += more.events;
    first.result.wall_s += more.wall_s;
  }
  if (utilization.size() > 1) {
    RunResult& pooled = first.result;
    const Interval interval = mean_of_replications(utilization);
    set_figures(pooled, scenario, interval.half_width, epoch_steps(scenario) <= 0.0);
    pooled.converged = interval.half_width <= scenario.run.precision;
  }
  return with_interruptions(scenario, first, options);
}

}  // namespace

RunResult simulate(const Scenario& scenario, const RunOptions& options) {
  RunResult result = simulate_as_given(scenario, options);
  if (!scenario.run.uncertain.empty()) result = with_uncertain_inputs(scenario, std::move(result), options);
  result.stopped = options.stop.stop_requested();
  return result;
}

}  // namespace stallcast
