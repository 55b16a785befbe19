#include "core/plan/space/box.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>

#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

Knob knob_of(const std::string& pointer) {
  if (pointer == "/loader/num_workers") return Knob::kWorkers;
  if (pointer == "/loader/prefetch_factor") return Knob::kPrefetch;
  return pointer == "/storage/capacity" ? Knob::kCapacity : Knob::kNone;
}

// Which of the axis's fields is the knob; the others, if there are any, tell segments apart.
std::optional<std::size_t> knob_position(const Axis& axis) {
  for (std::size_t p = 0; p < axis.pointers.size(); ++p) {
    if (knob_of(axis.pointers[p]) != Knob::kNone) return p;
  }
  return std::nullopt;
}

double value_of(Knob knob, const std::string& text) {
  if (knob == Knob::kCapacity) return parse_quantity(Dimension::kBytes, text).base.value_or(0.0);
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

OrderedAxis ordered(const Axis& axis) {
  OrderedAxis out;
  out.order.resize(axis.choices.size());
  std::iota(out.order.begin(), out.order.end(), std::int64_t{0});
  const std::optional<std::size_t> knob = knob_position(axis);
  if (!knob) {
    out.segment_starts = out.order;
    return out;
  }
  out.knob = knob_of(axis.pointers[*knob]);
  // Segments in the order in which their other fields first come.
  std::map<std::vector<std::string>, std::int64_t> segments;
  std::vector<std::int64_t> segment(axis.choices.size());
  std::vector<double> value(axis.choices.size());
  for (std::size_t c = 0; c < axis.choices.size(); ++c) {
    std::vector<std::string> others = axis.choices[c];
    value[c] = value_of(out.knob, others[*knob]);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(*knob));
    segment[c] = segments.try_emplace(others, static_cast<std::int64_t>(segments.size())).first->second;
    // Loading inside next() is another loader.
    if (out.knob == Knob::kWorkers && value[c] == 0.0) segment[c] = -1;
  }
  const auto at = [](const auto& of, std::int64_t i) { return of[static_cast<std::size_t>(i)]; };
  std::stable_sort(out.order.begin(), out.order.end(), [&](std::int64_t a, std::int64_t b) {
    return at(segment, a) != at(segment, b) ? at(segment, a) < at(segment, b) : at(value, a) < at(value, b);
  });
  for (std::size_t i = 0; i < out.order.size(); ++i) {
    if (i == 0 || at(segment, out.order[i]) != at(segment, out.order[i - 1]))
      out.segment_starts.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

}  // namespace

std::int64_t Box::size() const {
  std::int64_t points = 1;
  for (std::size_t a = 0; a < top.size(); ++a) points *= top[a] - bottom[a] + 1;
  return points;
}

BoxedSpace::BoxedSpace(const Space& space) : space_(space) {
  for (const Axis& axis : space.axes()) {
    axes_.push_back(ordered(axis));
    roots_ *= static_cast<std::int64_t>(axes_.back().segment_starts.size());
  }
}

Box BoxedSpace::root(std::int64_t index) const {
  Box box;
  box.bottom.resize(axes_.size());
  box.top.resize(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    const OrderedAxis& axis = axes_[a];
    const auto segments = static_cast<std::int64_t>(axis.segment_starts.size());
    const auto at = static_cast<std::size_t>(index % segments);
    index /= segments;
    box.bottom[a] = axis.segment_starts[at];
    box.top[a] = at + 1 < axis.segment_starts.size() ? axis.segment_starts[at + 1] - 1 : std::ssize(axis.order) - 1;
  }
  return box;
}

std::array<Box, 2> BoxedSpace::halves(const Box& box, std::size_t axis) const {
  std::array<Box, 2> out = {box, box};
  out[0].top[axis] = box.bottom[axis] + (box.top[axis] - box.bottom[axis]) / 2;
  out[1].bottom[axis] = out[0].top[axis] + 1;
  return out;
}

std::vector<Box> BoxedSpace::without_top(const Box& box) const {
  std::vector<Box> parts;
  Box rest = box;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (!box.has_range(a)) continue;
    Box below = rest;
    --below.top[a];
    if (below.has_range(a)) {
      for (Box& half : halves(below, a)) parts.push_back(std::move(half));
    } else {
      parts.push_back(std::move(below));
    }
    rest.bottom[a] = rest.top[a];
  }
  return parts;
}

std::vector<std::int64_t> BoxedSpace::choices(const std::vector<std::int64_t>& places) const {
  std::vector<std::int64_t> out(places.size());
  for (std::size_t a = 0; a < places.size(); ++a) out[a] = axes_[a].order[static_cast<std::size_t>(places[a])];
  return out;
}

}  // namespace stallcast
