// Changes that were tried, as a person reads and makes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/explain/shortest_way.h"
#include "core/plan/space/space.h"

namespace stallcast {

// "use 16 loader workers per GPU, turn off in-order delivery"; a cache that is used goes without its size and rates.
std::string settings_phrase(const Point& settings);

struct WordedChange {
  std::string name;   // of the change: "double_workers"
  std::string words;  // "use 16 loader workers per GPU"; of what nobody can set "if storage answered at once"
  Point settings;     // that make it, in a way all up to here; empty where nobody can set it
  bool can_be_set = false;
  double before = 0.0, after = 0.0;  // GPU utilization
  std::optional<double> usd;         // that the run would cost less
};

// Each change by itself, and those of a way one after the other.
std::vector<WordedChange> worded_changes(const Explanation& explanation);
std::vector<WordedChange> worded_way(const ShortestWay& way);

}  // namespace stallcast
