// Draws what Qt Charts has no series for, over its axes: bars, waterfalls, points with whiskers, lanes, rules.
#pragma once

#include <QFont>
#include <QGraphicsItem>
#include <QPalette>
#include <QString>
#include <vector>

#include "gui/charts/chart_marks.h"

namespace stallcast::gui {

// How strongly things are drawn that are not highlighted while something else is.
inline constexpr double kDimmed = 0.22;

// Whether `key` names a series or a datum of the chart: only then are the others dimmed.
bool hasKey(const Chart& chart, const QString& key);

// Series that share a colour with an earlier one are hatched, each of them differently.
Qt::BrushStyle hatchOf(const Chart& chart, std::size_t series);

// What a hatch is drawn with on `ground`.
QColor hatchColour(const QColor& ground);

class ChartPainter : public QGraphicsItem {
 public:
  explicit ChartPainter(QGraphicsItem* parent);

  // What is drawn. The chart is the caller's and outlives this.
  struct Scene {
    const Chart* chart = nullptr;
    QRectF plot;  // within which marks are seen
    std::vector<Mark> marks;
    std::vector<QPointF> rules;  // on the screen, of chart->rules
    bool transposed = false;
  };
  void setScene(Scene scene);
  const Scene& scene() const { return scene_; }

  void setLook(const QPalette& palette, const QFont& font);
  void setHighlight(const QString& key);
  // Marks with a ring: under the mouse, and where the keys are; -1 is none.
  void setRings(int hovered, int current);

  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  double strength(const Mark& mark) const;
  void drawRules(QPainter& painter) const;
  QRectF ruleBox(const QSizeF& size, double where, bool upright, const std::vector<QRectF>& taken) const;
  bool coversData(const QRectF& box) const;
  bool crossesRule(const QRectF& box) const;
  void drawMark(QPainter& painter, const Mark& mark) const;
  void drawPoint(QPainter& painter, const Mark& mark) const;
  void drawBar(QPainter& painter, const Mark& mark) const;
  void drawBarText(QPainter& painter, const Mark& mark) const;
  void drawRing(QPainter& painter, int mark, const QColor& colour) const;
  const ChartSeries& seriesOf(const Mark& mark) const;
  const ChartDatum& datumOf(const Mark& mark) const;

  Scene scene_;
  QPalette palette_;
  QFont font_;
  QString highlight_;
  bool dims_ = false;
  int hovered_ = -1, current_ = -1;
};

}  // namespace stallcast::gui
