#include "gui/timeline/run_timeline_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/palette.h"
#include "gui/session/qt_text.h"
#include "gui/timeline/lane_image.h"
#include "gui/timeline/run_timeline_look.h"
#include "gui/timeline/time_scale.h"

namespace stallcast::gui {
namespace {

constexpr int kLeastRows = 4, kMostRows = 14;
constexpr double kCheckpointsApart = 4.0;  // pixels between two checkpoints

// A length of time that people count in, so that a run is no more than `most` of them.
double rowLength(double run_s, int most) {
  constexpr std::array kLengths = {60.0,    300.0,    900.0,    3600.0,    6.0 * 3600.0, 12.0 * 3600.0,
                                   86400.0, 172800.0, 604800.0, 1209600.0, 2592000.0};
  for (const double length : kLengths)
    if (run_s <= length * most) return length;
  return 2592000.0 * std::ceil(run_s / (2592000.0 * most));
}

}  // namespace

RunTimelineStrip::RunTimelineStrip(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("runTimelineStrip"));
  setAccessibleName(tr("Run timeline"));
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
}

void RunTimelineStrip::setLog(TimelineLog log) {
  log_ = std::move(log);
  lane_ = runTimelineLane(log_);
  fitRows();
  current_ = -1;
  updateGeometry();
  update();
}

// Longer rows where there is room for few.
void RunTimelineStrip::fitRows() {
  row_s_ = rowLength(std::max(1.0, end()), std::clamp(height() / rowHeight(), kLeastRows, kMostRows));
}

void RunTimelineStrip::resizeEvent(QResizeEvent*) { fitRows(); }

int RunTimelineStrip::rowHeight() const { return fontMetrics().height() * 7 / 4; }

int RunTimelineStrip::rows() const { return static_cast<int>(std::ceil(end() / row_s_ - 1e-9)); }

int RunTimelineStrip::labelWidth() const {
  return fontMetrics().horizontalAdvance(QStringLiteral("000 d 00 h")) + fontMetrics().averageCharWidth();
}

QRect RunTimelineStrip::barOf(int row) const {
  const int line = fontMetrics().height();
  return {labelWidth(), row * rowHeight() + line * 2 / 5, width() - labelWidth() - 1, line * 5 / 4};
}

QSize RunTimelineStrip::sizeHint() const {
  const double length = rowLength(std::max(1.0, end()), kMostRows);
  const int rows = std::max(1, static_cast<int>(std::ceil(end() / length - 1e-9)));
  return {fontMetrics().averageCharWidth() * 80, rows * rowHeight() + 4};
}

QSize RunTimelineStrip::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * 40, std::min(sizeHint().height(), kLeastRows * rowHeight() + 4)};
}

QString RunTimelineStrip::interruptionText(int interruption) const {
  const TimelineInterruption& one = log_.interruptions[static_cast<std::size_t>(interruption)];
  double lost_s = 0.0, until_s = 0.0;
  const std::size_t first = lane_.firstAfter(std::llround(one.at_s * 1e9));
  for (std::size_t i = first; i > 0 && log_.phases[i - 1].what == WallTime::kRework; --i)
    lost_s += log_.phases[i - 1].end_s - log_.phases[i - 1].begin_s;
  for (std::size_t i = first; i < log_.phases.size(); ++i) {
    if (log_.phases[i].what == WallTime::kTraining || log_.phases[i].what == WallTime::kRework) break;
    until_s += log_.phases[i].end_s - std::max(one.at_s, log_.phases[i].begin_s);
  }
  return tr("%1 after %2: %3 to be done again, %4 until training went on")
      .arg(interruptionName(one.kind), durationText(one.at_s), durationText(lost_s), durationText(until_s));
}

QString RunTimelineStrip::textAt(const QPoint& point) const {
  for (int row = 0; row < rows(); ++row) {
    const QRect bar = barOf(row);
    if (!bar.adjusted(0, -fontMetrics().height() / 2, 0, 0).contains(point)) continue;
    const double pixel_s = row_s_ / bar.width();
    const double time_s = row * row_s_ + (point.x() - bar.left()) * pixel_s;
    for (std::size_t i = 0; i < log_.interruptions.size(); ++i)
      if (std::abs(log_.interruptions[i].at_s - time_s) <= 3.0 * pixel_s) return interruptionText(static_cast<int>(i));
    const LaneSpan* phase = lane_.at(std::llround(time_s * 1e9));
    if (phase == nullptr) return {};
    return tr("%1, for %2, from %3 on")
        .arg(fromView(wall_time_phrase(static_cast<WallTime>(phase->kind))),
             durationText(static_cast<double>(phase->end_ns - phase->begin_ns) * 1e-9),
             durationText(static_cast<double>(phase->begin_ns) * 1e-9));
  }
  return {};
}

void RunTimelineStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  for (int row = 0; row < rows(); ++row) drawRow(painter, row);
  if (!hasFocus()) return;
  painter.setPen(palette().color(QPalette::Highlight));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void RunTimelineStrip::drawRow(QPainter& painter, int row) {
  const QRect bar = barOf(row);
  const double from_s = row * row_s_, to_s = from_s + row_s_;
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(QRect(0, bar.top(), labelWidth() - fontMetrics().averageCharWidth(), bar.height()),
                   Qt::AlignRight | Qt::AlignVCenter,
                   tickLabel(from_s, row_s_ >= 86400.0  ? 86400.0
                                     : row_s_ >= 3600.0 ? 3600.0
                                                        : 60.0));
  const double dpr = devicePixelRatioF();
  shares_.assign(static_cast<std::size_t>(std::max(1.0, bar.width() * dpr)), {});
  lane_.columns(from_s * 1e9, row_s_ * 1e9 / static_cast<double>(shares_.size()), shares_);
  std::vector<QRgb> colours;
  for (std::size_t k = 0; k < kWallTimes; ++k)
    colours.push_back(wallTimeColour(static_cast<WallTime>(k), palette()).rgba());
  QImage image = laneImage(shares_, static_cast<int>(bar.height() * dpr), colours);
  image.setDevicePixelRatio(dpr);
  painter.drawImage(bar.topLeft(), image);
  hatchRework(painter, shares_, bar, palette());

  const auto x_of = [&](double time_s) { return bar.left() + (time_s - from_s) / row_s_ * bar.width(); };
  const auto from = std::lower_bound(log_.checkpoints_s.begin(), log_.checkpoints_s.end(), from_s);
  const auto to = std::lower_bound(from, log_.checkpoints_s.end(), to_s);
  if (static_cast<double>(to - from) * kCheckpointsApart < bar.width())
    for (auto at = from; at != to; ++at)
      painter.fillRect(QRectF(x_of(*at), bar.bottom() - bar.height() / 3.0, 1.0, bar.height() / 3.0),
                       palette().color(QPalette::Base));
  painter.setRenderHint(QPainter::Antialiasing);
  const double size = fontMetrics().height() / 3.0;
  double free_from = bar.left() - size;  // where the next triangle does not lie on the one before
  for (std::size_t i = 0; i < log_.interruptions.size(); ++i) {
    const TimelineInterruption& one = log_.interruptions[i];
    if (one.at_s < from_s || one.at_s >= to_s) continue;
    const QPointF tip(x_of(one.at_s), bar.top() + 1.0);
    const bool chosen = static_cast<int>(i) == current_;
    if (!chosen && tip.x() < free_from) continue;
    free_from = tip.x() + 2.0 * size;
    painter.setPen(chosen ? QPen(palette().color(QPalette::Highlight), 2.0) : QPen(Qt::NoPen));
    painter.setBrush(palette().color(QPalette::Text));
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-size * 0.7, -size), tip + QPointF(size * 0.7, -size)}));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void RunTimelineStrip::select(int interruption) {
  if (log_.interruptions.empty()) return;
  current_ = std::clamp(interruption, 0, static_cast<int>(log_.interruptions.size()) - 1);
  setAccessibleDescription(interruptionText(current_));
  update();
  emit interruptionSelected(current_);
}

void RunTimelineStrip::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return select(current_ - 1);
    case Qt::Key_Right:
      return select(current_ + 1);
    case Qt::Key_Home:
      return select(0);
    case Qt::Key_End:
      return select(static_cast<int>(log_.interruptions.size()) - 1);
    default:
      QWidget::keyPressEvent(event);
  }
}

void RunTimelineStrip::mousePressEvent(QMouseEvent* event) {
  for (int row = 0; row < rows(); ++row) {
    const QRect bar = barOf(row);
    if (!bar.adjusted(0, -fontMetrics().height() / 2, 0, 0).contains(event->pos())) continue;
    const double time_s = row * row_s_ + (event->pos().x() - bar.left()) * row_s_ / bar.width();
    int nearest = -1;
    double least_s = 8.0 * row_s_ / bar.width();
    for (std::size_t i = 0; i < log_.interruptions.size(); ++i) {
      const double apart_s = std::abs(log_.interruptions[i].at_s - time_s);
      if (apart_s > least_s) continue;
      least_s = apart_s;
      nearest = static_cast<int>(i);
    }
    if (nearest >= 0) select(nearest);
  }
}

bool RunTimelineStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), textAt(help->pos()), this);
  return true;
}

}  // namespace stallcast::gui
