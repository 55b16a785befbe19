#include "core/scenario/representatives.h"

#include <algorithm>
#include <array>

namespace stallcast {

Grain grain_of(Coarseness coarseness) {
  constexpr std::array<std::int64_t, 3> kLoads = {0, 32, 16};  // in the order of Coarseness
  Grain grain;
  grain.loads_of_batch = kLoads[static_cast<std::size_t>(coarseness)];
  return grain;
}

Representatives representatives_of(const Scenario& s, Coarseness coarseness) {
  constexpr std::array<std::int64_t, 3> kDividedBy = {1, 4, 8};  // in the order of Coarseness
  const std::int64_t divided_by = kDividedBy[static_cast<std::size_t>(coarseness)];
  const std::int64_t gpus = std::max<std::int64_t>(1, s.cluster.gpus_per_node);
  const std::int64_t ranks = std::max<std::int64_t>(1, kFewestRanks / divided_by);
  const std::int64_t of = std::max<std::int64_t>(1, s.cluster.nodes);
  return {std::min(of, std::max({std::int64_t{1}, kFewestNodes / divided_by, (ranks + gpus - 1) / gpus})), of};
}

}  // namespace stallcast
