#include "core/plan/search/leaner.h"

#include <algorithm>

namespace stallcast {
namespace {

// The place of a choice in the order of its axis, and the first of its segment.
struct Place {
  std::int64_t at = 0, first = 0;
};

Place place_of(const OrderedAxis& axis, std::int64_t choice) {
  Place place;
  place.at = std::find(axis.order.begin(), axis.order.end(), choice) - axis.order.begin();
  for (const std::int64_t start : axis.segment_starts)
    if (start <= place.at) place.first = start;
  return place;
}

bool good_enough(Assessor& assessor, const Goal& goal, std::int64_t index, Level level, double limit) {
  assessor.simulate_all({{index, level}});
  const Assessed* found = assessor.find(index, level);
  return found != nullptr && found->figures.of(goal.objective) &&
         !first_missed(goal.targets, found->figures, goal.confidence) &&
         keeps({goal.objective, limit}, found->figures.at(goal.objective));
}

}  // namespace

SizedPoint leaner(const BoxedSpace& boxes, Assessor& assessor, const Goal& goal, const SizedPoint& best) {
  const Space& space = assessor.space();
  const double value = best.figures.at(goal.objective);
  const double limit =
      higher_is_better(goal.objective) ? value * (1.0 - goal.tolerance) : value * (1.0 + goal.tolerance);
  std::vector<std::int64_t> choices = space.choices_at(best.index);
  for (const Knob knob : {Knob::kWorkers, Knob::kPrefetch}) {
    for (std::size_t a = 0; a < choices.size(); ++a) {
      const OrderedAxis& axis = boxes.axes()[a];
      if (axis.knob != knob) continue;
      Place place = place_of(axis, choices[a]);
      while (place.first < place.at) {
        const std::int64_t middle = place.first + (place.at - place.first) / 2;
        std::vector<std::int64_t> tried = choices;
        tried[a] = axis.order[static_cast<std::size_t>(middle)];
        if (good_enough(assessor, goal, space.index_of(tried), Level::kAsGiven, limit)) {
          place.at = middle;
        } else {
          place.first = middle + 1;
        }
      }
      choices[a] = axis.order[static_cast<std::size_t>(place.at)];
    }
  }
  const std::int64_t index = space.index_of(choices);
  if (index == best.index || assessor.stopped()) return best;
  const Level level = best.with_uncertain_inputs ? Level::kUncertain : Level::kAsGiven;
  if (!good_enough(assessor, goal, index, level, limit)) return best;
  const Assessed& found = *assessor.find(index, level);
  return {index, space.point(index), found.figures, found.bottleneck, best.with_uncertain_inputs};
}

}  // namespace stallcast
