// One training job on the engine: ranks with their loaders, nodes with their cores, the storage tier, checkpoints.
//
// Topology: rank r sits on node r / gpus_per_node; a node has one core pool; all nodes share the tier.
// A step of a rank: next() -> copy to the GPU -> decode there, if it does -> compute, times gradient_accumulation; then
// the barrier of all ranks with what is left of the all-reduce; then, when due, a checkpoint.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/core_pool.h"
#include "core/engine/simulator.h"
#include "core/model/absent_nodes.h"
#include "core/model/checkpointer.h"
#include "core/model/loader/draws.h"
#include "core/model/loader/loader.h"
#include "core/model/loader/thread_loader.h"
#include "core/model/storage/course.h"
#include "core/model/storage/storage_tier.h"
#include "core/model/storage/trace_recorder.h"
#include "core/result/trace.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// What a storage tier and its caches have been asked for so far. **Units** bytes, requests
struct ReadCounts {
  double samples = 0.0;  // whose reads have begun
  LevelShares bytes{}, requests{};
  double tier_requests = 0.0, refused_requests = 0.0;
  double origin_bytes_of_run = 0.0;  // each as often as it stands for (StorageTier::stand_for)
};

// What happened, step by step; sums over ranks. **Shape** every vector has one entry per finished step.
struct StepLog {
  std::vector<double> compute_s;  // summed over ranks
  std::vector<double> end_s;      // clock when the last rank finished the step, and with an epoch's last step the epoch
  std::vector<std::array<double, static_cast<std::size_t>(LostTime::kCount)>> lost_s;  // summed over ranks
  std::vector<double> busy_core_s;                                                     // by then, of all cores
  std::vector<double> first_wait_s;            // by epoch, mean over ranks: epoch start to first batch on the GPU
  std::vector<std::int64_t> epoch_first_step;  // by epoch
  std::vector<double> epoch_start_s;           // by epoch
  std::vector<double> epoch_end_s;             // by epoch: end of its last step, without what follows
  std::vector<ReadCounts> epoch_reads;         // by epoch: what had been read before it
};

class TrainingModel {
 public:
  // `replay` may be null; so may `trace`, and `plan`: then storage answers all reads. `job`: the one whose nodes
  // `scenario` represents (representatives.h); null = there are no others. `course`: what is simulated of the run; null
  // = all of it. What is pointed to outlives the model.
  TrainingModel(const Scenario& scenario, std::uint64_t seed, std::shared_ptr<const ReplayedDraws> replay, Trace* trace,
                const ReadPlan* plan = nullptr, const Scenario* job = nullptr, const Course* course = nullptr,
                Grain grain = {});
  // One of several jobs on `storage`, on its simulator; both outlive the model. Built before anything runs.
  TrainingModel(SharedStorage& storage, const Scenario& scenario, std::uint64_t seed, const ReadPlan* plan,
                const Scenario* job = nullptr, Grain grain = {});
  TrainingModel(const TrainingModel&) = delete;
  TrainingModel& operator=(const TrainingModel&) = delete;

  Simulator& simulator() { return sim_; }

  // The run goes on after `step` steps that were done before: checkpoints are counted from there. Before run().
  void resume_after(std::int64_t step) { first_step_ = step; }

  // Starts the ranks without running the simulator: for one of several jobs. As run() otherwise; `keep_going` outlives
  // the simulation and stops all jobs when it is false.
  void start(std::int64_t max_steps, const std::function<bool(std::int64_t)>& keep_going);

  // Runs until every epoch is done, `max_steps` steps are, or `keep_going(steps)` (called after each step) is false.
  void run(std::int64_t max_steps, const std::function<bool(std::int64_t)>& keep_going);

  const StepLog& log() const { return log_; }
  const StorageTier& tier() const { return *tier_; }
  // What all steps together waited for nodes that are not simulated.
  double waited_for_absent_s() const { return to_seconds(waited_for_absent_); }
  const Checkpointer& checkpointer() const { return *checkpointer_; }
  ReadCounts reads() const;  // so far
  double busy_core_seconds() const;
  double cores() const;  // of all nodes, as their pools count them

 private:
  template <class AnyLoader>
  static Process run_rank(Simulator& sim, TrainingModel& model, AnyLoader& loader, std::int64_t rank);
  void wait_for_absent();
  double loaded_ahead_s() const;
  std::int64_t steps_since(SimTime time) const;
  double spare_s() const;
  void start_absent_over();
  CauseTimes lost_by_absent(bool drawn) const;
  void record_step(std::int64_t step, double compute_s, const CauseTimes& lost);
  // What comes between an epoch's last `step` and the end of the epoch is that step's.
  void record_after(std::int64_t step, const CauseTimes& lost);
  void stand_for_next(const EpochCourse& epoch, std::int64_t at);

  // On `shared`, or on a simulator and a storage system of its own where that is null.
  TrainingModel(SharedStorage* shared, const Scenario& scenario, std::uint64_t seed,
                std::shared_ptr<const ReplayedDraws> replay, Trace* trace, const ReadPlan* plan, const Scenario* job,
                const Course* course, Grain grain);

  std::unique_ptr<Simulator> own_sim_;
  Simulator& sim_;
  const Scenario* scenario_;
  Course own_course_;  // where none is given
  const Course* course_;
  Draws draws_;
  TraceRecorder trace_;
  std::unique_ptr<StorageTier> tier_;
  std::vector<std::unique_ptr<CorePool>> cores_;               // by node
  std::vector<std::unique_ptr<Loader>> loaders_;               // by rank, or empty
  std::vector<std::unique_ptr<ThreadLoader>> thread_loaders_;  // by rank, or empty
  std::vector<std::uint32_t> rank_tracks_;
  Barrier barrier_;
  CauseTimes slowest_lost_{};    // what the last rank at the barrier had lost in this step
  double exposed_sync_s_ = 0.0;  // barrier, and the all-reduce that compute does not hide, per step
  double copy_s_ = 0.0;          // host to device, per micro-batch
  double decompress_s_ = 0.0;    // on the GPU, per micro-batch
  bool gpu_decodes_ = false;
  StepLog log_;
  std::vector<std::int64_t> finished_;  // by step: ranks that finished it
  std::int64_t steps_done_ = 0;
  std::int64_t max_steps_ = 0;
  const std::function<bool(std::int64_t)>* keep_going_ = nullptr;
  std::unique_ptr<Checkpointer> checkpointer_;
  std::int64_t first_step_ = 0;

  // Nodes that are not simulated.
  AbsentNodes absent_;
  bool represents_ = false;
  std::vector<RankAtBarrier> at_barrier_;  // by rank
  double step_begin_s_ = 0.0;
  double spare_before_s_ = 0.0;  // spare_s() when steps of this kind began
  CauseTimes step_lost_{};       // of all simulated ranks in this step; kNever beyond the clock
  // Of the last rank at the barrier, over the steps in which no absent node was drawn to come later: what it lost by
  // cause, how much more that was than the mean rank's, and how much later than the mean it came.
  struct Slowest {
    std::array<double, std::tuple_size_v<CauseTimes>> lost_s{};
    double excess_s = 0.0, later_s = 0.0;
  };
  Slowest slowest_;
  SimTime absent_wait_ = 0;        // of the step at hand
  SimTime waited_for_absent_ = 0;  // of all steps
  bool has_copy_ = true;           // of the dataset, all of it, as of the last step
};

}  // namespace stallcast
