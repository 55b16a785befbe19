// What the memory of a node is used for.
#pragma once

#include "core/scenario/scenario.h"

namespace stallcast {

// Share of the memory that neither loaders nor the page cache get: operating system, trainer processes, libraries.
// Assumed; `free -h` during a job shows it.
inline constexpr double kMemoryReserve = 0.1;

struct HostMemory {
  Bytes loader;   // batches of all ranks of the node that are loaded ahead, and the one in use
  Bytes reserve;  // kMemoryReserve of the memory
  Bytes free;     // what is left, for the page cache; 0 when the memory is not stated
};

// **Model** loader = gpus * (workers * prefetch + 1, and 1 being pinned) * batch * tensor
HostMemory host_memory(const Scenario& scenario);

}  // namespace stallcast
