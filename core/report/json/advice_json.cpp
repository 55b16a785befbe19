#include "core/report/json/advice_json.h"

#include <utility>

#include "core/result/json/run_result_json.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<double>& value) { return value ? ordered_json(*value) : ordered_json(); }

ordered_json formula_to_json(const IntervalFormula& formula) {
  return {{"name", formula.name},
          {"interval_s", formula.interval_s},
          {"ettr", formula.interval_s > 0.0 ? ordered_json(formula.ettr) : ordered_json()}};
}

ordered_json reason_to_json(const IntervalReason& reason) {
  return {{"name", reason.name},
          {"phrase", reason.phrase},
          {"size_s", reason.size_s},
          {"ettr", reason.ettr ? ordered_json(*reason.ettr) : ordered_json()}};
}

// null where there is nothing to explain; a best interval that was not looked for is null.
ordered_json interval_to_json(const std::optional<IntervalExplanation>& interval) {
  if (!interval) return nullptr;
  ordered_json best;
  if (interval->simulated_best_s > 0.0)
    best = {{"interval_s", interval->simulated_best_s}, {"ettr", interval->simulated_best_ettr}};
  ordered_json formulas = ordered_json::array(), reasons = ordered_json::array();
  for (const IntervalFormula& formula : interval->formulas) formulas.push_back(formula_to_json(formula));
  for (const IntervalReason& reason : interval->reasons) reasons.push_back(reason_to_json(reason));
  return {{"chosen",
           {{"interval_s", interval->chosen_s},
            {"interval_steps", interval->chosen_steps},
            {"simulated_ettr", estimate_to_json(interval->simulated_ettr)},
            {"formula_ettr", interval->formula_ettr},
            {"first_order_ettr", interval->first_order_ettr}}},
          {"simulated_best", std::move(best)},
          {"cost_s", interval->cost_s},
          {"mtti_s", interval->mtti_s},
          {"restart_s", interval->restart_s},
          {"formulas", std::move(formulas)},
          {"reasons", std::move(reasons)}};
}

ordered_json change_to_json(const Counterfactual& change) {
  return {{"name", change.name},
          {"kind", change.kind == ChangeKind::kSetting ? "setting" : "ideal"},
          {"phrase", change.phrase},
          {"gpu_utilization", estimate_to_json(change.gpu_utilization)},
          {"gain", change.gain},
          {"usd", or_null(change.usd)},
          {"usd_per_hour", or_null(change.usd_per_hour)}};
}

ordered_json point_to_json(const Point& point) {
  ordered_json set = ordered_json::object();
  for (const Assignment& assignment : point) set[assignment.pointer] = assignment.text;
  return set;
}

const char* outcome_word(RuleOutcome outcome) {
  switch (outcome) {
    case RuleOutcome::kSaid:
      return "said";
    case RuleOutcome::kSilenced:
      return "silenced";
    case RuleOutcome::kImpossible:
      return "impossible";
    case RuleOutcome::kNotTried:
      break;
  }
  return "not_tried";
}

ordered_json recommendation_to_json(const Recommendation& one) {
  return {{"name", one.name},
          {"say", one.say},
          {"outcome", outcome_word(one.outcome)},
          {"set", point_to_json(one.set)},
          {"kpi", one.kpi != nullptr ? ordered_json(one.kpi->name) : ordered_json()},
          {"before", or_null(one.before)},
          {"after", or_null(one.after)},
          {"gain", one.gain},
          {"saved_usd", or_null(one.saved_usd)},
          {"source", {{"title", one.source_title}, {"locator", one.source_locator}, {"read", one.source_read}}}};
}

ordered_json unit_to_json(const NextUnit& unit) {
  return {{"name", unit.name},
          {"phrase", unit.phrase},
          {"set", point_to_json(unit.point)},
          {"gpu_utilization", estimate_to_json(unit.gpu_utilization)},
          {"gain", unit.gain},
          {"total_usd", or_null(unit.total_usd)},
          {"effective_usd_per_useful_gpu_hour", or_null(unit.price_usd)}};
}

}  // namespace

ordered_json explanation_to_json(const Explanation& explanation) {
  ordered_json changes = ordered_json::array();
  for (const Counterfactual& change : explanation.counterfactuals) changes.push_back(change_to_json(change));
  return {{"gap_reason", explanation.gap_reason},
          {"bottleneck",
           {{"cause", explanation.bottleneck.cause},
            {"change", explanation.bottleneck.change},
            {"reason", explanation.bottleneck.reason},
            {"ties", explanation.bottleneck.ties}}},
          {"change_first", explanation.change_first},
          {"complete", explanation.complete},
          {"checkpoint_interval", interval_to_json(explanation.checkpoint_interval)},
          {"counterfactuals", std::move(changes)}};
}

ordered_json advice_to_json(const Advice& advice) {
  ordered_json recommendations = ordered_json::array(), units = ordered_json::array(), points = ordered_json::array();
  for (const Recommendation& one : advice.recommendations) recommendations.push_back(recommendation_to_json(one));
  for (const NextUnit& unit : advice.next_units)
    if (unit.complete) units.push_back(unit_to_json(unit));
  for (const WorkerPoint& point : advice.workers.points)
    points.push_back({{"num_workers", point.num_workers},
                      {"gpu_utilization", estimate_to_json(point.gpu_utilization)},
                      {"loader_bytes", point.loader_bytes}});
  return {{"recommendations", std::move(recommendations)},
          {"next_units", std::move(units)},
          {"workers",
           {{"knee", advice.workers.knee}, {"complete", advice.workers.complete}, {"points", std::move(points)}}},
          {"storage_slowdown", {{"searched", advice.storage.searched}, {"factor", or_null(advice.storage.factor)}}},
          {"loader", {{"library", advice.loader.library}, {"python", loader_source(advice.loader)}}}};
}

ordered_json shortest_way_json(const ShortestWay& way) {
  ordered_json steps = ordered_json::array();
  for (const Counterfactual& step : way.steps) steps.push_back(change_to_json(step));
  return {{"target", way.target}, {"reached", way.reached}, {"complete", way.complete}, {"steps", std::move(steps)}};
}

}  // namespace stallcast
