// Engine time: integer nanoseconds since the start of the run.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "core/units/quantity.h"

namespace stallcast {

using SimTime = std::int64_t;  // ns

inline constexpr SimTime kNever = std::numeric_limits<SimTime>::max();

// Nearest nanosecond, halves away from zero; kNever for 292 years and more. As std::llround, without the call, and for
// up to 26 days without converting back and forth: added to 1.5 * 2^52, a number leaves its nearest integer in the low
// bits.
inline SimTime to_ns(double seconds) {
  const double ns = seconds * 1e9;
  constexpr double kShift = 0x1.8p52;
  const double shifted = ns + kShift;
  const double off = ns - (shifted - kShift);
  if (ns > -0x1p51 && ns < 0x1p51 && off > -0.5 && off < 0.5) [[likely]]
    return std::bit_cast<SimTime>(shifted) - std::bit_cast<SimTime>(kShift);
  if (!(ns < 0x1p63)) return kNever;
  if (ns < -0x1p63) return -kNever;
  const auto whole = static_cast<SimTime>(ns);
  const double rest = ns - static_cast<double>(whole);
  return whole + static_cast<SimTime>(rest >= 0.5) - static_cast<SimTime>(rest <= -0.5);
}
inline SimTime to_ns(Seconds duration) { return to_ns(duration.base()); }
// `duration` after `time` >= 0; kNever when the clock does not get there.
constexpr SimTime after(SimTime time, SimTime duration) { return duration < kNever - time ? time + duration : kNever; }
inline double to_seconds(SimTime time) { return static_cast<double>(time) * 1e-9; }

}  // namespace stallcast
