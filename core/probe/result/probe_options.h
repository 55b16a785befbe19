// What a probe may take, and whom it tells.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/probe/disk/read_point.h"

namespace stallcast {

struct ProbeProgress {
  double seconds = 0.0, bytes = 0.0;  // so far
  double allowed_seconds = 0.0, allowed_bytes = 0.0;
  std::string doing;  // "random 1 MiB, 8 in flight"
};

struct ProbeOptions {
  double seconds = 30.0;
  double bytes = 2.0 * 1073741824.0;
  int max_in_flight = 64;
  std::uint64_t seed = 1;                              // which files and positions are read
  std::function<void(const ProbeProgress&)> progress;  // empty = nobody watches
  std::function<void(const ReadPoint&)> measured;      // an operating point as far as it is measured, after each visit
  std::stop_token stop;                                // when requested, what was measured is returned, `interrupted`
};

}  // namespace stallcast
