#include "core/calibrate/fit/intervals.h"

#include <algorithm>

namespace stallcast {

TimeIntervals united(TimeIntervals intervals) {
  std::erase_if(intervals, [](const TimeInterval& interval) { return interval.end <= interval.begin; });
  std::sort(intervals.begin(), intervals.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; });
  TimeIntervals out;
  for (const TimeInterval& interval : intervals) {
    if (!out.empty() && interval.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, interval.end);
    } else {
      out.push_back(interval);
    }
  }
  return out;
}

TimeIntervals inside(const TimeIntervals& set, TimeInterval window) {
  TimeIntervals out;
  auto next = std::partition_point(set.begin(), set.end(),
                                   [&](const TimeInterval& interval) { return interval.end <= window.begin; });
  for (; next != set.end() && next->begin < window.end; ++next) {
    out.push_back({std::max(next->begin, window.begin), std::min(next->end, window.end)});
  }
  return out;
}

TimeIntervals without(const TimeIntervals& set, const TimeIntervals& covers) {
  TimeIntervals out;
  auto cover = covers.begin();
  for (TimeInterval rest : set) {
    while (cover != covers.end() && cover->end <= rest.begin) ++cover;
    for (auto over = cover; over != covers.end() && over->begin < rest.end; ++over) {
      if (over->begin > rest.begin) out.push_back({rest.begin, over->begin});
      rest.begin = std::min(over->end, rest.end);
    }
    if (rest.end > rest.begin) out.push_back(rest);
  }
  return out;
}

std::int64_t total_length(const TimeIntervals& set) {
  std::int64_t total = 0;
  for (const TimeInterval& interval : set) total += interval.length();
  return total;
}

}  // namespace stallcast
