// The scenario of the few nodes that stand for a large job's (core/scenario/representatives.h).
#pragma once

#include "core/scenario/representatives.h"

namespace stallcast {

// The scenario of the simulated nodes alone. What all nodes share (a tier's rates, its caches, the origin, the service
// that copies) they have in proportion, so that a node's fair part is what it was; what a node has of its own it keeps.
// An epoch is as many steps and shards per rank as before. A lone writer of checkpoints shares a tier as that part
// of itself: bytes and rate in proportion, so that it takes as long and leaves the tier as busy.
// **Checked by** FastPath tests against every rank simulated
Scenario represented(const Scenario& scenario, const Representatives& group);

}  // namespace stallcast
