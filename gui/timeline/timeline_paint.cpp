// How TimelineCanvas draws a frame: only what is seen, whatever there is.
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "gui/palette.h"
#include "gui/timeline/lane_image.h"
#include "gui/timeline/run_timeline_look.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_canvas.h"

namespace stallcast::gui {
namespace {

constexpr double kSeenApart = 4.0;  // pixels between two marks
constexpr int kFaint = 60;          // alpha of what is not highlighted

}  // namespace

void TimelineCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
  if (end() <= 0.0) {
    painter.setPen(mutedText(palette()));
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("No trace yet: press “Simulate trace”"));
    return;
  }
  drawGrid(painter);
  drawLanes(painter);
  painter.fillRect(0, 0, viewport()->width(), headHeight(), palette().color(QPalette::Base));
  drawRuler(painter);
  drawRun(painter);
  painter.setPen(mutedText(palette(), 0.3));
  painter.drawLine(0, headHeight() - 1, viewport()->width(), headHeight() - 1);
  painter.drawLine(label_width_ - 1, 0, label_width_ - 1, viewport()->height());
  if (hasFocus()) {
    painter.setPen(palette().color(QPalette::Highlight));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
  }
}

double TimelineCanvas::step() const {
  const int width = viewport()->width() - label_width_;
  const int apart = fontMetrics().averageCharWidth() * 16;
  return tickStep(to_s_ - from_s_, std::max(1, width / apart));
}

// Below what is on the lanes: no line goes through a text.
void TimelineCanvas::drawGrid(QPainter& painter) {
  painter.setPen(mutedText(palette(), 0.25));
  for (const double tick : ticks(from_s_, to_s_, step())) {
    const int x = static_cast<int>(std::lround(xAt(tick)));
    painter.drawLine(x, headHeight(), x, viewport()->height());
  }
}

void TimelineCanvas::drawRuler(QPainter& painter) {
  const double step = this->step();
  painter.setPen(mutedText(palette()));
  painter.drawText(QRect(0, 0, label_width_ - fontMetrics().averageCharWidth(), rulerHeight()),
                   Qt::AlignRight | Qt::AlignVCenter, tr("Time"));
  int free_from = 0;
  for (const double tick : ticks(from_s_, to_s_, step)) {
    const int x = static_cast<int>(std::lround(xAt(tick)));
    painter.setPen(mutedText(palette(), 0.25));
    painter.drawLine(x, rulerHeight() * 3 / 4, x, rulerHeight());
    painter.setPen(palette().color(QPalette::Text));
    const QString label = tickLabel(tick, step);
    const int room = fontMetrics().horizontalAdvance(label);
    const int left = std::min(x + fontMetrics().averageCharWidth() / 2, viewport()->width() - room - 1);
    if (left < free_from) continue;  // no room beside the label before
    free_from = left + room + fontMetrics().averageCharWidth();
    painter.drawText(left, 0, room + 1, rulerHeight(), Qt::AlignLeft | Qt::AlignVCenter, label);
  }
}

void TimelineCanvas::drawRun(QPainter& painter) {
  const int pad = fontMetrics().height() / 4;
  const QRect label(0, rulerHeight(), label_width_ - fontMetrics().averageCharWidth(), laneHeight() * 2 - pad);
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, tr("Run"));
  const QRect bar(label_width_, rulerHeight() + laneHeight() / 2 + pad / 2, viewport()->width() - label_width_,
                  laneHeight() * 3 / 2 - 2 * pad);
  if (data_.timeline) {
    const double dpr = devicePixelRatioF();
    shares_.assign(static_cast<std::size_t>(std::max(1.0, bar.width() * dpr)), {});
    timeline_.columns(from_s_ * 1e9, (to_s_ - from_s_) * 1e9 / static_cast<double>(shares_.size()), shares_);
    std::vector<QRgb> colours;
    for (std::size_t k = 0; k < kWallTimes; ++k)
      colours.push_back(wallTimeColour(static_cast<WallTime>(k), palette()).rgba());
    QImage image = laneImage(shares_, static_cast<int>(bar.height() * dpr), colours);
    image.setDevicePixelRatio(dpr);
    painter.drawImage(bar.topLeft(), image);
    hatchRework(painter, shares_, bar, palette());
    drawRunMarks(painter, bar);
  } else {
    painter.fillRect(bar, mutedText(palette(), 0.15));
  }
  if (!data_.trace) return;
  // Where the trace is, also where it is too short to be seen.
  const double from = std::clamp(xAt(data_.trace_begin_s), bar.left() - 1.0, bar.right() + 1.0);
  const double to = std::clamp(xAt(data_.trace_begin_s + static_cast<double>(data_.trace->end_ns) * 1e-9),
                               bar.left() - 1.0, bar.right() + 1.0);
  if (to < bar.left() || from > bar.right()) return;
  painter.fillRect(QRectF(from, bar.bottom() + 1, std::max(3.0, to - from), pad), palette().color(QPalette::Text));
  if (to - from >= 8.0) return;
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(QPointF(std::max(to, from + 3.0) + pad, bar.bottom() + 1 + pad), tr("trace: press T"));
}

void TimelineCanvas::drawRunMarks(QPainter& painter, const QRect& bar) {
  const TimelineLog& log = *data_.timeline;
  const double pixels_per_s = bar.width() / (to_s_ - from_s_);
  const auto from = std::lower_bound(log.checkpoints_s.begin(), log.checkpoints_s.end(), from_s_);
  const auto to = std::upper_bound(from, log.checkpoints_s.end(), to_s_);
  const auto many = static_cast<double>(to - from);
  if (many * kSeenApart < bar.width()) {
    painter.setPen(palette().color(QPalette::Base));
    for (auto at = from; at != to; ++at) {
      const int x = static_cast<int>(std::lround(xAt(*at)));
      painter.drawLine(x, bar.bottom() - bar.height() / 3, x, bar.bottom());
    }
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(palette().color(QPalette::Base));
  painter.setBrush(palette().color(QPalette::Text));
  const double size = fontMetrics().height() / 3.0;
  std::vector<double> seen;
  for (const TimelineInterruption& one : log.interruptions)
    if (one.at_s >= from_s_ - size / pixels_per_s && one.at_s <= to_s_ + size / pixels_per_s)
      seen.push_back(xAt(one.at_s));
  const bool crowded = static_cast<double>(seen.size()) * size > bar.width();  // strokes then, in place of triangles
  for (const double x : seen) {
    const QPointF tip(x, bar.top() + 1.0);
    if (crowded) {
      painter.fillRect(QRectF(x, tip.y() - size, 1.0, size), palette().color(QPalette::Text));
    } else {
      painter.drawPolygon(QPolygonF({tip, tip + QPointF(-size * 0.7, -size), tip + QPointF(size * 0.7, -size)}));
    }
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineCanvas::drawLanes(QPainter& painter) {
  if (!data_.trace) {
    const QString text = tr("No trace yet: press “Simulate trace”");
    const QRect room = viewport()->rect().adjusted(label_width_, headHeight(), 0, 0);
    painter.fillRect(fontMetrics().boundingRect(room, Qt::AlignCenter, text), palette().color(QPalette::Base));
    painter.setPen(mutedText(palette()));
    painter.drawText(room, Qt::AlignCenter, text);
    return;
  }
  const int scroll = verticalScrollBar()->value(), height = laneHeight();
  const int first = scroll / height;
  const int last = std::min(static_cast<int>(data_.trace->lanes.size()) - 1,
                            (scroll + viewport()->height() - headHeight()) / height);
  const int pad = fontMetrics().height() / 5;
  for (int i = first; i <= last; ++i) {
    const TimelineLane& lane = data_.trace->lanes[static_cast<std::size_t>(i)];
    const QRect row(0, headHeight() + i * height - scroll, viewport()->width(), height);
    if (i == lane_) painter.fillRect(row, mutedText(palette(), 0.12));
    painter.setPen(palette().color(QPalette::Text));
    const QRect label = row.adjusted(fontMetrics().averageCharWidth() / 2, 0, 0, 0);
    const int room = label_width_ - fontMetrics().averageCharWidth() * 3 / 2;
    painter.drawText(QRect(label.left(), label.top(), room, height), Qt::AlignRight | Qt::AlignVCenter,
                     fontMetrics().elidedText(lane.name, Qt::ElideLeft, room));
    const QRect bar(label_width_, row.top() + pad, viewport()->width() - label_width_, height - 2 * pad);
    lane.isCounter() ? drawCounter(painter, lane, bar) : drawLane(painter, lane, i, bar);
  }
}

std::vector<QRgb> TimelineCanvas::spanColours() const {
  std::vector<QRgb> colours;
  bool any = false;
  for (int k = 0; k <= static_cast<int>(TraceSpanKind::kValidation); ++k)
    any = any || (!highlight_.isEmpty() && spanKindKey(static_cast<TraceSpanKind>(k)) == highlight_);
  for (int k = 0; k <= static_cast<int>(TraceSpanKind::kValidation); ++k) {
    const auto kind = static_cast<TraceSpanKind>(k);
    QColor colour = chartColour(spanKindColour(kind), palette());
    if (any && spanKindKey(kind) != highlight_) colour.setAlpha(kFaint);
    colours.push_back(colour.rgba());
  }
  return colours;
}

void TimelineCanvas::drawLane(QPainter& painter, const TimelineLane& lane, int index, const QRect& rect) {
  const double dpr = devicePixelRatioF();
  shares_.assign(static_cast<std::size_t>(std::max(1.0, rect.width() * dpr)), {});
  lane.spans.columns((from_s_ - data_.trace_begin_s) * 1e9,
                     (to_s_ - from_s_) * 1e9 / static_cast<double>(shares_.size()), shares_);
  QImage image = laneImage(shares_, static_cast<int>(rect.height() * dpr), spanColours());
  image.setDevicePixelRatio(dpr);
  painter.drawImage(rect.topLeft(), image);
  drawSpanEdges(painter, lane, index, rect);
}

// Where spans are far enough apart: a line between two of them, their numbers, and a frame around the selected one.
void TimelineCanvas::drawSpanEdges(QPainter& painter, const TimelineLane& lane, int index, const QRect& rect) {
  const std::vector<LaneSpan>& spans = lane.spans.spans();
  const std::size_t first = lane.spans.firstAfter(traceNs(from_s_)), last = lane.spans.firstAfter(traceNs(to_s_));
  const auto left_of = [&](const LaneSpan& span) {
    return xAt(data_.trace_begin_s + static_cast<double>(span.begin_ns) * 1e-9);
  };
  const auto right_of = [&](const LaneSpan& span) {
    return xAt(data_.trace_begin_s + static_cast<double>(span.end_ns) * 1e-9);
  };
  const QColor ground = palette().color(QPalette::Base);
  if (static_cast<double>(last - first) * kSeenApart < rect.width()) {
    for (std::size_t i = first; i < std::min(spans.size(), last + 1); ++i) {
      const double left = std::max(left_of(spans[i]), static_cast<double>(rect.left()));
      const double right = std::min(right_of(spans[i]), static_cast<double>(rect.right()));
      if (left > rect.left()) painter.fillRect(QRectF(left, rect.top(), 1.0, rect.height()), ground);
      if (right - left < fontMetrics().averageCharWidth() * 8) continue;
      QString text = spanKindName(static_cast<TraceSpanKind>(spans[i].kind));
      if (spans[i].number >= 0) text += QStringLiteral(" %1").arg(spans[i].number);
      if (right - left < fontMetrics().horizontalAdvance(text) + fontMetrics().averageCharWidth()) continue;
      const QColor fill = chartColour(spanKindColour(static_cast<TraceSpanKind>(spans[i].kind)), palette());
      painter.setPen(fill.lightnessF() > 0.5F || fill.green() > 150 ? Qt::black : Qt::white);
      painter.drawText(QRectF(left, rect.top(), right - left, rect.height()), Qt::AlignCenter, text);
    }
  }
  if (index != lane_ || !span_) return;
  const double left = std::max(left_of(spans[*span_]), rect.left() - 4.0);
  const double right = std::min(right_of(spans[*span_]), rect.right() + 4.0);
  if (right < rect.left() || left > rect.right()) return;
  painter.setPen(QPen(palette().color(QPalette::Text), 2.0));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(left, rect.top() - 1.0, std::max(3.0, right - left), rect.height() + 1.0));
}

void TimelineCanvas::drawCounter(QPainter& painter, const TimelineLane& lane, const QRect& rect) {
  const double most = std::max(1.0, lane.counter.greatest());
  const double column_s = (to_s_ - from_s_) / std::max(1, rect.width());
  const QColor colour = chartColour(7, palette());
  for (int c = 0; c < rect.width(); ++c) {
    const std::int64_t from = traceNs(from_s_ + c * column_s);
    const std::int64_t to = std::max(from + 1, traceNs(from_s_ + (c + 1) * column_s));
    if (to <= 0 || from > data_.trace->end_ns) continue;
    const int height = static_cast<int>(std::lround(lane.counter.greatestIn(from, to) / most * rect.height()));
    painter.fillRect(rect.left() + c, rect.bottom() + 1 - height, 1, height, colour);
  }
}

}  // namespace stallcast::gui
