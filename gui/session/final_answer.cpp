#include "gui/session/final_answer.h"

#include <algorithm>
#include <utility>

#include "core/answers/jobs_answer.h"
#include "core/report/json/result_document.h"
#include "core/report/words/assumed_inputs.h"
#include "core/run/input_ranges.h"
#include "core/run/simulate_serving.h"

namespace stallcast::gui {
namespace {

constexpr double kCoarsePrecision = 0.01;

FinalAnswer made(Evaluation evaluation, nlohmann::ordered_json document, const ResolvedScenario& resolved) {
  document["catalogue"] = catalogue_to_json(resolved.catalogue);
  return {std::make_shared<const Evaluation>(std::move(evaluation)),
          std::make_shared<const nlohmann::ordered_json>(std::move(document))};
}

FinalAnswer of_training(const ResolvedScenario& resolved, const RunOptions& options,
                        const std::optional<RunResult>& known) {
  Evaluation evaluation = known ? evaluate(resolved, *known) : evaluate(resolved, options);
  auto document = result_document(evaluation.result, evaluation.bound, evaluation.cost,
                                  scenario_to_json(resolved.scenario), provenance_to_json(resolved.provenance));
  const InputRanges assumed = as_assumed(resolved, evaluation.result);
  document.update(assumed_inputs_to_json({resolved, assumed, evaluation.cost}));
  return made(std::move(evaluation), std::move(document), resolved);
}

FinalAnswer of_serving(const ResolvedScenario& resolved, const RunOptions& options, AssumedInputs inputs) {
  const ServingAnswer answer = answer_serving(resolved, options, inputs);
  Evaluation evaluation;
  evaluation.result = as_run(resolved.scenario, answer.result);
  evaluation.cost = answer.cost;
  return made(std::move(evaluation), serving_answer_document(resolved, answer), resolved);
}

FinalAnswer of_several(const ResolvedScenario& resolved, const RunOptions& options, AssumedInputs inputs) {
  const JobsAnswer answer = answer_jobs(resolved, options, inputs);
  return made({answer.result.jobs.front().together, answer.bounds.front(), answer.cost.together.front()},
              jobs_answer_document(resolved, answer), resolved);
}

}  // namespace

bool isOneTrainingJob(const ResolvedScenario& resolved) {
  return resolved.concurrent_jobs.empty() && resolved.scenario.job == JobKind::kTraining;
}

FinalAnswer finalAnswer(const ResolvedScenario& resolved, const RunOptions& options,
                        const std::optional<RunResult>& known) {
  return isOneTrainingJob(resolved) ? of_training(resolved, options, known)
                                    : loadsAnswer(resolved, options, AssumedInputs::kPoint);
}

FinalAnswer loadsAnswer(const ResolvedScenario& resolved, const RunOptions& options, AssumedInputs inputs) {
  return resolved.concurrent_jobs.empty() ? of_serving(resolved, options, inputs)
                                          : of_several(resolved, options, inputs);
}

std::shared_ptr<const Evaluation> coarseAnswer(const ResolvedScenario& resolved, const RunOptions& options) {
  ResolvedScenario coarse = with_inputs_as_given(resolved);
  coarse.scenario.run.precision = std::max(coarse.scenario.run.precision, kCoarsePrecision);
  return std::make_shared<const Evaluation>(evaluate(coarse, options));
}

}  // namespace stallcast::gui
