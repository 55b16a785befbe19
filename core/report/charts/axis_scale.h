// From values to places on paper, and the values worth a tick.
#pragma once

#include <string>
#include <vector>

#include "core/report/charts/chart.h"

namespace stallcast {

struct ValueRange {
  double low = 0.0, high = 0.0;
};

struct AxisScale {
  double from = 0.0, to = 1.0;         // values at the two ends
  double start = 0.0, length = 100.0;  // places of `from` and, from there on, of `to`; below 0 for upwards
  bool logarithmic = false;
  std::vector<double> ticks;  // ascending, within from and to

  // Values outside are put at the nearer end.
  double place(double value) const;
  // Ends exactly where the values end, which are not a single one.
  void trim(const ValueRange& range);
};

// A scale that holds `low` to `high` with about `wanted` ticks on round values (1, 2 or 5 times a power of ten); of
// categories, one tick at the middle of each. Not finite or reversed bounds count as 0 to 1.
AxisScale make_scale(const ChartAxis& axis, double low, double high, double wanted);

// Smallest and largest finite value that an axis has to show, intervals and rules with it: of charts with rows along
// their values, of others along x and y.
ValueRange range_of_values(const Chart& chart);
ValueRange range_of_x(const Chart& chart);
ValueRange range_of_y(const Chart& chart);

// "12,500", "0.25", "1e-09": without its unit.
std::string tick_text(double value);
// Three digits with the unit: "78.6 %", "$12,500", "3.5 TiB".
std::string value_text(const ChartAxis& axis, double value);

}  // namespace stallcast
