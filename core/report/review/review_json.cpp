#include "core/report/review/review_json.h"

#include <algorithm>
#include <utility>

#include "core/plan/explain/curve_values.h"
#include "core/report/json/result_document.h"
#include "core/report/json/sensitivity_json.h"
#include "core/report/json/size_json.h"
#include "core/report/words/assumed_inputs.h"
#include "core/report/words/option_draws_text.h"
#include "core/result/json/finite_json.h"
#include "core/result/json/run_result_json.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json known(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json figures_json(const KpiValues& values) {
  ordered_json out = ordered_json::object();
  for (const Kpi& kpi : kpi_table()) {
    const std::optional<Estimate>& value = value_of(kpi, values);
    out[kpi.name] = value ? estimate_to_json(*value) : ordered_json();
  }
  return out;
}

ordered_json target_json(const Target& target) {
  return {{"figure", figure_name(target.figure)}, {"limit", target.limit}};
}

ordered_json option_json(const ReviewOption& option) {
  ordered_json settings = ordered_json::object();
  for (const Assignment& one : option.point)
    settings[one.pointer] = one.text.empty() ? ordered_json() : ordered_json(one.text);
  const DataLoss& loss = option.loss;
  const Evaluation& e = option.evaluation;
  ordered_json result = result_document(e.result, e.bound, e.cost, scenario_to_json(option.resolved.scenario),
                                        provenance_to_json(option.resolved.provenance));
  // Real time differs from run to run; a report is the same.
  result.erase("wall_s");
  return {{"label", option.label},
          {"name", option.name},
          {"origin", option.origin},
          {"set", std::move(settings)},
          {"keeps_targets", !option.missed.has_value()},
          {"missed", option.missed ? target_json(*option.missed) : ordered_json()},
          {"main_risk", option.main_risk},
          {"verdict", option.verdict},
          {"figures", figures_json(kpi_values(e))},
          {"data_loss",
           {{"stated", loss.is_stated},
            {"durability_fraction", known(loss.durability)},
            {"mean_time_s", loss.mean_time_s > 0.0 ? ordered_json(loss.mean_time_s) : ordered_json()},
            {"probability_fraction", known(loss.probability)},
            {"expected_usd", known(loss.usd)}}},
          {"result", std::move(result)}};
}

ordered_json curves_json(const Review& review) {
  ordered_json all = ordered_json::array();
  for (const Curve& curve : review.curves) {
    ordered_json steps = ordered_json::array();
    for (const CurveStep& step : curve.steps)
      steps.push_back({{"text", step.text},
                       {"value", step.value},
                       {"figures", step.figures ? figures_json(*step.figures) : ordered_json()},
                       {"why_not", step.why_not}});
    all.push_back({{"input", curve.pointer},
                   {"now", known(curve.now)},
                   {"knee", known(curve.knee)},
                   {"complete", curve.complete},
                   {"steps", std::move(steps)}});
  }
  return {{"precision_fraction", review.curve_precision}, {"of", std::move(all)}};
}

// Without the scenarios, which the options have.
ordered_json sensitivity_json(const Review& review) {
  if (review.break_even.by == nullptr) return nullptr;
  SensitivityStudy study;
  study.seed = review.reproduction.seed;
  for (const std::size_t i : review.break_even_options) study.scenarios.push_back(review.options[i].resolved);
  study.figures = review.figures;
  study.break_even = review.break_even;
  ordered_json out = sensitivity_document(study);
  out.erase("scenarios");
  out.update(sensitivity_to_json(review.figures, review.tornado));
  out.erase("sobol");
  out["assumed_intervals"] = review.assumed_intervals;
  out["assumed_share_fraction"] = review.assumed_share;
  return out;
}

ordered_json moves_json(const Review& review, std::size_t bar) {
  ordered_json out = ordered_json::object();
  const TornadoBar& found = review.tornado.tornado[bar];
  for (std::size_t f = 0; f < review.figures.size(); ++f) {
    const double low = std::min(found.at_low[f], found.at_high[f]), high = std::max(found.at_low[f], found.at_high[f]);
    out[review.figures[f]->name] = {{"low", finite_or_null(low)}, {"high", finite_or_null(high)}};
  }
  return out;
}

ordered_json assumptions_json(const Review& review) {
  ordered_json out = ordered_json::array();
  for (const Assumption& one : review.assumptions) {
    const ordered_json from = provenance_to_json({{one.pointer, one.from}})[one.pointer];
    ordered_json row = {
        {"input", one.pointer}, {"value", one.value}, {"number", known(number_of_text(one.pointer, one.value))}};
    row.update(from);
    if (one.bar) row["moves"] = moves_json(review, *one.bar);
    out.push_back(std::move(row));
  }
  return out;
}

ordered_json claims_json(const Review& review) {
  ordered_json out = ordered_json::array();
  for (const Claim& claim : review.claims)
    out.push_back({{"name", claim.name},
                   {"predicted", estimate_to_json(claim.predicted)},
                   {"measured_by", claim.measured_by},
                   {"more_is_fine", claim.no_less}});
  return out;
}

ordered_json validation_json(const Review& review) {
  ordered_json figures = ordered_json::array();
  for (const AccuracyFigure& one : review.accuracy.figures)
    figures.push_back({{"what", one.what},
                       {"unit", one.unit},
                       {"median", known(one.median)},
                       {"p90", known(one.p90)},
                       {"worst", known(one.worst)},
                       {"note", one.note},
                       {"command", one.command}});
  return {
      {"measured", review.accuracy.measured},
      {"figures", std::move(figures)},
      {"inputs",
       {{"measured", review.measured_inputs}, {"vendor", review.vendor_inputs}, {"assumed", review.assumed_inputs}}}};
}

ordered_json next_json(const Review& review) {
  if (!review.next_measurement) return nullptr;
  return {{"input", review.next_measurement->pointer},
          {"bar", review.next_measurement->bar},
          {"how", review.next_measurement->how}};
}

}  // namespace

ordered_json review_to_json(const Review& review) {
  const ReproductionFacts& facts = review.reproduction;
  ordered_json out = {{"format_version", kReviewFormatVersion},
                      {"program_version", facts.program_version},
                      {"seed", facts.seed},
                      {"complete", review.complete},
                      {"title", review.title},
                      {"question", review.question},
                      {"targets", ordered_json::array()},
                      {"confidence", review.confidence},
                      {"by", review.by != nullptr ? ordered_json(review.by->name) : ordered_json()},
                      {"options", ordered_json::array()}};
  for (const Target& target : review.targets) out["targets"].push_back(target_json(target));
  for (const ReviewOption& option : review.options) out["options"].push_back(option_json(option));
  std::vector<std::string> labels;
  for (const ReviewOption& option : review.options) labels.push_back(option.label);
  out["ranges"] = option_draws_json(review.draws, labels, review.drawn_by, review.targets);
  // Which inputs decide; how far they leave the figures open is in "ranges".
  ordered_json& deciding = out["recommended_inputs"] =
      assumed_inputs_to_json({review.options.front().resolved, review.ranges, review.ranges_cost});
  deciding.erase("ranges");
  out["sizing"] = nullptr;
  if (review.sizing) {
    out["sizing"] = size_document(*review.sizing, facts.seed);
    out["sizing"].erase("wall_s");
    out["sizing"]["precision_fraction"] = review.search_precision;
  }
  out["tiers_without"] = review.tiers_without;
  out["curves"] = curves_json(review);
  out["sensitivity"] = sensitivity_json(review);
  ordered_json& between = out["break_even_between"] = ordered_json::array();
  for (const std::size_t i : review.break_even_options) between.push_back(review.options[i].label);
  out["assumptions"] = assumptions_json(review);
  out["unknowns"] = review.unknowns;
  out["would_change"] = review.would_change;
  out["next_measurement"] = next_json(review);
  out["claims"] = claims_json(review);
  out["risks"] = review.risks;
  out["validation"] = validation_json(review);
  ordered_json& files = out["files"] = ordered_json::array();
  for (const EmittedFile& file : review.files) files.push_back(file.name);
  out["reproduction"] = {{"program_version", facts.program_version},
                         {"scenario_hash", facts.scenario_hash},
                         {"catalogue", catalogue_to_json(facts.catalogue)},
                         {"seed", facts.seed},
                         {"command", facts.command}};
  return out;
}

}  // namespace stallcast
