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
  double widen = 1.0;          // of the storage's intervals, by the probe's grade
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

// `fit` as the storage of one node, which this machine is.
StorageSpec storage_of(const StorageFit& fit);

// Cores as the simulator needs them: those of the machine where they do not slow each other down, else as many whole
// ones as do the same work together.
double effective_cores(const BacktestInputs& inputs);

// `setting` on `files` as a scenario.
Scenario backtest_scenario(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting);

// The samples of `setting` in their order, sizes and decode times as they will be; latencies drawn by `seed`.
std::shared_ptr<const ReplayedDraws> backtest_draws(const Scenario& scenario, const BacktestInputs& inputs,
                                                    const SampleFiles& files, const LoaderSetting& setting,
                                                    std::uint64_t seed);

// **Model** the middle is the mean of simulations with the values measured; the interval is that of simulations with
// values drawn from theirs: the law of the storage as one (its covariance, widened by the probe's grade), the cost of
// decoding (the spread of its slices), and the luck of single reads.
// **Cost** tens of simulations.
Prediction predict(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed);

// Samples/s without any step: what the workers can deliver. One simulation.
double loader_capacity(const BacktestInputs& inputs, const SampleFiles& files, LoaderSetting setting);

}  // namespace stallcast
