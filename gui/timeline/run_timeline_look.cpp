#include "gui/timeline/run_timeline_look.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/palette.h"
#include "gui/session/qt_text.h"

namespace stallcast::gui {

SpanLane runTimelineLane(const TimelineLog& log) {
  std::vector<LaneSpan> spans;
  spans.reserve(log.phases.size());
  for (const TimelinePhase& phase : log.phases)
    spans.push_back({std::llround(phase.begin_s * 1e9), std::llround(phase.end_s * 1e9),
                     static_cast<std::uint8_t>(phase.what), -1});
  return SpanLane(std::move(spans));
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

QString interruptionName(Interruption kind) {
  return fromView(interruption_name(kind)).replace(QLatin1Char('_'), QLatin1Char(' '));
}

std::vector<LegendEntry> runTimelineLegend(const TimelineLog& log, const QPalette& palette, const QString& phase) {
  std::vector<LegendEntry> entries;
  std::array<bool, kWallTimes> met{};
  for (const TimelinePhase& one : log.phases) met.at(static_cast<std::size_t>(one.what)) = true;
  for (std::size_t k = 0; k < kWallTimes; ++k) {
    const auto what = static_cast<WallTime>(k);
    if (met.at(k))
      entries.push_back({phase.arg(fromView(wall_time_phrase(what))), wallTimeColour(what, palette),
                         what == WallTime::kRework ? LegendEntry::Mark::kHatched : LegendEntry::Mark::kFill});
  }
  if (!log.interruptions.empty())
    entries.push_back({QCoreApplication::translate("RunTimelineLook", "interruption"),
                       palette.color(QPalette::WindowText), LegendEntry::Mark::kTriangle});
  return entries;
}

}  // namespace stallcast::gui
