// Charts with a row for each category: bars, waterfalls, ranges and timelines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/report/chart_frame.h"

namespace stallcast {
namespace {

constexpr double kUnderAxis = 40.0;

struct Rows {
  const ChartAxis& names;   // categories from top to bottom
  const ChartAxis& values;  // from left to right
  ChartScale scale;
  double height = 0.0;  // of a row
  double top = 0.0;

  double middle(double row) const { return top + (row + 0.5) * height; }
  SvgBox bar(double row, double from, double to, double share = 0.66) const {
    const double a = scale.place(from), b = scale.place(to), half = height * share / 2.0;
    return {std::min(a, b), middle(row) - half, std::max(a, b), middle(row) + half};
  }
  bool holds(double row) const { return row >= 0.0 && row < static_cast<double>(names.categories.size()); }
};

bool along_x(const Chart& chart) { return chart.kind == ChartKind::kRanges || chart.kind == ChartKind::kTimeline; }

double usual_row_height(ChartKind kind) { return kind == ChartKind::kBars ? 36.0 : 27.0; }

bool is_chosen_row(const Chart& chart, double row) {
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data)
      if (datum.chosen && (along_x(chart) ? datum.y : datum.x) == row) return true;
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

void write_inside(ChartFrame& frame, const SvgBox& box, const std::string& text, int colour) {
  if (text_width(text) + 6.0 > box.right - box.left || box.bottom - box.top < 13.0) return;
  const double middle = (box.left + box.right) / 2.0;
  frame.canvas.text(middle, (box.top + box.bottom) / 2.0 + 4.0, SvgAnchor::kMiddle, text, colour_class('t', colour));
}

void draw_bars(ChartFrame& frame, const Rows& rows) {
  const bool stacked = frame.chart.series.size() > 1;
  std::map<double, double> above, below, ends;
  for (const ChartSeries& series : frame.chart.series)
    for (const ChartDatum& datum : series.data) {
      if (!rows.holds(datum.x) || !std::isfinite(datum.y)) continue;
      double& sum = datum.y < 0.0 ? below[datum.x] : above[datum.x];
      const SvgBox box = rows.bar(datum.x, sum, sum + datum.y);
      frame.canvas.rectangle(box, fmt::format("mark {}", colour_class('f', series.colour)),
                             about_datum(frame.chart, series, datum));
      if (stacked) write_inside(frame, box, value_text(rows.values, datum.y), series.colour);
      double& end = ends.emplace(datum.x, box.right).first->second;
      end = std::max(end, box.right);
      if (datum.low && datum.high) {
        draw_whisker(frame, rows, datum.x, sum + *datum.low, sum + *datum.high);
        end = std::max(end, rows.scale.place(sum + *datum.high));
      }
      sum += datum.y;
    }
  if (stacked) return;
  for (const auto& [row, end] : ends)
    frame.try_text(end + 5.0, rows.middle(row) + 4.0, SvgAnchor::kStart,
                   value_text(rows.values, above[row] + below[row]), is_chosen_row(frame.chart, row) ? "strong" : "");
}

void draw_waterfall(ChartFrame& frame, const Rows& rows) {
  std::map<double, std::pair<const ChartSeries*, const ChartDatum*>> by_row;
  for (const ChartSeries& series : frame.chart.series)
    for (const ChartDatum& datum : series.data)
      if (rows.holds(datum.x) && std::isfinite(datum.y)) by_row[datum.x] = {&series, &datum};
  double sum = 0.0;
  std::optional<double> last;
  for (const auto& [row, entry] : by_row) {
    const auto& [series, datum] = entry;
    const double from = datum->chosen ? 0.0 : sum;
    if (last) {
      const double x = rows.scale.place(sum);
      frame.canvas.line(x, rows.bar(*last, sum, sum).bottom, x, rows.bar(row, sum, sum).top, "connector");
    }
    sum = from + datum->y;
    const SvgBox box = rows.bar(row, from, sum);
    frame.canvas.rectangle(box, fmt::format("mark {}", colour_class('f', series->colour)),
                           about_datum(frame.chart, *series, *datum));
    const std::string value = value_text(rows.values, datum->y);
    frame.try_text(box.right + 5.0, rows.middle(row) + 4.0, SvgAnchor::kStart,
                   datum->chosen || datum->y < 0.0 ? value : "+" + value, datum->chosen ? "strong" : "");
    last = row;
  }
}

void draw_ranges(ChartFrame& frame, const Rows& rows) {
  for (const ChartSeries& series : frame.chart.series)
    for (const ChartDatum& datum : series.data) {
      if (!rows.holds(datum.y) || !datum.low || !datum.high) continue;
      const SvgBox box = rows.bar(datum.y, *datum.low, *datum.high);
      frame.canvas.rectangle(box, fmt::format("mark {}", colour_class('f', series.colour)),
                             about_datum(frame.chart, series, datum));
      if (std::isfinite(datum.x)) {
        const double x = rows.scale.place(datum.x);
        frame.canvas.line(x, box.top - 2.0, x, box.bottom + 2.0, "value-line");
      }
      const double y = rows.middle(datum.y) + 4.0;
      const double low = std::min(*datum.low, *datum.high), high = std::max(*datum.low, *datum.high);
      if (box.left - text_width(value_text(rows.values, low)) > frame.plot.left)
        frame.try_text(box.left - 5.0, y, SvgAnchor::kEnd, value_text(rows.values, low), "muted");
      frame.try_text(box.right + 5.0, y, SvgAnchor::kStart, value_text(rows.values, high), "muted");
    }
}

void draw_timeline(ChartFrame& frame, const Rows& rows) {
  std::size_t count = 0;
  for (const ChartSeries& series : frame.chart.series) count += series.data.size();
  for (const ChartSeries& series : frame.chart.series) {
    const std::string classes = fmt::format("{}{}", count > 400 ? "" : "mark ", colour_class('f', series.colour));
    std::map<double, double> drawn;  // by lane: what begins and ends before this place would not be seen
    for (const ChartDatum& datum : series.data) {
      if (!rows.holds(datum.y) || !datum.low || !datum.high) continue;
      SvgBox box = rows.bar(datum.y, *datum.low, *datum.high, 0.8);
      double& end = drawn.emplace(datum.y, -1.0).first->second;
      if (box.right < end + 0.2) continue;
      end = box.right = std::max(box.right, box.left + 0.4);
      frame.canvas.rectangle(box, classes, count > 400 ? "" : about_datum(frame.chart, series, datum));
      write_inside(frame, box, datum.label, series.colour);
    }
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
  if (chart.kind == ChartKind::kTimeline || (chart.kind == ChartKind::kBars && chart.series.size() > 1)) return 16.0;
  return std::max(text_width(value_text(values, range.high)), text_width(value_text(values, range.low))) + 22.0;
}

}  // namespace

double draw_rows(ChartFrame& frame) {
  const Chart& chart = frame.chart;
  Rows rows{.names = along_x(chart) ? chart.y : chart.x, .values = along_x(chart) ? chart.x : chart.y, .scale = {}};
  const ValueRange range = along_x(chart) ? range_of_x(chart) : range_of_y(chart);
  draw_legend(frame);
  frame.top += room_for_rules(chart, along_x(chart)) + 4.0;

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
  draw_upright_rules(frame, rows.scale, along_x(chart));
  return frame.plot.bottom + kUnderAxis;
}

}  // namespace stallcast
