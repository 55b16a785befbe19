// Live reads of a file, or of the files in a directory: what the storage under them can do.
#pragma once

#include <filesystem>

#include "core/probe/disk/file_reader.h"
#include "core/probe/result/probe_options.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

// Operating points of the storage that `target`, a file or a directory, is on, and the probe's grade of itself.
//
// Reads only; asks for no more than `options` allows, the kernel's counters of this process included (97 % of the time
// and 98 % of the bytes are planned with). Single requests come first, deeper ones until they gain less than 5 % twice
// in a row (probe_plan.h), one step on every ladder in turn; then all points again in another order, so that what
// changes with time is not taken for what changes with depth. Same seed, same positions.
// **Errors** WorldError when `target` holds nothing that can be read.
// **Checked by** tests/core/probe
ProbeResult probe_files(const std::filesystem::path& target, const ProbeOptions& options,
                        const FileReading& reading = {});

// One operating point of one file, measured as a probe measures it. **Errors** as probe_files.
struct PointWanted {
  AccessPattern pattern = AccessPattern::kRandom;  // kRandom or kSequential
  std::uint64_t block_bytes = kPageBytes;
  int in_flight = 1;
  double seconds = 1.0;
  std::uint64_t seed = 1;
};
ReadPoint measure_point(const std::filesystem::path& file, const PointWanted& wanted, const FileReading& reading = {});

}  // namespace stallcast
