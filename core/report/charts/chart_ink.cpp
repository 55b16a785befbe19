#include "core/report/charts/chart_ink.h"

#include <cmath>

namespace stallcast {
namespace {

// Relative luminance of "#rrggbb". **Source** WCAG 2.1, "relative luminance".
double luminance(const std::string& colour) {
  double sum = 0.0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

}  // namespace

std::size_t colour_index(const ChartSeries& series) {
  const auto count = static_cast<int>(chart_colours().size());
  return static_cast<std::size_t>((series.colour % count + count) % count);
}

const ChartColour& series_colour(const ChartSeries& series) { return chart_colours()[colour_index(series)]; }

const char* text_on(const std::string& colour) {
  const double own = luminance(colour) + 0.05;
  return 1.05 / own >= own / 0.05 ? "#ffffff" : "#000000";
}

}  // namespace stallcast
