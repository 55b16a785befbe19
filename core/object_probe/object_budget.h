// What a probe of objects may still take.
#pragma once

#include <algorithm>
#include <stop_token>

#include "core/probe/disk/monotonic_clock.h"

namespace stallcast {

struct ObjectBudget {
  double until_s = 0.0;     // on monotonic_s
  double bytes_left = 0.0;  // neither received nor set aside for a request in flight
  double received = 0.0;    // by requests outside operating points
  std::stop_token stop;

  double seconds_left() const { return std::max(0.0, until_s - monotonic_s()); }
  bool over() const { return stop.stop_requested() || monotonic_s() >= until_s; }

  // Sets `bytes` aside before a request for them is sent; false when they are not there.
  bool take(double bytes) {
    if (bytes > bytes_left) return false;
    bytes_left -= bytes;
    return true;
  }
  void give_back(double bytes) { bytes_left += bytes; }
};

}  // namespace stallcast
