// Which settings a backtest runs: workloads with different limits, each over the same numbers of workers, with steps
// chosen from the prediction so that every curve goes from starved to saturated, within time and bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/backtest/prediction.h"

namespace stallcast {

struct BacktestSweepOptions {
  std::vector<std::int64_t> workers;  // empty = chosen: 0, 1, 2, 3, 4, 6, 8, ... up to twice the cores
  std::int64_t batch_size = 8;
  std::int64_t prefetch_factor = 2;
  double decode_s = 0.002;       // mean per sample, alone on a core
  std::optional<double> step_s;  // none = chosen
  double seconds = 45.0;         // all runs together
  double bytes = 8.0 * 1073741824.0;
  int repeats = 2;  // of each setting
  std::uint64_t seed = 1;
};

// A curve: settings that differ in their workers.
struct Workload {
  std::string name;   // "decode", ...
  std::string about;  // one clause: what limits it
  double decode_s = 0.0;
  double step_s = 0.0;
  std::vector<LoaderSetting> settings;  // ascending workers
};

// 0, 1, 2, 3, 4, then half as many again each time, up to twice the cores and what fits into `memory_bytes` (0 = not
// known) at `largest_sample` bytes per worker.
std::vector<std::int64_t> worker_counts(int cores, double largest_sample, double memory_bytes);

// **Model** with C(w) the samples/s that w workers can deliver (loader_capacity) and W the most workers:
// - "decode": decoding; a step takes batch / sqrt(C(1) C(W)), so that few workers starve it and many saturate it;
// - "read": no decoding, else as "decode";
// - "starved": decoding, a quarter of the time in which W workers deliver a batch: never saturated;
// - "step": decoding, twice the time in which one worker delivers a batch: saturated by one.
// A step time that is given leaves "decode" and "read". A run lasts an equal share of the time; where the bytes do not
// suffice for that, the runs that read most are shortened; a run is a batch at least.
std::vector<Workload> plan_sweep(const BacktestInputs& inputs, const SampleFiles& files,
                                 const BacktestSweepOptions& options);

// Bytes that all runs of `workloads` will read, to the byte; more than options.bytes only where a batch per run is.
double sweep_bytes(const std::vector<Workload>& workloads, const SampleFiles& files, int repeats);

}  // namespace stallcast
