// Mouse, keys and zoom of PlotView.
#include <fmt/format.h>

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/units/rounded.h"
#include "gui/charts/plot_view.h"

namespace stallcast::gui {
namespace {

constexpr double kReach = 9.0;  // pixels from a datum at which the mouse still means it
constexpr double kReachOfRule = 4.0;
constexpr double kZoomStep = 1.4;
constexpr double kClosest = 1e-9;  // of the whole range

// A share of a range by value, or by ratio where the axis is logarithmic.
double valueAt(const ValueRange& range, double share, bool logarithmic) {
  return logarithmic ? range.low * std::pow(range.high / range.low, share) : range.low + share * range.width();
}

ValueRange closer(const ValueRange& range, double factor, double share, bool logarithmic) {
  return {valueAt(range, share - share / factor, logarithmic),
          valueAt(range, share + (1.0 - share) / factor, logarithmic)};
}

// Kept within `all`, as wide as it is where that fits.
ValueRange kept(const ValueRange& range, const ValueRange& all, bool logarithmic) {
  if (logarithmic) {
    const double ratio = range.high / range.low;
    if (ratio >= all.high / all.low) return all;
    const double low = std::clamp(range.low, all.low, all.high / ratio);
    return {low, low * ratio};
  }
  if (range.width() >= all.width()) return all;
  const double low = std::clamp(range.low, all.low, all.high - range.width());
  return {low, low + range.width()};
}

}  // namespace

int PlotView::markUnder(const QPointF& at) const {
  return markAt(marks(), chart()->mapFromScene(mapToScene(at.toPoint())), kReach);
}

void PlotView::moveTo(int mark, bool say) {
  if (mark < 0 || mark >= static_cast<int>(marks().size())) return;
  current_ = mark;
  painter_->setRings(hovered_, current_);
  const Mark& one = marks()[static_cast<std::size_t>(mark)];
  const QString text = datumText(data_, one.series, one.datum);
  setAccessibleDescription(text);
  if (say) QToolTip::showText(viewport()->mapToGlobal(placeOf(one.series, one.datum)), text, viewport());
}

void PlotView::setCurrent(int series, int datum) {
  for (std::size_t i = 0; i < marks().size(); ++i)
    if (marks()[i].series == series && marks()[i].datum == datum) moveTo(static_cast<int>(i), false);
}

void PlotView::pick(int mark) {
  if (mark < 0) return;
  const Mark one = marks()[static_cast<std::size_t>(mark)];
  moveTo(mark, false);
  emit picked(keyOf(data_, one.series, one.datum), one.series, one.datum);
}

// The nearest datum in that direction; those aside count as farther. Along a line left and right stay on it, up and
// down leave it.
void PlotView::go(const QPointF& direction) {
  if (current_ < 0) {
    moveTo(marks().empty() ? -1 : 0, true);
    return;
  }
  const auto centre = [](const Mark& mark) { return mark.is_point ? mark.tip : mark.area.center(); };
  const QPointF from = centre(marks()[static_cast<std::size_t>(current_)]);
  int best = -1;
  double nearest = 0.0;
  const int line = marks()[static_cast<std::size_t>(current_)].series;
  const bool across = direction.y() == 0.0;
  for (std::size_t i = 0; i < marks().size(); ++i) {
    if (data_.kind == ChartKind::kLines && (marks()[i].series == line) != across) continue;
    const QPointF way = centre(marks()[i]) - from;
    const double along = QPointF::dotProduct(way, direction);
    if (along < 0.5) continue;
    const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
    const double cost = along + 3.0 * aside;
    if (best >= 0 && cost >= nearest) continue;
    best = static_cast<int>(i);
    nearest = cost;
  }
  moveTo(best, true);
}

void PlotView::step(int by) {
  const int count = static_cast<int>(marks().size());
  moveTo(std::clamp(current_ + by, 0, count - 1), true);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
  const auto arrow = [&](const QPointF& direction) { shift&& zoomed_ ? pan(0.15 * direction) : go(direction); };
  const QPointF middle = mapFromScene(chart()->mapToScene(chart()->plotArea().center()));
  switch (event->key()) {
    case Qt::Key_Left:
      return arrow({-1.0, 0.0});
    case Qt::Key_Right:
      return arrow({1.0, 0.0});
    case Qt::Key_Up:
      return arrow({0.0, -1.0});
    case Qt::Key_Down:
      return arrow({0.0, 1.0});
    case Qt::Key_PageDown:
      return step(1);
    case Qt::Key_PageUp:
      return step(-1);
    case Qt::Key_Home:
      return moveTo(0, true);
    case Qt::Key_End:
      return moveTo(static_cast<int>(marks().size()) - 1, true);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      return pick(current_);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomStep, middle);
    case Qt::Key_Minus:
      return zoom(1.0 / kZoomStep, middle);
    case Qt::Key_0:
      return resetZoom();
    default:
      QChartView::keyPressEvent(event);
  }
}

void PlotView::focusInEvent(QFocusEvent* event) {
  QChartView::focusInEvent(event);
  if (current_ < 0 && !marks().empty() && event->reason() != Qt::MouseFocusReason) moveTo(0, false);
  painter_->setRings(hovered_, current_);
}

void PlotView::focusOutEvent(QFocusEvent* event) {
  QChartView::focusOutEvent(event);
  painter_->setRings(hovered_, -1);
}

int PlotView::ruleUnder(const QPointF& at) const {
  const QPointF place = chart()->mapFromScene(mapToScene(at.toPoint()));
  if (!chart()->plotArea().contains(place)) return -1;
  for (std::size_t i = 0; i < data_.rules.size(); ++i) {
    if (data_.rules[i].key.empty()) continue;
    const QPointF line = painter_->scene().rules[i];
    const double away = isUpright(data_.rules[i]) ? place.x() - line.x() : place.y() - line.y();
    if (std::abs(away) <= kReachOfRule) return static_cast<int>(i);
  }
  return -1;
}

bool PlotView::isHandle(int mark) const {
  const Mark& one = marks()[static_cast<std::size_t>(mark)];
  return data_.series[static_cast<std::size_t>(one.series)].data[static_cast<std::size_t>(one.datum)].chosen;
}

void PlotView::moveRule(const QPointF& at) {
  ChartRule& rule = data_.rules[static_cast<std::size_t>(moving_)];
  const bool upright = isUpright(rule);
  const PlotAxis& axis = upright ? bottom_ : left_;
  const QRectF plot = chart()->plotArea();
  const QPointF place = chart()->mapFromScene(mapToScene(at.toPoint()));
  const double share = upright ? (place.x() - plot.left()) / plot.width() : (plot.bottom() - place.y()) / plot.height();
  rule.at = rounded(valueAt(axis.range(), std::clamp(share, 0.0, 1.0), axis.shape().logarithmic));
  const std::string& unit = (upright ? bottomSpec() : leftSpec()).unit;
  rule.label = fmt::format("{:.12g}{}{}", rule.at, unit.empty() ? "" : " ", unit);
  layoutMarks();
}

void PlotView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    pressed_ = event->position().toPoint();
    const int mark = markUnder(event->position());
    moving_ = mark < 0 || isHandle(mark) ? ruleUnder(event->position()) : -1;
  }
  event->accept();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint at = event->position().toPoint();
  const bool dragged = pressed_ && (at - *pressed_).manhattanLength() >= QApplication::startDragDistance();
  if (pressed_ && moving_ >= 0) {
    if (!dragged) return;
    moveRule(event->position());
    const ChartRule rule = data_.rules[static_cast<std::size_t>(moving_)];
    emit ruleDragged(QString::fromStdString(rule.key), rule.at);
    return;
  }
  if (dragged && canZoom()) {
    if (!band_) band_ = new QRubberBand(QRubberBand::Rectangle, viewport());
    QRect rect = QRect(*pressed_, at).normalized();
    if (data_.kind == ChartKind::kTimeline) {
      const QRect plot = mapFromScene(chart()->mapRectToScene(chart()->plotArea())).boundingRect();
      rect = QRect(QPoint(rect.left(), plot.top()), QPoint(rect.right(), plot.bottom()));
    }
    band_->setGeometry(rect);
    band_->show();
    return;
  }
  hover(event->position(), event->globalPosition().toPoint());
}

void PlotView::hover(const QPointF& at, const QPoint& global) {
  const int under = markUnder(at), rule = under < 0 || isHandle(under) ? ruleUnder(at) : -1;
  const Qt::CursorShape of_rule =
      rule >= 0 && isUpright(data_.rules[static_cast<std::size_t>(rule)]) ? Qt::SizeHorCursor : Qt::SizeVerCursor;
  viewport()->setCursor(rule >= 0 ? of_rule : under >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (under == hovered_) return;
  hovered_ = under;
  painter_->setRings(hovered_, hasFocus() ? current_ : -1);
  if (under >= 0) {
    const Mark& mark = marks()[static_cast<std::size_t>(under)];
    QToolTip::showText(global, datumText(data_, mark.series, mark.datum), viewport());
  } else {
    QToolTip::hideText();
  }
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const QPoint at = event->position().toPoint();
  if (band_ && band_->isVisible()) {
    const QRect rect = band_->geometry();
    band_->hide();
    zoomToRect(rect);
  } else if (pressed_ && moving_ >= 0) {
    const ChartRule rule = data_.rules[static_cast<std::size_t>(moving_)];
    moving_ = -1;
    if ((at - *pressed_).manhattanLength() >= QApplication::startDragDistance()) {
      emit ruleMoved(QString::fromStdString(rule.key), rule.at);
    } else {
      pick(markUnder(event->position()));
    }
  } else if (pressed_) {
    pick(markUnder(event->position()));
  }
  pressed_.reset();
}

void PlotView::leaveEvent(QEvent* event) {
  QChartView::leaveEvent(event);
  hovered_ = -1;
  painter_->setRings(-1, hasFocus() ? current_ : -1);
}

void PlotView::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) == 0 || !canZoom()) {
    event->ignore();
    return;
  }
  zoom(std::pow(kZoomStep, event->angleDelta().y() / 120.0), event->position());
  event->accept();
}

void PlotView::zoom(double factor, const QPointF& around) {
  if (!canZoom() || !full_x_ || !full_y_) return;
  const QRectF plot = chart()->plotArea();
  const QPointF at = chart()->mapFromScene(mapToScene(around.toPoint()));
  const double across = std::clamp((at.x() - plot.left()) / plot.width(), 0.0, 1.0);
  const double up = std::clamp((plot.bottom() - at.y()) / plot.height(), 0.0, 1.0);
  zoomTo(closer(bottom_.range(), factor, across, bottom_.shape().logarithmic),
         closer(left_.range(), factor, up, left_.shape().logarithmic));
}

void PlotView::zoomTo(const ValueRange& bottom, const ValueRange& left) {
  const ValueRange x = kept(bottom, *full_x_, bottom_.shape().logarithmic);
  if (x.width() < kClosest * full_x_->width()) return;
  const ValueRange y =
      data_.kind == ChartKind::kTimeline ? left_.range() : kept(left, *full_y_, left_.shape().logarithmic);
  if (y.width() < kClosest * full_y_->width()) return;
  zoomed_ = x != *full_x_ || (data_.kind != ChartKind::kTimeline && y != *full_y_);
  showRanges(x, y);
  layoutMarks();
  emit zoomChanged();
}

void PlotView::zoomToRect(const QRectF& rect) {
  if (!full_x_ || !full_y_) return;
  const QRectF plot = chart()->plotArea();
  const QRectF area = QRectF(chart()->mapFromScene(mapToScene(rect.topLeft().toPoint())),
                             chart()->mapFromScene(mapToScene(rect.bottomRight().toPoint())));
  const auto across = [&](double x) {
    return valueAt(bottom_.range(), (x - plot.left()) / plot.width(), bottom_.shape().logarithmic);
  };
  const auto up = [&](double y) {
    return valueAt(left_.range(), (plot.bottom() - y) / plot.height(), left_.shape().logarithmic);
  };
  zoomTo({across(area.left()), across(area.right())}, {up(area.bottom()), up(area.top())});
}

void PlotView::resetZoom() {
  if (!zoomed_) return;
  zoomed_ = false;
  showRanges();
  layoutMarks();
  emit zoomChanged();
}

void PlotView::pan(const QPointF& share) {
  const auto moved = [](const ValueRange& range, double by, bool logarithmic) {
    return ValueRange{valueAt(range, by, logarithmic), valueAt(range, 1.0 + by, logarithmic)};
  };
  zoomTo(moved(bottom_.range(), share.x(), bottom_.shape().logarithmic),
         moved(left_.range(), -share.y(), left_.shape().logarithmic));
}

}  // namespace stallcast::gui
