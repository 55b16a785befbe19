// Parts of a space that can be judged as a whole, by the one of their points that has most of everything.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/space.h"

namespace stallcast {

// Fields of which more is as good or better, as far as they are within what MonotoneCheck allows.
enum class Knob { kNone, kWorkers, kPrefetch, kCapacity };

// The choices of each axis in the order that boxes use: of a knob ascending by value, of any other as given.
struct OrderedAxis {
  Knob knob = Knob::kNone;
  std::vector<std::int64_t> order;           // positions in Axis::choices
  std::vector<std::int64_t> segment_starts;  // a box spans no two segments: the sizes of one tier are one
};

// Points whose place along each axis is between `bottom` and `top`; places index OrderedAxis::order.
struct Box {
  std::vector<std::int64_t> bottom, top;

  std::int64_t size() const;
  bool has_range(std::size_t axis) const { return bottom[axis] < top[axis]; }
};

// A full design as boxes.
class BoxedSpace {
 public:
  // `capacity_is_knob`: whether the sizes of a tier belong to one box.
  BoxedSpace(const Space& space, bool capacity_is_knob);

  std::int64_t root_count() const { return roots_; }
  Box root(std::int64_t index) const;

  std::int64_t top_index(const Box& box) const { return space_.index_of(choices(box.top)); }
  std::int64_t bottom_index(const Box& box) const { return space_.index_of(choices(box.bottom)); }
  const std::vector<OrderedAxis>& axes() const { return axes_; }

  // What is left of `box` without its top: disjoint, at most one for each axis that has a range; the part for an axis
  // has its top one step below along it.
  struct Part {
    std::size_t axis = 0;
    Box box;
  };
  std::vector<Part> without_top(const Box& box) const;

 private:
  std::vector<std::int64_t> choices(const std::vector<std::int64_t>& places) const;

  const Space& space_;
  std::vector<OrderedAxis> axes_;
  std::int64_t roots_ = 1;
};

}  // namespace stallcast
