#include "core/report/charts/chart_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/charts/chart_ink.h"
#include "core/report/charts/chart_words.h"

namespace stallcast {
namespace {

constexpr double kSwatch = 11.0;

void draw_ticks_of_categories(ChartFrame& frame, const ChartAxis& axis, const AxisScale& scale) {
  const double band = std::abs(scale.length) / static_cast<double>(axis.categories.size());
  const auto stride = static_cast<std::size_t>(std::ceil(40.0 / band));
  for (std::size_t i = 0; i < axis.categories.size(); i += stride) {
    double y = frame.plot.bottom + 15.0;
    for (const std::string& line : fitted_lines(axis.categories[i], band * static_cast<double>(stride) - 6.0, 2)) {
      frame.canvas.text(scale.place(static_cast<double>(i)), y, SvgAnchor::kMiddle, line, "", axis.categories[i]);
      y += kSvgLine - 2.0;
    }
  }
}

}  // namespace

bool ChartFrame::try_text(double x, double y, SvgAnchor anchor, std::string_view text, std::string_view classes) {
  const SvgBox box = text_box(text, x, y, anchor);
  if (box.left < 0.0 || box.right > options.width) return false;
  if (std::any_of(taken.begin(), taken.end(), [&](const SvgBox& other) { return box.overlaps(other); })) return false;
  canvas.text(x, y, anchor, text, classes);
  taken.push_back(box);
  return true;
}

std::string colour_class(char use, const ChartSeries& series) { return fmt::format("{}{}", use, colour_index(series)); }

bool has_chosen(const Chart& chart) {
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data)
      if (datum.chosen) return true;
  return false;
}

void draw_legend(ChartFrame& frame) {
  if (!needs_legend(frame.chart)) return;
  double x = 4.0, y = frame.top + 11.0;
  for (const ChartSeries& series : frame.chart.series) {
    const std::string name = fitted(series.name, frame.options.width - kSwatch - 13.0);
    const double width = kSwatch + 5.0 + text_width(name) + 16.0;
    if (x > 4.0 && x + width > frame.options.width) x = 4.0, y += kSvgLine + 2.0;
    frame.canvas.rectangle({x, y - 10.0, x + kSwatch, y - 10.0 + kSwatch},
                           fmt::format("mark {}", colour_class('f', series)));
    frame.canvas.text(x + kSwatch + 5.0, y, SvgAnchor::kStart, name, "", series.name);
    x += width;
  }
  frame.top = y + 10.0;
}

void draw_bottom_axis(ChartFrame& frame, const ChartAxis& axis, const AxisScale& scale, bool grid) {
  const SvgBox& plot = frame.plot;
  double below = plot.bottom + 15.0;
  if (!axis.categories.empty()) {
    draw_ticks_of_categories(frame, axis, scale);
    below += kSvgLine - 2.0;
  } else {
    double free_from = -1e9;
    for (const double tick : scale.ticks) {
      const double x = scale.place(tick);
      if (grid) frame.canvas.line(x, plot.top, x, plot.bottom, "grid");
      const SvgBox box = text_box(tick_text(tick), x, below, SvgAnchor::kMiddle);
      if (box.left < free_from) continue;
      frame.canvas.text(x, below, SvgAnchor::kMiddle, tick_text(tick), "muted");
      free_from = box.right + 6.0;
    }
  }
  frame.canvas.line(plot.left, plot.bottom, plot.right, plot.bottom, "axis");
  const std::string heading = axis_heading(axis);
  frame.canvas.text((plot.left + plot.right) / 2.0, below + 17.0, SvgAnchor::kMiddle,
                    fitted(heading, frame.options.width - 10.0), "muted", heading);
}

void draw_left_axis(ChartFrame& frame, const AxisScale& scale) {
  const SvgBox& plot = frame.plot;
  for (const double tick : scale.ticks) {
    const double y = scale.place(tick);
    frame.canvas.line(plot.left, y, plot.right, y, "grid");
    frame.canvas.text(plot.left - 6.0, y + 4.0, SvgAnchor::kEnd, tick_text(tick), "muted");
  }
  frame.canvas.line(plot.left, plot.top, plot.left, plot.bottom, "axis");
  frame.taken.push_back({0.0, plot.top, plot.left, plot.bottom});
}

double room_for_rules(const Chart& chart, bool at_x) {
  const std::size_t count = rules_in_order(chart, at_x).size();
  return kSvgLine * static_cast<double>(std::min<std::size_t>(count, 3));
}

void draw_upright_rules(ChartFrame& frame, const AxisScale& scale, bool at_x) {
  for (const ChartRule* rule : rules_in_order(frame.chart, at_x)) {
    const double x = scale.place(rule->at);
    const std::string label = fitted(rule->label, frame.options.width * 0.45);
    const double half = text_width(label) / 2.0;
    const double clear = std::max(x, frame.plot.left + half);  // of what is written at the axis
    const double at = std::max(half + 2.0, std::min(clear, frame.options.width - half - 2.0));
    double y = frame.plot.top - 4.0;
    bool written = false;
    for (int row = 0; row < 3 && !written; ++row, y -= kSvgLine)
      written = frame.try_text(at, y, SvgAnchor::kMiddle, label, "rule-label");
    const double upper = written ? y + kSvgLine + 3.0 : frame.plot.top;
    frame.canvas.line(x, std::min(upper, frame.plot.top), x, frame.plot.bottom, "rule");
    frame.taken.push_back({x - 1.0, frame.plot.top, x + 1.0, frame.plot.bottom});
  }
}

void draw_lying_rules(ChartFrame& frame, const AxisScale& scale) {
  for (const ChartRule* rule : rules_in_order(frame.chart, false)) {
    const double y = scale.place(rule->at);
    frame.canvas.line(frame.plot.left, y, frame.plot.right, y, "rule");
    frame.taken.push_back({frame.plot.left, y - 0.5, frame.plot.right, y + 0.5});
    const std::string label = fitted(rule->label, (frame.plot.right - frame.plot.left) * 0.6);
    const double left = frame.plot.left + 6.0, right = frame.plot.right - 4.0;
    if (frame.try_text(right, y - 4.0, SvgAnchor::kEnd, label, "rule-label halo")) continue;
    if (frame.try_text(right, y + 13.0, SvgAnchor::kEnd, label, "rule-label halo")) continue;
    if (frame.try_text(left, y - 4.0, SvgAnchor::kStart, label, "rule-label halo")) continue;
    frame.try_text(left, y + 13.0, SvgAnchor::kStart, label, "rule-label halo");
  }
}

}  // namespace stallcast
