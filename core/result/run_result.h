// What a run measured: plain numbers, no simulator objects.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/calendar_result.h"
#include "core/result/input_spread.h"
#include "core/result/read_level.h"
#include "core/result/run_totals.h"

namespace stallcast {

// Why a GPU was not computing. Every lost GPU-second has exactly one cause.
enum class LostTime {
  kStartup,         // starting workers, epoch restart with empty queues
  kStorageLatency,  // waiting for a first byte or an open
  kStreamCap,       // a single stream's rate
  kClientCap,       // the node's client or NIC
  kTierBandwidth,   // the tier's aggregate bandwidth
  kCacheBandwidth,  // that of a cache, or of the origin and the service that copies from it
  kRequestRate,     // IOPS, metadata or request limits
  kCpuDecode,       // decode and collate on shared cores
  kLoaderOrder,     // a later batch is ready, the next in order is not
  kLoaderOverhead,  // next() itself: hand-off, pinning
  kHostToDevice,    // copy to the GPU
  kGpuDecode,       // the GPU decodes or decompresses samples instead of computing
  kBarrier,         // waiting for the slowest rank, and the all-reduce
  kCheckpoint,      // stopped for a checkpoint
  kValidation,      // validation pass (the GPU computes, but not training steps)
  kCount
};

constexpr std::size_t index(LostTime cause) { return static_cast<std::size_t>(cause); }

// Stable snake_case name used in JSON: "storage_latency", ...
std::string_view lost_time_name(LostTime cause);
// One human phrase: "waiting for first bytes from storage".
std::string_view lost_time_phrase(LostTime cause);
// What usually helps first against it, as an instruction: "more requests at once (loader.num_workers), ...".
std::string_view lost_time_remedy(LostTime cause);

struct StepTimes {
  double mean = 0.0;
  double p50 = 0.0;
  double p99 = 0.0;
};

// A stretch of the run in which every epoch is alike: the first (cold) epoch, the later (warm) ones.
struct RegimeResult {
  std::string name;     // "epoch 1", "epochs 2 to 90"
  double epochs = 0.0;  // how many
  Estimate gpu_utilization;
  double samples_per_s = 0.0;
  LevelShares served{};  // share of the reads that each level answers
  double time_s = 0.0;   // all of it
};

// How the dataset came to where the job reads it.
struct StagingResult {
  std::string method;      // "bulk", "lazy", "prefetch"; "" when it was there
  double listing_s = 0.0;  // of the origin's names
  double copy_s = 0.0;     // bulk: before the job; prefetch: of the job's time
  std::string limit;       // what sets copy_s: "storage_write_bandwidth", "files_per_s", ...; "" for lazy
  double bytes = 0.0;
  double files = 0.0;
};

// What the memory of one node holds. **Units** bytes
struct HostMemoryUse {
  double loader = 0.0;      // batches that loaders keep
  double page_cache = 0.0;  // room that the page cache of the dataset has; 0 = there is none
};

// **Definitions** (shapes are scalar unless said)
// - time_to_train_s: from the start of the job to its last step: listing, bulk copy, training, and all that interrupts
//   it (the mean over calendars). totals say each.
// - With regimes, every figure of the result is of the whole run: means weighted by the time (or the steps) that each
//   regime takes. Counts of what was simulated (steps, bytes, events) are sums.
// - gpu_utilization: compute time / wall time, mean over ranks, after warm-up removal (steady state).
// - With uncertain inputs every interval holds what they may truly be; inputs.simulation is that without.
// - au: sum of compute time / wall time of the whole simulated stretch, start-up included.
// - au_steady: the same from the end of step k0 = max(1, num_workers * prefetch_factor) to the end.
// - au_mlperf: MLPerf Storage's: per epoch, the first step left out, checkpoints outside the clock.
// - samples_per_s: samples of all ranks / wall time of the whole stretch.
// - lost_fraction[c]: GPU-seconds lost to cause c / GPU-seconds; they sum to 1 - utilization of the same stretch.
struct RunResult {
  std::uint64_t seed = 0;
  Estimate gpu_utilization;
  double au = 0.0;
  double au_steady = 0.0;
  double au_mlperf = 0.0;
  double samples_per_s = 0.0;
  double samples_per_s_steady = 0.0;
  double samples_per_s_mlperf = 0.0;  // MLPerf Storage v1.0: first batch in the denominator
  StepTimes step_time_s;
  double time_to_first_batch_s = 0.0;
  double simulated_s = 0.0;
  double time_to_train_s = 0.0;  // whole run, extrapolated from the simulated stretch; 0 when its length is not given
  std::int64_t steps = 0;        // per rank, simulated
  std::int64_t samples = 0;      // all ranks, simulated
  double read_bytes = 0.0;       // from storage
  double wanted_bytes = 0.0;     // of those, the bytes the samples needed
  double written_bytes = 0.0;
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> lost_fraction{};
  double cpu_busy_fraction = 0.0;      // of all cores of all nodes
  double storage_busy_fraction = 0.0;  // bytes moved / (read bandwidth * time); 0 when unlimited
  std::int64_t checkpoints = 0;
  double checkpoint_stop_s = 0.0;  // mean time that training stood still for one
  double goodput_fraction = 0.0;   // computing in steps that were kept / (GPUs * time_to_train_s)
  bool converged = false;          // the asked precision was reached, or the run was simulated whole
  RunTotals totals;                // of the whole run, for the bill
  CalendarResult calendar;         // what interrupts it
  StagingResult staging;
  HostMemoryUse host_memory;
  std::vector<RegimeResult> regimes;  // in order; empty when every epoch is alike, or each was simulated whole
  InputSpread inputs;                 // what uncertain inputs do to it
  std::uint64_t events = 0;
  double wall_s = 0.0;  // real time the simulation took
};

// Below this share of lost GPU time the GPUs themselves are the limit.
inline constexpr double kNegligibleLoss = 0.02;

// What holds the job back, as lost_time_name(): the cause that loses most, or "gpu" when less than kNegligibleLoss is
// lost in all.
std::string_view bottleneck_name(const RunResult& result);

}  // namespace stallcast
