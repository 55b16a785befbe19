// Draws a run over time: its timeline, and below it the lanes of a trace, from days down to microseconds.
#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <memory>
#include <optional>

#include "core/result/timeline_log.h"
#include "gui/timeline/trace_index.h"

namespace stallcast::gui {

// What is drawn. Times count from the beginning of the job.
struct TimelineData {
  std::shared_ptr<const TraceIndex> trace;  // null = not simulated yet
  double trace_begin_s = 0.0;
  std::optional<TimelineLog> timeline;
  double end_s = 0.0;  // of the run; 0 = not known
};

// Keys: + and - zoom, Left and Right go along, Up and Down choose a lane, Ctrl+Left and Ctrl+Right a span of it, Home
// shows the whole run, T the trace. Wheel zooms at the pointer, Shift+wheel goes along, dragging too.
class TimelineCanvas : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit TimelineCanvas(QWidget* parent = nullptr);

  void setData(TimelineData data);
  const TimelineData& data() const { return data_; }

  double fromSeconds() const { return from_s_; }
  double toSeconds() const { return to_s_; }
  void showRange(double from_s, double to_s);  // kept within the run, and a microsecond wide at least
  void showAll();
  void showTrace();
  void zoom(double factor, double about_s);  // factor > 1: closer

  // What is at a point of the viewport, for tooltips: "rank 3: barrier, 2.4 ms, step 12 ...".
  QString textAt(const QPoint& point) const;
  QString selectedText() const;

  // A key of Selection: spans that stand for it are drawn full, the others faint.
  void setHighlight(const QString& key);

  QSize sizeHint() const override;

 signals:
  void rangeChanged(double from_s, double to_s);
  void spanSelected(const QString& text, const QString& key);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  struct Place {
    int lane = -1;  // of the trace; -1 = none
    bool in_run = false;
    double time_s = 0.0;
  };
  int laneHeight() const;
  int headHeight() const;  // ruler and run timeline
  int rulerHeight() const;
  double timeAt(double x) const;
  double xAt(double time_s) const;
  std::int64_t traceNs(double time_s) const;
  double end() const;
  Place placeAt(const QPoint& point) const;
  QString runText(double time_s) const;
  QString spanText(int lane, const LaneSpan& span) const;
  void measureLabels();
  void updateScrollBar();
  void selectSpan(int lane, std::optional<std::size_t> span);
  void stepSpan(int direction);
  void stepLane(int direction);

  double step() const;  // between times that are marked
  void drawGrid(QPainter& painter);
  void drawRuler(QPainter& painter);
  void drawRun(QPainter& painter);
  void drawRunMarks(QPainter& painter, const QRect& bar);
  void drawLanes(QPainter& painter);
  void drawLane(QPainter& painter, const TimelineLane& lane, int index, const QRect& rect);
  void drawCounter(QPainter& painter, const TimelineLane& lane, const QRect& rect);
  void drawSpanEdges(QPainter& painter, const TimelineLane& lane, int index, const QRect& rect);
  std::vector<QRgb> spanColours() const;

  TimelineData data_;
  SpanLane timeline_;  // kinds are WallTimes
  double from_s_ = 0.0, to_s_ = 1.0;
  int label_width_ = 0;
  QString highlight_;
  int lane_ = -1;
  std::optional<std::size_t> span_;
  std::optional<QPoint> pressed_;
  double pressed_from_s_ = 0.0;
  int pressed_scroll_ = 0;
  bool dragged_ = false;
  std::vector<LaneShares> shares_;  // of the columns drawn, kept between frames
};

}  // namespace stallcast::gui
