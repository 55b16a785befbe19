// What a sample is on its way from storage to the GPU: how many bytes, in which order, and who works on it.
// The loader, the bound, and the checks of memory all ask here, so that they cannot disagree.
#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"

namespace stallcast {

// Samples follow one another inside a file: a grouped layout, and a loader that goes through its files.
bool reads_in_file_order(const Scenario& scenario);

// Requests of a sample wait for each other: page faults of a memory map without read-ahead, at a random place.
bool reads_page_by_page(const Scenario& scenario);

// Files that are read at a time by a stage of its own, before the threads of a pool or beside the workers of an
// iterable loader that reads ahead; 0 where whoever decodes samples also reads them.
std::int64_t reading_streams(const Scenario& scenario);

// Samples that a reading stream keeps ready.
// **Source** tensorflow/core/kernels/data/parallel_interleave_dataset_op.cc, buffer_output_elements: 2 * block_length
// + 1 unless set.
inline constexpr std::int64_t kStreamReadyMost = 3;

// Samples that a shuffle buffer holds before it gives away its next one, when it has given `given` this epoch; 1
// without a buffer. **Source** webdataset/filters.py, _shuffle: reads two for one until the buffer is full.
std::int64_t shuffled_before(const DatasetSpec& dataset, std::int64_t given);

// Batches of a rank that the loader makes ahead of the trainer at most, which an epoch starts without.
std::int64_t batches_ahead(const Scenario& scenario);

// Samples of a rank that a request for one of them brings along, at the most: what all streams have read and not yet
// asked for where samples lie in file order and are smaller than a request.
double samples_read_ahead(const Scenario& scenario);

// Mean bytes of a decompressed sample.
double decompressed_bytes(const Scenario& scenario);

// Mean bytes of a sample as the loader hands it over: what waits in host memory and is copied to the GPU. A GPU that
// decodes gets samples as they are on storage.
double handed_over_bytes(const Scenario& scenario);

// Bytes move from storage to GPU memory by DMA: nothing of a sample is ever in host memory.
bool bypasses_host(const Scenario& scenario);

// CPU time to decode and decompress a sample of `stored_bytes` whose decoding draw is `decode_s`; what is left of it
// when the GPU does.
double cpu_decode_s(const Scenario& scenario, double decode_s, double stored_bytes);

// GPU time to decompress a sample of `stored_bytes`; 0 when a CPU does.
double gpu_decompress_s(const Scenario& scenario, double stored_bytes);

// "storage of 10 GB/s" where no tier is named; "storage as described" where it has no rate either.
std::string storage_name(const StorageSpec& storage);

// The same with its capacity: "parallelstore 24 TiB".
std::string storage_text(const StorageSpec& storage);

// Whether reads may be faster than the storage's rate while its credit lasts.
bool has_bursts(const StorageSpec& storage);

// Seconds that one device of the storage takes to read `bytes` at the very best; 0 where its bandwidth has no limit.
// **Model** a burst spends the credit, full at first, with what it reads above the base rate:
//   (bytes - credit) / base, at least bytes / burst
double least_read_s(const StorageSpec& storage, double bytes);

}  // namespace stallcast
