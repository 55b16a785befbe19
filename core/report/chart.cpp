#include "core/report/chart.h"

#include <fmt/format.h>

#include <cmath>

#include "core/report/csv_cell.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

// The number, or the category that it is the index of.
std::string position_cell(const ChartAxis& axis, double value) {
  if (!std::isfinite(value)) return "";
  const auto index = static_cast<std::size_t>(std::max(0.0, value));
  return index < axis.categories.size() ? csv_cell(axis.categories[index]) : format_number(value);
}

std::string bound_cell(const std::optional<double>& bound) {
  return bound && std::isfinite(*bound) ? format_number(*bound) : "";
}

}  // namespace

const std::vector<ChartColour>& chart_colours() {
  static const std::vector<ChartColour> colours = {
      {"#0072b2", "#2b8cd0"},  // blue, lighter on dark ground
      {"#e69f00", "#e69f00"},  // orange
      {"#009e73", "#009e73"},  // bluish green
      {"#d55e00", "#d55e00"},  // vermillion
      {"#cc79a7", "#cc79a7"},  // reddish purple
      {"#56b4e9", "#7cc8f5"},  // sky blue
      {"#f0e442", "#f0e442"},  // yellow
      {"#5f656e", "#6f7782"},  // grey
  };
  return colours;
}

std::string axis_heading(const ChartAxis& axis) {
  if (axis.unit.empty()) return axis.title;
  return axis.title.empty() ? axis.unit : fmt::format("{} in {}", axis.title, axis.unit);
}

std::string chart_csv(const Chart& chart) {
  const bool along_x = chart.kind == ChartKind::kRanges || chart.kind == ChartKind::kTimeline;
  const ChartAxis& interval = along_x ? chart.x : chart.y;
  const auto bound_heading = [&](const char* which) {
    return csv_cell(interval.unit.empty() ? which : fmt::format("{} in {}", which, interval.unit));
  };
  std::string csv = fmt::format("Series,Label,{},{},{},{}\n", csv_cell(axis_heading(chart.x)),
                                csv_cell(axis_heading(chart.y)), bound_heading("Low"), bound_heading("High"));
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data)
      csv += fmt::format("{},{},{},{},{},{}\n", csv_cell(series.name), csv_cell(datum.label),
                         position_cell(chart.x, datum.x), position_cell(chart.y, datum.y), bound_cell(datum.low),
                         bound_cell(datum.high));
  return csv;
}

}  // namespace stallcast
