// What became of a run's wall time: checkpoints, failures, and what it took to go on after them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result/estimate.h"

namespace stallcast {

// Where a second of the job's wall time went. Every second has exactly one.
enum class WallTime {
  kTraining,     // steps that were kept, with what they lost to data and barriers (LostTime says to what)
  kPreparation,  // listing names, copying the dataset before the first step
  kCheckpoint,   // training stood still for a checkpoint
  kBacklog,      // a checkpoint was due and the one before not yet written
  kRework,       // steps (and their checkpoints) after the last durable checkpoint, done again
  kDetection,    // failed, and nobody knew
  kReplacement,  // waiting for a spare, another machine, the end of an outage, or spot capacity
  kRestart,      // processes, communicators, compilation, first batch
  kRestore,      // reading the checkpoint
  kRehydration,  // copying the dataset back to a scratch file system that lost it
  kMaintenance,  // planned stops
  kCount
};
inline constexpr std::size_t kWallTimes = static_cast<std::size_t>(WallTime::kCount);

// "training", "checkpoint", ... and the phrase for people.
std::string_view wall_time_name(WallTime what);
std::string_view wall_time_phrase(WallTime what);
// The bucket that Google's ml-goodput-measurement library puts it in: "TOTAL" (productive) or a BadputType by name.
std::string_view goodput_bucket(WallTime what);

enum class Interruption { kFailure, kOutage, kDataLoss, kPreemption, kMaintenance, kCount };
inline constexpr std::size_t kInterruptions = static_cast<std::size_t>(Interruption::kCount);
std::string_view interruption_name(Interruption kind);  // "failure", ...

// One simulated run. **Identities** the times sum to wall_s; steps_done = steps kept + steps_lost.
struct SimulatedRun {
  double wall_s = 0.0;
  std::array<double, kWallTimes> time_s{};
  std::array<double, kInterruptions> interruptions{};
  double steps_lost = 0.0;          // done and done again
  double useful_gpu_s = 0.0;        // computing in steps that were kept
  double computed_gpu_s = 0.0;      // computing in all steps, those done again too
  double checkpoints = 0.0;         // completed on their first level
  double stored_checkpoints = 0.0;  // of those, completed on storage
  double exported_checkpoints = 0.0;
  double skipped_checkpoints = 0.0;  // due while the one before was being written
  double restores = 0.0;
  double restored_bytes = 0.0;  // read from storage to go on
  double rehydrations = 0.0;
  double unpaid_s = 0.0;      // of wall_s, without machines: waiting for spot capacity
  double staged_bytes = 0.0;  // copied from the origin again
};

// A stretch of steps that take the same time.
struct Pace {
  double until_step = 0.0;
  double step_s = 0.0;
  double compute_gpu_s = 0.0;  // per step, of all GPUs
};

// How a checkpoint behaves in the run at hand.
struct CheckpointBehaviour {
  double size = 0.0;  // bytes, all writers
  double interval_steps = 0.0;
  double interval_s = 0.0;             // training time between two
  double stop_s = 0.0;                 // training stands still for each, as simulated: data refilled meanwhile counts
  double slowdown_s = 0.0;             // more per checkpoint, because its write shares bandwidth with reads
  double write_s = 0.0;                // until it is on its first level: async from when training goes on, else from
                                       // its start
  double storage_s = 0.0;              // from its first level on to storage; 0 = storage is its first level
  double export_s = 0.0;               // from storage to the origin
  double restore_s = 0.0;              // read from storage by all who need it
  double first_level_restore_s = 0.0;  // read from the first level
};

// The interval that takes least wall time over the simulated runs, of those that are allowed.
struct OptimalInterval {
  double interval_s = 0.0;  // 0 = not asked for
  double wall_s = 0.0;      // at it
  double free_s = 0.0;      // what it would be if any interval were allowed
  double free_wall_s = 0.0;
  struct Point {
    double interval_s = 0.0;
    double wall_s = 0.0;  // mean over the same simulated runs
  };
  std::vector<Point> points;  // that were tried, by interval
  bool taken = false;         // by the run, cadence optimal; else it is told beside the run's own
};

struct TimelineResult {
  std::int64_t replications = 0;  // 0 = nothing interrupts this run and nothing else calls for simulating whole runs
  std::int64_t interrupted = 0;   // replications that were asked for and not done
  double mtti_s = 0.0;            // between interruptions by failures of nodes, of the job; 0 = none
  double ideal_s = 0.0;           // wall time without checkpoints and interruptions
  double startup_s = 0.0;         // of that, the first start of training; in time_s it is part of kRestart
  Estimate wall_s;
  double wall_p10_s = 0.0, wall_p90_s = 0.0;  // of replications
  Estimate goodput_fraction;                  // computing in kept steps / (GPUs * wall time), of the means
  Estimate ettr;                              // kept steps' training time / wall time (effective training time ratio)
  std::array<Estimate, kInterruptions> interruptions;     // per run
  std::array<double, kInterruptions> interruptions_sd{};  // over replications
  SimulatedRun mean;                                      // of all replications
  std::vector<Pace> paces;  // of the run without checkpoints, which the simulated runs move by
  CheckpointBehaviour checkpoint;
  OptimalInterval optimum;
};

}  // namespace stallcast
