#include "core/scenario/representatives.h"

#include <algorithm>

namespace stallcast {

Representatives representatives_of(const Scenario& s) {
  const std::int64_t gpus = std::max<std::int64_t>(1, s.cluster.gpus_per_node);
  const std::int64_t for_ranks = kFewestRanks / gpus + (kFewestRanks % gpus != 0 ? 1 : 0);
  const std::int64_t of = std::max<std::int64_t>(1, s.cluster.nodes);
  return {std::min(of, std::max(kFewestNodes, for_ranks)), of};
}

}  // namespace stallcast
