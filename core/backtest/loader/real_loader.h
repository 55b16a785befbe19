// One run of a small real data loader: reads the user's files, does decode-like work on them, and consumes batches in
// order with a step emulated by sleep, as MLPerf Storage does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "core/backtest/loader/host_state.h"
#include "core/backtest/loader/sample_files.h"
#include "core/probe/disk/huge_buffer.h"

namespace stallcast {

// Of one pread: a file is read in so many of them, one after the other, as when a probe reads whole files.
inline constexpr double kLargestRead = 1048576.0;

// What a run is. A workload is a row of settings that differ in their workers only.
struct LoaderSetting {
  std::string workload;
  std::int64_t workers = 0;
  std::int64_t prefetch_factor = 2;
  std::int64_t batch_size = 8;
  std::int64_t batches = 0;
  double decode_passes = 0.0;  // of decode() over each sample
  double step_s = 0.0;         // sleep per batch
  std::uint64_t seed = 1;      // order of the files

  std::int64_t samples() const { return batches * batch_size; }
};

// What came out.
struct LoaderRun {
  double wall_s = 0.0;   // from the start of the workers to the end of the last step
  double steps_s = 0.0;  // of it in steps, until the sleeping thread ran again, as MLPerf Storage counts
  double samples = 0.0;
  double bytes = 0.0;         // in those samples
  double device_bytes = 0.0;  // that the kernel read from devices for this process meanwhile
  HostUse use;
  std::string started;    // UTC
  bool finished = false;  // false: stopped before the last batch

  double samples_per_s() const { return wall_s > 0 ? samples / wall_s : 0.0; }
  double utilization() const { return wall_s > 0 ? steps_s / wall_s : 0.0; }
};

// Reads files past the page cache where the file system can (O_DIRECT), else after asking the kernel to forget them.
class SampleReaderBuffer {
 public:
  explicit SampleReaderBuffer(double largest_bytes);
  SampleReaderBuffer(const SampleReaderBuffer&) = delete;
  SampleReaderBuffer& operator=(const SampleReaderBuffer&) = delete;

  // The content of `file`, valid until the next call. In preads of kLargestRead.
  // **Errors** WorldError when the file is gone, unreadable or shorter than it was.
  std::span<const std::byte> read(const SampleFile& file);

  bool direct() const { return direct_; }  // of the last file read

 private:
  HugeBuffer buffer_;
  std::byte* memory_;
  bool direct_ = true;
};

// Runs `setting` on `files` in the order that its seed gives.
// **Errors** WorldError of a file, or when there is no memory or no thread to be had.
LoaderRun run_real_loader(const SampleFiles& files, const LoaderSetting& setting, const std::stop_token& stop = {});

// Sleeps until `seconds` after now, to the microsecond where the kernel can; returns early when stopped.
void sleep_step(double seconds, const std::stop_token& stop);

// Makes sleeps of the calling thread end when they should, not up to 50 us later.
void sharpen_sleeps();

}  // namespace stallcast
