#include "core/object_probe/arrival_log.h"

#include <algorithm>

namespace stallcast {

void ArrivalLog::add(double at_s, double bytes) {
  constexpr double kTogether_s = 1e-3;
  const double total = (arrivals_.empty() ? 0.0 : arrivals_.back().total_bytes) + bytes;
  if (!arrivals_.empty() && at_s - arrivals_.back().at_s < kTogether_s)
    arrivals_.back().total_bytes = total;
  else
    arrivals_.push_back({at_s, total});
}

double ArrivalLog::total_until(double at_s) const {
  const auto after = std::upper_bound(arrivals_.begin(), arrivals_.end(), at_s,
                                      [](double moment, const Arrival& arrival) { return moment < arrival.at_s; });
  return after == arrivals_.begin() ? 0.0 : std::prev(after)->total_bytes;
}

double ArrivalLog::bytes_between(double from_s, double to_s) const { return total_until(to_s) - total_until(from_s); }

}  // namespace stallcast
