// Large jobs by a part of their nodes: nodes that are alike are simulated as a few, each of which stands for many.
#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace stallcast {

// Nodes that are simulated of a job's nodes: all of them up to kFewestRanks ranks or kFewestNodes nodes.
struct Representatives {
  std::int64_t nodes = 1;
  std::int64_t of = 1;
  bool all() const { return nodes == of; }
  double share() const { return static_cast<double>(nodes) / static_cast<double>(of); }
};
inline constexpr std::int64_t kFewestRanks = 64;
inline constexpr std::int64_t kFewestNodes = 8;
Representatives representatives_of(const Scenario& scenario);

// The scenario of the simulated nodes alone. What all nodes share (a tier's rates, its caches, the origin, the service
// that copies) they have in proportion, so that a node's fair part is what it was; what a node has of its own it keeps.
// An epoch is as many steps and shards per rank as before. A lone writer of checkpoints stands for that part of
// itself: bytes and rate in proportion, so that it takes as long and leaves the tier as busy.
// **Checked by** FastPath tests against every rank simulated
Scenario represented(const Scenario& scenario, const Representatives& group);

}  // namespace stallcast
