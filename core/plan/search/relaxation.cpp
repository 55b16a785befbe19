#include "core/plan/search/relaxation.h"

#include <algorithm>

namespace stallcast {
namespace {

constexpr double kNear = 0.01;  // of the furthest: for less than that nobody pays more

}  // namespace

std::vector<Relaxation> relaxations(const Space& space, Assessor& assessor, const Goal& goal, bool over_quota,
                                    const SearchWatch& watch) {
  std::vector<Relaxation> out;
  for (std::size_t t = 0; t < goal.targets.size() && !assessor.stopped(); ++t) {
    Relaxation relaxed{goal.targets[t], std::nullopt, 0.0};
    const Figure figure = relaxed.asked.figure;
    if (!is_simulated(figure) && !over_quota) continue;
    Goal other = goal;
    other.objective = figure;
    other.wanted = 1;
    other.targets.erase(other.targets.begin() + static_cast<std::ptrdiff_t>(t));
    if (other.tolerance > 0.0) other.tolerance = std::max(other.tolerance, kNear);
    const BoxedSpace boxes(space);
    const auto search = [&](const Goal& wanted) {
      SearchOutcome found = find_best(boxes, assessor, wanted, watch);
      if (found.accepted.empty()) return false;
      relaxed.best = std::move(found.accepted.front());
      relaxed.reachable = confident_limit(*relaxed.best->figures.of(figure), figure, goal.confidence);
      return true;
    };
    if (search(other) && figure != goal.objective && is_simulated(figure) && goal.tolerance > 0.0) {
      Goal cheaper = goal;
      cheaper.wanted = 1;
      cheaper.targets[t].limit = bettered(figure, relaxed.reachable, -kNear);
      search(cheaper);
    }
    out.push_back(std::move(relaxed));
  }
  return out;
}

}  // namespace stallcast
