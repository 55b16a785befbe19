#include "core/report/json/size_json.h"

#include <fmt/format.h>

#include "core/report/json/result_document.h"
#include "core/report/words/csv_cell.h"
#include "core/report/words/set_options.h"
#include "core/result/json/run_result_json.h"
#include "core/result/program_version.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

ordered_json figures_json(const Figures& figures) {
  ordered_json out;
  for (std::size_t f = 0; f < kFigures; ++f) {
    const auto figure = static_cast<Figure>(f);
    const std::optional<Estimate>& value = figures.of(figure);
    ordered_json& cell = out[std::string(figure_name(figure))];
    if (!value) {
      cell = nullptr;
    } else if (is_simulated(figure)) {
      cell = estimate_to_json(*value);
    } else {
      cell = value->mean;
    }
  }
  return out;
}

ordered_json settings_json(const Point& point) {
  ordered_json out = ordered_json::object();
  for (const Assignment& a : point) out[a.pointer] = a.text.empty() ? ordered_json(nullptr) : ordered_json(a.text);
  return out;
}

ordered_json point_json(const SizedPoint& point) {
  ordered_json out = {{"point", point.index}, {"settings", settings_json(point.point)}};
  out["set"] = set_options(point.point);
  out.update(figures_json(point.figures));
  out["bottleneck"] = point.bottleneck;
  out["with_uncertain_inputs"] = point.with_uncertain_inputs;
  return out;
}

ordered_json point_json(const std::optional<SizedPoint>& point) {
  return point ? point_json(*point) : ordered_json(nullptr);
}

ordered_json targets_json(const std::vector<Target>& targets) {
  ordered_json out = ordered_json::array();
  for (const Target& target : targets) {
    out.push_back({{"figure", figure_name(target.figure)},
                   {"bound", higher_is_better(target.figure) ? "at_least" : "at_most"},
                   {"limit", target.limit}});
  }
  return out;
}

ordered_json tiers_json(const std::vector<TierAnswer>& tiers) {
  ordered_json out = ordered_json::array();
  for (const TierAnswer& tier : tiers) {
    out.push_back({{"tier", tier.tier}, {"best", point_json(tier.best)}});
    ordered_json& reach = out.back()["gpu_utilization_at_most"];
    reach = tier.most_utilization ? ordered_json(*tier.most_utilization) : ordered_json(nullptr);
  }
  return out;
}

ordered_json relaxations_json(const std::vector<Relaxation>& relaxations) {
  ordered_json out = ordered_json::array();
  for (const Relaxation& relaxed : relaxations) {
    out.push_back({{"figure", figure_name(relaxed.asked.figure)}, {"asked", relaxed.asked.limit}});
    out.back()["reachable"] = relaxed.best ? ordered_json(relaxed.reachable) : ordered_json(nullptr);
    out.back()["best"] = point_json(relaxed.best);
  }
  return out;
}

ordered_json runs_json(const RunCounts& runs) {
  return {{"simulations", runs.simulations()},       {"coarse", runs.coarse},
          {"undisturbed", runs.undisturbed},         {"as_given", runs.as_given},
          {"with_uncertain_inputs", runs.uncertain}, {"points_that_shared_one", runs.shared}};
}

ordered_json search_json(const SizeResult& r) {
  ordered_json out = {{"points", r.points},
                      {"simulated_points", r.simulated_points},
                      {"not_simulated",
                       {{"target_missed_by_roofline", r.counts.target_missed},
                        {"not_better_by_roofline", r.counts.not_better},
                        {"no_better_than_simulated_neighbour", r.counts.like_another},
                        {"undecided", r.counts.undecided},
                        {"over_quota", r.counts.over_quota},
                        {"impossible", r.counts.invalid}}},
                      {"impossible_because", r.reasons},
                      {"for_the_best", runs_json(r.runs)},
                      {"in_all", runs_json(r.runs_in_all)}};
  out["exhaustive"] = nullptr;
  if (r.exhaustive) {
    out["exhaustive"] = {{"agrees", r.exhaustive->agrees},
                         {"excess_fraction", r.exhaustive->excess},
                         {"simulations", r.exhaustive->simulations},
                         {"front_missed", r.front.complete ? ordered_json(r.exhaustive->front_missed) : ordered_json()},
                         {"best", point_json(r.exhaustive->best)}};
  }
  return out;
}

// What "trade_offs" are: how far they were looked for, and whether any is missing.
ordered_json front_json(const Front& front) {
  ordered_json by = ordered_json::array();
  for (const Figure figure : front.by) by.push_back(figure_name(figure));
  return {{"scope", front_scope_name(front.scope)}, {"complete", front.complete},   {"figures", std::move(by)},
          {"tolerance_fraction", front.tolerance},  {"undecided", front.undecided}, {"simulations", front.runs}};
}

}  // namespace

ordered_json size_document(const SizeResult& r, std::uint64_t seed) {
  ordered_json out = {{"format_version", kResultFormatVersion},
                      {"program_version", std::string(program_version())},
                      {"seed", seed},
                      {"complete", r.complete},
                      {"objective", figure_name(r.objective)},
                      {"targets", targets_json(r.targets)},
                      {"confidence", r.confidence},
                      {"tolerance_fraction", r.tolerance},
                      {"gap_fraction", r.gap}};
  out["best"] = ordered_json::array();
  for (const SizedPoint& point : r.best) out["best"].push_back(point_json(point));
  out["cheapest_with_more_loading"] = point_json(r.cheapest);
  out["other_tiers"] = tiers_json(r.tiers);
  out["trade_offs"] = ordered_json::array();
  for (const FrontPoint& point : r.front.points) {
    out["trade_offs"].push_back(point_json(point.point));
    out["trade_offs"].back()["keeps_targets"] = point.keeps_targets;
    out["trade_offs"].back()["like_another"] = point.like_another;
  }
  out["front"] = front_json(r.front);
  out["relaxations"] = relaxations_json(r.relaxations);
  out["search"] = search_json(r);
  out["wall_s"] = r.wall_s;
  return out;
}

ordered_json chosen_document(const SizeResult& r) {
  if (!r.chosen) return ordered_json::object();
  return result_document(r.chosen->result, r.chosen->bound, r.chosen->cost, ordered_json::object(),
                         ordered_json::object());
}

std::string size_csv(const SizeResult& r) {
  struct Row {
    std::string role;
    const SizedPoint* point;
  };
  std::vector<Row> rows;
  for (const SizedPoint& point : r.best) rows.push_back({"best", &point});
  if (r.cheapest) rows.push_back({"cheapest_with_more_loading", &*r.cheapest});
  for (const TierAnswer& tier : r.tiers)
    if (tier.best) rows.push_back({"other_tier", &*tier.best});
  for (const FrontPoint& point : r.front.points) rows.push_back({"trade_off", &point.point});
  for (const Relaxation& relaxed : r.relaxations)
    if (relaxed.best) rows.push_back({"relaxed_" + std::string(figure_name(relaxed.asked.figure)), &*relaxed.best});
  std::string out = "role";
  const std::vector<Assignment> header = rows.empty() ? std::vector<Assignment>() : rows.front().point->point;
  for (const Assignment& a : header) out += "," + csv_cell(a.pointer);
  for (std::size_t f = 0; f < kFigures; ++f) out += fmt::format(",{}", figure_name(static_cast<Figure>(f)));
  out += ",gpu_utilization_ci95_low,gpu_utilization_ci95_high,bottleneck\n";
  for (const Row& row : rows) {
    out += row.role;
    for (const Assignment& a : row.point->point) out += "," + csv_cell(a.text);
    for (const std::optional<Estimate>& value : row.point->figures.values)
      out += "," + (value ? format_number(value->mean) : "");
    const Estimate& u = *row.point->figures.of(Figure::kUtilization);
    out += fmt::format(",{},{},{}\n", format_number(u.ci95_low), format_number(u.ci95_high), row.point->bottleneck);
  }
  return out;
}

}  // namespace stallcast
