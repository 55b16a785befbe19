// Sets of moments: what was going on when, and how much of it stands alone.
#pragma once

#include <cstdint>
#include <vector>

namespace stallcast {

// From `begin` up to `end`. **Units** ns
struct Interval {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

// In order of time, none empty, none touching another.
using Intervals = std::vector<Interval>;

// The union of any intervals. **Cost** n log n
Intervals united(Intervals intervals);

// The part of a set inside `window`. **Cost** logarithmic, and linear in what is there
Intervals inside(const Intervals& set, Interval window);

// What of `set` is in none of `covers`. **Cost** linear
Intervals without(const Intervals& set, const Intervals& covers);

std::int64_t total_length(const Intervals& set);

}  // namespace stallcast
