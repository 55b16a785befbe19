// One row of the MLPerf Storage results as a scenario: the benchmark's loop with the parameters that a row may have.
//
// **Model** DLIO's training loop: every rank waits for a batch, sleeps for the compute time, joins a barrier. PyTorch
// reads with read_threads worker processes, each a batch at a time; tf.data is taken as as many workers. Samples of
// unet3d vary in size as generated, so that the barrier waits for the largest batch.
#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"
#include "core/validate/mlperf_table.h"

namespace stallcast {

// The physical parameters that reproduce one row; 0 = does not apply.
struct MlperfFit {
  Seconds framework_step;           // per step, alike on every rank, hidden by nothing
  Seconds host_serial_step;         // per step and rank, one after the other on a host
  BytesPerSecond host_read_cap;     // per host
  BytesPerSecond storage_read_cap;  // all hosts together
  Seconds first_batch;              // from the start of an epoch to its first batch, on average
  BytesPerSecond seen_read_rate;    // steady rate of the row: a lower bound of what its storage can do
  BytesPerSecond first_read_rate;   // rate while the first batches were loaded; 0 = not known
  double au = 0.0;                  // what the simulation gives for the row itself
};

// `row` under `fit`, ready to simulate. More than `most_ranks` are represented by as many, each with the share of the
// caps that stands for all (the serial work likewise).
// **Errors** none for rows of a table. **Checked by** MlperfTests.RepresentativesStandForAllRanks
Scenario mlperf_scenario(const MlperfRow& row, const MlperfFit& fit, std::int64_t most_ranks);

// AU by the published definition.
double simulate_mlperf_au(const MlperfRow& row, const MlperfFit& fit, std::int64_t most_ranks);

// samples/s by the published definition, first batch included: n * batch * N / (first batch + step + (n - 1) * step /
// AU).
// **Source** DLIO v1.0 statscounter.py, compute_metrics_train. n = 500 where the row does not say (the rules' minimum).
double mlperf_samples_per_s(const MlperfRow& row, double au, Seconds first_batch);
// The inverse: the time to the first batch that a row implies, never below 0.
Seconds mlperf_first_batch(const MlperfRow& row);

// Ranks per host; hosts are alike.
double mlperf_ranks_per_host(const MlperfRow& row);

// What several hosts add to every step: three lose 0.33 ms more than one with ResNet-50, 0.18 ms with CosmoFlow
// (models/collectives). Part of mlperf_scenario() beside the fit's framework_step.
Seconds mlperf_barrier(const MlperfRow& row);

}  // namespace stallcast
