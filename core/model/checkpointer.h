// Checkpoints of a running job: who writes what when, where to, and how long training stands still for it.
//
//   after a step at which one is due, by the cadence or by the course:
//     sync    stop -> plan -> writers make and write to the first level -> barrier -> commit -> go on
//     async   (wait for, or skip because of, the write before) -> snapshot to host memory -> go on; plan, write and
//     commit beside training
//   every storage_every-th goes on from the first level to storage beside training, each writer one after the other;
//   every export_every-th of those is copied on to the origin by the storage itself.
//
// Writing to storage has the stages of checkpoint_stages.h; what is left in the page cache goes on beside training, and
// its writer is busy until it is on the device. Writes to storage share its caps with reads,
// those to a peer's memory the cards of both nodes, and those to local NVMe the device with whatever else is written to
// it. An export is timed alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/simulator.h"
#include "core/model/storage/course.h"
#include "core/model/storage/storage_tier.h"
#include "core/scenario/checkpoint_stages.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// One checkpoint. **Units** seconds on the simulation's clock; kNotThere where it has not got.
struct CheckpointLog {
  static constexpr double kNotThere = -1.0;
  std::int64_t step = 0;             // counted from 1: the state after that many steps
  std::int64_t number = 0;           // of the run's checkpoints, from 1
  double due_s = 0.0;                // training stops
  double backlog_s = 0.0;            // of the stop: waiting for the write before
  double resumed_s = 0.0;            // training goes on
  double first_level_s = kNotThere;  // all of it is on the first level
  double storage_s = kNotThere;      // on storage
  double exported_s = kNotThere;     // at the origin
};

class Checkpointer {
 public:
  // `job`: the one whose nodes `scenario` represents, or the same. Node 0 writes the largest parts, the other nodes
  // share the rest evenly. What rank 0 writes alone, or a rank of node 0 more than those of other nodes, nobody else
  // stands for: of it the share of the nodes that are simulated goes to shared storage and is counted, at that share of
  // the rate of one writer. `course` outlives it.
  Checkpointer(Simulator& sim, const Scenario& scenario, const Scenario& job, const Course& course, StorageTier& tier,
               Barrier& ranks);
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  Simulator& simulator() { return *sim_; }

  // Every rank, after each of its steps (counted from 1 since the start of the run): returns when training goes on.
  Task<void> after_step(std::int64_t rank, std::int64_t step);

  // Finished stops in order; the last ones may not be written yet.
  const std::vector<CheckpointLog>& log() const { return log_; }
  std::int64_t skipped() const { return skipped_; }

 private:
  struct Writer {
    bool writing = false;   // to the first level
    bool draining = false;  // on to storage
    std::unique_ptr<Signal> free;
  };
  struct Pending {                              // of log_, by checkpoint
    std::int64_t first_level = 0, storage = 0;  // writers that are not there yet
    bool goes_to_storage = false, exported = false;
  };

  static Process write_beside(Simulator& sim, Checkpointer& self, std::int64_t rank, std::size_t checkpoint);
  static Process flush_beside(Simulator& sim, Checkpointer& self, std::int64_t rank, std::size_t checkpoint);
  static Process drain_beside(Simulator& sim, Checkpointer& self, std::int64_t rank, std::size_t checkpoint);
  static Process export_beside(Simulator& sim, Checkpointer& self, std::size_t checkpoint);
  enum class Beside : std::uint8_t { kNothing, kTraining };
  double bytes_of(std::int64_t rank, Beside beside) const;
  Task<void> write_first_level(std::int64_t rank, Beside beside);
  Task<void> write_storage(std::int64_t rank, Beside beside);
  Task<void> move_to_storage(std::int64_t rank, double size);
  void written(std::int64_t rank, std::size_t checkpoint);
  std::int64_t number_due(std::int64_t step);
  bool begin(std::int64_t step, std::int64_t number);
  void reached_first_level(std::int64_t rank, std::size_t checkpoint);
  void reached_storage(std::size_t checkpoint);
  bool writes(std::int64_t rank) const { return bytes_of_[static_cast<std::size_t>(rank)] > 0.0; }
  bool busy(const Writer& writer, bool for_storage) const { return writer.writing || (for_storage && writer.draining); }
  double seconds_now() const { return to_seconds(sim_->now()); }

  Simulator* sim_;
  const Scenario* scenario_;
  const CheckpointSpec* spec_;
  WriteStages stages_;
  StorageTier* tier_;
  Barrier* ranks_;
  std::vector<double> bytes_of_;  // by rank
  std::int64_t writers_ = 0;
  double usual_bytes_ = 0.0;  // of a rank that is not on node 0
  double share_ = 1.0;        // of the job's nodes, that are simulated
  double export_s_ = 0.0;
  bool to_first_level_ = false;  // that is not storage
  double epoch_steps_ = 0.0;
  const Course* course_;
  std::size_t next_planned_ = 0;
  std::int64_t timed_ = 0;         // by the clock, so far
  SimTime last_ = 0;               // when training last went on after one, or a due one was skipped
  std::int64_t current_step_ = 0;  // of the last decision
  bool current_saves_ = false;
  bool current_stores_ = false;
  std::int64_t skipped_ = 0;
  std::vector<Writer> writers_state_;  // by rank
  std::vector<CheckpointLog> log_;
  std::vector<Pending> pending_;
};

// Seconds that a copy of `size` bytes from storage to the origin takes by itself.
double export_time(const Scenario& scenario, double size);

}  // namespace stallcast
