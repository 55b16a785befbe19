#include "core/report/json/comparison_json.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "core/report/json/result_document.h"
#include "core/result/json/finite_json.h"
#include "core/result/program_version.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

ordered_json estimate(const std::optional<Estimate>& value) {
  if (!value) return nullptr;
  return {{"mean", finite_or_null(value->mean)},
          {"ci95_low", finite_or_null(value->ci95_low)},
          {"ci95_high", finite_or_null(value->ci95_high)}};
}

std::string_view better_name(Better better) {
  switch (better) {
    case Better::kHigher:
      return "higher";
    case Better::kLower:
      return "lower";
    case Better::kNeither:
      break;
  }
  return "neither";
}

ordered_json inputs(const Comparison& comparison) {
  ordered_json all = ordered_json::array();
  for (const InputDifference& input : comparison.inputs) {
    ordered_json values = ordered_json::array();
    for (std::size_t i = 0; i < input.values.size(); ++i) {
      ordered_json one = {{"value", input.values[i]}};
      one.update(provenance_to_json({{"", input.provenance[i]}}).at(""));
      values.push_back(std::move(one));
    }
    all.push_back({{"input", input.pointer}, {"values", std::move(values)}});
  }
  return all;
}

ordered_json figures(const Comparison& comparison) {
  ordered_json all = ordered_json::array();
  for (const KpiComparison& figure : comparison.figures) {
    ordered_json values = ordered_json::array(), differences = ordered_json::array();
    for (const auto& value : figure.values) values.push_back(estimate(value));
    for (const auto& difference : figure.differences) differences.push_back(estimate(difference));
    all.push_back({{"name", figure.kpi->name},
                   {"better", std::string(better_name(figure.kpi->better))},
                   {"values", std::move(values)},
                   {"differences", std::move(differences)}});
  }
  return all;
}

ordered_json parts(const std::vector<PartComparison>& parts) {
  ordered_json all = ordered_json::object();
  for (const PartComparison& part : parts) {
    ordered_json values = ordered_json::array();
    for (const auto& value : part.values) values.push_back(value ? finite_or_null(*value) : ordered_json());
    all[part.name] = std::move(values);
  }
  return all;
}

ordered_json advice(const Comparison& comparison) {
  const Choice& advice = comparison.advice;
  return {{"by", advice.by->name},
          {"best", comparison.scenarios[advice.best].label},
          {"second", comparison.scenarios[advice.second].label},
          {"ahead", estimate(advice.ahead)},
          {"told_apart", advice.told_apart},
          {"sentence", advice.sentence}};
}

std::string cells(const std::optional<Estimate>& value) {
  if (!value) return ",,";
  const auto text = [](double number) { return finite_or_null(number).is_null() ? "" : ordered_json(number).dump(); };
  return fmt::format("{},{},{}", text(value->mean), text(value->ci95_low), text(value->ci95_high));
}

}  // namespace

ordered_json scenario_result(const Compared& compared) {
  const Evaluation& evaluation = compared.evaluation;
  ordered_json document =
      result_document(evaluation.result, evaluation.bound, evaluation.cost,
                      scenario_to_json(compared.resolved.scenario), provenance_to_json(compared.resolved.provenance));
  document["catalogue"] = catalogue_to_json(compared.resolved.catalogue);
  return document;
}

ordered_json comparison_document(const Comparison& comparison) {
  ordered_json scenarios = ordered_json::array();
  for (const Compared& one : comparison.scenarios) {
    ordered_json scenario = {{"label", one.label}};
    scenario.update(scenario_result(one));
    scenarios.push_back(std::move(scenario));
  }
  return {{"format_version", kComparisonFormatVersion},
          {"program_version", std::string(program_version())},
          {"seed", comparison.seed},
          {"pairs", comparison.pairs},
          {"draws", comparison.draws},
          {"complete", comparison.complete},
          {"advice", advice(comparison)},
          {"inputs", inputs(comparison)},
          {"figures", figures(comparison)},
          {"lost_time_fraction", parts(comparison.time)},
          {"cost_usd", parts(comparison.money)},
          {"lost_usd", parts(comparison.lost_money)},
          {"scenarios", std::move(scenarios)}};
}

std::string comparison_csv(const Comparison& comparison) {
  std::string out = "figure,scenario,mean,ci95_low,ci95_high,difference,difference_ci95_low,difference_ci95_high\n";
  for (const KpiComparison& figure : comparison.figures)
    for (std::size_t i = 0; i < figure.values.size(); ++i)
      out += fmt::format("{},{},{},{}\n", figure.kpi->name, comparison.scenarios[i].label, cells(figure.values[i]),
                         cells(figure.differences[i]));
  return out;
}

}  // namespace stallcast
