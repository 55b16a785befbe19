// A run of the real loader, predicted before it happens: the simulator on what the probe and the parts alone have
// shown.
#pragma once

#include <cstdint>
#include <memory>

#include "core/backtest/brackets.h"
#include "core/backtest/loader/machine_costs.h"
#include "core/backtest/loader/real_loader.h"
#include "core/backtest/loader/sample_files.h"
#include "core/calibrate/fit/storage_fit.h"
#include "core/model/loader/draws.h"
#include "core/result/estimate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// All that a prediction knows.
struct BacktestInputs {
  StorageFit storage;
  // Time of the storage for one file read alone from open to close, of whole files of `whole_file_bytes` on average, as
  // the probe saw it; 0 = not known.
  double whole_file_s = 0.0, whole_file_bytes = 0.0;
  int cores = 1;                            // that this process may use
  double decode_s_per_byte = 0.0;           // CPU time of one pass, alone on a core
  double decode_together_s_per_byte = 0.0;  // on all cores at once, each
  PaceBrackets pace;                        // empty = every core is always as fast
  // Time of reads over that which `storage` and whole_file_s give: of all of the storage's, and of a file read alone.
  double storage_times = 1.0, whole_file_times = 1.0;
  // Time of a file read alone after the storage has rested for `rest_s`, over that of one after another.
  double rested_times = 1.0, rest_s = 0.0;
  // Of the setting that is simulated, settled(): by how much each read takes longer, and the times of CPU work.
  double rested_delay_s = 0.0, core_times = 1.0;
  MachineNoise noise;
  MachineCosts costs;
  ReadCpu read_cpu;
};

// `inputs` with what `brackets` have shown of decoding, reading and noise. **Range** `brackets` not empty
BacktestInputs with_brackets(BacktestInputs inputs, const std::vector<Bracket>& brackets);

struct Prediction {
  Estimate samples_per_s;  // with the 95 % interval of one run
  Estimate utilization;
};

// What opening a file takes, beside its reads; without brackets.
double open_s_of(const BacktestInputs& inputs);

// The storage that this machine sees, as that of one node.
// **Model** the law of the fit, all of its times longer or shorter by storage_times; what a whole file takes alone
// beyond that law is the time of an open, what it takes less is taken off the latency.
StorageSpec storage_of(const BacktestInputs& inputs);

// By how much a read takes longer because the storage rests between two: it falls asleep (measured: the longer, the
// later its answer, linear to 5 ms).
// **Model** read_rested - read_alone of a rest of rest_s, in proportion to the rest that workers leave it: the time per
// file at which they can deliver, less that of a read.
double rested_delay_s(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting);

// Cores as the simulator needs them: those of the machine, or where they slow each other down by more than
// kMostSlowdown, as siblings in one core do, as many whole ones as do the same work together.
inline constexpr double kMostSlowdown = 1.25;
double effective_cores(const BacktestInputs& inputs);

// CPU time of work beside the other workers over that of work alone.
// **Model** cores that share caches, power or a host slow each other down in proportion to how many are busy: with n of
// c busy on average and w workers, one that runs has (w - 1) n / w others beside it, and with c - 1 others it is slower
// by decode_together / decode. 1 where effective_cores() says it all.
double core_times_of(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting);

// `inputs` with what depends on how busy the setting keeps the storage and the cores.
// **Cost** two simulations, in which nothing does.
BacktestInputs settled(BacktestInputs inputs, const SampleFiles& files, const LoaderSetting& setting);

// Turn of a thread on a core while others wait. **Model** a thread that wakes waits for the first of c busy cores whose
// turn ends, on average a turn / (c + 1) with ends spread evenly; the wait was measured, the turn follows.
Seconds time_slice_of(const BacktestInputs& inputs);

// `setting` on `files` as a scenario.
Scenario backtest_scenario(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting);

// The samples of `setting` in their order and sizes as they will be; latencies, and the pace of each worker's core,
// drawn by `seed`.
std::shared_ptr<const ReplayedDraws> backtest_draws(const Scenario& scenario, const BacktestInputs& inputs,
                                                    const SampleFiles& files, const LoaderSetting& setting,
                                                    std::uint64_t seed);

// **Model** the middle is the mean of simulations with the values measured; the interval is that of a run: simulations
// with values drawn from theirs, the law of the storage as one (its covariance, and the scatter that it leaves
// unexplained, both widened by the probe's grade), decoding and reading as much longer or shorter as brackets differed
// (Student's t), and the luck of single reads and slices.
// **Cost** tens of simulations.
Prediction predict(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed);

// Samples/s of one simulation with the values measured.
double middle_rate(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed);

// Samples/s without any step: what the workers can deliver. One simulation.
double loader_capacity(const BacktestInputs& inputs, const SampleFiles& files, LoaderSetting setting);

}  // namespace stallcast
