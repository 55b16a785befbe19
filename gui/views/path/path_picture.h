// What the data path's drawing says: every limit with what flows through it.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/model/path_limits.h"
#include "gui/session/answer.h"

namespace stallcast::gui {

struct PathEdge {
  PathLimit limit;
  QString label;      // "tier bandwidth"
  double used = 0.0;  // flow over capacity
  bool binding = false;
  QStringList keys;  // of Selection: causes of lost time that it shows up as, the one that loses most first; then
                     // its own name, "tier_bandwidth"
};

struct PathPicture {
  std::vector<PathEdge> edges;  // from storage to the GPU
  double samples_per_s = 0.0;   // flow: of all ranks, in the steady state
  bool simulated = false;       // else estimated

  QString sentence() const;  // what binds, with its figures
};

// **Model** flow = the samples/s at full utilization times the utilization of `answer`.
PathPicture pathPicture(const std::vector<PathLimit>& limits, const Answer& answer);

// "80.1 of 124 GB/s", or samples/s where no bytes are moved or `in_samples`.
QString flowText(const PathLimit& limit, double samples_per_s, bool in_samples);
QString shareText(double used);  // "65 %"
QString usedText(double used);   // "65 % used"

}  // namespace stallcast::gui
