// How a simulation is to be done, whatever it simulates, and what it tells while it does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/result/run_result.h"
#include "core/result/trace.h"
#include "core/scenario/representatives.h"

namespace stallcast {

class KnownWalks;

// That one core simulates in about a second.
inline constexpr double kAffordableSamples = 6e6;

struct Progress {
  double simulated_s = 0.0;
  std::int64_t steps = 0;
  std::int64_t steps_wanted = 0;  // of the simulation at hand, as far as is known; 0 = not known
  Estimate gpu_utilization;       // so far; half-width 1 while unknown
  std::int64_t runs = 0;          // finished, those of the journal too
  std::int64_t runs_wanted = 0;   // 0 = none are drawn, or none yet
  std::int64_t draws = 0;         // of uncertain inputs, finished
  std::int64_t draws_wanted = 0;  // 0 = no input is uncertain, or none are drawn yet
};

struct RunOptions {
  std::optional<std::uint64_t> seed;   // overrides scenario.run.seed
  std::int64_t replications = 0;       // 0 = the scenario's; independent runs or, where something interrupts
                                       // the run, simulated runs; intervals are over them when > 1
  std::string journal;                 // file that finished simulated runs are kept in, "" = none: a killed run
                                       // goes on where it was
  bool find_optimal_interval = false;  // of checkpoints, whatever the cadence; where something interrupts
  bool exact = false;                  // every rank, sample and request; nothing stands for others
  double affordable_samples = kAffordableSamples;  // a run of no more is simulated whole, a longer one in parts
  bool coarse = false;                             // of a run that is only compared with others that are as coarse
  unsigned threads = 0;                            // for what can run side by side; 0 = one per core
  std::shared_ptr<KnownWalks> known;               // of runs that have much in common; null = nothing is kept
  Trace* trace = nullptr;                          // filled when not null (first replication)
  std::function<void(const Progress&)> progress;   // called now and then, by one thread at a time
  std::stop_token stop;                            // when requested, returns what is done, converged = false
};

}  // namespace stallcast
