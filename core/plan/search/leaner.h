// Of configurations that are practically as good, the one that loads with the least.
#pragma once

#include "core/plan/search/best_first.h"

namespace stallcast {

// The point with the fewest workers, and then the fewest prefetched batches, that differs from `best` in them alone,
// keeps the targets and is worse than it by no more than goal.tolerance; `best` where there is none.
// **Model** bisection: exact where fewer never help.
// **Cost** about log2 of the choices of both, simulations.
SizedPoint leaner(const BoxedSpace& boxes, Assessor& assessor, const Goal& goal, const SizedPoint& best);

}  // namespace stallcast
