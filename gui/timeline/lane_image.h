// Turns columns of shares into pixels: the part of a lane that only depends on how wide it is.
#pragma once

#include <QImage>
#include <QRgb>
#include <vector>

#include "gui/timeline/span_lane.h"

namespace stallcast::gui {

// Each column filled from below by what covers it, in order of the kinds. `colours` by kind, transparent = left out.
QImage laneImage(const std::vector<LaneShares>& columns, int height, const std::vector<QRgb>& colours);

}  // namespace stallcast::gui
