// Engine time: integer nanoseconds since the start of the run.
#pragma once

#include <cstdint>
#include <limits>

#include "core/units/quantity.h"

namespace stallcast {

using SimTime = std::int64_t;  // ns

inline constexpr SimTime kNever = std::numeric_limits<SimTime>::max();

// Nearest nanosecond, halves away from zero. **Range** |s| < 292 years. As std::llround, without the call.
inline SimTime to_ns(double seconds) {
  const double ns = seconds * 1e9;
  const auto whole = static_cast<SimTime>(ns);
  const double rest = ns - static_cast<double>(whole);
  return whole + static_cast<SimTime>(rest >= 0.5) - static_cast<SimTime>(rest <= -0.5);
}
inline SimTime to_ns(Seconds duration) { return to_ns(duration.base()); }
inline double to_seconds(SimTime time) { return static_cast<double>(time) * 1e-9; }

}  // namespace stallcast
