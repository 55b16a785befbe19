#include "core/answers/run_answer.h"

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/report/json/result_document.h"
#include "core/report/words/assumed_inputs.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

InputRanges ranges_of(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& run,
                      AssumedInputs inputs) {
  const bool draws = inputs == AssumedInputs::kRanges && !run.stop.stop_requested();
  return draws ? input_ranges(resolved, result, run) : as_assumed(resolved, result);
}

void add_assumed(nlohmann::ordered_json& document, const AssumedRanges& assumed) {
  document.update(assumed_inputs_to_json(assumed));
  document["catalogue"] = catalogue_to_json(assumed.scenario.catalogue);
}

}  // namespace

RunAnswer answer_run(const ResolvedScenario& resolved, const RunOptions& run, AssumedInputs inputs) {
  RunAnswer out;
  out.result = simulate(resolved.scenario, run);
  out.ranges = ranges_of(resolved, out.result, run, inputs);
  out.bound = utilization_bound(resolved.scenario);
  out.cost = price_run(resolved, out.result);
  out.widened_cost = price_run(resolved, out.ranges.widened);
  return out;
}

nlohmann::ordered_json run_document(const ResolvedScenario& resolved, const RunAnswer& answer) {
  auto document = result_document(answer.result, answer.bound, answer.cost, scenario_to_json(resolved.scenario),
                                  provenance_to_json(resolved.provenance));
  add_assumed(document, {resolved, answer.ranges, answer.widened_cost});
  return document;
}

ExplainAnswer answer_explain(const ScenarioFile& file, const ResolvedScenario& resolved, const std::vector<Rule>& rules,
                             const Catalogue& catalogue, const RunOptions& run, AssumedInputs inputs) {
  ExplainAnswer out;
  out.explanation = explain(resolved, run);
  out.ranges = ranges_of(resolved, out.explanation.result, run, inputs);
  out.advice = advise(file, resolved, out.explanation, rules, catalogue, run);
  out.widened_cost = price_run(resolved, out.ranges.widened);
  return out;
}

nlohmann::ordered_json explain_document(const ResolvedScenario& resolved, const ExplainAnswer& answer) {
  auto document = explanation_document(answer.explanation, answer.advice, scenario_to_json(resolved.scenario),
                                       provenance_to_json(resolved.provenance));
  add_assumed(document, {resolved, answer.ranges, answer.widened_cost});
  return document;
}

}  // namespace stallcast
