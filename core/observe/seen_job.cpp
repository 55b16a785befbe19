#include "core/observe/seen_job.h"

#include <algorithm>

namespace stallcast {

double ThreadTime::blocked_s() const { return std::max(0.0, watched_s - ran_s - queued_s); }

double ThreadTime::blocked_in_s(Activity activity) const {
  double blocked = 0.0;
  for (std::size_t a = 0; a < kActivities; ++a)
    if (a != index(Activity::kRunning)) blocked += looks[a];
  return blocked > 0.0 ? blocked_s() * looks[index(activity)] / blocked : 0.0;
}

}  // namespace stallcast
