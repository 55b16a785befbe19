// Charts with a row for each category: bars, waterfalls, ranges and timelines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/report/charts/chart_frame.h"
#include "core/report/charts/chart_words.h"
#include "core/report/charts/row_spans.h"

namespace stallcast {
namespace {

constexpr double kUnderAxis = 40.0;

struct Rows {
  const ChartAxis& names;   // categories from top to bottom
  const ChartAxis& values;  // from left to right
  AxisScale scale;
  double height = 0.0;  // of a row
  double top = 0.0;

  double middle(double row) const { return top + (row + 0.5) * height; }
  SvgBox bar(double row, double from, double to, double share = 0.66) const {
    const double a = scale.place(from), b = scale.place(to), half = height * share / 2.0;
    return {std::min(a, b), middle(row) - half, std::max(a, b), middle(row) + half};
  }
};

double usual_row_height(ChartKind kind) { return kind == ChartKind::kBars ? 36.0 : 27.0; }

bool is_chosen_row(const Chart& chart, double row) {
  const bool along_x = &row_axis(chart) == &chart.y;
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data)
      if (datum.chosen && (along_x ? datum.y : datum.x) == row) return true;
  return false;
}

void draw_row_names(ChartFrame& frame, const Rows& rows) {
  for (std::size_t i = 0; i < rows.names.categories.size(); ++i) {
    const auto row = static_cast<double>(i);
    const std::string& name = rows.names.categories[i];
    const auto lines = fitted_lines(name, frame.plot.left - 16.0, rows.height >= 27.0 ? 2 : 1);
    double y = rows.middle(row) + 4.0 - static_cast<double>(lines.size() - 1) * 6.5;
    for (const std::string& line : lines) {
      frame.canvas.text(frame.plot.left - 8.0, y, SvgAnchor::kEnd, line,
                        is_chosen_row(frame.chart, row) ? "strong" : "", name);
      y += 13.0;
    }
  }
}

void draw_whisker(ChartFrame& frame, const Rows& rows, double row, double low, double high) {
  const SvgBox box = rows.bar(row, low, high, 0.3);
  const double y = rows.middle(row);
  frame.canvas.line(box.left, y, box.right, y, "whisker");
  frame.canvas.line(box.left, box.top, box.left, box.bottom, "whisker");
  frame.canvas.line(box.right, box.top, box.right, box.bottom, "whisker");
}

void write_inside(ChartFrame& frame, const SvgBox& box, const std::string& text, const ChartSeries& series) {
  if (text_width(text) + 6.0 > box.right - box.left || box.bottom - box.top < 13.0) return;
  const double middle = (box.left + box.right) / 2.0;
  frame.canvas.text(middle, (box.top + box.bottom) / 2.0 + 4.0, SvgAnchor::kMiddle, text, colour_class('t', series));
}

void draw_span(ChartFrame& frame, const RowSpan& span, const SvgBox& box) {
  frame.canvas.rectangle(box, fmt::format("mark {}", colour_class('f', *span.series)),
                         about_datum(frame.chart, *span.series, *span.datum));
}

void draw_bars(ChartFrame& frame, const Rows& rows) {
  const bool stacked = frame.chart.series.size() > 1;
  std::map<double, std::pair<double, double>> ends;  // of each row: the sum and the place right of all
  for (const RowSpan& span : row_spans(frame.chart)) {
    const SvgBox box = rows.bar(span.row, span.from, span.to);
    draw_span(frame, span, box);
    if (stacked) write_inside(frame, box, value_text(rows.values, span.datum->y), *span.series);
    auto& [sum, end] = ends.emplace(span.row, std::pair{0.0, box.right}).first->second;
    sum += span.datum->y;
    end = std::max(end, box.right);
    if (!span.low || !span.high) continue;
    draw_whisker(frame, rows, span.row, *span.low, *span.high);
    end = std::max(end, rows.scale.place(*span.high));
  }
  if (stacked) return;
  for (const auto& [row, sum_and_end] : ends)
    frame.try_text(sum_and_end.second + 5.0, rows.middle(row) + 4.0, SvgAnchor::kStart,
                   value_text(rows.values, sum_and_end.first), is_chosen_row(frame.chart, row) ? "strong" : "");
}

void draw_waterfall(ChartFrame& frame, const Rows& rows) {
  const RowSpan* last = nullptr;
  const std::vector<RowSpan> spans = row_spans(frame.chart);
  for (const RowSpan& span : spans) {
    if (last != nullptr) {
      const double x = rows.scale.place(last->to);
      const double upper = rows.bar(last->row, last->to, last->to).bottom;
      frame.canvas.line(x, upper, x, rows.bar(span.row, span.to, span.to).top, "connector");
    }
    const SvgBox box = rows.bar(span.row, span.from, span.to);
    draw_span(frame, span, box);
    frame.try_text(box.right + 5.0, rows.middle(span.row) + 4.0, SvgAnchor::kStart,
                   waterfall_text(rows.values, *span.datum), span.datum->chosen ? "strong" : "");
    last = &span;
  }
}

void draw_ranges(ChartFrame& frame, const Rows& rows) {
  for (const RowSpan& span : row_spans(frame.chart)) {
    const SvgBox box = rows.bar(span.row, span.from, span.to);
    draw_span(frame, span, box);
    if (std::isfinite(span.datum->x)) {
      const double x = rows.scale.place(span.datum->x);
      frame.canvas.line(x, box.top - 2.0, x, box.bottom + 2.0, "value-line");
    }
    const double y = rows.middle(span.row) + 4.0;
    const std::string low = value_text(rows.values, std::min(span.from, span.to));
    const std::string high = value_text(rows.values, std::max(span.from, span.to));
    if (box.left - text_width(low) > frame.plot.left) frame.try_text(box.left - 5.0, y, SvgAnchor::kEnd, low, "muted");
    frame.try_text(box.right + 5.0, y, SvgAnchor::kStart, high, "muted");
  }
}

void draw_timeline(ChartFrame& frame, const Rows& rows) {
  const std::vector<RowSpan> spans = row_spans(frame.chart);
  const bool many = spans.size() > 400;
  std::map<std::pair<const ChartSeries*, double>, double> ends;  // what ends before this place would not be seen
  for (const RowSpan& span : spans) {
    SvgBox box = rows.bar(span.row, span.from, span.to, 0.8);
    double& end = ends.emplace(std::pair{span.series, span.row}, -1.0).first->second;
    if (box.right < end + 0.2) continue;
    end = box.right = std::max(box.right, box.left + 0.4);
    if (many)
      frame.canvas.rectangle(box, colour_class('f', *span.series));
    else
      draw_span(frame, span, box);
    write_inside(frame, box, span.datum->label, *span.series);
  }
}

double names_width(const Chart& chart, const ChartAxis& names, double width) {
  double widest = 0.0;
  for (const std::string& name : names.categories) widest = std::max(widest, text_width(name));
  const double most = width * (chart.kind == ChartKind::kTimeline ? 0.2 : 0.34);
  return std::min(widest * (has_chosen(chart) ? 1.08 : 1.0) + 18.0, most);
}

// What stands beside the end of a bar needs room there.
double room_at_end(const Chart& chart, const ChartAxis& values, const ValueRange& range) {
  if (chart.kind == ChartKind::kTimeline) return 16.0;
  const bool stacked = chart.kind == ChartKind::kBars && chart.series.size() > 1;
  if (stacked) return std::max(16.0, text_width(value_text(values, range.high)) / 2.0 + 8.0);  // of the last tick
  return std::max(text_width(value_text(values, range.high)), text_width(value_text(values, range.low))) + 22.0;
}

}  // namespace

double draw_rows(ChartFrame& frame) {
  const Chart& chart = frame.chart;
  Rows rows{.names = row_axis(chart), .values = value_axis(chart), .scale = {}};
  const ValueRange range = range_of_values(chart);
  const bool along_x = &rows.values == &chart.x;
  draw_legend(frame);
  frame.top += room_for_rules(chart, along_x) + 4.0;

  const auto count = static_cast<double>(std::max<std::size_t>(1, rows.names.categories.size()));
  rows.top = frame.top;
  rows.height = usual_row_height(chart.kind);
  if (frame.options.height > 0.0)
    rows.height = std::clamp((frame.options.height - frame.top - kUnderAxis) / count, 16.0, 60.0);
  const double left = names_width(chart, rows.names, frame.options.width);
  frame.plot = {left, frame.top, frame.options.width - room_at_end(chart, rows.values, range),
                frame.top + count * rows.height};

  rows.scale = make_scale(rows.values, range.low, range.high, (frame.plot.right - left) / 75.0);
  if (chart.kind == ChartKind::kTimeline && range.high > range.low) rows.scale.trim(range);
  const double inset = chart.kind == ChartKind::kRanges ? text_width(value_text(rows.values, range.low)) : 0.0;
  rows.scale.start = left + inset;
  rows.scale.length = frame.plot.right - rows.scale.start;
  draw_bottom_axis(frame, rows.values, rows.scale, true);
  draw_row_names(frame, rows);
  if (chart.kind == ChartKind::kBars) draw_bars(frame, rows);
  if (chart.kind == ChartKind::kWaterfall) draw_waterfall(frame, rows);
  if (chart.kind == ChartKind::kRanges) draw_ranges(frame, rows);
  if (chart.kind == ChartKind::kTimeline) draw_timeline(frame, rows);
  draw_upright_rules(frame, rows.scale, along_x);
  return frame.plot.bottom + kUnderAxis;
}

}  // namespace stallcast
