#include "gui/timeline/legend.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

namespace stallcast::gui {

Legend::Legend(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void Legend::setEntries(std::vector<LegendEntry> entries) {
  entries_ = std::move(entries);
  QStringList names;
  for (const LegendEntry& entry : entries_) names << entry.text;
  setAccessibleName(tr("Legend: %1").arg(names.join(QStringLiteral(", "))));
  updateGeometry();
  update();
}

std::vector<QRect> Legend::places(int width, int* height) const {
  const QFontMetrics metrics = fontMetrics();
  const int line = metrics.height() * 5 / 4, swatch = metrics.height(), gap = metrics.averageCharWidth();
  std::vector<QRect> out;
  int x = 0, y = 0;
  for (const LegendEntry& entry : entries_) {
    const int needed = swatch + gap + metrics.horizontalAdvance(entry.text);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += line;
    }
    out.emplace_back(x, y, needed, line);
    x += needed + 2 * gap;
  }
  *height = entries_.empty() ? 0 : y + line;
  return out;
}

int Legend::heightForWidth(int width) const {
  int height = 0;
  places(width, &height);
  return height;
}

QSize Legend::sizeHint() const {
  const int width = fontMetrics().averageCharWidth() * 60;
  return {width, heightForWidth(std::max(width, this->width()))};
}

void Legend::resizeEvent(QResizeEvent*) { updateGeometry(); }

void Legend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  int height = 0;
  const std::vector<QRect> at = places(width(), &height);
  const int size = fontMetrics().height() * 3 / 4;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LegendEntry& entry = entries_[i];
    const QRect swatch(at[i].left() + 1, at[i].center().y() - size / 2, size, size);
    painter.setPen(Qt::NoPen);
    painter.setBrush(entry.colour);
    if (entry.mark == LegendEntry::Mark::kTriangle) {
      painter.setRenderHint(QPainter::Antialiasing);
      painter.drawPolygon(QPolygon({swatch.topLeft(), swatch.topRight(), {swatch.center().x(), swatch.bottom()}}));
      painter.setRenderHint(QPainter::Antialiasing, false);
    } else if (entry.mark == LegendEntry::Mark::kTick) {
      painter.drawRect(QRect(swatch.center().x(), swatch.top(), 2, size));
    } else {
      painter.drawRect(swatch);
    }
    if (entry.mark == LegendEntry::Mark::kHatched) {
      painter.setBrush(QBrush(palette().color(QPalette::Base), Qt::BDiagPattern));
      painter.drawRect(swatch);
    }
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(at[i].adjusted(fontMetrics().height() + fontMetrics().averageCharWidth() / 2, 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, entry.text);
  }
}

}  // namespace stallcast::gui
