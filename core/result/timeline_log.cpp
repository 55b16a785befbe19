#include "core/result/timeline_log.h"

#include <cstddef>

namespace stallcast {

void TimelineLog::add(WallTime what, double until_s) {
  const double from_s = phases.empty() ? 0.0 : phases.back().end_s;
  if (until_s <= from_s) return;
  if (!phases.empty() && phases.back().what == what) {
    phases.back().end_s = until_s;
  } else {
    phases.push_back({what, from_s, until_s});
  }
}

void TimelineLog::lose(double training_s) {
  for (std::size_t i = phases.size(); i > 0 && training_s > 0.0; --i) {
    TimelinePhase& phase = phases[i - 1];
    if (phase.what != WallTime::kTraining) continue;
    const double length = phase.end_s - phase.begin_s;
    if (length <= training_s) {
      phase.what = WallTime::kRework;
      training_s -= length;
      continue;
    }
    const TimelinePhase lost{WallTime::kRework, phase.end_s - training_s, phase.end_s};
    phase.end_s = lost.begin_s;
    phases.insert(phases.begin() + static_cast<std::ptrdiff_t>(i), lost);
    return;
  }
}

}  // namespace stallcast
