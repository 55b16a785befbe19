#include "core/report/charts/chart_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/charts/axis_scale.h"
#include "core/report/charts/row_spans.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

std::string category_or(const ChartAxis& axis, double value) {
  const auto index = static_cast<std::size_t>(std::max(0.0, std::round(value)));
  return index < axis.categories.size() ? axis.categories[index] : value_text(axis, value);
}

std::string interval_text_of(const ChartAxis& axis, const ChartDatum& datum) {
  if (!datum.low || !datum.high) return "";
  return fmt::format(" ({} to {})", value_text(axis, *datum.low), value_text(axis, *datum.high));
}

// The number, or the category that it is the index of.
std::string position_cell(const ChartAxis& axis, double value) {
  if (!std::isfinite(value)) return "";
  const auto index = static_cast<std::size_t>(std::max(0.0, value));
  return index < axis.categories.size() ? axis.categories[index] : format_number(value);
}

std::string bound_cell(const std::optional<double>& bound) {
  return bound && std::isfinite(*bound) ? format_number(*bound) : "";
}

}  // namespace

std::string about_datum(const Chart& chart, const ChartSeries& series, const ChartDatum& datum) {
  const bool along_x = &value_axis(chart) == &chart.x && has_rows(chart.kind);
  std::string name = datum.label;
  const auto add = [&](const std::string& part) {
    if (name.find(part) == std::string::npos) name += (name.empty() ? "" : ", ") + part;
  };
  if (chart.series.size() > 1) add(series.name);
  add(category_or(along_x ? chart.y : chart.x, along_x ? datum.y : datum.x));
  if (chart.kind == ChartKind::kTimeline && datum.low && datum.high)
    return fmt::format("{}: {} to {}", name, value_text(chart.x, *datum.low), value_text(chart.x, *datum.high));
  const ChartAxis& axis = along_x ? chart.x : chart.y;
  return fmt::format("{}: {}{}", name, value_text(axis, along_x ? datum.x : datum.y), interval_text_of(axis, datum));
}

std::vector<const ChartRule*> rules_in_order(const Chart& chart, bool at_x) {
  std::vector<const ChartRule*> rules;
  for (const ChartRule& rule : chart.rules)
    if (rule.at_x == at_x && std::isfinite(rule.at)) rules.push_back(&rule);
  std::stable_sort(rules.begin(), rules.end(), [](const auto* a, const auto* b) { return a->at < b->at; });
  return rules;
}

std::string waterfall_text(const ChartAxis& axis, const ChartDatum& datum) {
  const std::string value = value_text(axis, datum.y);
  return datum.chosen || datum.y < 0.0 ? value : "+" + value;
}

std::vector<std::vector<std::string>> chart_cells(const Chart& chart) {
  const ChartAxis& interval = has_rows(chart.kind) ? value_axis(chart) : chart.y;
  const auto bound_heading = [&](const char* which) {
    return interval.unit.empty() ? std::string(which) : fmt::format("{} in {}", which, interval.unit);
  };
  std::vector<std::vector<std::string>> rows = {
      {"Series", "Label", axis_heading(chart.x), axis_heading(chart.y), bound_heading("Low"), bound_heading("High")}};
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data)
      rows.push_back({series.name, datum.label, position_cell(chart.x, datum.x), position_cell(chart.y, datum.y),
                      bound_cell(datum.low), bound_cell(datum.high)});
  return rows;
}

}  // namespace stallcast
