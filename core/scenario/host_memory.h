// The memory of a node that its loaders fill: what the page cache and the rest of the job do without.
#pragma once

#include "core/scenario/scenario.h"
#include "core/units/quantity.h"

namespace stallcast {

// Per node, all ranks of it, when every queue is full. Code, libraries and the interpreter are not in it.
struct LoaderHostMemory {
  Bytes prefetched;  // batches ready or being made ahead of the trainer
  Bytes in_use;      // the batch that the trainer has taken
  Bytes pinned;      // the batch that is being copied to pinned memory, beside the one it is copied from
  Bytes samples;     // single samples, read ahead or decoded by a pool of threads and not yet in a batch
  Bytes shuffled;    // samples in shuffle buffers, as they are on storage

  Bytes total() const { return prefetched + in_use + pinned + samples + shuffled; }
};

// **Model** batch = batch_size * handed_over_bytes(). Processes (map, iterable): num_workers * prefetch_factor batches,
// and read_ahead samples and a shuffle buffer in every worker. Threads: prefetch_factor batches and the one being
// assembled, num_workers samples decoded, kStreamReadyMost samples of every reading stream and the one it reads, one
// shuffle buffer. Without workers: the batch in use. With GPUDirect Storage: nothing, the bytes are in the memory of
// the GPU.
// **Units and shape** bytes of one node.
// **Cost** constant.
// **Checked by** tests/core/scenario/host_memory_test.cpp
LoaderHostMemory loader_host_memory(const Scenario& scenario);

// Share of the memory that neither loaders nor the page cache get: operating system, trainer processes, libraries.
// Assumed; `free -h` during a job shows it.
inline constexpr double kMemoryReserve = 0.1;

// What the memory of a node is used for.
struct HostMemory {
  LoaderHostMemory loader;
  Bytes reserve;  // kMemoryReserve of the memory
  Bytes free;     // what is left, for the page cache; 0 when the memory is not stated
};
HostMemory host_memory(const Scenario& scenario);

}  // namespace stallcast
