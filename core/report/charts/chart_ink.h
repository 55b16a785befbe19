// Colours of a chart's things, and what can be read on them.
#pragma once

#include <cstddef>
#include <string>

#include "core/report/charts/chart.h"

namespace stallcast {

// Which of chart_colours() a series has, whatever number it holds.
std::size_t colour_index(const ChartSeries& series);
const ChartColour& series_colour(const ChartSeries& series);

// Black or white, whichever has more contrast on `colour`, a "#rrggbb".
const char* text_on(const std::string& colour);

}  // namespace stallcast
