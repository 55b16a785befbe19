#include "gui/views/path/path_edge_item.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

QFont bold(QFont font) {
  font.setBold(true);
  return font;
}

QString bindingText() { return QCoreApplication::translate("PathEdgeItem", "tightest"); }

constexpr qreal kLeastPipe = 1.4, kTexts = 5.6;  // lines of text

// The label on two lines, parted at the space nearest to its middle; itself where it has none.
QString onTwoLines(const QString& label) {
  qsizetype best = -1;
  for (qsizetype at = label.indexOf(u' '); at >= 0; at = label.indexOf(u' ', at + 1))
    if (best < 0 || std::abs(2 * at - label.size()) < std::abs(2 * best - label.size())) best = at;
  if (best < 0) return label;
  QString out = label;
  out[best] = u'\n';
  return out;
}

// The width of the widest line.
qreal widthOf(const QFontMetricsF& metrics, const QString& lines) { return metrics.size(0, lines).width(); }

// What texts leave of the height.
qreal pipeHeight(const QFontMetricsF& metrics, qreal height) { return height - metrics.height() * kTexts; }

}  // namespace

PathEdgeItem::PathEdgeItem(PathEdge edge, QString flow, const QFont& font, QPalette palette)
    : edge_(std::move(edge)), flow_(std::move(flow)), font_(font), palette_(std::move(palette)) {
  const QString tip = QStringLiteral("%1: %2, %3").arg(edge_.label, flow_, usedText(edge_.used));
  setToolTip(edge_.binding ? tip + QStringLiteral(" (%1)").arg(bindingText()) : tip);
}

// "79.9 of 80.0" above "GB/s, 100 %": as narrow as it can be read.
QStringList PathEdgeItem::lines(const PathEdge& edge, const QString& flow) {
  return {flow.section(QLatin1Char(' '), 0, -2),
          QStringLiteral("%1, %2").arg(flow.section(QLatin1Char(' '), -1), shareText(edge.used))};
}

QSizeF PathEdgeItem::leastSize(const PathEdge& edge, const QString& flow, const QFont& font) {
  const QFontMetricsF metrics(font), strong(bold(font));
  qreal width =
      std::max(widthOf(strong, onTwoLines(edge.label)), widthOf(strong, QStringLiteral("▶ ") + bindingText()));
  for (const QString& line : lines(edge, flow)) width = std::max(width, metrics.horizontalAdvance(line));
  return {width + metrics.averageCharWidth(), metrics.height() * (kTexts + kLeastPipe)};
}

void PathEdgeItem::setSize(const QSizeF& size) {
  prepareGeometryChange();
  size_ = size;
}

void PathEdgeItem::setMarks(bool selected, bool current) {
  selected_ = selected;
  current_ = current;
  update();
}

QRectF PathEdgeItem::boundingRect() const { return {QPointF(0.0, 0.0), size_}; }

void PathEdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const QFontMetricsF metrics(font_);
  const qreal line = metrics.height(), pad = metrics.averageCharWidth();
  const QRectF frame = boundingRect().adjusted(pad * 0.4, 1.0, -pad * 0.4, -1.0);
  if (selected_) {
    QColor ground = palette_.color(QPalette::Highlight);
    ground.setAlphaF(0.22F);
    painter->setBrush(ground);
    painter->setPen(Qt::NoPen);
    painter->drawRoundedRect(frame, pad, pad);
  }
  const QRectF inner = boundingRect();
  painter->setPen(palette_.color(QPalette::Text));
  painter->setFont(bold(font_));
  const bool fits = widthOf(QFontMetricsF(bold(font_)), edge_.label) <= inner.width();
  painter->drawText(QRectF(inner.left(), line * 0.15, inner.width(), line * 2.0), Qt::AlignHCenter | Qt::AlignBottom,
                    fits ? edge_.label : onTwoLines(edge_.label));
  paintPipe(painter, QRectF(0.0, line * 2.3, size_.width(), pipeHeight(metrics, size_.height())));
  qreal y = line * 2.45 + pipeHeight(metrics, size_.height());
  painter->setPen(palette_.color(QPalette::Text));
  painter->setFont(font_);
  for (const QString& text : lines(edge_, flow_)) {
    painter->drawText(QRectF(inner.left(), y, inner.width(), line), Qt::AlignHCenter | Qt::AlignVCenter, text);
    y += line;
  }
  if (edge_.binding) {
    painter->setFont(bold(font_));
    painter->setPen(worseColour(palette_));
    painter->drawText(QRectF(inner.left(), y, inner.width(), line), Qt::AlignHCenter | Qt::AlignVCenter,
                      QStringLiteral("▶ ") + bindingText());
  }
  if (!current_) return;
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(palette_.color(QPalette::Highlight), 2.0, Qt::DashLine));
  painter->drawRoundedRect(frame, pad, pad);
}

// Full to the share that is used. The binding one has a double outline and is hatched.
void PathEdgeItem::paintPipe(QPainter* painter, const QRectF& pipe) const {
  const qreal used = std::clamp(edge_.used, 0.0, 1.0);
  const QColor colour = edge_.binding ? worseColour(palette_) : betterColour(palette_);
  painter->setPen(Qt::NoPen);
  painter->setBrush(mutedText(palette_, 0.12));
  painter->drawRect(pipe);
  const QRectF fill(pipe.left(), pipe.center().y() - pipe.height() * used / 2.0, pipe.width(), pipe.height() * used);
  painter->setBrush(colour);
  painter->drawRect(fill);
  if (edge_.binding) {
    painter->setBrush(QBrush(palette_.color(QPalette::Base), Qt::BDiagPattern));
    painter->drawRect(fill);
  }
  painter->setPen(QPen(edge_.binding ? colour : mutedText(palette_, 0.5), edge_.binding ? 3.0 : 1.0));
  painter->drawLine(pipe.topLeft(), pipe.topRight());
  painter->drawLine(pipe.bottomLeft(), pipe.bottomRight());
}

}  // namespace stallcast::gui
