// Several jobs on one storage system and one simulator.
#include "core/model/storage/shared_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/serving_model.h"
#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

constexpr double kBytesOfASample = 1e6;

// Steps of 10 ms that read 1 MB each, from storage of 100 MB/s: alone, the next batch comes just in time.
Scenario reading_job(std::int64_t steps) {
  Scenario s = bare_job(steps);
  s.dataset.sample_size = Distribution::constant(kBytesOfASample);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  return s;
}

const auto kAlways = std::function<bool(std::int64_t)>([](std::int64_t) { return true; });
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

// On a system that nobody else uses a job does what it does on its own.
TEST(SharedStorage, AJobAloneOnItIsAJobAlone) {
  Scenario s = reading_job(40);
  s.cluster.nodes = 3;
  s.storage.client_read_bandwidth = bytes_per_second(60e6);
  s.storage.latency = Distribution::lognormal(0.002, 1.0);
  const ModelRun own = run_model(s);
  Simulator sim;
  SharedStorage storage(sim, s);
  TrainingModel model(storage, s, 1, nullptr);
  model.start(kAll, kAlways);
  sim.run();
  EXPECT_EQ(model.log().end_s, own.log.end_s);
  EXPECT_EQ(model.tier().read_bytes(), own.read_bytes);
}

// Two jobs: each gets half, so a batch takes 20 ms. Both read at every moment but the last steps, when one batch is
// left to none.
TEST(SharedStorage, EqualJobsShareEqually) {
  const Scenario a = reading_job(50), b = reading_job(50);
  Simulator sim;
  SharedStorage storage(sim, a);
  TrainingModel first(storage, a, 1, nullptr), second(storage, b, 2, nullptr);
  first.start(kAll, kAlways);
  second.start(kAll, kAlways);
  sim.run();
  EXPECT_EQ(first.log().end_s, second.log().end_s);
  for (std::size_t k = 10; k < 40; ++k)
    EXPECT_NEAR(first.log().end_s[k] - first.log().end_s[k - 1], 0.020, 1e-8) << "step " << k;
}

// Every byte that crosses the system's link is some job's: 50 MB of training, 4 hosts of 30 MB, and nothing else.
TEST(SharedStorage, BytesOfTheJobsAreThoseOfTheSystem) {
  const Scenario a = reading_job(50);
  Scenario b;
  b.storage = a.storage;
  b.cluster.nodes = 4;
  b.serving.weights = bytes(30 * kBytesOfASample);
  b.serving.streams = 3;
  b.serving.request_size = bytes(kBytesOfASample);
  b.storage.stream_bandwidth = bytes_per_second(20e6);
  Simulator sim;
  SharedStorage storage(sim, a);
  TrainingModel training(storage, a, 1, nullptr);
  ServingModel serving(storage, b, 2);
  training.start(kAll, kAlways);
  serving.start([] {});
  sim.run();
  EXPECT_NEAR(training.tier().read_bytes(), 50 * kBytesOfASample, 2 * kBytesOfASample);  // batches read ahead
  EXPECT_NEAR(serving.read_bytes(), 120 * kBytesOfASample, 1.0);
  EXPECT_NEAR(storage.network().moved(storage.read_link(0)), training.tier().read_bytes() + serving.read_bytes(), 1.0);
  // 170 MB over 100 MB/s.
  EXPECT_GE(std::max(training.log().end_s.back(), serving.result().last_ready_s), 1.7);
}

// 13 flows on 100 MB/s, of which the training has one: until the load ends it gets 1/13 of the bandwidth.
TEST(SharedStorage, ALoadTakesTheShareOfItsStreams) {
  const Scenario a = reading_job(100);
  Scenario b;
  b.storage = a.storage;
  b.cluster.nodes = 4;
  b.serving.weights = bytes(30 * kBytesOfASample);
  b.serving.streams = 3;
  b.serving.request_size = bytes(0.0);
  Simulator sim;
  SharedStorage storage(sim, a);
  TrainingModel training(storage, a, 1, nullptr);
  ServingModel serving(storage, b, 2);
  training.start(kAll, kAlways);
  serving.start([] {});
  sim.run();
  // 120 MB at 12/13 of 100 MB/s.
  EXPECT_NEAR(serving.result().last_ready_s, 1.3, 1e-6);
  EXPECT_NEAR(training.log().end_s[3] - training.log().end_s[2], 0.130, 1e-6);
}

// Requests of both jobs are taken up at 100/s in all.
TEST(SharedStorage, LimitsOfRequestsHoldForAllJobsTogether) {
  Scenario a = reading_job(50);
  a.storage.read_bandwidth = {};
  a.storage.read_iops = per_second(100);
  Simulator sim;
  SharedStorage storage(sim, a);
  TrainingModel first(storage, a, 1, nullptr), second(storage, a, 2, nullptr);
  first.start(kAll, kAlways);
  second.start(kAll, kAlways);
  sim.run();
  EXPECT_NEAR(first.log().end_s[40] - first.log().end_s[20], 20 * 0.020, 0.011);
}

// With caches the network has other links; those of the system are the same for both jobs.
TEST(SharedStorage, JobsWithCachesShareTheSystemToo) {
  Scenario a = reading_job(50);
  a.node_cache.policy = CachePolicy::kPinned;
  ReadMix mix;
  mix.served[index_of(ReadLevel::kStorage)] = 1.0;
  mix.node_fill = 1.0;
  const ReadPlan plan = plan_of_mix(mix, 1);
  Simulator sim;
  SharedStorage storage(sim, a);
  TrainingModel first(storage, a, 1, &plan), second(storage, a, 2, &plan);
  first.start(kAll, kAlways);
  second.start(kAll, kAlways);
  sim.run();
  EXPECT_NEAR(first.log().end_s[30] - first.log().end_s[29], 0.020, 1e-8);
  EXPECT_NEAR(storage.network().moved(storage.read_link(0)), first.tier().read_bytes() + second.tier().read_bytes(),
              1.0);
}

}  // namespace
}  // namespace stallcast
