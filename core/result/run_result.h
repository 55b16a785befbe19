// What a run measured: plain numbers, no simulator objects.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/input_spread.h"
#include "core/result/ledger.h"
#include "core/result/lost_time.h"
#include "core/result/read_level.h"
#include "core/result/run_totals.h"
#include "core/result/timeline_result.h"

namespace stallcast {

struct StepTimes {
  double mean = 0.0;
  double p50 = 0.0;
  double p99 = 0.0;
};

// A part of the run, step by step in which every epoch is alike: the first (cold) epoch, the later (warm) ones.
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

// **Definitions** (shapes are scalar unless said). All are sums over `ledger` (steps/figures.h).
// - time_to_train_s: from the start of the job to its end: listing, bulk copy, training with the validation pass of
//   each epoch, and all that interrupts it (the mean over simulated runs). totals say each. 0 when the length of the
//   run is not given.
// - gpu_utilization: of a run with a length, computing in steps that were kept over the time of all GPUs from the start
//   of the job to its end; of an endless run that of its steady state.
// - gpu_utilization_steady: the same without preparation, the first start of the loaders, rework and recovery.
// - useful_gpu_fraction: useful GPU time: computing in steps that were kept over all GPU time that is paid. It differs
//   from gpu_utilization where GPUs are not paid for while they wait (spot capacity, a copy before the hosts start) and
//   where others are paid for: spare machines, and what was reserved beyond the run.
// - With uncertain inputs every interval holds what they may truly be; inputs.simulation is that without.
// - au: compute time / wall time from the first iter() to the last step, start-up included.
// - au_steady: the same from the end of step k0 = max(1, num_workers * prefetch_factor) to the end.
// - au_mlperf: MLPerf Storage's: per epoch, the first step left out, checkpoints outside the clock.
// - samples_per_s: samples of all ranks / time_to_train_s; of an endless run those of its steady state.
// - step_time_s: steps times their mean are totals.training_s.
// - lost_fraction[c]: GPU-seconds lost to cause c / GPU-seconds; with gpu_utilization they sum to 1.
struct RunResult {
  std::uint64_t seed = 0;
  Estimate gpu_utilization;
  Estimate gpu_utilization_steady;
  double useful_gpu_fraction = 0.0;  // 0 when the length of the run is not given
  double after_last_step_s = 0.0;    // what ends the last epoch: its validation pass, and the end of its workers
  double au = 0.0;
  double au_steady = 0.0;
  double au_mlperf = 0.0;
  double samples_per_s = 0.0;
  double samples_per_s_steady = 0.0;
  double samples_per_s_mlperf = 0.0;  // MLPerf Storage v1.0: first batch in the denominator
  StepTimes step_time_s;
  double time_to_first_batch_s = 0.0;
  double simulated_s = 0.0;
  double time_to_train_s = 0.0;  // 0 when the length of the run is not given
  std::int64_t steps = 0;        // per rank, simulated
  std::int64_t samples = 0;      // all ranks, simulated
  double read_bytes = 0.0;       // from storage
  double wanted_bytes = 0.0;     // of those, the bytes the samples needed
  double written_bytes = 0.0;
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> lost_fraction{};
  double cpu_busy_fraction = 0.0;      // of all cores of all nodes, in training
  double storage_busy_fraction = 0.0;  // bytes moved / (read bandwidth * time); 0 when unlimited
  std::int64_t checkpoints = 0;
  double checkpoint_stop_s = 0.0;   // mean time that training stood still for one
  double goodput_fraction = 0.0;    // computing in steps that were kept / (GPUs * time_to_train_s)
  bool converged = false;           // precision reached and both halves alike, or simulated whole
  bool stopped = false;             // before its end, as asked: figures are of what was done
  bool whole = false;               // every step was simulated: nothing is drawn from a part
  std::vector<LedgerPhase> ledger;  // of the whole run; of an endless one what was simulated
  RunTotals totals;                 // of the whole run, for the bill
  TimelineResult timeline;          // what interrupts it
  StagingResult staging;
  HostMemoryUse host_memory;
  std::vector<RegimeResult> regimes;  // in order; empty when every epoch is alike, or each was simulated whole
  InputSpread inputs;                 // what uncertain inputs do to it
  std::uint64_t events = 0;
  double wall_s = 0.0;  // real time the simulation took
};

// Below this share of lost GPU time the GPUs themselves are the limit.
inline constexpr double kNegligibleLoss = 0.02;

// Whether checkpoints, interruptions or preparation take time of the GPUs beside training. The headline of such a run
// is its useful GPU time.
bool takes_time_beside_training(const RunResult& result);
// "Useful GPU time" or "GPU utilization"; the number is gpu_utilization.
std::string_view headline_name(const RunResult& result);

// What holds the job back, as lost_time_name(): the cause that loses most, or "gpu" when less than kNegligibleLoss is
// lost in all.
std::string_view bottleneck_name(const RunResult& result);

}  // namespace stallcast
