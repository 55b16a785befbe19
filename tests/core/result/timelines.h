// A run timeline made by hand, with numbers that are easy to add up.
#pragma once

#include "core/result/timeline_result.h"

namespace stallcast::runs {

inline double& part(SimulatedRun& run, WallTime what) { return run.time_s[static_cast<std::size_t>(what)]; }
inline double& kind(SimulatedRun& run, Interruption what) { return run.interruptions[static_cast<std::size_t>(what)]; }

// 10,000 s: 9,200 of training, 100 before it; 100 checkpoints of 2 s; 10 failures of 50 s, 30 of them recomputed steps.
// 9,200 steps of 1 s, a checkpoint every 92.
inline SimulatedRun run() {
  SimulatedRun run;
  run.wall_s = 10000.0;
  part(run, WallTime::kTraining) = 9200.0;
  part(run, WallTime::kPreparation) = 100.0;
  part(run, WallTime::kCheckpoint) = 200.0;
  part(run, WallTime::kRework) = 300.0;
  part(run, WallTime::kDetection) = 50.0;
  part(run, WallTime::kReplacement) = 40.0;
  part(run, WallTime::kRestart) = 60.0;
  part(run, WallTime::kRestore) = 50.0;
  kind(run, Interruption::kFailure) = 10.0;
  run.steps_lost = 300.0;
  run.checkpoints = run.stored_checkpoints = 100.0;
  run.restores = 10.0;
  return run;
}

inline TimelineResult result() {
  TimelineResult timeline;
  timeline.replications = 40;
  timeline.mtti_s = 1000.0;
  timeline.ideal_s = 9300.0;
  timeline.mean = run();
  timeline.wall_s = {10000.0, 9950.0, 10050.0};
  timeline.wall_p10_s = 9800.0;
  timeline.wall_p90_s = 10300.0;
  timeline.ettr = {0.92, 0.915, 0.925};
  timeline.goodput_fraction = {0.46, 0.458, 0.462};
  timeline.interruptions[static_cast<std::size_t>(Interruption::kFailure)] = {10.0, 9.0, 11.0};
  timeline.interruptions_sd[static_cast<std::size_t>(Interruption::kFailure)] = 3.2;
  CheckpointBehaviour& checkpoint = timeline.checkpoint;
  checkpoint.size = 1e12;
  checkpoint.interval_steps = 92.0;
  checkpoint.interval_s = 92.0;
  checkpoint.stop_s = 2.0;
  checkpoint.write_s = 12.0;
  checkpoint.restore_s = 5.0;
  return timeline;
}

}  // namespace stallcast::runs
