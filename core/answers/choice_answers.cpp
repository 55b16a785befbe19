#include "core/answers/choice_answers.h"

#include <utility>

#include "core/plan/evaluate/evaluation.h"
#include "core/report/json/comparison_json.h"
#include "core/report/json/result_document.h"
#include "core/report/json/size_json.h"
#include "core/report/words/option_draws_text.h"

namespace stallcast {
namespace {

// The figure of a choice that a comparison decided by.
Figure deciding_figure(const Comparison& comparison) {
  const std::string& name = comparison.advice.by->name;
  if (name == "cost.total_usd") return Figure::kTotal;
  if (name == "effective_usd_per_useful_gpu_hour") return Figure::kGpuHour;
  return name == "time_to_train_s" ? Figure::kTime : Figure::kUtilization;
}

// The chosen configuration and those that are told beside it: the next best, and the best of other tiers.
struct ToldConfigurations {
  std::vector<std::string> labels;
  std::vector<ResolvedScenario> resolved;
  std::vector<Evaluation> evaluations;
};

ToldConfigurations told_configurations(const SizeResult& result, const ScenarioFile& file, const Catalogue& catalogue,
                                       const RunOptions& run) {
  constexpr std::size_t kMost = 4;
  ToldConfigurations out;
  const auto add = [&](const SizedPoint& point) {
    if (out.labels.size() == kMost) return;
    Loaded<ResolvedScenario> resolved = resolve_at(file, point.point, catalogue);
    if (!resolved.ok()) return;
    const ResolvedScenario as_given = with_inputs_as_given(*resolved.value);
    out.labels.push_back(point_text(point.point));
    out.evaluations.push_back(evaluate(as_given, run));
    out.resolved.push_back(std::move(*resolved.value));
  };
  if (result.best.empty()) return out;
  for (const SizedPoint& point : result.best) add(point);
  for (const TierAnswer& tier : result.tiers)
    if (tier.best) add(*tier.best);
  return out;
}

}  // namespace

ComparisonAnswer answer_compare(std::vector<ResolvedScenario> scenarios, const CompareOptions& options,
                                AssumedInputs inputs) {
  ComparisonAnswer out;
  out.comparison = compare(std::move(scenarios), options);
  out.by = deciding_figure(out.comparison);
  std::vector<OptionToDraw> drawn;
  for (const Compared& one : out.comparison.scenarios) {
    out.labels.push_back(one.label);
    drawn.push_back({&one.resolved, &one.evaluation});
  }
  if (inputs == AssumedInputs::kRanges) out.draws = draw_options(drawn, options.run);
  return out;
}

nlohmann::ordered_json comparison_answer_document(const ComparisonAnswer& answer) {
  auto document = comparison_document(answer.comparison);
  document["ranges"] = option_draws_json(answer.draws, answer.labels, answer.by);
  return document;
}

SizeAnswer answer_size(const ScenarioFile& file, const Space& space, const Catalogue& catalogue,
                       const SizeRequest& request, const RunOptions& run, AssumedInputs inputs,
                       const SearchWatch& watch) {
  SizeAnswer out;
  out.result = size(file, space, catalogue, request, run, watch);
  if (inputs == AssumedInputs::kPoint || run.stop.stop_requested()) return out;
  ToldConfigurations told = told_configurations(out.result, file, catalogue, run);
  std::vector<OptionToDraw> options;
  for (std::size_t i = 0; i < told.labels.size(); ++i) options.push_back({&told.resolved[i], &told.evaluations[i]});
  out.draws = draw_options(options, run);
  out.labels = std::move(told.labels);
  return out;
}

nlohmann::ordered_json size_answer_document(const ScenarioFile& file, const Catalogue& catalogue,
                                            const SizeAnswer& answer) {
  const SizeResult& result = answer.result;
  nlohmann::ordered_json document = size_document(result, static_cast<std::uint64_t>(file.scenario.run.seed));
  document["ranges"] = option_draws_json(answer.draws, answer.labels, result.objective, result.targets);
  document["catalogue"] = catalogue_to_json(catalogue.identity);
  return document;
}

}  // namespace stallcast
