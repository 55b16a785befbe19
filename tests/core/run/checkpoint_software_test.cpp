// What the software between a job and its storage costs, against closed forms.
#include <gtest/gtest.h>

#include "core/run/checkpoint_times.h"
#include "core/run/simulate.h"

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

TEST(CheckpointSoftware, PlanningComesFirst) {
  Scenario s = saves_often();
  s.checkpoint.serialize_bandwidth = bytes_per_second(0.5e9);
  s.checkpoint.plan_time = seconds(3.0);
  EXPECT_NEAR(stop_of(s), 5.0, 1e-6);
  EXPECT_NEAR(storage_write_time(s), 5.0, 1e-9);
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

}  // namespace
}  // namespace stallcast
