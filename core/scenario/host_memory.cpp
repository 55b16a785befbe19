#include "core/scenario/host_memory.h"

#include <algorithm>

namespace stallcast {

HostMemory host_memory(const Scenario& s) {
  const LoaderSpec& l = s.loader;
  const double tensor =
      s.dataset.tensor_size.base() > 0.0 ? s.dataset.tensor_size.base() : mean_of(s.dataset.sample_size);
  const std::int64_t ahead = l.num_workers * l.prefetch_factor;
  const std::int64_t batches = ahead + 1 + (l.pin_memory && l.num_workers > 0 ? 1 : 0);
  const double memory = s.cluster.memory_per_node.base();
  HostMemory out;
  out.loader = bytes(static_cast<double>(s.cluster.gpus_per_node * batches * s.workload.batch_size) * tensor);
  out.reserve = bytes(kMemoryReserve * memory);
  out.free = bytes(std::max(0.0, memory - out.reserve.base() - out.loader.base()));
  return out;
}

}  // namespace stallcast
