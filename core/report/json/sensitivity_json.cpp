#include "core/report/json/sensitivity_json.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/plan/compare/choice.h"
#include "core/report/json/result_document.h"
#include "core/result/json/finite_json.h"
#include "core/result/json/run_result_json.h"
#include "core/result/program_version.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

using KpiList = std::vector<const Kpi*>;

ordered_json by_figure(const KpiList& figures, const std::vector<double>& values) {
  ordered_json out = ordered_json::object();
  for (std::size_t f = 0; f < values.size(); ++f) out[figures[f]->name] = finite_or_null(values[f]);
  return out;
}

ordered_json owner(const SharedInput& input) {
  return input.owner ? ordered_json(scenario_label(*input.owner)) : ordered_json();
}

// `owners`: whose inputs they are, of a difference; null of one scenario.
using Owners = std::vector<SharedInput>;

ordered_json tornado(const KpiList& figures, const Sensitivity& found, const Owners* owners) {
  ordered_json all = ordered_json::array();
  for (const TornadoBar& bar : found.tornado) {
    ordered_json row = {{"input", bar.input.pointer}};
    if (owners != nullptr) row["scenario"] = owner((*owners)[bar.position]);
    row.update({{"low_factor", bar.input.low_factor},
                {"high_factor", bar.input.high_factor},
                {"value", bar.value ? finite_or_null(*bar.value) : ordered_json()},
                {"unit", input_unit(bar.input.pointer)},
                {"at_low", by_figure(figures, bar.at_low)},
                {"at_high", by_figure(figures, bar.at_high)}});
    all.push_back(std::move(row));
  }
  return all;
}

ordered_json indices(const Sensitivity& found, std::size_t figure, const Owners* owners) {
  if (figure >= found.indices.size() || !found.indices[figure]) return nullptr;
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < found.inputs.size(); ++i) {
    const SobolIndex& index = (*found.indices[figure])[i];
    ordered_json row = {{"input", found.inputs[i].pointer}};
    if (owners != nullptr) row["scenario"] = owner((*owners)[i]);
    row.update({{"first_order", estimate_to_json(index.first_order)}, {"total", estimate_to_json(index.total)}});
    all.push_back(std::move(row));
  }
  return all;
}

ordered_json sobol(const KpiList& figures, const Sensitivity& found, const Owners* owners) {
  ordered_json of = ordered_json::object();
  for (std::size_t f = 0; f < figures.size(); ++f) of[figures[f]->name] = indices(found, f, owners);
  return {{"samples", found.samples}, {"runs", found.runs}, {"indices", std::move(of)}};
}

// "as_given", "tornado" and "sobol", null without uncertain inputs.
ordered_json analysis(const KpiList& figures, const std::optional<Sensitivity>& found, const Owners* owners = nullptr) {
  return {{"as_given", found ? by_figure(figures, found->as_given) : ordered_json()},
          {"tornado", found ? tornado(figures, *found, owners) : ordered_json()},
          {"sobol", found ? sobol(figures, *found, owners) : ordered_json()}};
}

ordered_json each(const SensitivityStudy& study) {
  if (study.scenarios.size() < 2) return nullptr;
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < study.inputs.size(); ++i) {
    ordered_json one = {{"label", scenario_label(i)}};
    one.update(analysis(study.figures, study.inputs[i]));
    all.push_back(std::move(one));
  }
  return all;
}

ordered_json difference(const SensitivityStudy& study) {
  if (!study.pair) return nullptr;
  ordered_json out = {{"best", scenario_label(study.pair->best)}, {"other", scenario_label(study.pair->other)}};
  out.update(analysis(study.figures, study.pair->difference, &study.pair->inputs));
  return out;
}

ordered_json advice(const SensitivityStudy& study, int advice) {
  if (advice < 0) return nullptr;
  if (study.scenarios.size() == 1) return advice == 1;
  return scenario_label(static_cast<std::size_t>(advice));
}

ordered_json side(const SensitivityStudy& study, const std::optional<BreakEvenSide>& side) {
  if (!side) return nullptr;
  return {{"factor", side->factor}, {"value", side->value}, {"advice", advice(study, side->advice)}};
}

ordered_json break_even(const SensitivityStudy& study) {
  const BreakEvenTable& table = study.break_even;
  ordered_json values = ordered_json::array(), rows = ordered_json::array();
  for (const double value : table.values) values.push_back(finite_or_null(value));
  for (const BreakEvenRow& row : table.rows) {
    rows.push_back({{"input", row.input.pointer},
                    {"scenario", owner(row.input)},
                    {"value", row.value},
                    {"unit", input_unit(row.input.pointer)},
                    {"below", side(study, row.below)},
                    {"above", side(study, row.above)}});
  }
  return {{"by", table.by->name},
          {"condition", table.condition ? ordered_json(table.condition->text) : ordered_json()},
          {"as_given", std::move(values)},
          {"advice", advice(study, table.advice)},
          {"furthest_factor", table.furthest},
          {"runs", table.runs},
          {"inputs", std::move(rows)}};
}

std::string number(double value) { return std::isfinite(value) ? ordered_json(value).dump() : ""; }

std::string text(const ordered_json& value) {
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

// `kind` goes before "tornado" and "sobol"; `scenario`: the label of an input's scenario, by its position.
template <class Label>
std::string input_rows(const SensitivityStudy& study, const Sensitivity& found, const std::string& kind,
                       const Label& scenario) {
  std::string out;
  for (std::size_t f = 0; f < study.figures.size(); ++f) {
    const std::string& name = study.figures[f]->name;
    for (const TornadoBar& bar : found.tornado)
      out += fmt::format("{}tornado,{},{},{},{},{},{},{},,,,,,\n", kind, name, bar.input.pointer,
                         scenario(bar.position), number(bar.input.low_factor), number(bar.input.high_factor),
                         number(bar.at_low[f]), number(bar.at_high[f]));
    if (f >= found.indices.size() || !found.indices[f]) continue;
    for (std::size_t i = 0; i < found.inputs.size(); ++i) {
      const SobolIndex& index = (*found.indices[f])[i];
      out += fmt::format("{}sobol,{},{},{},,,,,{},{},,,,\n", kind, name, found.inputs[i].pointer, scenario(i),
                         number(index.first_order.mean), number(index.total.mean));
    }
  }
  return out;
}

std::string all_input_rows(const SensitivityStudy& study) {
  std::string out;
  for (std::size_t s = 0; s < study.inputs.size(); ++s) {
    const std::string label = study.scenarios.size() > 1 ? scenario_label(s) : "";
    if (study.inputs[s]) out += input_rows(study, *study.inputs[s], "", [&](std::size_t) { return label; });
  }
  if (!study.pair) return out;
  return out + input_rows(study, study.pair->difference, "difference_",
                          [&](std::size_t i) { return text(owner(study.pair->inputs[i])); });
}

}  // namespace

ordered_json sensitivity_to_json(const std::vector<const Kpi*>& figures, const Sensitivity& sensitivity) {
  return analysis(figures, sensitivity);
}

ordered_json sensitivity_document(const SensitivityStudy& study) {
  ordered_json scenarios = ordered_json::array(), figures = ordered_json::array();
  for (std::size_t i = 0; i < study.scenarios.size(); ++i) {
    scenarios.push_back({{"label", scenario_label(i)},
                         {"scenario", scenario_to_json(study.scenarios[i].scenario)},
                         {"provenance", provenance_to_json(study.scenarios[i].provenance)}});
  }
  for (const Kpi* figure : study.figures) figures.push_back(figure->name);
  ordered_json out = {{"format_version", kSensitivityFormatVersion},
                      {"program_version", std::string(program_version())},
                      {"seed", study.seed},
                      {"complete", study.complete()},
                      {"figures", std::move(figures)}};
  const bool single = study.scenarios.size() == 1 && !study.inputs.empty();
  out.update(analysis(study.figures, single ? study.inputs.front() : std::nullopt));
  out["each"] = each(study);
  out["difference"] = difference(study);
  out["break_even"] = break_even(study);
  out["scenarios"] = std::move(scenarios);
  return out;
}

std::string sensitivity_csv(const SensitivityStudy& study) {
  std::string out =
      "kind,figure,input,scenario,low,high,at_low,at_high,first_order,total,below,above,below_advice,above_advice\n";
  out += all_input_rows(study);
  const auto factor = [](const auto& side) { return side ? number(side->factor) : ""; };
  const auto then = [&](const auto& side) { return side ? text(advice(study, side->advice)) : ""; };
  for (const BreakEvenRow& row : study.break_even.rows) {
    out += fmt::format("break_even,{},{},{},,,,,,,{},{},{},{}\n", study.break_even.by->name, row.input.pointer,
                       text(owner(row.input)), factor(row.below), factor(row.above), then(row.below), then(row.above));
  }
  return out;
}

}  // namespace stallcast
