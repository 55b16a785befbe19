// How a run timeline looks, on a strip of its own and above a trace: its phases as a lane, their colours and the
// legend.
#pragma once

#include <QPainter>
#include <QPalette>
#include <vector>

#include "core/result/timeline_log.h"
#include "gui/timeline/legend.h"
#include "gui/timeline/span_lane.h"

namespace stallcast::gui {

// Phases as spans; kinds are WallTimes.
SpanLane runTimelineLane(const TimelineLog& log);

// Of the parts of wall time, for any palette; rework is hatched where it is drawn, so that it is not told by colour
// alone.
QColor wallTimeColour(WallTime what, const QPalette& palette);
void hatchRework(QPainter& painter, const std::vector<LaneShares>& columns, const QRect& bar, const QPalette& palette);

QString interruptionName(Interruption kind);  // "data loss"

// What there is in `log`; `phase` is "%1" or what stands around the name of a phase.
std::vector<LegendEntry> runTimelineLegend(const TimelineLog& log, const QPalette& palette,
                                           const QString& phase = QStringLiteral("%1"));

}  // namespace stallcast::gui
