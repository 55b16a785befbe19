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
  void rebuild(QChart& chart, Qt::Orientation side, const ChartAxis& axis, const AxisShape& shape);
  const AxisShape& shape() const { return shape_; }
  QAbstractAxis* qt() const { return axis_; }

  // Title, categories and range of `axis`. Categories of the upright axis stand from top to bottom.
  void show(const ChartAxis& axis, const ValueRange& range, int most_ticks);
  const ValueRange& range() const { return range_; }

  void setLook(const QPalette& palette, const QFont& font, bool lanes);

 private:
  void showValues(const ValueRange& range, int most_ticks);
  void showCategories(const ChartAxis& axis);

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
