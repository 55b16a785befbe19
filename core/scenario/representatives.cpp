#include "core/scenario/representatives.h"

#include <algorithm>

namespace stallcast {

Representatives representatives_of(const Scenario& s, bool coarse) {
  const std::int64_t divided_by = coarse ? 8 : 1;
  const std::int64_t gpus = std::max<std::int64_t>(1, s.cluster.gpus_per_node);
  const std::int64_t ranks = std::max<std::int64_t>(1, kFewestRanks / divided_by);
  const std::int64_t of = std::max<std::int64_t>(1, s.cluster.nodes);
  return {std::min(of, std::max({std::int64_t{1}, kFewestNodes / divided_by, (ranks + gpus - 1) / gpus})), of};
}

}  // namespace stallcast
