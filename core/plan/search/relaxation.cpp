#include "core/plan/search/relaxation.h"

namespace stallcast {

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
    const BoxedSpace boxes(space);
    SearchOutcome found = find_best(boxes, assessor, other, watch);
    if (!found.accepted.empty()) {
      relaxed.best = std::move(found.accepted.front());
      relaxed.reachable = confident_limit(*relaxed.best->figures.of(figure), figure, goal.confidence);
    }
    out.push_back(std::move(relaxed));
  }
  return out;
}

}  // namespace stallcast
