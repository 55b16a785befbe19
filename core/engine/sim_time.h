// Engine time: integer nanoseconds since the start of the run.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/units/quantity.h"

namespace stallcast {

using SimTime = std::int64_t;  // ns

inline constexpr SimTime kNever = std::numeric_limits<SimTime>::max();

// Nearest nanosecond. **Range** |s| < 292 years.
inline SimTime to_ns(double seconds) { return static_cast<SimTime>(std::llround(seconds * 1e9)); }
inline SimTime to_ns(Seconds duration) { return to_ns(duration.base()); }
inline double to_seconds(SimTime time) { return static_cast<double>(time) * 1e-9; }

}  // namespace stallcast
