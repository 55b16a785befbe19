#include "gui/timeline/lane_image.h"

#include <algorithm>
#include <cmath>

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

}  // namespace stallcast::gui
