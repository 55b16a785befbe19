#include "core/plan/evaluate/paired_evaluations.h"

namespace stallcast {

PairedEvaluations::PairedEvaluations(const ResolvedScenario& job, const Evaluation& now, const RunOptions& options,
                                     Coarseness coarseness)
    : job_(with_inputs_as_given(job)),
      now_(kpi_values(now)),
      trials_(
          job_.scenario, now.result, options,
          [this](const Scenario& scenario, const RunOptions& run) { return runs_.simulate(scenario, run); },
          coarseness),
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

double PairedEvaluations::precision() const { return trials_.precision(job_.scenario); }

}  // namespace stallcast
