// Where the bars of a chart with rows begin and end: stacked, or each on top of the sum so far.
#pragma once

#include <optional>
#include <vector>

#include "core/report/charts/chart.h"

namespace stallcast {

struct RowSpan {
  const ChartSeries* series = nullptr;
  const ChartDatum* datum = nullptr;
  double row = 0.0;
  double from = 0.0, to = 0.0;      // along the axis of numbers
  std::optional<double> low, high;  // whisker
};

// Of a kBars chart in the order of its series, of a kWaterfall from the first category to the last, of a kRanges or
// kTimeline as they are. Data that are not finite, or of no category, are left out.
std::vector<RowSpan> row_spans(const Chart& chart);

// "x" of kBars and kWaterfall, "y" of the others: the axis with the categories, and the other one.
const ChartAxis& row_axis(const Chart& chart);
const ChartAxis& value_axis(const Chart& chart);
bool has_rows(ChartKind kind);

}  // namespace stallcast
