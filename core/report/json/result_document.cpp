#include "core/report/json/result_document.h"

#include <optional>
#include <string_view>
#include <utility>

#include "core/report/json/advice_json.h"
#include "core/report/json/cost_json.h"
#include "core/report/words/csv_cell.h"
#include "core/result/json/run_result_json.h"
#include "core/result/program_version.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::kFile:
      return "file";
    case Origin::kOverride:
      return "override";
    case Origin::kCatalogue:
      return "catalogue";
    case Origin::kDefault:
      return "default";
  }
  return "";
}

ordered_json known(const std::optional<Estimate>& estimate) {
  return estimate ? estimate_to_json(*estimate) : ordered_json();
}

std::string cell(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get<std::string>());
  if (!value.is_array()) return value.dump();
  std::string joined;
  for (const ordered_json& item : value)
    joined += (joined.empty() ? "" : " ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return csv_cell(joined);
}

struct CsvRows {
  std::string header;
  std::string values;
  void add(const std::string& name, const ordered_json& value) {
    if (!header.empty()) {
      header += ',';
      values += ',';
    }
    header += name;
    values += cell(value);
  }
};

void add_flat(const std::string& name, const ordered_json& value, CsvRows& rows) {
  if (name == "calendar") return;  // run_timeline by its name in format_version 1
  // as many as there are: no columns
  if (name == "cost.lines" || name == "run_timeline.optimum.points" || name == "input_uncertainty.inputs" ||
      name == "assumptions")
    return;
  if (!value.is_object()) return rows.add(name, value);
  for (const auto& [key, member] : value.items()) add_flat(name + "." + key, member, rows);
}

}  // namespace

ordered_json provenance_to_json(const std::map<std::string, Provenance>& provenance) {
  ordered_json all = ordered_json::object();
  for (const auto& [pointer, from] : provenance) {
    ordered_json one = {{"origin", std::string(origin_name(from.origin))}};
    if (!from.record.empty()) one["record"] = from.record;
    if (!from.source.empty()) one["source"] = from.source;
    if (!from.kind.empty()) one["kind"] = from.kind;
    if (!from.note.empty()) one["note"] = from.note;
    all[pointer] = std::move(one);
  }
  return all;
}

ordered_json catalogue_to_json(const CatalogueIdentity& catalogue) {
  return {{"directory", catalogue.directory}, {"overlays", catalogue.overlays}, {"hash", catalogue.hash}};
}

ordered_json result_document(const RunResult& result, const Bound& bound, const CostBreakdown& cost,
                             ordered_json scenario, ordered_json provenance) {
  ordered_json document = {{"format_version", kResultFormatVersion},
                           {"program_version", std::string(program_version())},
                           {"seed", result.seed},
                           {"scenario", std::move(scenario)},
                           {"provenance", std::move(provenance)}};
  document.update(run_result_to_json(result));
  document["bound"] = bound_to_json(bound);
  document["cost"] = cost_to_json(cost);
  document["effective_usd_per_useful_gpu_hour"] =
      cost.per_useful_gpu_hour ? ordered_json(cost.per_useful_gpu_hour->to_double()) : ordered_json();
  if (!document["input_uncertainty"].is_null()) {
    document["input_uncertainty"]["cost"] = {{"total_usd", known(cost.total_interval)},
                                             {"effective_usd_per_useful_gpu_hour", known(cost.price_interval)}};
  }
  return document;
}

ordered_json explanation_document(const Explanation& explanation, const Advice& advice, ordered_json scenario,
                                  ordered_json provenance) {
  ordered_json document = result_document(explanation.result, explanation.bound, explanation.cost, std::move(scenario),
                                          std::move(provenance));
  document["explanation"] = explanation_to_json(explanation);
  document["advice"] = advice_to_json(advice);
  return document;
}

std::string result_csv(const ordered_json& document) {
  CsvRows rows;
  rows.add("scenario.name", document.at("scenario").value("name", std::string()));
  for (const auto& [key, value] : document.items()) {
    if (key != "scenario" && key != "provenance" && key != "explanation" && key != "advice") add_flat(key, value, rows);
  }
  return rows.header + "\n" + rows.values + "\n";
}

}  // namespace stallcast
