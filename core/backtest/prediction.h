// A run of the real loader, predicted before it happens: the simulator on what the probe and the parts alone have
// shown.
#pragma once

#include <cstdint>
#include <memory>

#include "core/backtest/decode_work.h"
#include "core/backtest/machine_costs.h"
#include "core/backtest/real_loader.h"
#include "core/backtest/sample_files.h"
#include "core/calibrate/storage_fit.h"
#include "core/model/draws.h"
#include "core/result/estimate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// All that a prediction knows.
struct BacktestInputs {
  StorageFit storage;
  // Time of the storage for one file read alone from open to close, of whole files of `whole_file_bytes` on average, as
  // the probe saw it; 0 = not known.
  double whole_file_s = 0.0, whole_file_bytes = 0.0;
  int cores = 1;               // that this process may use
  DecodeCost decode_alone;     // on one core
  DecodeCost decode_together;  // on all cores at once, each
  MachineCosts costs;
  ReadCpu read_cpu;
};

struct Prediction {
  Estimate samples_per_s;  // with the 95 % interval of one run
  Estimate utilization;
};

// The storage that this machine sees, as that of one node.
// **Model** the law of the fit; what a whole file takes alone beyond that law is the time of an open.
StorageSpec storage_of(const BacktestInputs& inputs);

// Cores as the simulator needs them: those of the machine where they do not slow each other down, else as many whole
// ones as do the same work together.
double effective_cores(const BacktestInputs& inputs);

// Turn of a thread on a core while others wait. **Model** a thread that wakes waits for the first of c busy cores whose
// turn ends, on average a turn / (c + 1) with ends spread evenly; the wait was measured, the turn follows.
Seconds time_slice_of(const BacktestInputs& inputs);

// `setting` on `files` as a scenario.
Scenario backtest_scenario(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting);

// The samples of `setting` in their order, sizes and decode times as they will be; latencies drawn by `seed`.
std::shared_ptr<const ReplayedDraws> backtest_draws(const Scenario& scenario, const BacktestInputs& inputs,
                                                    const SampleFiles& files, const LoaderSetting& setting,
                                                    std::uint64_t seed);

// **Model** the middle is the mean of simulations with the values measured; the interval is that of simulations with
// values drawn from theirs: the law of the storage as one (its covariance, and the scatter that it leaves unexplained,
// both widened by the probe's grade), the cost of decoding (the spread of its slices), and the luck of single reads.
// **Cost** tens of simulations.
Prediction predict(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed);

// Samples/s without any step: what the workers can deliver. One simulation.
double loader_capacity(const BacktestInputs& inputs, const SampleFiles& files, LoaderSetting setting);

}  // namespace stallcast
