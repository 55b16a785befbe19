// A number that changes in steps (batches ready, reads in flight), made quick to look at from any distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stallcast::gui {

struct CounterStep {
  std::int64_t time_ns = 0;
  double value = 0.0;  // from then on
};

class CounterLane {
 public:
  explicit CounterLane(std::vector<CounterStep> steps = {});  // in any order

  const std::vector<CounterStep>& steps() const { return steps_; }
  double greatest() const { return steps_.empty() ? 0.0 : tree_[1]; }
  double at(std::int64_t time_ns) const;  // 0 before the first step
  // The greatest value in [from_ns, to_ns). **Cost** logarithmic
  double greatestIn(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  std::size_t firstAfter(std::int64_t time_ns) const;

  std::vector<CounterStep> steps_;
  std::vector<double> tree_;  // maxima: leaves from steps_.size() on, the parent of i is i / 2
};

}  // namespace stallcast::gui
