// One lane of a timeline, made quick to look at from any distance: what covers each of many columns of time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stallcast::gui {

struct LaneSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint8_t kind = 0;
  std::int64_t number = -1;  // of the batch or step; -1 = none
};

inline constexpr std::size_t kLaneKinds = 16;
// Share of a column's time by kind. The rest is empty.
using LaneShares = std::array<float, kLaneKinds>;

class SpanLane {
 public:
  // In any order; where spans overlap, the later one is cut off at the front. Kinds are below kLaneKinds.
  explicit SpanLane(std::vector<LaneSpan> spans = {});

  const std::vector<LaneSpan>& spans() const { return spans_; }
  bool has(std::uint8_t kind) const;

  // Column c is from_ns + c * column_ns to the next one; exact at any width.
  // **Cost** per column logarithmic in the spans that it holds, so a frame does not depend on how many there are.
  void columns(double from_ns, double column_ns, std::vector<LaneShares>& out) const;

  // The span at a moment; null where the lane is empty.
  const LaneSpan* at(std::int64_t time_ns) const;
  // The first one that ends after `time_ns`, as an index of spans().
  std::size_t firstAfter(std::int64_t time_ns) const;

 private:
  std::size_t advance(std::size_t from, double time_ns) const;

  std::vector<LaneSpan> spans_;
  std::vector<std::uint8_t> kinds_;    // that there are
  std::vector<std::int64_t> covered_;  // [span][kind of kinds_] ns of that kind in all spans before it
};

}  // namespace stallcast::gui
