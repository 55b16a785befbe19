// What ranks pay to agree on gradients.
#pragma once

#include <cstdint>

#include "core/units/quantity.h"

namespace stallcast {

// Time of a bandwidth-bound all-reduce of `gradients` bytes per GPU over `nodes` machines with `gpus_per_node` GPUs,
// each of which has `link` bytes/s per direction to the other machines.
// **Model** each machine first reduces among its own GPUs, so that every GPU holds the sum of 1/gpus_per_node of the
// bytes;
//   each then runs a ring with its peers of the other machines: 2 (n - 1) / n * gradients / gpus_per_node / link. What
//   happens inside a machine (NVLink, several times faster than its network) takes no time here.
// **Range** 0 for one machine, for no bytes, and for link 0 (not stated).
// **Source** Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms", JPDC 69(2), 2009; hierarchical as in Jia et
// al., "Highly scalable deep learning training system with mixed-precision", 2018.
// **Checked by** TrainingModel.TheRingAllReduceThatComputeDoesNotHide
Seconds all_reduce_time(Bytes gradients, std::int64_t nodes, std::int64_t gpus_per_node, BytesPerSecond link);

}  // namespace stallcast
