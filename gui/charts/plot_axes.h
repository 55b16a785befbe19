// The two axes of a plot on Qt Charts, and which way round they are.
#pragma once

#include <QAbstractAxis>
#include <QChart>
#include <optional>

#include "gui/charts/chart_ticks.h"

namespace stallcast::gui {

// What has to be equal for a chart to be shown by axes that are there already.
struct AxisShape {
  bool categorical = false, logarithmic = false;
  double base = 10.0;  // of a logarithmic one
  bool operator==(const AxisShape&) const = default;
};

class PlotAxis {
 public:
  // Replaces the axis of `chart` on its side; the QChart owns it.
  void rebuild(QChart& chart, Qt::Orientation side, const AxisShape& shape);
  const AxisShape& shape() const { return shape_; }
  QAbstractAxis* qt() const { return axis_; }

  // Room for the names of categories, in pixels: along the axis, and beside an upright one.
  struct Room {
    double along = 0.0, beside = 0.0;
    QFont font;
  };
  // Title, categories and range of `axis`. Categories of the upright axis stand from top to bottom; names that have no
  // room are shortened, or left out but for every second, third, ... one.
  void show(const ChartAxis& axis, const ValueRange& range, int most_ticks, const Room& room);
  const ValueRange& range() const { return range_; }
  // Where a value lies between the ends of the range, 0 to 1 within it. What is not above 0 lies far below a
  // logarithmic axis.
  double shareOf(double value) const;

  void setLook(const QPalette& palette, const QFont& font, bool lanes);

 private:
  void showValues(const ValueRange& range, int most_ticks);
  void showCategories(const ChartAxis& axis, const Room& room);

  Qt::Orientation side_ = Qt::Horizontal;
  AxisShape shape_;
  QAbstractAxis* axis_ = nullptr;
  ValueRange range_;
  QStringList categories_;
};

// The range to show where `shown` was: the same while the data still lie well within it, so that an axis keeps still
// while a value moves a little.
ValueRange steadied(const std::optional<ValueRange>& shown, const ValueRange& wanted);

}  // namespace stallcast::gui
