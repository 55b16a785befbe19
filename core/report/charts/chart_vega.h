// A chart as a Vega-Lite specification: drawn in the reader's browser, with tooltips and marks that light up together.
#pragma once

#include <nlohmann/json.hpp>

#include "core/report/charts/chart.h"

namespace stallcast {

struct VegaOptions {
  int height = 300;           // px, of the plot of lines or points; charts with rows are as high as these need
  bool names_beside = false;  // names of points beside them and no legend, where each point is a series of its own
};

// Data are inline, each with its "about" (a tooltip's text) and "key"; the parameter "hot" is the key whose marks stand
// out, "" for all. Colours are those for light ground. As wide as the element that it is drawn in.
nlohmann::ordered_json chart_vega(const Chart& chart, const VegaOptions& options = {});

}  // namespace stallcast
