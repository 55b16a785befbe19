// A chart as data, with units, before anything draws it: SVG, Vega-Lite, Qt Charts and CSV are made from this.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stallcast {

enum class ChartKind {
  kBars,       // a bar for each category of x, its series stacked
  kWaterfall,  // categories of x from left to right, each on top of the sum so far; one that is `chosen` stands on 0
  kLines,      // y over x, a line for each series; low and high as a band
  kPoints,     // y over x, a mark for each datum; low and high as whiskers
  kRanges,     // a bar from low to high along x for each category of y; x is the value in between (tornado)
  kTimeline,   // the same, many bars on each category of y: a lane
};

// Values are in `unit`: "" for counts, "%" for fractions times 100, "$", "TiB", "s", ...
struct ChartAxis {
  std::string title;
  std::string unit;
  bool logarithmic = false;
  bool from_zero = true;                // a linear axis of numbers begins at 0 (or below)
  std::vector<std::string> categories;  // of a categorical axis, in the order drawn; a datum holds their index
};

struct ChartDatum {
  double x = 0.0, y = 0.0;
  std::optional<double> low, high;  // interval of y; of kRanges and kTimeline the ends along x
  std::string label;                // what it is, in a few words: for tooltips, tables and CSV
  std::string key;                  // what it stands for, the same in every chart: "storage_latency", "A"
  bool chosen = false;              // drawn stronger than the others
};

struct ChartSeries {
  std::string name;
  std::string key;
  int colour = 0;  // of chart_colours(); the same thing has the same colour in every chart
  std::vector<ChartDatum> data;
};

// A line across, at a value of x or y: a target, a knee, a price.
struct ChartRule {
  bool at_x = true;
  double at = 0.0;
  std::string label;
  std::string key = {};  // what can be set by moving the line, "" = nothing
};

struct Chart {
  std::string id;     // of letters, digits and "-": file names and anchors are made of it
  std::string title;  // what it shows, as a sentence where it can: "Utilization stops growing at 108000 GiB"
  std::string alt;    // the same for who cannot see it, with the numbers that matter
  ChartKind kind = ChartKind::kBars;
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  std::vector<ChartRule> rules;
};

// Colours that people with any colour vision tell apart, on light and on dark ground. Beyond the last, they repeat.
// **Source** the first eight: Okabe and Ito 2008, "Color universal design"; grey and the second shades are ours.
struct ChartColour {
  std::string light, dark;  // "#0072b2"
};
const std::vector<ChartColour>& chart_colours();

// Whether a drawing has to say which colour is which series: bars of a waterfall have their names beside them.
bool needs_legend(const Chart& chart);

// "Utilization in %", "Workers".
std::string axis_heading(const ChartAxis& axis);

// A header row with units, then a row for each datum: series, label, x, y, low, high; categories by name. Rows end in
// "\n"; cells are quoted as RFC 4180 says.
std::string chart_csv(const Chart& chart);

}  // namespace stallcast
