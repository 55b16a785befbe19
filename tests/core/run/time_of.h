#pragma once

#include <cstddef>

#include "core/result/timeline_result.h"

namespace stallcast {

// Seconds of a simulated run spent on WHAT.
inline double time_of(const SimulatedRun& run, WallTime what) { return run.time_s[static_cast<std::size_t>(what)]; }

}  // namespace stallcast
