#include "core/report/charts/row_spans.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stallcast {
namespace {

bool lies_along_x(ChartKind kind) { return kind == ChartKind::kRanges || kind == ChartKind::kTimeline; }

std::optional<double> shifted(double by, const std::optional<double>& value) {
  return value && std::isfinite(*value) ? std::optional(by + *value) : std::nullopt;
}

void stack(std::vector<RowSpan>& spans) {
  std::map<double, double> above, below;
  for (RowSpan& span : spans) {
    double& sum = span.datum->y < 0.0 ? below[span.row] : above[span.row];
    span.from = sum;
    span.low = shifted(sum, span.datum->low);
    span.high = shifted(sum, span.datum->high);
    span.to = sum += span.datum->y;
  }
}

void fall(std::vector<RowSpan>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  double sum = 0.0;
  for (RowSpan& span : spans) {
    span.from = span.datum->chosen ? 0.0 : sum;
    span.to = sum = span.from + span.datum->y;
  }
}

}  // namespace

bool has_rows(ChartKind kind) { return kind != ChartKind::kLines && kind != ChartKind::kPoints; }

const ChartAxis& row_axis(const Chart& chart) { return lies_along_x(chart.kind) ? chart.y : chart.x; }
const ChartAxis& value_axis(const Chart& chart) { return lies_along_x(chart.kind) ? chart.x : chart.y; }

std::vector<RowSpan> row_spans(const Chart& chart) {
  const bool along = lies_along_x(chart.kind);
  const auto rows = static_cast<double>(row_axis(chart).categories.size());
  std::vector<RowSpan> spans;
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data) {
      RowSpan span{.series = &series, .datum = &datum, .row = along ? datum.y : datum.x, .low = {}, .high = {}};
      const bool inside = span.row >= 0.0 && span.row < rows && span.row == std::floor(span.row);
      const bool ends = datum.low && datum.high && std::isfinite(*datum.low) && std::isfinite(*datum.high);
      if (!inside || (along ? !ends : !std::isfinite(datum.y))) continue;
      if (along) span.from = *datum.low, span.to = *datum.high;
      spans.push_back(span);
    }
  if (chart.kind == ChartKind::kBars) stack(spans);
  if (chart.kind == ChartKind::kWaterfall) fall(spans);
  return spans;
}

}  // namespace stallcast
