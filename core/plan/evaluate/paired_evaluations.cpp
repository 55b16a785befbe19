#include "core/plan/evaluate/paired_evaluations.h"

#include <utility>

namespace stallcast {

PairedEvaluations::PairedEvaluations(const ResolvedScenario& job, const Evaluation& now, const RunOptions& options,
                                     Coarseness coarseness)
    : job_(with_inputs_as_given(job)),
      now_(kpi_values(now)),
      trials_(
          job_.scenario, now.result, options,
          [this](const Scenario& scenario, const RunOptions& run) { return simulated(scenario, run); }, coarseness),
      base_(kpi_values(evaluate(job_, trials_.base()))) {}

KpiValues PairedEvaluations::of(const ResolvedScenario& changed) {
  const ResolvedScenario given = with_inputs_as_given(changed);
  KpiValues out = kpi_values(evaluate(given, trials_.of(given.scenario)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_fraction = kpi_table()[i].dimension == Dimension::kFraction;
    if (out[i] && base_[i] && now_[i]) out[i] = on_scale(*out[i], *base_[i], *now_[i], is_fraction);
  }
  return out;
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
