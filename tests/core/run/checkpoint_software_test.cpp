// What the software between a job and its storage costs, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "core/run/simulate.h"
#include "core/scenario/checkpoint_stages.h"
#include "core/steps/checkpoint_times.h"

namespace stallcast {
namespace {

// One rank computes for a second a step and writes 1 GB every tenth; the storage has no limit of its own.
Scenario saves_often() {
  Scenario s;
  s.cluster.cores_per_node = 8;
  s.workload.batch_size = 1;
  s.workload.step_time = Distribution::constant(1.0);
  s.dataset.samples = 100;
  s.dataset.sample_size = Distribution::constant(1e3);
  s.loader.num_workers = 1;
  s.run.epochs = 1;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 10;
  s.checkpoint.size = bytes(1e9);
  return s;
}

double stop_of(const Scenario& s) { return simulate(s).checkpoint_stop_s; }

TEST(CheckpointSoftware, AWriterIsNoFasterThanItSerialises) {
  Scenario s = saves_often();
  EXPECT_NEAR(stop_of(s), 0.0, 1e-6);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  EXPECT_NEAR(stop_of(s), 2.0, 1e-6);
  EXPECT_NEAR(storage_write_time(s), 2.0, 1e-9);
  s.storage.read_bandwidth = s.storage.write_bandwidth = bytes_per_second(0.25e9);  // and no faster than it is taken
  EXPECT_NEAR(stop_of(s), 4.0, 0.01);
}

// 1 GB in one stream of 0.2 GB/s is written in 5 s, however fast a stream of reads is; where only that is known, it
// holds for writes, too.
TEST(CheckpointSoftware, WritesHaveARateOfTheirOwnPerStream) {
  Scenario s = saves_often();
  s.storage.stream_bandwidth = bytes_per_second(0.5e9);
  EXPECT_NEAR(stop_of(s), 2.0, 1e-6);
  s.storage.stream_write_bandwidth = bytes_per_second(0.2e9);
  EXPECT_NEAR(stop_of(s), 5.0, 1e-6);
  EXPECT_NEAR(storage_write_time(s), 5.0, 1e-9);
  EXPECT_DOUBLE_EQ(reader_rate(s).base(), 0.5e9);
}

// Four machines with a disk of 0.25 GB/s each. A lone writer has one disk: 4 s for 1 GB, in the run and by
// the closed form, which said a quarter of it. Where all write, each has a quarter of the bytes.
TEST(CheckpointSoftware, ALoneWriterHasOneOfTheMachinesDisks) {
  Scenario s = saves_often();
  s.cluster.nodes = 4;
  s.dataset.samples = 400;
  s.storage.scope = TierScope::kPerNode;
  s.storage.read_bandwidth = s.storage.write_bandwidth = bytes_per_second(0.25e9);
  s.checkpoint.writers = CheckpointWriters::kRank0;
  EXPECT_NEAR(stop_of(s), 4.0, 0.01);
  EXPECT_NEAR(storage_write_time(s), 4.0, 1e-9);
  s.checkpoint.writers = CheckpointWriters::kAll;
  EXPECT_NEAR(stop_of(s), 1.0, 0.01);
  EXPECT_NEAR(storage_write_time(s), 1.0, 1e-9);
}

TEST(CheckpointSoftware, PlanningComesFirst) {
  Scenario s = saves_often();
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  s.checkpoint.plan_time = seconds(3.0);
  EXPECT_NEAR(stop_of(s), 5.0, 1e-6);
  EXPECT_NEAR(storage_write_time(s), 5.0, 1e-9);
}

// Four ranks of one node write 1 GB each at 0.5 GB/s; the largest of four standard normal values is expected at 1.03.
TEST(CheckpointSoftware, TheSlowestOfManyWritersEndsACheckpoint) {
  Scenario s = saves_often();
  s.cluster.gpus_per_node = 4;
  s.dataset.samples = 400;
  s.checkpoint.writers = CheckpointWriters::kAll;
  s.checkpoint.size = bytes(4e9);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  EXPECT_NEAR(stop_of(s), 2.0, 1e-6);
  double before = 0.0;
  for (const double spread : {0.1, 0.2, 0.4}) {
    s.checkpoint.writer_spread = spread;
    EXPECT_NEAR(slowest_writer(s), std::exp(1.03 * spread), 0.02) << spread;
    EXPECT_NEAR(stop_of(s), 2.0 * slowest_writer(s), 1e-6) << spread;
    EXPECT_NEAR(storage_write_time(s), stop_of(s), 1e-6) << spread;
    EXPECT_GE(stop_of(s), before);
    before = stop_of(s);
  }
  // Where the storage is the limit, or the cores of the node are, the fast ones leave what they had to the slow ones.
  Scenario shared = s;
  shared.storage.read_bandwidth = shared.storage.write_bandwidth = bytes_per_second(0.5e9);
  EXPECT_NEAR(stop_of(shared), 8.0, 0.01);
  Scenario cores = s;
  cores.cluster.cores_per_node = 2;
  EXPECT_DOUBLE_EQ(slowest_writer(cores), 1.0);
  s.checkpoint.writers = CheckpointWriters::kRank0;
  EXPECT_DOUBLE_EQ(slowest_writer(s), 1.0);
}

// 128 machines of one rank, of which 64 stand for all: it is the slowest of 128 writers that a checkpoint waits for.
TEST(CheckpointSoftware, TheSlowestWriterIsThatOfAllNodesAndNotOfTheSimulatedOnes) {
  Scenario s = saves_often();
  s.cluster.nodes = 128;
  s.dataset.samples = 12800;
  s.checkpoint.writers = CheckpointWriters::kAll;
  s.checkpoint.size = bytes(128e9);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  s.checkpoint.writer_spread = 0.2;
  RunOptions few;
  few.affordable_samples = 10.0;
  EXPECT_NEAR(simulate(s, few).checkpoint_stop_s, 2.0 * slowest_of(128.0, 0.2), 1e-6);
  RunOptions exact;
  exact.exact = true;
  EXPECT_NEAR(simulate(s, exact).checkpoint_stop_s, 2.0 * slowest_of(128.0, 0.2), 1e-6);
}

// 100 GB to the node's NVMe at 1 GB/s stop training for 100 s, and then go on to storage for as long, which is 10,000
// steps. A run too long to be simulated whole has shorter writes beside its steps, but no shorter stops.
TEST(CheckpointSoftware, ALongRunStopsAsLongForItsFirstLevel) {
  Scenario s = saves_often();
  s.checkpoint.size = bytes(100e9);
  s.checkpoint.interval_steps = 100'000;
  s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
  s.checkpoint.serialize_bandwidth = bytes_per_second(1e9);
  s.cluster.local_write_bandwidth = bytes_per_second(1e10);
  s.workload.step_time = Distribution::constant(0.01);
  s.run.epochs = 1;
  s.run.steps_per_epoch = 5'000'000;
  s.run.whole_run = false;
  const RunResult result = simulate(s, RunOptions{});
  ASSERT_LT(result.steps, 5'000'000);
  EXPECT_NEAR(result.checkpoint_stop_s, 100.0, 0.5);
  EXPECT_NEAR(result.lost_fraction[index(LostTime::kCheckpoint)], 100.0 / 1100.0, 0.003);
}

// Parts that move at once share nothing but the writer: n streams are n times as fast, up to what it serialises.
TEST(CheckpointSoftware, StreamsAddUp) {
  Scenario s = saves_often();
  s.storage.stream_bandwidth = bytes_per_second(0.1e9);
  EXPECT_NEAR(stop_of(s), 10.0, 0.01);
  s.checkpoint.streams = 4;
  EXPECT_NEAR(stop_of(s), 2.5, 0.01);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.2e9);
  EXPECT_NEAR(stop_of(s), 5.0, 0.01);
}

// Asynchronous, planning and writing go on beside training, which stops for the snapshot alone; a write that lasts
// longer than the interval makes the next stop wait for it: 2 s of 12 (10 to write, 2 to plan) beyond 10 steps of 1 s.
TEST(CheckpointSoftware, AsynchronousTheyGoOnBesideTraining) {
  Scenario s = saves_often();
  s.checkpoint.mode = CheckpointMode::kAsync;
  s.checkpoint.snapshot_time = seconds(0.5);
  s.checkpoint.plan_time = seconds(2.0);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  EXPECT_NEAR(stop_of(s), 0.5, 1e-6);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.1e9);
  // The first of ten waits for none, the others 2 s each.
  EXPECT_NEAR(stop_of(s), 0.5 + 0.9 * 2.0, 0.02);
}

// A few nodes stand for many, and a lone writer takes as long.
TEST(CheckpointSoftware, ALoneWriterOfAManyNodesIsAsFast) {
  Scenario s = saves_often();
  s.cluster.nodes = 40;
  s.cluster.gpus_per_node = 8;
  s.dataset.samples = 32'000;
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  RunOptions exact;
  exact.exact = true;
  EXPECT_NEAR(simulate(s).checkpoint_stop_s, simulate(s, exact).checkpoint_stop_s, 0.01);
}

// What the closed form says, and the engine: both `expected`.
void expect_stop(const Scenario& s, double expected) {
  EXPECT_NEAR(storage_write_time(s), expected, 1e-6);
  EXPECT_NEAR(stop_of(s), expected, 0.01);
}

// Storage takes 0.25 GB/s, a writer makes 0.5 GB/s.
Scenario makes_and_writes(WritePath path) {
  Scenario s = saves_often();
  s.storage.read_bandwidth = s.storage.write_bandwidth = bytes_per_second(0.25e9);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  s.checkpoint.write_path = path;
  return s;
}

// 2 s to make, 4 s to write: at once the longer of the two, one after the other their sum.
TEST(CheckpointStages, WhatIsMadeInMemoryFirstIsWrittenAfterwards) {
  expect_stop(makes_and_writes(WritePath::kDirect), 4.0);
  expect_stop(makes_and_writes(WritePath::kWhole), 6.0);
}

// 2 s to make and 1 s to copy, whatever the device does.
TEST(CheckpointStages, NobodyWaitsForTheDeviceBehindThePageCache) {
  Scenario s = makes_and_writes(WritePath::kPageCache);
  s.checkpoint.buffer_bandwidth = bytes_per_second(1e9);
  expect_stop(s, 3.0);
  s.storage.read_bandwidth = s.storage.write_bandwidth = bytes_per_second(0.2e9);
  expect_stop(s, 3.0);
}

// 0.15 * 0.9 * 2.963 GB = 0.4 GB may wait in memory (loaders have next to none). The other 0.6 GB go to a device of
// 0.1 GB/s meanwhile: 6 s.
TEST(CheckpointStages, APageCacheThatIsFullHoldsWritersUp) {
  Scenario s = makes_and_writes(WritePath::kPageCache);
  s.cluster.memory_per_node = bytes(0.4e9 / (0.15 * 0.9));
  s.storage.read_bandwidth = s.storage.write_bandwidth = bytes_per_second(0.1e9);
  EXPECT_NEAR(storage_write_time(s), 6.0, 1e-3);
  EXPECT_NEAR(stop_of(s), 6.0, 0.02);
}

// 2 s to make, 1 s to copy, 4 s to the device, three files of 0.1 s and 0.5 s to commit. Where 0.4 GB wait in memory
// (a tenth of what is free), 0.6 GB are on the device (2.4 s) when all is made, and the last 0.4 GB take 1.6 s.
TEST(CheckpointStages, AnFsyncWaitsForTheDevice) {
  Scenario s = makes_and_writes(WritePath::kSynced);
  s.checkpoint.buffer_bandwidth = bytes_per_second(1e9);
  expect_stop(s, 7.0);
  s.cluster.memory_per_node = bytes(0.4e9 / (0.10 * 0.9));
  EXPECT_NEAR(storage_write_time(s), 4.6, 1e-3);
  EXPECT_NEAR(stop_of(s), 4.6, 0.02);
  s.cluster.memory_per_node = {};
  s.checkpoint.files_per_writer = 3;
  s.checkpoint.file_time = seconds(0.1);
  s.checkpoint.commit_time = seconds(0.5);
  expect_stop(s, 7.8);
}

// Four writers of 0.25 GB each on two cores: 0.5 s of a core each, so 1 s.
TEST(CheckpointStages, WritersShareTheCoresOfTheirNode) {
  Scenario s = makes_and_writes(WritePath::kPageCache);
  s.cluster.gpus_per_node = 4;
  s.cluster.cores_per_node = 2;
  s.dataset.samples = 400;
  s.checkpoint.writers = CheckpointWriters::kAll;
  expect_stop(s, 1.0);
}

// Three of four parts come from other ranks: 0.75 GB at 0.5 GB/s, then 2 s to make.
TEST(CheckpointStages, ALoneWriterCollectsTheOthersPartsFirst) {
  Scenario s = makes_and_writes(WritePath::kPageCache);
  s.cluster.nodes = 4;
  s.dataset.samples = 400;
  s.checkpoint.gather_bandwidth = bytes_per_second(0.5e9);
  expect_stop(s, 3.5);
}

// A write lasts 10 s beside steps of 1 s: a checkpoint every ten steps, and none waits for the one before.
TEST(CheckpointStages, ContinuousOnesFollowEachOther) {
  Scenario s = saves_often();
  s.checkpoint.mode = CheckpointMode::kAsync;
  s.checkpoint.cadence = CheckpointCadence::kContinuous;
  s.checkpoint.interval_steps = 0;
  s.checkpoint.snapshot_time = seconds(0.5);
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.1e9);
  const RunResult result = simulate(s);
  EXPECT_EQ(result.checkpoints, 10);
  EXPECT_NEAR(result.checkpoint_stop_s, 0.5, 1e-6);
}

}  // namespace
}  // namespace stallcast
