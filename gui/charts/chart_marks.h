// Where the data of a chart stand on the screen: bars, points, whiskers. Only geometry; PlotView draws it.
#pragma once

#include <QLineF>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "core/report/charts/chart.h"

namespace stallcast::gui {

// From values of the chart's own x and y to the screen. Lines and points lie as the chart says; `transposed` ones have
// their categories from top to bottom.
struct PlotMap {
  std::function<QPointF(double x, double y)> to_screen;
  bool transposed = false;
  double thickest = 60.0;  // of a bar, in pixels
};

struct Mark {
  int series = 0, datum = 0;      // in the chart
  QRectF area;                    // of the bar or the point
  QPointF tip;                    // the value itself: where a tooltip points
  std::optional<QLineF> whisker;  // the interval
  std::optional<QLineF> link;     // of a waterfall: from the end of the one before
  bool is_point = false;
};

// In the order of the chart's series and data; what is not finite is left out.
// **Model** Bars: each series on those before it, upwards and downwards each for themselves. Waterfall: on the sum so
// far, in the order of x; one that is chosen stands on 0, and the sum goes on from it.
std::vector<Mark> layoutMarks(const Chart& chart, const PlotMap& map);

// The mark at a point of the screen, the nearest within `reach` pixels, or -1. Where several hold the point, the one
// drawn last.
int markAt(const std::vector<Mark>& marks, const QPointF& point, double reach);

// What a mark stands for: its datum's key, else its series'.
QString keyOf(const Chart& chart, int series, int datum);

// "Startup, 8 workers: 12.3 % (11.9 to 12.7 %)": all that a datum says, for tooltips and screen readers.
QString datumText(const Chart& chart, int series, int datum);

}  // namespace stallcast::gui
