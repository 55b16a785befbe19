#include "core/plan/pairs/paired_evaluations.h"

#include <utility>

#include "core/scenario/fields/simulation_key.h"

namespace stallcast {
namespace {

Estimate times(const Estimate& value, double factor) {
  return {value.mean * factor, value.ci95_low * factor, value.ci95_high * factor};
}

}  // namespace

PairedEvaluations::PairedEvaluations(const ResolvedScenario& job, const Evaluation& now, const RunOptions& options)
    : job_(with_inputs_as_given(job)),
      options_(one_of_many(options)),
      now_(kpi_values(now)),
      trials_(job_.scenario, now.result, options,
              [this](const Scenario& scenario, const RunOptions& run) { return simulated(scenario, run); }),
      base_(kpi_values(evaluate(job_, trials_.base()))) {}

KpiValues PairedEvaluations::of(const ResolvedScenario& changed) {
  const ResolvedScenario given = with_inputs_as_given(changed);
  const RunResult after = trials_.of(given.scenario);
  KpiValues out = kpi_values(evaluate(given, after));
  const Kpi& busy = *find_kpi("gpu_utilization");
  const double slower =
      correction_by_utilization(after.gpu_utilization.mean, mean_of(busy, base_), mean_of(busy, now_));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Kpi& kpi = kpi_table()[i];
    if (!out[i] || !base_[i] || !now_[i]) continue;
    out[i] = on_scale(*out[i], *base_[i], *now_[i], kpi.dimension == Dimension::kFraction);
    if (kpi.goes_with != GoesWith::kNothing)
      out[i] = times(*out[i], kpi.goes_with == GoesWith::kSlowness ? slower : 1.0 / slower);
  }
  return out;
}

KpiValues PairedEvaluations::in_full(const ResolvedScenario& changed) {
  return trials_.coarse() ? kpi_values(evaluate(with_inputs_as_given(changed), options_)) : of(changed);
}

std::int64_t PairedEvaluations::runs() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(results_.size());
}

RunResult PairedEvaluations::simulated(const Scenario& scenario, const RunOptions& options) {
  std::string key = simulation_key(scenario);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = results_.find(key); found != results_.end()) return found->second;
  }
  RunResult result = simulate(scenario, options);
  if (options.stop.stop_requested()) return result;
  const std::lock_guard lock(mutex_);
  results_.emplace(std::move(key), result);
  return result;
}

double PairedEvaluations::precision() const { return trials_.precision(job_.scenario); }

}  // namespace stallcast
