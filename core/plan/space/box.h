// Parts of a space that can be judged as a whole, by the one of their points that has most of everything.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/plan/space/space.h"

namespace stallcast {

// Fields of which more lets the roofline reach no less.
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
  explicit BoxedSpace(const Space& space);

  std::int64_t root_count() const { return roots_; }
  Box root(std::int64_t index) const;

  std::int64_t top_index(const Box& box) const { return space_.index_of(choices(box.top)); }
  std::int64_t bottom_index(const Box& box) const { return space_.index_of(choices(box.bottom)); }
  const std::vector<OrderedAxis>& axes() const { return axes_; }

  // The lower and the upper half of a box that has a range along `axis`.
  std::array<Box, 2> halves(const Box& box, std::size_t axis) const;

  // What is left of `box` without its top: disjoint, at most two parts for each axis that has a range.
  std::vector<Box> without_top(const Box& box) const;

 private:
  std::vector<std::int64_t> choices(const std::vector<std::int64_t>& places) const;

  const Space& space_;
  std::vector<OrderedAxis> axes_;
  std::int64_t roots_ = 1;
};

}  // namespace stallcast
