#include "gui/timeline/lane_image.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/palette.h"

namespace stallcast::gui {

QImage laneImage(const std::vector<LaneShares>& columns, int height, const std::vector<QRgb>& colours) {
  const int width = std::max(1, static_cast<int>(columns.size()));
  QImage image(width, std::max(1, height), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const qsizetype stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
  auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
  for (int x = 0; x < static_cast<int>(columns.size()); ++x) {
    const LaneShares& shares = columns[static_cast<std::size_t>(x)];
    float filled = 0.0F;
    int y = height;
    for (std::size_t kind = 0; kind < colours.size() && kind < kLaneKinds; ++kind) {
      if (shares[kind] <= 0.0F) continue;
      filled += shares[kind];
      // What is there at all is seen: one pixel at least.
      const int top = std::clamp(height - static_cast<int>(std::lround(filled * static_cast<float>(height))), 0, y);
      const int until = std::max(0, top == y && y == height ? y - 1 : top);
      const QRgb colour = qPremultiply(colours[kind]);
      while (y > until) pixels[--y * stride + x] = colour;
    }
  }
  return image;
}

QColor wallTimeColour(WallTime what, const QPalette& palette) {
  constexpr std::array<int, kWallTimes> kColours = {0, 7, 5, 5, 3, 6, 1, 4, 2, 2, 7};
  return chartColour(kColours.at(static_cast<std::size_t>(what)), palette);
}

void hatchRework(QPainter& painter, const std::vector<LaneShares>& columns, const QRect& bar, const QPalette& palette) {
  const auto rework = static_cast<std::size_t>(WallTime::kRework);
  const double column = bar.width() / static_cast<double>(std::max<std::size_t>(1, columns.size()));
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(QBrush(palette.color(QPalette::Base), Qt::BDiagPattern));
  for (std::size_t x = 0; x < columns.size();) {
    std::size_t end = x;
    while (end < columns.size() && columns[end][rework] > 0.5F) ++end;
    if (end > x)
      painter.drawRect(QRectF(bar.left() + static_cast<double>(x) * column, bar.top(),
                              static_cast<double>(end - x) * column, bar.height()));
    x = end + 1;
  }
  painter.restore();
}

}  // namespace stallcast::gui
