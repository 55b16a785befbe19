#include "gui/charts/chart_legend.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "gui/charts/chart_painter.h"
#include "gui/palette.h"

namespace stallcast::gui {

ChartLegend::ChartLegend(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Legend"));
  hide();
}

void ChartLegend::setChart(const Chart& chart) {
  std::vector<Entry> entries;
  if (needs_legend(chart)) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const ChartSeries& series = chart.series[i];
      entries.push_back({QString::fromStdString(series.name), QString::fromStdString(series.key), series.colour,
                         chart.kind == ChartKind::kLines, hatchOf(chart, i)});
    }
  }
  if (entries == entries_) return;
  entries_ = std::move(entries);
  setCurrent(0);
  if (isHidden()) resize(parentWidget()->width(), height());  // it is asked how high it is before it is laid out
  setVisible(!entries_.empty());
  updateGeometry();
  update();
}

void ChartLegend::setHighlight(const QString& key) {
  if (key == highlight_) return;
  highlight_ = key;
  update();
}

int ChartLegend::swatch() const { return fontMetrics().ascent(); }

std::vector<QRect> ChartLegend::places(int width) const {
  const QFontMetrics metrics = fontMetrics();
  const int gap = metrics.horizontalAdvance(QStringLiteral("xx"));
  const int line = metrics.height() + metrics.descent();
  std::vector<QRect> out;
  int x = 0, y = 0;
  for (const Entry& entry : entries_) {
    const int wanted = swatch() + gap / 2 + metrics.horizontalAdvance(entry.name) + 1;
    if (x > 0 && x + wanted > width) {
      x = 0;
      y += line;
    }
    out.emplace_back(x, y, std::min(wanted, std::max(width, 1)), line);
    x += wanted + gap;
  }
  return out;
}

QRect ChartLegend::entryRect(int series) const {
  const std::vector<QRect> all = places(width());
  const auto at = static_cast<std::size_t>(series);
  return series >= 0 && at < all.size() ? all[at] : QRect();
}

int ChartLegend::heightForWidth(int width) const {
  const std::vector<QRect> all = places(width);
  return all.empty() ? 0 : all.back().bottom() + 1;
}

QSize ChartLegend::sizeHint() const {
  const int wide = width() > 0 ? width() : 400;
  return {wide, heightForWidth(wide)};
}

QSize ChartLegend::minimumSizeHint() const { return {0, entries_.empty() ? 0 : fontMetrics().height()}; }

void ChartLegend::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool known =
      std::any_of(entries_.begin(), entries_.end(), [this](const Entry& e) { return e.key == highlight_; });
  const std::vector<QRect> all = places(width());
  const int side = swatch(), gap = fontMetrics().horizontalAdvance(QStringLiteral("x"));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    painter.setOpacity(known && entry.key != highlight_ ? 0.35 : 1.0);
    const int thick = entry.is_line ? std::max(3, side / 4) : side;
    const QRect box(all[i].left(), all[i].center().y() - thick / 2, side, thick);
    painter.setPen(Qt::NoPen);
    painter.setBrush(chartColour(entry.colour, palette()));
    painter.drawRoundedRect(box, 1.5, 1.5);
    if (entry.hatch != Qt::NoBrush) {
      painter.setBrush(QBrush(hatchColour(chartColour(entry.colour, palette())), entry.hatch));
      painter.drawRect(box);
    }
    if (hasFocus() && static_cast<int>(i) == current_) {
      painter.setPen(palette().color(QPalette::Highlight));
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(QRectF(all[i]).adjusted(0.5, 0.5, -0.5, -0.5), 2.0, 2.0);
    }
    painter.setPen(palette().color(QPalette::Text));
    const QRect room(box.right() + gap, all[i].top(), all[i].right() - box.right() - gap + 1, all[i].height());
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(entry.name, Qt::ElideRight, room.width() + 1));
  }
}

void ChartLegend::setCurrent(int entry) {
  current_ = std::clamp(entry, 0, std::max(0, static_cast<int>(entries_.size()) - 1));
  setAccessibleDescription(entries_.empty() ? QString() : entries_[static_cast<std::size_t>(current_)].name);
  update();
}

void ChartLegend::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
      return setCurrent(current_ - 1);
    case Qt::Key_Right:
    case Qt::Key_Down:
      return setCurrent(current_ + 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (!entries_.empty()) emit picked(entries_[static_cast<std::size_t>(current_)].key);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void ChartLegend::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void ChartLegend::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void ChartLegend::mousePressEvent(QMouseEvent* event) {
  const std::vector<QRect> all = places(width());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (event->button() == Qt::LeftButton && all[i].contains(event->position().toPoint())) emit picked(entries_[i].key);
}

}  // namespace stallcast::gui
