#include "core/report/charts/chart.h"

#include <fmt/format.h>

#include "core/report/charts/chart_words.h"
#include "core/report/words/csv_cell.h"

namespace stallcast {
const std::vector<ChartColour>& chart_colours() {
  static const std::vector<ChartColour> colours = {
      {"#0072b2", "#2b8cd0"},  // blue, lighter on dark ground
      {"#e69f00", "#e69f00"},  // orange
      {"#009e73", "#009e73"},  // bluish green
      {"#d55e00", "#d55e00"},  // vermillion
      {"#cc79a7", "#cc79a7"},  // reddish purple
      {"#56b4e9", "#7cc8f5"},  // sky blue
      {"#f0e442", "#f0e442"},  // yellow
      {"#1c2126", "#e8eaed"},  // black, white on dark ground
      {"#6b727b", "#7a828d"},  // grey
      {"#66b398", "#66c9a9"},  // from here on a second shade for a relative of one above: pale green
      {"#f4a582", "#f4a582"},  // salmon
      {"#2f5f7f", "#9fd3ee"},  // steel blue
      {"#b3a400", "#c9bb2a"},  // olive
      {"#8a7a3d", "#a8975a"},  // khaki
      {"#5b4a70", "#b9aecb"},  // violet
      {"#7d5a3c", "#c59b77"},  // brown
  };
  return colours;
}

bool needs_legend(const Chart& chart) { return chart.series.size() > 1 && chart.kind != ChartKind::kWaterfall; }

std::string axis_heading(const ChartAxis& axis) {
  if (axis.unit.empty()) return axis.title;
  return axis.title.empty() ? axis.unit : fmt::format("{} in {}", axis.title, axis.unit);
}

std::string chart_csv(const Chart& chart) {
  std::string csv;
  for (const std::vector<std::string>& row : chart_cells(chart)) {
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i == 0 ? "" : ",") + csv_cell(row[i]);
    csv += "\n";
  }
  return csv;
}

}  // namespace stallcast
