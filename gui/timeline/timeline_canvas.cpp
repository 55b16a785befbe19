#include "gui/timeline/timeline_canvas.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/session/qt_text.h"
#include "gui/timeline/run_timeline_look.h"
#include "gui/timeline/time_scale.h"

namespace stallcast::gui {
namespace {

constexpr double kNarrowest_s = 1e-6;
constexpr double kZoomStep = 1.5;
constexpr double kPanShare = 0.15;  // of what is seen, by a key

}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  setObjectName(QStringLiteral("timelineCanvas"));
  setAccessibleName(tr("Timeline"));
  setAccessibleDescription(
      tr("Plus and minus zoom, Left and Right move, Up and Down choose a lane, Control with Left and Right a span."));
}

void TimelineCanvas::setData(TimelineData data) {
  const bool first = end() <= 0.0;
  const double before_s = end();
  data_ = std::move(data);
  timeline_ = data_.timeline ? runTimelineLane(*data_.timeline) : SpanLane();
  span_.reset();
  lane_ = -1;
  updateScrollBar();
  if (first || to_s_ > end() || (from_s_ <= 0.0 && to_s_ >= before_s)) {
    showAll();
  } else {
    viewport()->update();
  }
}

double TimelineCanvas::end() const {
  double end_s = data_.end_s;
  if (data_.timeline && !data_.timeline->phases.empty()) end_s = std::max(end_s, data_.timeline->phases.back().end_s);
  if (data_.trace) end_s = std::max(end_s, data_.trace_begin_s + static_cast<double>(data_.trace->end_ns) * 1e-9);
  return end_s;
}

void TimelineCanvas::showRange(double from_s, double to_s) {
  const double end_s = std::max(end(), kNarrowest_s);
  const double width = std::clamp(to_s - from_s, kNarrowest_s, end_s);
  from_s_ = std::clamp(from_s, 0.0, end_s - width);
  to_s_ = from_s_ + width;
  viewport()->update();
  emit rangeChanged(from_s_, to_s_);
}

void TimelineCanvas::showAll() { showRange(0.0, end()); }

void TimelineCanvas::showTrace() {
  if (!data_.trace || data_.trace->end_ns <= 0) return;
  showRange(data_.trace_begin_s, data_.trace_begin_s + static_cast<double>(data_.trace->end_ns) * 1e-9);
}

void TimelineCanvas::zoom(double factor, double about_s) {
  const double width = std::clamp((to_s_ - from_s_) / factor, kNarrowest_s, std::max(end(), kNarrowest_s));
  const double share = (about_s - from_s_) / (to_s_ - from_s_);
  showRange(about_s - share * width, about_s + (1.0 - share) * width);
}

// --- places ---

int TimelineCanvas::laneHeight() const { return fontMetrics().height() * 3 / 2; }
int TimelineCanvas::rulerHeight() const { return fontMetrics().height() * 3 / 2; }
int TimelineCanvas::headHeight() const { return rulerHeight() + laneHeight() * 2; }

void TimelineCanvas::measureLabels() {
  const int most = fontMetrics().averageCharWidth() * 30;
  int widest = std::max(fontMetrics().horizontalAdvance(tr("Time")), fontMetrics().horizontalAdvance(tr("Run")));
  if (data_.trace)
    for (const TimelineLane& lane : data_.trace->lanes)
      if ((widest = std::max(widest, fontMetrics().horizontalAdvance(lane.name))) >= most) break;
  label_width_ = std::min({widest, most, viewport()->width() / 3}) + fontMetrics().averageCharWidth() * 2;
}

double TimelineCanvas::timeAt(double x) const {
  const double width = std::max(1, viewport()->width() - label_width_);
  return from_s_ + (x - label_width_) / width * (to_s_ - from_s_);
}

double TimelineCanvas::xAt(double time_s) const {
  const double width = std::max(1, viewport()->width() - label_width_);
  return label_width_ + (time_s - from_s_) / (to_s_ - from_s_) * width;
}

std::int64_t TimelineCanvas::traceNs(double time_s) const {
  return static_cast<std::int64_t>(std::floor((time_s - data_.trace_begin_s) * 1e9));
}

TimelineCanvas::Place TimelineCanvas::placeAt(const QPoint& point) const {
  Place place;
  if (point.x() < label_width_) return place;
  place.time_s = timeAt(point.x());
  if (point.y() < headHeight()) {
    place.in_run = point.y() >= rulerHeight();
    return place;
  }
  const int lane = (point.y() - headHeight() + verticalScrollBar()->value()) / laneHeight();
  if (data_.trace && lane < static_cast<int>(data_.trace->lanes.size())) place.lane = lane;
  return place;
}

QString TimelineCanvas::runText(double time_s) const {
  if (!data_.timeline) return {};
  const LaneSpan* phase = timeline_.at(std::llround(time_s * 1e9));
  if (phase == nullptr) return {};
  const auto what = static_cast<WallTime>(phase->kind);
  QString text = tr("%1, for %2, from %3 on")
                     .arg(fromView(wall_time_phrase(what)),
                          durationText(static_cast<double>(phase->end_ns - phase->begin_ns) * 1e-9),
                          durationText(static_cast<double>(phase->begin_ns) * 1e-9));
  const double pixel_s = (to_s_ - from_s_) / std::max(1, viewport()->width() - label_width_);
  for (const TimelineInterruption& one : data_.timeline->interruptions)
    if (std::abs(one.at_s - time_s) <= 4.0 * pixel_s)
      return tr("%1 after %2\n%3").arg(interruptionName(one.kind), durationText(one.at_s), text);
  return text;
}

QString TimelineCanvas::spanText(int lane, const LaneSpan& span) const {
  const TimelineLane& of = data_.trace->lanes[static_cast<std::size_t>(lane)];
  QString text = tr("%1: %2, %3, from %4 s on")
                     .arg(of.name, spanKindName(static_cast<TraceSpanKind>(span.kind)),
                          durationText(static_cast<double>(span.end_ns - span.begin_ns) * 1e-9),
                          QString::number(data_.trace_begin_s + static_cast<double>(span.begin_ns) * 1e-9, 'f', 6));
  if (span.number >= 0) text += tr(", number %1").arg(span.number);
  return text;
}

QString TimelineCanvas::textAt(const QPoint& point) const {
  const Place place = placeAt(point);
  if (place.in_run) return runText(place.time_s);
  if (place.lane < 0) return {};
  const TimelineLane& lane = data_.trace->lanes[static_cast<std::size_t>(place.lane)];
  if (lane.isCounter())
    return tr("%1: %2 at %3")
        .arg(lane.name, QString::number(lane.counter.at(traceNs(place.time_s)), 'g', 6), durationText(place.time_s));
  const LaneSpan* span = lane.spans.at(traceNs(place.time_s));
  return span == nullptr ? tr("%1: nothing").arg(lane.name) : spanText(place.lane, *span);
}

QString TimelineCanvas::selectedText() const {
  if (lane_ < 0 || !data_.trace) return {};
  const TimelineLane& lane = data_.trace->lanes[static_cast<std::size_t>(lane_)];
  return span_ ? spanText(lane_, lane.spans.spans()[*span_]) : lane.name;
}

void TimelineCanvas::setHighlight(const QString& key) {
  if (key == highlight_) return;
  highlight_ = key;
  viewport()->update();
}

QSize TimelineCanvas::sizeHint() const { return {fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 24}; }

// --- being moved ---

void TimelineCanvas::updateScrollBar() {
  measureLabels();
  const int lanes = data_.trace ? static_cast<int>(data_.trace->lanes.size()) : 0;
  const int page = std::max(1, viewport()->height() - headHeight());
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setSingleStep(laneHeight());
  verticalScrollBar()->setRange(0, std::max(0, lanes * laneHeight() - page));
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScrollBar();
}

void TimelineCanvas::scrollContentsBy(int, int) { viewport()->update(); }

void TimelineCanvas::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) updateScrollBar();
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) viewport()->update();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  const double steps = (turn.y() != 0 ? turn.y() : turn.x()) / 120.0;
  if (event->modifiers() & Qt::ShiftModifier || turn.y() == 0) {
    const double by_s = -steps * kPanShare * (to_s_ - from_s_);
    showRange(from_s_ + by_s, to_s_ + by_s);
  } else if (event->position().x() < label_width_) {
    QAbstractScrollArea::wheelEvent(event);
    return;
  } else {
    zoom(std::pow(kZoomStep, steps), timeAt(event->position().x()));
  }
  event->accept();
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const double middle_s = 0.5 * (from_s_ + to_s_), by_s = kPanShare * (to_s_ - from_s_);
  const bool control = event->modifiers() & Qt::ControlModifier;
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomStep, middle_s);
    case Qt::Key_Minus:
      return zoom(1.0 / kZoomStep, middle_s);
    case Qt::Key_Left:
      return control ? stepSpan(-1) : showRange(from_s_ - by_s, to_s_ - by_s);
    case Qt::Key_Right:
      return control ? stepSpan(1) : showRange(from_s_ + by_s, to_s_ + by_s);
    case Qt::Key_Up:
      return stepLane(-1);
    case Qt::Key_Down:
      return stepLane(1);
    case Qt::Key_Home:
      return showAll();
    case Qt::Key_T:
      return showTrace();
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

void TimelineCanvas::stepLane(int direction) {
  if (!data_.trace || data_.trace->lanes.empty()) return;
  const int last = static_cast<int>(data_.trace->lanes.size()) - 1;
  selectSpan(std::clamp(lane_ + direction, 0, last), std::nullopt);
  const int top = lane_ * laneHeight(), page = verticalScrollBar()->pageStep();
  if (top < verticalScrollBar()->value()) verticalScrollBar()->setValue(top);
  if (top + laneHeight() > verticalScrollBar()->value() + page)
    verticalScrollBar()->setValue(top + laneHeight() - page);
}

void TimelineCanvas::stepSpan(int direction) {
  if (!data_.trace || data_.trace->lanes.empty()) return;
  const int lane = std::max(0, lane_);
  const std::vector<LaneSpan>& spans = data_.trace->lanes[static_cast<std::size_t>(lane)].spans.spans();
  if (spans.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(spans.size()) - 1;
  std::ptrdiff_t at = 0;
  if (span_) {
    at = static_cast<std::ptrdiff_t>(*span_) + direction;
  } else {
    at = static_cast<std::ptrdiff_t>(
        data_.trace->lanes[static_cast<std::size_t>(lane)].spans.firstAfter(traceNs(from_s_)));
  }
  at = std::clamp<std::ptrdiff_t>(at, 0, last);
  selectSpan(lane, static_cast<std::size_t>(at));
  const double begin_s = data_.trace_begin_s + static_cast<double>(spans[*span_].begin_ns) * 1e-9;
  const double end_s = data_.trace_begin_s + static_cast<double>(spans[*span_].end_ns) * 1e-9;
  const double width_s = to_s_ - from_s_;
  if (begin_s < from_s_ || end_s > to_s_) showRange(begin_s - 0.5 * width_s, begin_s + 0.5 * width_s);
}

void TimelineCanvas::selectSpan(int lane, std::optional<std::size_t> span) {
  lane_ = lane;
  span_ = span;
  viewport()->update();
  QString key;
  if (span_) {
    const LaneSpan& one = data_.trace->lanes[static_cast<std::size_t>(lane_)].spans.spans()[*span_];
    key = spanKindKey(static_cast<TraceSpanKind>(one.kind));
  }
  emit spanSelected(selectedText(), key);
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressed_ = event->pos();
  pressed_from_s_ = from_s_;
  pressed_scroll_ = verticalScrollBar()->value();
  dragged_ = false;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) return;
  const QPoint moved = event->pos() - *pressed_;
  if (!dragged_ && moved.manhattanLength() < 4) return;
  dragged_ = true;
  const double width_s = to_s_ - from_s_;
  const double by_s = moved.x() * width_s / std::max(1, viewport()->width() - label_width_);
  verticalScrollBar()->setValue(pressed_scroll_ - moved.y());
  showRange(pressed_from_s_ - by_s, pressed_from_s_ - by_s + width_s);
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (pressed_ && !dragged_) {
    const Place place = placeAt(event->pos());
    if (place.lane >= 0) {
      const SpanLane& spans = data_.trace->lanes[static_cast<std::size_t>(place.lane)].spans;
      const LaneSpan* span = spans.at(traceNs(place.time_s));
      selectSpan(place.lane,
                 span == nullptr ? std::nullopt : std::optional(static_cast<std::size_t>(span - spans.spans().data())));
    }
  }
  pressed_.reset();
}

bool TimelineCanvas::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const QString text = textAt(help->pos());
  if (text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), text, viewport());
  }
  return true;
}

}  // namespace stallcast::gui
