// Charts as files and images: the same drawing as in reports.
#pragma once

#include <QImage>
#include <QString>

#include "core/report/charts/chart.h"

namespace stallcast::gui {

// Pixels for each pixel of the drawing's own size, where nobody says: sharp on a dense screen and in print.
inline constexpr double kImageScale = 2.0;

// **Range** scale above 0; an image wider or taller than 16384 pixels is made smaller.
QImage chartImage(const Chart& chart, double scale, bool dark = false);

// Writes what the suffix of `path` says, whole or not at all: svg, csv, png (at kImageScale).
// **Errors** WorldError: another suffix, or the file cannot be written.
void saveChart(const Chart& chart, const QString& path);

}  // namespace stallcast::gui
