#include "core/plan/explain/advice.h"

#include "core/plan/evaluate/changed_job.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/rules/rule_facts.h"
#include "core/plan/sensitivity/break_even.h"

namespace stallcast {
namespace {

// The explained run where its inputs were as given, else another one with them so.
Evaluation as_given(const ResolvedScenario& resolved, const Explanation& explanation, const RunOptions& options) {
  if (resolved.scenario.run.uncertain.empty()) return {explanation.result, explanation.bound, explanation.cost};
  return evaluate(with_inputs_as_given(resolved), options);
}

StorageSlack storage_slack(const Scenario& job, const RunResult& result, const PairedTrials& trials,
                           const std::stop_token& stop) {
  if (lost_to_storage(result) > kPointThatMatters || stop.stop_requested()) return {};
  const std::optional<double> factor = slowdown_that_matters(job, trials, stop, kFurthestSlack);
  return {!stop.stop_requested(), factor};
}

}  // namespace

Advice advise(const ScenarioFile& file, const ResolvedScenario& resolved, Explanation& explanation,
              const std::vector<Rule>& rules, const Catalogue& catalogue, const RunOptions& options) {
  RunOptions quiet = one_of_many(options);
  quiet.threads = options.threads;  // each step below runs several side by side
  Advice advice;
  const Evaluation now = as_given(resolved, explanation, quiet);
  ResolvedScenario job = resolved;
  job.scenario = for_changes(resolved.scenario, now.result);
  PairedEvaluations pairs(job, now, quiet);
  advice.recommendations = recommend(rules, file, resolved, now, pairs, catalogue, quiet);
  explanation.change_first = change_first(explanation, advice.recommendations);
  advice.next_units = value_next_units(file, resolved, now.result, pairs, catalogue, quiet);
  advice.workers = worker_curve(job.scenario, pairs.trials(), quiet);
  advice.storage = storage_slack(job.scenario, explanation.result, pairs.trials(), options.stop);
  advice.loader = loader_script(resolved.scenario);
  return advice;
}

}  // namespace stallcast
