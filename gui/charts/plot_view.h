// The drawn half of a ChartWidget: a core Chart on Qt Charts, with mouse and keys on every datum.
#pragma once

#include <QChartView>
#include <QPointer>
#include <QRubberBand>
#include <optional>
#include <vector>

#include "core/report/charts/chart.h"
#include "gui/charts/chart_painter.h"
#include "gui/charts/plot_axes.h"

class QAreaSeries;
class QLineSeries;

namespace stallcast::gui {

// Axes, grid, lines and bands are Qt Charts'; everything else ChartPainter draws over them. A chart of the same shape
// as the one before is updated in place.
//
// Keys: arrows go to the next datum that way, Page up and down through all of them, Home and End to the first and last,
// Return and Space pick it; + and - zoom, Shift with arrows moves what is zoomed, 0 shows all. Mouse: a click picks, a
// drag zooms to a rectangle, the wheel zooms with Ctrl. A line across with a key is moved by a drag, also of a chosen
// point on it; a chart set meanwhile leaves it under the mouse.
class PlotView : public QChartView {
  Q_OBJECT
 public:
  explicit PlotView(QWidget* parent = nullptr);

  void setChart(const Chart& chart);
  const Chart& shownChart() const { return data_; }
  void setHighlight(const QString& key);

  // Where a datum is, in coordinates of viewport(); (-1, -1) for one that is not drawn.
  QPoint placeOf(int series, int datum) const;
  const std::vector<Mark>& marks() const { return painter_->scene().marks; }
  int current() const { return current_; }  // position in marks() where the keys are, or -1
  void setCurrent(int series, int datum);
  bool isTransposed() const { return transposed_; }
  const PlotAxis& bottomAxis() const { return bottom_; }
  const PlotAxis& leftAxis() const { return left_; }

  bool canZoom() const;
  bool isZoomed() const { return zoomed_; }
  void zoom(double factor, const QPointF& around);  // above 1: closer; `around` in coordinates of viewport()
  void resetZoom();

 signals:
  void picked(const QString& key, int series, int datum);
  void zoomChanged();
  void ruleDragged(const QString& key, double at);  // of the chart's rule with this key, while it is held
  void ruleMoved(const QString& key, double at);    // where it was let go

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  struct Line {
    QLineSeries* line = nullptr;
    QLineSeries *low = nullptr, *high = nullptr;  // ends of the band
    QAreaSeries* band = nullptr;
  };
  const ChartAxis& bottomSpec() const { return transposed_ ? data_.y : data_.x; }
  const ChartAxis& leftSpec() const { return transposed_ ? data_.x : data_.y; }
  AxisShape shapeOf(const ChartAxis& axis, bool of_x) const;
  bool wantsTransposed() const;
  void adopt();       // data_, in place where it can be
  void rebuild();     // axes and series from nothing
  void fillLines();   // of what is there
  void showRanges();  // all, or what is zoomed to
  void showRanges(const ValueRange& bottom, const ValueRange& left);
  void layoutMarks();
  void setLook();
  void lookAtLines();
  QPointF toScreen(const QRectF& plot, double x, double y) const;

  void go(const QPointF& direction);
  void step(int by);
  void moveTo(int mark, bool say);
  void pick(int mark);
  void pan(const QPointF& share);
  void zoomTo(const ValueRange& bottom, const ValueRange& left);
  void zoomToRect(const QRectF& rect);
  int markUnder(const QPointF& at) const;
  int ruleUnder(const QPointF& at) const;  // in data_.rules, of those that can be moved; -1: none
  bool isHandle(int mark) const;           // of the rule through it
  bool isUpright(const ChartRule& rule) const { return rule.at_x != transposed_; }
  void moveRule(const QPointF& at);
  void hover(const QPointF& at, const QPoint& global);

  Chart data_;
  PlotAxis bottom_, left_;
  std::vector<Line> lines_;
  QLineSeries* anchor_ = nullptr;  // draws nothing; values are mapped by its axes
  ChartPainter* painter_ = nullptr;
  QString highlight_;
  bool transposed_ = false, zoomed_ = false;
  std::optional<ValueRange> full_x_, full_y_;  // that show all, of the axes at the bottom and at the left
  int hovered_ = -1, current_ = -1;
  std::optional<QPoint> pressed_;
  int moving_ = -1;  // the rule that is being moved, in data_.rules
  QPointer<QRubberBand> band_;
};

}  // namespace stallcast::gui
