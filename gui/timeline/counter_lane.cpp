#include "gui/timeline/counter_lane.h"

#include <algorithm>

namespace stallcast::gui {

CounterLane::CounterLane(std::vector<CounterStep> steps) : steps_(std::move(steps)) {
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const CounterStep& a, const CounterStep& b) { return a.time_ns < b.time_ns; });
  const std::size_t n = steps_.size();
  tree_.assign(std::max<std::size_t>(2, 2 * n), 0.0);
  for (std::size_t i = 0; i < n; ++i) tree_[n + i] = steps_[i].value;
  for (std::size_t i = n; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
}

std::size_t CounterLane::firstAfter(std::int64_t time_ns) const {
  const auto found = std::upper_bound(steps_.begin(), steps_.end(), time_ns,
                                      [](std::int64_t time, const CounterStep& step) { return time < step.time_ns; });
  return static_cast<std::size_t>(found - steps_.begin());
}

double CounterLane::at(std::int64_t time_ns) const {
  const std::size_t after = firstAfter(time_ns);
  return after == 0 ? 0.0 : steps_[after - 1].value;
}

double CounterLane::greatestIn(std::int64_t from_ns, std::int64_t to_ns) const {
  const std::size_t n = steps_.size();
  double most = at(from_ns);
  std::size_t low = n + firstAfter(from_ns), high = n + firstAfter(to_ns - 1);
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) most = std::max(most, tree_[low++]);
    if (high % 2 == 1) most = std::max(most, tree_[--high]);
  }
  return most;
}

}  // namespace stallcast::gui
