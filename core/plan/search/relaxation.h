// When nothing keeps all targets: how far each one alone would have to give.
#pragma once

#include <optional>
#include <vector>

#include "core/plan/search/best_first.h"

namespace stallcast {

struct Relaxation {
  Target asked;
  std::optional<SizedPoint> best;  // that keeps all other targets; nothing: relaxing this target alone does not help
  double reachable = 0.0;          // what the figure is there, at the confidence asked for
};

// One for each target that is simulated or, where `over_quota`, known without.
// **Model** among points that keep the other targets (best_first.h), those whose figure is within 1 % of the best one;
// of them the best by the goal's own objective. With a tolerance of 0, the best of the figure.
std::vector<Relaxation> relaxations(const Space& space, Assessor& assessor, const Goal& goal, bool over_quota,
                                    const SearchWatch& watch);

}  // namespace stallcast
