#include "core/plan/search/bounded_box.h"

#include <utility>

namespace stallcast {
namespace {

constexpr Figure kSimulatedFigures[] = {Figure::kTotal, Figure::kGpuHour, Figure::kTime, Figure::kUtilization};

}  // namespace

BoundedBox bounded(const BoxedSpace& boxes, Box box) {
  BoundedBox out;
  out.top = boxes.top_index(box);
  out.box = std::move(box);
  return out;
}

BoundedBox part_of(const BoundedBox& whole, const BoxedSpace& boxes, Box box, std::int64_t from) {
  BoundedBox part = bounded(boxes, std::move(box));
  part.reach = whole.reach;
  part.by_another = whole.by_another;
  part.from = from;
  return part;
}

std::optional<std::size_t> first_axis(const BoxedSpace& boxes, const Box& box, const Knobs& such) {
  for (std::size_t a = 0; a < boxes.axes().size(); ++a)
    if (box.has_range(a) && such(boxes.axes()[a].knob)) return a;
  return std::nullopt;
}

bool narrow(BoundedBox& box, Figure figure, double value, bool by_another) {
  std::optional<Estimate>& reach = box.reach.of(figure);
  if (reach && !worse(figure, value, reach->mean)) return false;
  reach = exact_estimate(value);
  box.by_another[static_cast<std::size_t>(figure)] = by_another;
  return true;
}

void narrow_to(BoundedBox& box, const Looked& looked) {
  for (const Figure f : kSimulatedFigures)
    if (const auto& best = looked.best.of(f)) narrow(box, f, best->mean, false);
  for (std::size_t f = 0; f < kFigures; ++f)
    if (!is_simulated(static_cast<Figure>(f))) box.reach.values[f] = looked.least.values[f];
}

void narrow_to(BoundedBox& top, const Assessed& found) {
  for (const Figure f : kSimulatedFigures)
    if (found.figures.of(f)) narrow(top, f, within_margin(found, f, found.figures.at(f)), false);
}

bool tighten(BoundedBox& box, const BoxedSpace& boxes, const Assessor& assessor, double slack, const Reached& reached) {
  const Assessed* known = assessor.best_known(box.from);
  if (known == nullptr || box.tightened_by == known) return false;
  box.tightened_by = known;
  const std::optional<Figures> priced = assessor.priced_as(*known, boxes.bottom_index(box.box));
  if (!priced) return false;
  bool changed = false;
  for (const Figure f : kSimulatedFigures) {
    const std::optional<Estimate>& value = priced->of(f);
    if (value) changed = narrow(box, f, bettered(f, reached(*known, f, *value), slack), true) || changed;
  }
  return changed;
}

double within_margin(const Assessed& known, Figure figure, double value) {
  const double utilization = known.figures.at(Figure::kUtilization);
  return utilization > 0.0 ? bettered(figure, value, known.margin / utilization) : value;
}

Level first_level(const Looked& looked) {
  if (looked.may_be_coarse) return Level::kCoarse;
  return looked.is_disturbed ? Level::kUndisturbed : Level::kAsGiven;
}

Level next_level(const BoundedBox& rough) {
  return rough.stage == Stage::kCoarse && rough.is_disturbed ? Level::kUndisturbed : Level::kAsGiven;
}

}  // namespace stallcast
