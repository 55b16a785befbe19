// Which of many configurations are worth a look: those that no other one beats in everything.
#pragma once

#include <cstddef>
#include <vector>

#include "core/plan/evaluate/figures.h"

namespace stallcast {

// Positions in `points` of those that no other equals in every one of `by` and betters in one, by the means; ordered by
// by.front(), best first, then by position. Of points that are equal in all of them only the first is there. A point
// without one of the figures is never there.
// **Cost** O(n * front)
std::vector<std::size_t> pareto_front(const std::vector<Figures>& points, const std::vector<Figure>& by);

}  // namespace stallcast
