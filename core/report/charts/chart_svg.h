// A chart drawn as SVG: it needs nothing but a viewer, on light ground and on dark.
#pragma once

#include <string>
#include <string_view>

#include "core/report/charts/chart.h"

namespace stallcast {

struct SvgOptions {
  double width = 760.0;  // of the picture, in px
  double height = 0.0;   // 0: what the chart needs
  // A file of its own: with its title drawn, a ground behind it and its style inside. Without, for pages that hold
  // chart_svg_style().
  bool alone = true;
  bool dark = false;  // alone: on dark ground whatever the reader prefers, for viewers that do not ask
};

// The chart with its axes, units, legend or labels beside the lines, rules and, for who cannot see it, title and `alt`;
// every mark says what it is where a pointer rests. Labels that would overlap are left out or shortened; what they say
// stays in the mark's title. Not finite values are not drawn.
std::string chart_svg(const Chart& chart, const SvgOptions& options = {});

// The style sheet of charts: on light ground, and what changes where the reader prefers dark.
std::string_view chart_svg_style();
std::string_view chart_svg_dark_style();

}  // namespace stallcast
