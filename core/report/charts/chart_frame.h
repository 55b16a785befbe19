// The parts that all kinds of drawn charts have: where the plot is, legend, axes, rules.
#pragma once

#include <string>
#include <vector>

#include "core/report/charts/axis_scale.h"
#include "core/report/charts/chart.h"
#include "core/report/charts/chart_svg.h"
#include "core/report/charts/svg_canvas.h"

namespace stallcast {

// A drawing in progress. `top` is where the next thing below can begin; `taken` are places that labels must leave.
struct ChartFrame {
  const Chart& chart;
  SvgOptions options;
  SvgCanvas canvas;
  double top = 6.0;
  SvgBox plot;
  std::vector<SvgBox> taken;

  // Writes `text` where nothing else is; false, and nothing written, where something is.
  bool try_text(double x, double y, SvgAnchor anchor, std::string_view text, std::string_view classes);
};

std::string colour_class(char use, const ChartSeries& series);  // 'f'ill, 'l'ine, 't'ext on the fill
bool has_chosen(const Chart& chart);

// Names of the series with their colours, over the plot; nothing for a single one.
void draw_legend(ChartFrame& frame);
// Grid, ticks and heading of a horizontal axis under the plot, or of a vertical one to its left.
void draw_bottom_axis(ChartFrame& frame, const ChartAxis& axis, const AxisScale& scale, bool grid);
void draw_left_axis(ChartFrame& frame, const AxisScale& scale);
// Room for the labels of upright rules, above the plot; then the rules, upright ones of `upright`, others lying.
double room_for_rules(const Chart& chart, bool at_x);
void draw_upright_rules(ChartFrame& frame, const AxisScale& scale, bool at_x);
void draw_lying_rules(ChartFrame& frame, const AxisScale& scale);

// Bars, waterfalls, ranges, timelines: a row for each category. Returns the height of the picture.
double draw_rows(ChartFrame& frame);
// Lines and points over two axes.
double draw_plane(ChartFrame& frame);

}  // namespace stallcast
