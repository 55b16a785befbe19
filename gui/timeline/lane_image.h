// Turns columns of shares into pixels: the part of a lane that only depends on how wide it is.
#pragma once

#include <QImage>
#include <QPalette>
#include <QRgb>
#include <vector>

#include "core/result/calendar_result.h"
#include "gui/timeline/span_lane.h"

namespace stallcast::gui {

// Each column filled from below by what covers it, in order of the kinds. `colours` by kind, transparent = left out.
QImage laneImage(const std::vector<LaneShares>& columns, int height, const std::vector<QRgb>& colours);

// Of the parts of wall time, for any palette; rework is hatched where it is drawn, so that it is not told by colour
// alone.
QColor wallTimeColour(WallTime what, const QPalette& palette);
void hatchRework(QPainter& painter, const std::vector<LaneShares>& columns, const QRect& bar, const QPalette& palette);

}  // namespace stallcast::gui
