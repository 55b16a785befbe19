// GPU utilization against the number of loader workers: how many are enough, and the memory that they need.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/pairs/paired_trials.h"
#include "core/result/estimate.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

struct WorkerPoint {
  std::int64_t num_workers = 0;  // per GPU
  Estimate gpu_utilization;
  double loader_bytes = 0.0;  // batches that the loaders of one node keep, HostMemoryUse::loader
};

struct WorkerCurve {
  std::vector<WorkerPoint> points;  // ascending; those that were simulated
  std::int64_t knee = 0;            // fewest workers within kKneeLoss of the best; 0 when nothing was simulated
  bool complete = true;             // false when stopped
};
inline constexpr double kKneeLoss = 0.01;

// The numbers that are tried first: 1, 2, 4, 8, ... up to twice the cores of a GPU and twice what the scenario has, and
// that itself. At most kMostWorkersTried.
std::vector<std::int64_t> worker_counts(const Scenario& scenario);

// **Model** `job`, which has its inputs as given (for_changes), at each of worker_counts(), then half-way between the
// knee and the number below it, by `trials` of it.
// **Errors** as simulate(). **Cost** about 10 coarse simulations
WorkerCurve worker_curve(const Scenario& job, const PairedTrials& trials, const RunOptions& options);

}  // namespace stallcast
