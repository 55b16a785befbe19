// One run timeline, wrapped into rows of equal length as text is into lines: as many as there is room for.
#pragma once

#include <QWidget>
#include <optional>

#include "core/result/timeline_log.h"
#include "gui/timeline/span_lane.h"

namespace stallcast::gui {

// Keys: Left and Right go from one interruption to the next, Home to the first, End to the last.
class RunTimelineStrip : public QWidget {
  Q_OBJECT
 public:
  explicit RunTimelineStrip(QWidget* parent = nullptr);

  void setLog(TimelineLog log);
  const TimelineLog& log() const { return log_; }
  int current() const { return current_; }  // an interruption; -1 = none
  double rowSeconds() const { return row_s_; }
  int rows() const;
  QRect barOf(int row) const;

  // What there is at a point, and what an interruption led to: "failure after 3 d 4 h: 5 min done again, 12 min until
  // training went on".
  QString textAt(const QPoint& point) const;
  QString interruptionText(int interruption) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void interruptionSelected(int interruption);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double end() const { return log_.phases.empty() ? 0.0 : log_.phases.back().end_s; }
  int labelWidth() const;
  int rowHeight() const;
  void fitRows();
  void select(int interruption);
  void drawRow(QPainter& painter, int row);

  TimelineLog log_;
  SpanLane lane_;
  double row_s_ = 1.0;
  int current_ = -1;
  std::vector<LaneShares> shares_;
};

}  // namespace stallcast::gui
