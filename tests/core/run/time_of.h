#pragma once

#include <cstddef>

#include "core/result/calendar_result.h"

namespace stallcast {

// Seconds of a calendar run spent on WHAT.
inline double time_of(const CalendarRun& run, WallTime what) { return run.time_s[static_cast<std::size_t>(what)]; }

}  // namespace stallcast
