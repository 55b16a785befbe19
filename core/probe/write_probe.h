// What storage takes in: streams, blocks, fsync and new files, measured by writing into a directory of the probe's own.
//
// Asked for by name: nothing else in this program writes to storage that is to be measured. Within a limit of time and
// of bytes, in a ScratchDirectory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/probe/result/probe_options.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

enum class WriteMode {
  kBuffered,  // into the page cache, then an fsync
  kDirect,    // past it (O_DIRECT)
};

// So many streams, each a file of its own written in order.
struct WritePoint {
  WriteMode mode = WriteMode::kBuffered;
  int streams = 1;
  double block_bytes = 0.0;
  struct Visit {
    double bytes = 0.0;     // of all streams
    double write_s = 0.0;   // until all streams had written
    double synced_s = 0.0;  // until all were on storage
  };
  std::vector<Visit> visits;

  // Over all visits. **Units** bytes/s
  double write_rate() const;   // as a writer sees it that does not wait for storage
  double synced_rate() const;  // as one that does
  double flush_rate() const;   // of what was left when all had written; 0 where that is next to nothing
};

// What a small file costs.
struct FileCost {
  double count = 0.0;
  double mean_s = 0.0;
};

struct WriteProbeResult {
  std::string target;  // as the user named it
  std::string started, host, file_system;
  int cores = 0;
  double seconds = 0.0, bytes = 0.0;
  double allowed_seconds = 0.0, allowed_bytes = 0.0;
  bool interrupted = false;
  std::vector<WritePoint> points;
  FileCost sync;         // 4 KiB more of a file, and an fsync
  FileCost file;         // a file of 4 KiB: created, written, closed
  FileCost synced_file;  // the same with an fsync
  std::vector<ProbeFlaw> flaws;
  std::vector<std::string> notes;

  bool refused() const;
  double widen() const;
};

// The best of a mode, and of one stream; null where nothing was measured.
const WritePoint* best_point(const WriteProbeResult& result, WriteMode mode);
const WritePoint* one_stream(const WriteProbeResult& result, WriteMode mode);

// Measures the storage that `directory` is on. `begins` is told the directory that is written into, before anything is.
// One stream first, then twice as many until they gain less than 5 %; every point a second time, in another order.
// **Errors** WorldError: no such directory, nothing can be written there, the disk is full, a quota is used up; none of
// them leaves anything behind.
// **Checked by** tests/core/probe/write_probe_test.cpp
WriteProbeResult probe_writes(const std::filesystem::path& directory, const ProbeOptions& options,
                              const std::function<void(const std::filesystem::path&)>& begins);

// The flaws that its points show: "in_memory", "noisy", "too_few_bytes", "one_visit"; as grade.h weighs them.
std::vector<ProbeFlaw> write_flaws(const WriteProbeResult& result, bool in_memory);

}  // namespace stallcast
