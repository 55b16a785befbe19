// The clock of a probe.
#pragma once

#include <chrono>

namespace stallcast {

// Seconds on a clock that only goes forward, from an origin of its own.
inline double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace stallcast
