#include "core/scenario/host_memory.h"

#include <algorithm>

#include "core/scenario/data_path.h"

namespace stallcast {

LoaderHostMemory loader_host_memory(const Scenario& s) {
  if (bypasses_host(s)) return {};
  const LoaderSpec& l = s.loader;
  const auto count = [](std::int64_t n) { return static_cast<double>(n); };
  const double ranks = count(s.cluster.gpus_per_node);
  const double handed_over = handed_over_bytes(s);
  const double batch = count(s.workload.batch_size) * handed_over;
  const double stored = mean_of(s.dataset.sample_size);
  const bool threads = l.style == LoaderStyle::kThreads;
  const bool buffers = s.dataset.shuffle == Shuffle::kBuffer;

  LoaderHostMemory node;
  node.in_use = bytes(ranks * batch);
  if (l.num_workers == 0) return node;
  node.prefetched = bytes(ranks * batch * count(batches_ahead(s) + (threads ? 1 : 0)));
  if (l.pin_memory) node.pinned = bytes(ranks * batch);
  if (threads) {
    const double streams = count(reading_streams(s));
    node.samples = bytes(ranks * (count(l.num_workers) * handed_over + streams * count(kStreamReadyMost + 1) * stored));
  }
  if (l.style == LoaderStyle::kIterable)
    node.samples = bytes(ranks * count(l.num_workers) * count(l.read_ahead) * stored);
  // A map dataset is shuffled by its indices, an unread list of files by its names: only samples that were read wait.
  const bool holds = l.style == LoaderStyle::kIterable || (threads && reading_streams(s) > 0);
  if (buffers && holds)
    node.shuffled = bytes(ranks * (threads ? 1.0 : count(l.num_workers)) * count(s.dataset.shuffle_buffer) * stored);
  return node;
}

HostMemory host_memory(const Scenario& s) {
  const double memory = s.cluster.memory_per_node.base();
  HostMemory out;
  out.loader = loader_host_memory(s);
  out.reserve = bytes(kMemoryReserve * memory);
  out.free = bytes(std::max(0.0, memory - out.reserve.base() - out.loader.total().base()));
  return out;
}

}  // namespace stallcast
