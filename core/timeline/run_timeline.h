// The outer time scale: a run from its first step to its last over hours to months, with its checkpoints, what
// interrupts it, and what it takes to go on. Nothing here simulates a step: how the job moves while nothing happens is
// asked of a Trainer, which knows it from the inner simulation.
//
//   train until something interrupts, or the end
//     -> what is the latest state that survived?  steps after it are lost and done again
//     -> detection -> spare, replacement or end of the outage -> restart -> (dataset back) -> restore -> train
//
// An interruption during recovery starts recovery over.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/result/timeline_log.h"
#include "core/result/timeline_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The time, in seconds, of what does not happen.
inline constexpr double kNotAtAll = std::numeric_limits<double>::infinity();

// What a stretch of training takes of the wall time, and does. All sums. **Units** seconds; GPU-seconds of all GPUs
struct TrainingLedger {
  double training_s = 0.0;
  double checkpoint_s = 0.0;
  double backlog_s = 0.0;
  double startup_s = 0.0;  // until the loaders have caught up
  double computed_gpu_s = 0.0;
  double wall_s() const { return training_s + checkpoint_s + backlog_s + startup_s; }
  TrainingLedger& operator+=(const TrainingLedger& other);
  TrainingLedger& operator-=(const TrainingLedger& other);
};

// The state after `step` steps, and since when it is safe where. **Units** seconds on the run's clock; infinite = never
struct SavedState {
  double step = 0.0;
  double first_level_at = 0.0;
  double storage_at = 0.0;
  double exported_at = 0.0;
  TrainingLedger spent;  // up to that step, since training last began
};

// Training without a break, as far as it got.
struct TrainingSession {
  double step = 0.0;      // reached; a part of a step counts
  bool finished = false;  // all steps are done
  bool stopped = false;   // somebody asked for it: what was reached says nothing
  TrainingLedger spent = {};
  std::vector<SavedState> saved;  // in order
  double checkpoints = 0.0, stored = 0.0, exported = 0.0, skipped = 0.0;
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  // From `step` at `now` until `until` on the run's clock, or to the last step. `session` is overwritten.
  virtual void train(double step, double now, double until, TrainingSession& session) = 0;
};

// What recovery takes, and how training moves.
struct TimelineInput {
  double steps = 0.0;  // of the run
  std::vector<Pace> paces;
  double startup_s = 0.0;      // each time training begins: workers start, queues fill
  double preparation_s = 0.0;  // before the first step
  double rehydration_s = 0.0;  // copy of the dataset back to storage
  double rehydrated_bytes = 0.0;
  double restore_bytes = 0.0;  // read from storage
  CheckpointBehaviour checkpoint;
};

// Moves by the numbers of `input`, checkpoint after checkpoint. The input and the scenario must outlive it.
std::unique_ptr<Trainer> paced_trainer(const Scenario& scenario, const TimelineInput& input, std::uint64_t seed,
                                       std::uint64_t replication);

// One replication. **Identities** SimulatedRun's. A run that takes kLongestRun times its ideal time, or more than
// kMostInterruptions, is going nowhere: it ends there, with wall_s infinite. What happens when goes to `log`, if any.
inline constexpr double kLongestRun = 1000.0;
inline constexpr std::int64_t kMostInterruptions = 1'000'000;
SimulatedRun simulate_timeline(const Scenario& scenario, const TimelineInput& input, Trainer& trainer,
                               std::uint64_t seed, std::uint64_t replication, TimelineLog* log = nullptr);

}  // namespace stallcast
