// Charts of values over values: lines and points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/charts/chart_frame.h"
#include "core/report/charts/chart_words.h"

namespace stallcast {
namespace {

struct Plane {
  AxisScale x, y;
};

bool can_be_drawn(const ChartDatum& datum) { return std::isfinite(datum.x) && std::isfinite(datum.y); }

std::string place_text(double x, double y) { return fmt::format("{},{} ", svg_number(x), svg_number(y)); }

void draw_band(ChartFrame& frame, const Plane& plane, const ChartSeries& series) {
  std::string there, back;
  for (const ChartDatum& datum : series.data) {
    if (!can_be_drawn(datum) || !datum.low || !datum.high) continue;
    const double x = plane.x.place(datum.x);
    there += place_text(x, plane.y.place(*datum.high));
    back = place_text(x, plane.y.place(*datum.low)) + back;
  }
  if (!there.empty()) frame.canvas.polygon(there + back, fmt::format("band {}", colour_class('f', series)));
}

void draw_whisker(ChartFrame& frame, const Plane& plane, const ChartDatum& datum) {
  if (!datum.low || !datum.high) return;
  const double x = plane.x.place(datum.x), low = plane.y.place(*datum.low), high = plane.y.place(*datum.high);
  frame.canvas.line(x, low, x, high, "whisker");
  frame.canvas.line(x - 4.0, low, x + 4.0, low, "whisker");
  frame.canvas.line(x - 4.0, high, x + 4.0, high, "whisker");
  frame.taken.push_back({x - 4.0, high, x + 4.0, low});
}

void draw_mark(ChartFrame& frame, const Plane& plane, const ChartSeries& series, const ChartDatum& datum, bool faint) {
  const double x = plane.x.place(datum.x), y = plane.y.place(datum.y);
  const double radius = datum.chosen ? 6.5 : frame.chart.kind == ChartKind::kLines ? 3.0 : 4.5;
  frame.canvas.circle(x, y, radius,
                      fmt::format("mark {}{}", colour_class('f', series),
                                  datum.chosen ? " chosen"
                                  : faint      ? " faint"
                                               : ""),
                      about_datum(frame.chart, series, datum));
  frame.taken.push_back({x - radius, y - radius, x + radius, y + radius});
}

void draw_series(ChartFrame& frame, const Plane& plane) {
  const bool lines = frame.chart.kind == ChartKind::kLines;
  const bool faint = !lines && has_chosen(frame.chart);
  for (const ChartSeries& series : frame.chart.series) {
    if (lines) draw_band(frame, plane, series);
    std::string places;
    for (const ChartDatum& datum : series.data) {
      if (!can_be_drawn(datum)) continue;
      if (lines) places += place_text(plane.x.place(datum.x), plane.y.place(datum.y));
      if (!lines) draw_whisker(frame, plane, datum);
    }
    if (lines) frame.canvas.polyline(places, fmt::format("curve {}", colour_class('l', series)));
    const bool marks = !lines || series.data.size() <= 40;
    for (const ChartDatum& datum : series.data)
      if (can_be_drawn(datum) && (marks || datum.chosen)) draw_mark(frame, plane, series, datum, faint);
  }
}

bool is_named_by_rule(const Chart& chart, const ChartDatum& datum) {
  return std::any_of(chart.rules.begin(), chart.rules.end(),
                     [&](const ChartRule& rule) { return rule.at_x && rule.at == datum.x; });
}

// Labels of points where there is room, of those that are chosen first.
void label_points(ChartFrame& frame, const Plane& plane, bool chosen) {
  for (const ChartSeries& series : frame.chart.series)
    for (const ChartDatum& datum : series.data) {
      if (datum.chosen != chosen || datum.label.empty() || !can_be_drawn(datum)) continue;
      if (is_named_by_rule(frame.chart, datum)) continue;
      const double x = plane.x.place(datum.x), y = plane.y.place(datum.y);
      const std::string label = fitted(datum.label, 190.0);
      const char* classes = chosen ? "strong halo" : "halo";
      if (frame.try_text(x + 9.0, y + 4.0, SvgAnchor::kStart, label, classes)) continue;
      if (frame.try_text(x - 9.0, y + 4.0, SvgAnchor::kEnd, label, classes)) continue;
      if (frame.try_text(x, y - 11.0, SvgAnchor::kMiddle, label, classes)) continue;
      frame.try_text(x, y + 20.0, SvgAnchor::kMiddle, label, classes);
    }
}

bool names_beside_lines(const Chart& chart) {
  return chart.kind == ChartKind::kLines && chart.series.size() >= 2 && chart.series.size() <= 6;
}

double names_width(const ChartFrame& frame) {
  double widest = 0.0;
  for (const ChartSeries& series : frame.chart.series) widest = std::max(widest, text_width(series.name));
  return std::min(widest + 12.0, frame.options.width * 0.34);
}

// The name of each series at the height of its last point, moved down where another name is.
void draw_names_beside(ChartFrame& frame, const Plane& plane) {
  std::vector<std::pair<double, const ChartSeries*>> ends;
  for (const ChartSeries& series : frame.chart.series) {
    const auto last = std::find_if(series.data.rbegin(), series.data.rend(), can_be_drawn);
    if (last != series.data.rend()) ends.emplace_back(plane.y.place(last->y), &series);
  }
  std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const double needed = kSvgLine * static_cast<double>(ends.size());
  double free_from = frame.plot.top;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& [wanted, series] = ends[i];
    const double latest = std::max(frame.plot.top, frame.plot.bottom - needed + kSvgLine * static_cast<double>(i));
    const double y = std::max(free_from, std::min(wanted, latest));
    const double x = frame.plot.right + 6.0;
    frame.canvas.line(x, y, x + 10.0, y, fmt::format("curve {}", colour_class('l', *series)));
    const std::string name = fitted(series->name, frame.options.width - x - 16.0);
    frame.canvas.text(x + 14.0, y + 4.0, SvgAnchor::kStart, name, "", series->name);
    free_from = y + kSvgLine;
  }
}

double ticks_width(const AxisScale& scale) {
  double widest = 0.0;
  for (const double tick : scale.ticks) widest = std::max(widest, text_width(tick_text(tick)));
  return widest;
}

// Marks at the first or last value need room, unless the axis begins at 0 or has categories.
void place_scale(AxisScale& scale, const ChartAxis& axis, double from, double to) {
  const bool inset = axis.categories.empty() && !(axis.from_zero && scale.from == 0.0);
  const double room = inset ? std::copysign(8.0, to - from) : 0.0;
  scale.start = from + room;
  scale.length = to - from - room;
}

}  // namespace

double draw_plane(ChartFrame& frame) {
  const Chart& chart = frame.chart;
  const bool beside = names_beside_lines(chart);
  if (!beside) draw_legend(frame);
  frame.canvas.text(4.0, frame.top + 11.0, SvgAnchor::kStart, fitted(axis_heading(chart.y), frame.options.width * 0.9),
                    "muted", axis_heading(chart.y));
  frame.top += 24.0 + room_for_rules(chart, true);

  const double under = chart.x.categories.empty() ? 40.0 : 54.0;
  const double height = std::max(frame.options.height > 0.0 ? frame.options.height : 340.0, frame.top + 120.0 + under);
  const ValueRange xs = range_of_x(chart), ys = range_of_y(chart);
  Plane plane{.x = {}, .y = make_scale(chart.y, ys.low, ys.high, (height - frame.top - under) / 45.0)};
  const double left = ticks_width(plane.y) + 14.0;
  frame.plot = {left, frame.top, frame.options.width - (beside ? names_width(frame) + 26.0 : 36.0), height - under};
  place_scale(plane.y, chart.y, frame.plot.bottom, frame.plot.top);
  plane.x = make_scale(chart.x, xs.low, xs.high, (frame.plot.right - left) / 80.0);
  place_scale(plane.x, chart.x, left, frame.plot.right);

  draw_left_axis(frame, plane.y);
  draw_bottom_axis(frame, chart.x, plane.x, false);
  draw_series(frame, plane);
  draw_upright_rules(frame, plane.x, true);
  draw_lying_rules(frame, plane.y);
  label_points(frame, plane, true);
  if (chart.kind == ChartKind::kPoints) label_points(frame, plane, false);
  if (beside) draw_names_beside(frame, plane);
  return height;
}

}  // namespace stallcast
