#include "gui/views/gauge.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

constexpr double kFaint = 0.5;
constexpr double kValueSize = 1.9;  // of the widget's own font
constexpr double kSmallSize = 0.9;

QFont scaled(QFont font, double factor) {
  if (font.pointSizeF() > 0.0) {
    font.setPointSizeF(factor * font.pointSizeF());
  } else {
    font.setPixelSize(static_cast<int>(factor * font.pixelSize()));
  }
  return font;
}

}  // namespace

QString changeText(const GaugeState& state) {
  switch (state.change) {
    case ChangeKind::kNone:
      return {};
    case ChangeKind::kBetter:
      return QStringLiteral("\u25b2 ") + Gauge::tr("%1, better").arg(state.change_text);
    case ChangeKind::kWorse:
      return QStringLiteral("\u25bc ") + Gauge::tr("%1, worse").arg(state.change_text);
    case ChangeKind::kUnclear:
      return QStringLiteral("\u2248 ") + Gauge::tr("%1, within the intervals").arg(state.change_text);
  }
  return {};
}

Gauge::Gauge(const QString& name, QString caption, const QString& help, QWidget* parent)
    : QFrame(parent), caption_(std::move(caption)) {
  setObjectName(name);
  setFocusPolicy(Qt::StrongFocus);
  setToolTip(help);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setState({});
}

QString Gauge::shownCaption() const { return state_.caption.isEmpty() ? caption_ : state_.caption; }

QFont Gauge::valueFont() const {
  QFont font = scaled(this->font(), kValueSize);
  font.setWeight(QFont::DemiBold);
  return font;
}

QFont Gauge::smallFont() const { return scaled(font(), kSmallSize); }

int Gauge::margin() const { return fontMetrics().height() / 2; }

void Gauge::setState(const GaugeState& state) {
  if (state == state_ && !accessibleName().isEmpty()) return;
  const int lines = smallLines();
  state_ = state;
  if (lines != smallLines()) updateGeometry();
  QString spoken = (state.caption.isEmpty() ? caption_ : state.caption) + ' ' + state.value;
  if (!state.interval.isEmpty()) spoken += QStringLiteral(" (") + state.interval + ')';
  if (!state.stage.isEmpty()) spoken += QStringLiteral(", ") + state.stage;
  if (!state.range_text.isEmpty()) spoken += QStringLiteral(", ") + state.range_text;
  if (!state.mark_text.isEmpty()) spoken += QStringLiteral(", ") + state.mark_text;
  if (state.change != ChangeKind::kNone)
    spoken += QStringLiteral(", ") + tr("against the baseline: %1").arg(changeText(state));
  setAccessibleName(spoken);
  update();
}

void Gauge::setHighlighted(bool highlighted) {
  if (highlighted == highlighted_) return;
  highlighted_ = highlighted;
  update();
}

// Below the value. A bar keeps room for the range that is computed after it.
int Gauge::smallLines() const {
  if (state_.share || state_.change != ChangeKind::kNone || !state_.range_text.isEmpty()) return 2;
  return state_.interval.isEmpty() && !state_.mark_text.isEmpty() ? 1 : 0;
}

QSize Gauge::sizeHint() const {
  const QFontMetrics value(valueFont()), small(smallFont());
  const int high = fontMetrics().height() + value.height() + smallLines() * (small.height() + margin() / 2) + margin();
  return {38 * fontMetrics().averageCharWidth(), high};  // the value, its interval and the bound in a line
}

QSize Gauge::minimumSizeHint() const { return {14 * fontMetrics().averageCharWidth(), sizeHint().height()}; }

void Gauge::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF frame = QRectF(rect()).adjusted(1.0, 1.0, -1.0, -1.0);
  const bool strong = highlighted_ || hasFocus();
  painter.setPen(QPen(strong ? palette().color(QPalette::Highlight) : mutedText(palette(), 0.2), strong ? 2.0 : 1.0));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(frame, 4.0, 4.0);

  const QRect inside = rect().adjusted(margin(), margin() / 2, -margin(), -margin() / 2);
  const QFontMetrics small(smallFont()), value(valueFont());
  QRect line(inside.left(), inside.top(), inside.width(), fontMetrics().height());
  painter.setPen(mutedText(palette(), 0.85));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(shownCaption(), Qt::ElideRight, line.width()));
  const int left = line.width() - fontMetrics().horizontalAdvance(shownCaption()) - margin();
  painter.setFont(smallFont());
  painter.setPen(mutedText(palette(), 0.65));
  if (small.horizontalAdvance(state_.stage) <= left)
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, state_.stage);

  line = QRect(inside.left(), line.bottom() + 1, inside.width(), value.height());
  painter.setFont(valueFont());
  painter.setPen(state_.outdated ? mutedText(palette(), kFaint) : palette().color(QPalette::Text));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   value.elidedText(state_.value, Qt::ElideRight, line.width()));
  painter.setFont(smallFont());
  painter.setPen(mutedText(palette(), state_.outdated ? kFaint : 0.75));
  const int used = value.horizontalAdvance(state_.value) + margin();
  const QRect rest = line.adjusted(used, 0, 0, -value.descent() + small.descent());
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignBottom, besideText(rest.width()));
  line = QRect(inside.left(), line.bottom() + 1, inside.width(), small.height());
  if (state_.share) {
    paintBar(painter, QRectF(line));
  } else if (state_.interval.isEmpty()) {
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     small.elidedText(state_.mark_text, Qt::ElideRight, line.width()));
  }
  line.moveTop(line.bottom() + 1 + margin() / 4);
  paintChange(painter, line);
}

// The interval, and what the mark is if there is room for both.
QString Gauge::besideText(int room) const {
  const QFontMetrics small(smallFont());
  if (!state_.share) return small.elidedText(state_.interval, Qt::ElideRight, room);
  const QString both =
      state_.interval.isEmpty() ? state_.mark_text : state_.interval + QStringLiteral("; ") + state_.mark_text;
  if (small.horizontalAdvance(both) <= room) return both;
  return small.elidedText(state_.interval, Qt::ElideRight, room);
}

void Gauge::paintBar(QPainter& painter, const QRectF& room) const {
  const double thick = std::max(4.0, room.height() * 0.42);
  const QRectF bar(room.left(), room.center().y() - thick / 2.0, room.width(), thick);
  const auto at = [&bar](double share) { return bar.left() + std::clamp(share, 0.0, 1.0) * bar.width(); };
  painter.setPen(Qt::NoPen);
  painter.setBrush(mutedText(palette(), 0.14));
  painter.drawRect(bar);
  if (state_.range_high > state_.range_low) {
    QColor band = palette().color(QPalette::Highlight);
    band.setAlphaF(0.35F);
    painter.setBrush(band);
    painter.drawRect(QRectF(QPointF(at(state_.range_low), bar.top()), QPointF(at(state_.range_high), bar.bottom())));
  }
  QColor colour = palette().color(QPalette::Highlight);
  if (state_.outdated) colour.setAlphaF(static_cast<float>(kFaint));
  painter.setBrush(colour);
  painter.drawRect(QRectF(bar.topLeft(), QPointF(at(*state_.share), bar.bottom())));
  painter.setPen(QPen(palette().color(QPalette::Text), 1.6));
  if (state_.share_high > state_.share_low)
    painter.drawLine(QPointF(at(state_.share_low), bar.center().y()), QPointF(at(state_.share_high), bar.center().y()));
  if (state_.mark) painter.drawLine(QPointF(at(*state_.mark), room.top()), QPointF(at(*state_.mark), room.bottom()));
}

void Gauge::paintChange(QPainter& painter, const QRect& room) const {
  if (state_.change == ChangeKind::kNone) {
    painter.setPen(mutedText(palette(), 0.75));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(smallFont()).elidedText(state_.range_text, Qt::ElideRight, room.width()));
    return;
  }
  painter.setPen(state_.change == ChangeKind::kBetter  ? betterColour(palette())
                 : state_.change == ChangeKind::kWorse ? worseColour(palette())
                                                       : mutedText(palette(), 0.75));
  painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(smallFont()).elidedText(changeText(state_), Qt::ElideRight, room.width()));
}

void Gauge::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) emit picked();
}

void Gauge::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
    emit picked();
    return;
  }
  QFrame::keyPressEvent(event);
}

void Gauge::focusInEvent(QFocusEvent* event) {
  QFrame::focusInEvent(event);
  update();
}

void Gauge::focusOutEvent(QFocusEvent* event) {
  QFrame::focusOutEvent(event);
  update();
}

}  // namespace stallcast::gui
