// A box of a search, with how far its points can reach: what searches for the best and for the front have in common.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/plan/search/assessor.h"
#include "core/plan/space/box.h"

namespace stallcast {

// How far a box has come.
enum class Stage { kUnseen, kSeen, kCoarse, kUndisturbed, kDone };

struct BoundedBox {
  Box box;
  Stage stage = Stage::kUnseen;
  bool is_disturbed = false;                // of its top
  Figures reach;                            // what is not there reaches as far as can be
  std::array<bool, kFigures> by_another{};  // whether the reach of a figure is that of another, simulated point
  std::int64_t top = 0;                     // index of its best point
  std::int64_t from = -1;                   // a simulated point that none of the box betters, -1 = not known
  const Assessed* tightened_by = nullptr;   // what was known of it when `reach` was last compared with it

  // A top that was simulated, but not as it is to be.
  bool is_rough() const { return stage == Stage::kCoarse || stage == Stage::kUndisturbed; }
};

BoundedBox bounded(const BoxedSpace& boxes, Box box);

// A part of `whole`; `from`: a simulated point that none of the part betters.
BoundedBox part_of(const BoundedBox& whole, const BoxedSpace& boxes, Box box, std::int64_t from);

// The first axis along which the box has a range and whose knob is one of `such`.
using Knobs = std::function<bool(Knob)>;
std::optional<std::size_t> first_axis(
    const BoxedSpace& boxes, const Box& box, const Knobs& such = [](Knob) { return true; });

// Lets the box reach no further in a figure than `value`; whether that is less than before.
bool narrow(BoundedBox& box, Figure figure, double value, bool by_another);

// No further than its best case, and than what a run of its top may be off by.
void narrow_to(BoundedBox& box, const Looked& looked);
void narrow_to(BoundedBox& top, const Assessed& found);

// No further than what is known of box.from by now, as it ran, at the prices of the box's least point; whether that is
// less than before. `slack`: the fraction that more of a knob may do harm by after all. `reached`: the best that a
// figure of box.from may be.
using Reached = std::function<double(const Assessed& known, Figure figure, const Estimate& value)>;
bool tighten(BoundedBox& box, const BoxedSpace& boxes, const Assessor& assessor, double slack, const Reached& reached);

// The best that a simulated value may be at the precision asked for.
double within_margin(const Assessed& known, Figure figure, double value);

// The level at which the top of a box that was looked at is simulated first, and the one after a rough level.
Level first_level(const Looked& looked);
Level next_level(const BoundedBox& rough);

}  // namespace stallcast
