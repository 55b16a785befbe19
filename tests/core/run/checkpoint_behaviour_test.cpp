// What a checkpoint costs a run, measured in the model, against what follows by hand.
#include "core/run/checkpoint_behaviour.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/run/interruptions.h"
#include "core/run/replications.h"
#include "core/run/weeks.h"

namespace stallcast {
namespace {

constexpr double kStep = 0.01;

// One GPU, steps of 10 ms fed without delay.
Scenario one_gpu() {
  Scenario s;
  s.workload.batch_size = 1;
  s.workload.step_time = Distribution::constant(kStep);
  s.loader.num_workers = 1;
  s.loader.prefetch_factor = 3;
  s.run.steps_per_epoch = 1'000'000;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.size = bytes(1e9);
  s.storage.write_bandwidth = bytes_per_second(10e9);
  return s;
}

CheckpointBehaviour behaviour(const Scenario& s, double step_s = kStep) {
  return checkpoint_behaviour(s, step_s, 1e5, nullptr, 1, {});
}

// 1 GB at 10 GB/s: 100 ms that nothing makes up for.
TEST(CheckpointBehaviour, ASynchronousWriteStopsTraining) {
  const CheckpointBehaviour b = behaviour(one_gpu());
  EXPECT_NEAR(b.stop_s, 0.1, 1e-9);
  EXPECT_NEAR(b.slowdown_s, 0.0, 1e-9);
  EXPECT_NEAR(b.write_s, 0.1, 1e-9);
}

// A worker of 20 ms a batch feeds steps of 10: every step takes 20. In the pause three batches are loaded ahead. When
// it ends at t the worker goes on: batches at t + 20, 40, 60; steps end at t + 10, 20, 30, 40, 50, and the sixth, which
// waits for the batch of t + 60, at t + 70. Five steps of 10 instead of 20: 50 ms are won back.
TEST(CheckpointBehaviour, APauseInWhichTheBufferFillsIsShorterThanItLooks) {
  Scenario s = one_gpu();
  s.storage.latency = Distribution::constant(0.02);
  const CheckpointBehaviour b = behaviour(s, 0.02);
  EXPECT_NEAR(b.stop_s, 0.1, 1e-9);
  EXPECT_NEAR(b.slowdown_s, -0.05, 1e-9);
}

// Half duplex at 100 MB/s: a sample of 1 MB takes 10 ms alone. The write of 20 MB needs 200 ms of the device; training
// needs all of it, so each checkpoint takes 200 ms longer, whatever the interval.
TEST(CheckpointBehaviour, AWriteInTheBackgroundTakesTheDeviceFromReads) {
  Scenario s = one_gpu();
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.storage.duplex = false;
  s.workload.step_time = Distribution::constant(0.001);
  s.checkpoint.mode = CheckpointMode::kAsync;
  s.checkpoint.size = bytes(20e6);
  s.checkpoint.snapshot_time = milliseconds(5);
  const CheckpointBehaviour b = behaviour(s);
  EXPECT_NEAR(b.stop_s, 0.005, 1e-9);
  // The snapshot's 5 ms are not lost: the device reads on in the meantime.
  EXPECT_NEAR(b.stop_s + b.slowdown_s, 0.2, 0.002);
  EXPECT_NEAR(b.write_s, 0.4, 0.02);  // at half the rate
  // 500 times as much, more than is simulated at full length: in proportion.
  s.checkpoint.size = bytes(10e9);
  const CheckpointBehaviour large = behaviour(s);
  EXPECT_NEAR((large.stop_s + large.slowdown_s) / 100.0, 1.0, 0.01);
  EXPECT_NEAR(large.write_s / 200.0, 1.0, 0.05);
}

// 8 nodes of 4 ranks, 2 GB a rank: 8 GB a node at 4 GB/s = 2 s; 64 GB at 20 GB/s of the tier = 3.2 s, half as fast when
// incast takes half of it; a rank's 2 GB in one stream of 0.5 GB/s = 4 s; 32 opens at 4 a second = 8 s.
TEST(CheckpointBehaviour, ARestoreIsBoundByTheSlowestOfItsParts) {
  Scenario s;
  s.cluster.nodes = 8;
  s.cluster.gpus_per_node = 4;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.writers = CheckpointWriters::kAll;
  s.checkpoint.size_per_writer = bytes(2e9);
  s.storage.client_read_bandwidth = bytes_per_second(4e9);
  EXPECT_NEAR(storage_restore_time(s), 2.0, 1e-9);
  s.storage.read_bandwidth = bytes_per_second(20e9);
  EXPECT_NEAR(storage_restore_time(s), 3.2, 1e-9);
  s.checkpoint.restore_efficiency = 0.5;
  EXPECT_NEAR(storage_restore_time(s), 6.4, 1e-9);
  s.checkpoint.restore_efficiency = 1.0;
  s.storage.stream_bandwidth = bytes_per_second(0.5e9);
  EXPECT_NEAR(storage_restore_time(s), 4.0, 1e-9);
  s.storage.metadata_rate = per_second(4);
  EXPECT_NEAR(storage_restore_time(s), 8.0, 1e-9);
  s.storage.latency = Distribution::constant(0.25);
  EXPECT_NEAR(storage_restore_time(s), 8.25, 1e-9);
  // Two of ten servers slow by 3, 1 - 0.8^10 = 0.8926 of the restores meet one: 8 * (1 + 0.8926 * 2).
  s.storage.servers = 10;
  s.storage.slow_server_fraction = 0.2;
  s.storage.slow_server_factor = 3.0;
  EXPECT_NEAR(storage_restore_time(s), 0.25 + 8.0 * (1.0 + 2.0 * (1.0 - std::pow(0.8, 10))), 1e-9);
}

// A checkpoint of 10 s meets one of 4 servers that are slow by 5, a tenth of the time each: 1 - 0.9^4 = 0.3439 of them
// take 50 s.
TEST(CheckpointBehaviour, SlowServersHoldCheckpointsUp) {
  Scenario s;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.storage.servers = 4;
  s.storage.slow_server_fraction = 0.1;
  s.storage.slow_server_factor = 5.0;
  CalendarInput in;
  in.steps = 2000;
  in.paces = {{2000, 1.0, 1.0}};
  in.checkpoint.interval_steps = in.checkpoint.interval_s = 10;
  in.checkpoint.stop_s = in.checkpoint.write_s = 10.0;
  RunOptions options;
  options.replications = 100;
  const CalendarRun mean = mean_of(replicate(s, in, 1, options));
  const double per_checkpoint = mean.time_s[static_cast<std::size_t>(WallTime::kCheckpoint)] / mean.checkpoints;
  const double p = 1.0 - std::pow(0.9, 4);
  EXPECT_NEAR(per_checkpoint, 10.0 + 40.0 * p, 3.0 * 40.0 * std::sqrt(p * (1 - p) / 20000.0));
}

// Steps between checkpoints by every cadence, at 10 ms a step.
TEST(Cadence, IsCountedInWholeSteps) {
  Scenario s = one_gpu();
  s.checkpoint.interval_steps = 70;
  EXPECT_EQ(interval_steps(s, kStep), 70.0);
  s.checkpoint.cadence = CheckpointCadence::kTime;
  s.checkpoint.interval = seconds(1.004);
  EXPECT_EQ(interval_steps(s, kStep), 100.0);
  s.checkpoint.interval = milliseconds(1);
  EXPECT_EQ(interval_steps(s, kStep), 1.0);
  s.checkpoint.cadence = CheckpointCadence::kEpochs;
  s.checkpoint.interval_epochs = 2;
  EXPECT_EQ(interval_steps(s, kStep), 2e6);
}

}  // namespace
}  // namespace stallcast
