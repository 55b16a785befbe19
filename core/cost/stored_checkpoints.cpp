#include "core/cost/stored_checkpoints.h"

#include <algorithm>
#include <cmath>

namespace stallcast {

Seconds stored_time(const StoredCheckpoints& c) {
  if (c.written <= 0.0) return seconds(0);
  const double interval = c.written_over.base() / c.written;
  const double minimum = c.minimum.base(), retention = c.retention.base();
  double sum = (c.written - c.kept) * std::max(c.kept * interval, minimum);
  // The first `short_lived` from last would live less than the minimum.
  double short_lived = retention >= minimum ? 0.0 : c.kept;
  if (interval > 0.0) short_lived = std::clamp(std::ceil((minimum - retention) / interval), 0.0, c.kept);
  const double others = c.kept - short_lived;
  sum += short_lived * minimum;
  sum += others * retention + interval * others * (short_lived + c.kept - 1.0) / 2.0;
  return seconds(sum);
}

}  // namespace stallcast
