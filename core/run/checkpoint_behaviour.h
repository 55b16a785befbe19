// How a checkpoint behaves in the run at hand: measured in the inner simulation, beside the same steps without one.
#pragma once

#include <cstdint>

#include "core/result/calendar_result.h"
#include "core/run/regimes.h"
#include "core/run/simulate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Time that a checkpoint takes to write to storage with nothing else going on, and to read back by all who need it.
// **Model** the slowest of: the fullest node through its client and card, the largest rank through one stream, all
// bytes
//   through the tier, requests (when reading, opens) through its limits; reading adds the median latency, the bandwidth
//   that incast leaves (restore_efficiency), and with one_replica the broadcast at the GPUs' link rate. A read of
//   striped files meets slow servers as a write does.
// **Units** seconds. 0 where nothing limits it.
double storage_write_time(const Scenario& scenario);
double storage_restore_time(const Scenario& scenario);
// From and to a node's NVMe or another node's memory; 0 for level storage.
double first_level_restore_time(const Scenario& scenario);

// **Model** the job is simulated with and without checkpoints over the same steps and the same luck; what the former
//   takes longer, per checkpoint, is stop_s + slowdown_s: a pause in which the queues refill can make it shorter than
//   the pause, reads that share the tier with a write in the background longer. Checkpoints are far enough apart that
//   one is over before the next; a write in the background of more than kMostFlushSteps steps is simulated shortened,
//   with fewer bytes, and its slowdown taken in proportion. The interval is left to the caller.
// `step_s`: of a step without checkpoints. `regime`: whose epochs are simulated, null when all are alike.
inline constexpr double kMostFlushSteps = 400.0;
CheckpointBehaviour checkpoint_behaviour(const Scenario& scenario, double step_s, double interval_steps,
                                         const Regime* regime, std::uint64_t seed, const RunOptions& options);

}  // namespace stallcast
