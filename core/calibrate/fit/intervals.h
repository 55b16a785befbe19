// Sets of moments: what was going on when, and how much of it stands alone.
#pragma once

#include <cstdint>
#include <vector>

namespace stallcast {

// From `begin` up to `end`. **Units** ns
struct TimeInterval {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
  bool operator==(const TimeInterval&) const = default;
};

// In order of time, none empty, none touching another.
using TimeIntervals = std::vector<TimeInterval>;

// The union of any intervals. **Cost** n log n
TimeIntervals united(TimeIntervals intervals);

// The part of a set inside `window`. **Cost** logarithmic, and linear in what is there
TimeIntervals inside(const TimeIntervals& set, TimeInterval window);

// What of `set` is in none of `covers`. **Cost** linear
TimeIntervals without(const TimeIntervals& set, const TimeIntervals& covers);

std::int64_t total_length(const TimeIntervals& set);

}  // namespace stallcast
