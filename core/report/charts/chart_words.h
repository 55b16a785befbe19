// What a chart says in words: of a datum, of a bar, in a table.
#pragma once

#include <string>
#include <vector>

#include "core/report/charts/chart.h"

namespace stallcast {

// "A, reading: 78.6 % (78 % to 79 %)": what a datum is, for tooltips.
std::string about_datum(const Chart& chart, const ChartSeries& series, const ChartDatum& datum);

// The rules at x, or at y, by their value; those that are not finite are left out.
std::vector<const ChartRule*> rules_in_order(const Chart& chart, bool at_x);

// "+$450" or, of one that stands on 0, "$12,500".
std::string waterfall_text(const ChartAxis& axis, const ChartDatum& datum);

// Headings with units, then a row for each datum: series, label, x, y, low, high; categories by name. What CSV holds.
std::vector<std::vector<std::string>> chart_cells(const Chart& chart);

}  // namespace stallcast
