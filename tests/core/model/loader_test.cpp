// PyTorch's DataLoader to the nanosecond: every expected time is a recurrence or was worked out by hand.
#include "core/model/loader/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/run/simulate_once.h"
#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

using ::testing::ElementsAreArray;

// Worker w loads batches w, w + W, ...; batch i + W * P is handed out when batch i is returned:
//   handed_out[i] = i < W * P ? 0 : returned[i - W * P]
//   loaded[i]     = max(handed_out[i], loaded[i - W]) + load[i]
//   returned[i]   = max(ended[i - 1], loaded[i])
//   ended[i]      = returned[i] + compute[i]
std::vector<SimTime> expected_ends(std::size_t workers, std::size_t prefetch, const std::vector<SimTime>& load,
                                   const std::vector<SimTime>& compute) {
  const std::size_t n = load.size(), window = workers * prefetch;
  std::vector<SimTime> loaded(n), returned(n), ended(n);
  for (std::size_t i = 0; i < n; ++i) {
    const SimTime handed_out = i < window ? 0 : returned[i - window];
    loaded[i] = std::max(handed_out, i < workers ? 0 : loaded[i - workers]) + load[i];
    returned[i] = std::max(i == 0 ? 0 : ended[i - 1], loaded[i]);
    ended[i] = returned[i] + compute[i];
  }
  return ended;
}

Scenario pipeline(std::int64_t workers, std::int64_t prefetch, std::int64_t steps) {
  Scenario s = bare_job(steps);
  s.loader.num_workers = workers;
  s.loader.prefetch_factor = prefetch;
  return s;
}

// The drawn cases replay `load` and `compute` batch by batch.
std::vector<SimTime> replayed_ends(const Scenario& s, const std::vector<SimTime>& load,
                                   const std::vector<SimTime>& compute) {
  return run_model(s, {{in_seconds(load), {}, {}, in_seconds(compute)}}).end_ns;
}

TEST(Loader, ConstantTimesFollowTheRecurrenceToTheNanosecond) {
  constexpr std::size_t kSteps = 60;
  constexpr SimTime kStep = 10 * kMs;
  for (const std::int64_t workers : {1, 2, 3, 5}) {
    for (const std::int64_t prefetch : {1, 2, 4}) {
      // A worker of n has n steps per batch: faster, exactly as fast, slower; and one that fits no step at all.
      for (const SimTime load : {workers * kStep / 2, workers * kStep, workers * kStep * 3, workers * 7'654'321}) {
        const Scenario s = pipeline(workers, prefetch, kSteps);
        const std::vector<SimTime> loads(kSteps, load), steps(kSteps, kStep);
        const auto expected =
            expected_ends(static_cast<std::size_t>(workers), static_cast<std::size_t>(prefetch), loads, steps);
        Scenario constant = s;
        constant.storage.latency = Distribution::constant(to_seconds(load));
        EXPECT_THAT(run_model(constant).end_ns, ElementsAreArray(expected))
            << workers << " workers, prefetch " << prefetch << ", load " << load << " ns";
      }
    }
  }
}

TEST(Loader, AnyTimesFollowTheRecurrenceToTheNanosecond) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<SimTime> step_ns(1, 20'000'000);
  for (const std::int64_t workers : {1, 2, 3, 5}) {
    for (const std::int64_t prefetch : {1, 2, 4}) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        std::uniform_int_distribution<SimTime> load_ns(1, workers * 20'000'000 * (repeat + 1) / 2);
        std::vector<SimTime> load(200), step(200);
        for (SimTime& ns : load) ns = load_ns(random) * (random() % 20 == 0 ? 10 : 1);  // some are very slow
        for (SimTime& ns : step) ns = step_ns(random);
        const auto expected =
            expected_ends(static_cast<std::size_t>(workers), static_cast<std::size_t>(prefetch), load, step);
        EXPECT_THAT(replayed_ends(pipeline(workers, prefetch, 200), load, step), ElementsAreArray(expected))
            << workers << " workers, prefetch " << prefetch;
      }
    }
  }
}

// One worker makes three batches of 3 samples: 4 ms of storage and 2 ms of decoding for each, 1 ms of collation.
Scenario three_batches() {
  Scenario s = pipeline(1, 1, 3);
  s.workload.batch_size = 3;
  s.storage.latency = Distribution::constant(0.004);
  s.dataset.decode_time = Distribution::constant(0.002);
  s.loader.worker_batch_cpu = milliseconds(1);
  return s;
}

// Samples come one after the other: 3 * (4 + 2) + 1 = 19 ms a batch.
TEST(Loader, AWorkerLoadsItsBatchSampleBySample) {
  EXPECT_THAT(run_model(three_batches()).end_ns, ElementsAreArray(in_ms({29, 48, 67})));
}

// A millisecond more after each wait is 22 ms a batch. 9 ms more are as much as the wait of 4 ms lasted, 31 ms a batch,
// and nothing where the bytes are there at once, 7 ms.
TEST(Loader, AWaitForAReadCostsCpuAfterwards) {
  Scenario s = three_batches();
  s.loader.wait_cpu = milliseconds(1);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({32, 54, 76})));
  s.loader.wait_cpu = milliseconds(9);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({41, 72, 103})));
  s.storage.latency = Distribution::constant(0.0);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({17, 27, 37})));
}

// Nothing is hidden: 7 ms of storage, 2 ms of decoding, 1 ms of collation, then 10 ms of compute, every step.
TEST(Loader, WithoutWorkersAStepIsLoadPlusCompute) {
  Scenario s = pipeline(0, 1, 4);
  s.storage.latency = Distribution::constant(0.007);
  s.dataset.decode_time = Distribution::constant(0.002);
  s.loader.inline_batch_cpu = milliseconds(1);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({20, 40, 60, 80})));
  const auto& lost = run.log.lost_s[2];
  EXPECT_DOUBLE_EQ(lost[static_cast<std::size_t>(LostTime::kStorageLatency)], 0.007);
  EXPECT_DOUBLE_EQ(lost[static_cast<std::size_t>(LostTime::kCpuDecode)], 0.002);
  EXPECT_DOUBLE_EQ(lost[static_cast<std::size_t>(LostTime::kLoaderOverhead)], 0.001);
}

// Batch 0 takes 47 ms, the others 10. In order (2 workers, 2 each): 0 is returned at 47; 1 and 3 have waited, and by
// 67 worker 0 has made 2 and 4 as well, so every later step finds its batch: 57, 67, ... 127.
TEST(Loader, InOrderWaitsForASlowBatch) {
  const auto load = in_ms({47, 10, 10, 10, 10, 10, 10, 10}), step = in_ms({10, 10, 10, 10, 10, 10, 10, 10});
  EXPECT_THAT(replayed_ends(pipeline(2, 2, 8), load, step),
              ElementsAreArray(in_ms({57, 67, 77, 87, 97, 107, 117, 127})));
}

// The same draws out of order. Worker 0 is busy with batch 0 until 47 and holds 2 as well, so 4, 5, 6, 7 all go to
// worker 1, which makes 1, 3, 4, 5, 6, 7 at 10, 20, ... 60. Taken: 1 at 10, 3 at 20, 4 at 30, 5 at 40, then 0 (there
// since 47) at 50, 6 at 60, 2 (worker 0, 47 to 57) at 70, 7 at 80.
TEST(Loader, OutOfOrderTakesWhatIsReady) {
  const auto load = in_ms({47, 10, 10, 10, 10, 10, 10, 10}), step = in_ms({10, 10, 10, 10, 10, 10, 10, 10});
  Scenario s = pipeline(2, 2, 8);
  s.loader.in_order = false;
  EXPECT_THAT(replayed_ends(s, load, step), ElementsAreArray(in_ms({20, 30, 40, 50, 60, 70, 80, 90})));
}

// Out of order a worker never holds more than its prefetch: 2 workers, 1 each, batch 0 takes 100 ms and the steps 1 ms.
// Worker 1 makes one batch per 10 ms: taken at 10, 20, ... 90 (batches 1 to 9), then at 100 both 0 and 10 are there.
TEST(Loader, OutOfOrderHoldsNoMoreThanItsPrefetch) {
  std::vector<SimTime> load(11, 10 * kMs), step(11, kMs);
  load[0] = 100 * kMs - 1;
  load[10] = 10 * kMs;
  Scenario s = pipeline(2, 1, 11);
  s.loader.in_order = false;
  EXPECT_THAT(replayed_ends(s, load, step),
              ElementsAreArray({11 * kMs, 21 * kMs, 31 * kMs, 41 * kMs, 51 * kMs, 61 * kMs, 71 * kMs, 81 * kMs,
                                91 * kMs, 101 * kMs - 1, 102 * kMs - 1}));
}

// ------------------------------------------------------------------------------------------------ what next() costs

// The curve says 1 ms when nobody was idle and 2 ms when one side was for 10 ms. The consumer has waited 1 ms for batch
// 0: 1.1 ms, step ends 1 + 1.1 + 10. Later batches are there when it comes back after 10 ms of compute: 2 + 10.
TEST(Loader, TheHandOverDependsOnTheIdleTime) {
  Scenario s = pipeline(1, 4, 4);
  s.storage.latency = Distribution::constant(0.001);
  s.loader.next_ready = {{seconds(0), milliseconds(1)}, {milliseconds(10), milliseconds(2)}};
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray({12'100'000, 24'100'000, 36'100'000, 48'100'000}));
}

// The pin thread copies a batch of 1 MB at 100 MB/s (10 ms) beside the consumer: batch k is pinned at 5 + 10 (k + 1)
// when the worker makes it in 5 ms; the steps of 10 ms follow at once.
TEST(Loader, ThePinThreadCopiesBesideTheConsumer) {
  Scenario s = pipeline(1, 4, 4);
  s.storage.latency = Distribution::constant(0.005);
  s.dataset.tensor_size = bytes(1e6);
  s.loader.pin_memory = true;
  s.loader.pin_bandwidth = bytes_per_second(100e6);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({25, 35, 45, 55})));
}

// ------------------------------------------------------------------------------------------------- epochs

// iter() returns after 100 + 2 * 10 = 120 ms; forked worker w is ready 80 (w + 1) ms after its beginning.
Scenario two_epochs() {
  Scenario s = pipeline(2, 1, 2);
  s.run.epochs = 2;
  s.storage.latency = Distribution::constant(0.005);
  s.loader.start_call = {milliseconds(100), milliseconds(10)};
  s.loader.start_ready = {seconds(0), milliseconds(80)};
  s.loader.shutdown = {milliseconds(5), milliseconds(1)};
  s.loader.reset = {milliseconds(1), milliseconds(1)};
  return s;
}

// Batch 0 goes to worker 0 at 120, is there at 125: step ends 135. Worker 1 is ready at 160, its batch there at 165:
// 175. Shutdown of 5 + 2 ms ends the epoch at 182, and the second is the first once more: 317, 364.
TEST(Loader, RespawnedWorkersPayForEveryEpoch) {
  const ModelRun run = run_model(two_epochs());
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({135, 182, 317, 364})));
  EXPECT_EQ(run.finished, 364 * kMs);
  EXPECT_DOUBLE_EQ(run.log.epoch_start_s[1], 0.182);
  EXPECT_NEAR(run.log.first_wait_s[1], 0.125, 1e-12);
}

// Spawned workers start together: both are ready at 160, their batches there at 165. 175, 185 and shutdown to 192;
// again from there.
TEST(Loader, SpawnedWorkersAreReadyTogether) {
  Scenario s = two_epochs();
  s.loader.start_method = StartMethod::kSpawn;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({175, 192, 367, 384})));
}

// What spawned workers compute for before they are ready they do side by side on the cores there are. Six of 100 ms on
// two cores: 300 ms after the 10 ms until they begin, as a queue (turns of 3 ms) within a turn, and batch 0 5 ms later.
// With a core for each: 110 ms, however many they are.
TEST(Loader, SpawnedWorkersShareTheCoresWhileTheyImport) {
  Scenario s = pipeline(6, 1, 1);
  s.storage.latency = Distribution::constant(0.005);
  s.loader.start_method = StartMethod::kSpawn;
  s.loader.start_ready = {milliseconds(10), seconds(0)};
  s.loader.start_cpu = milliseconds(100);
  s.cluster.cores_per_node = 2;
  const SimTime shared = run_model(s).end_ns.front();
  EXPECT_NEAR(static_cast<double>(shared), static_cast<double>((10 + 300 + 5 + 10) * kMs), 18.0 * kMs);
  s.cluster.cores_per_node = 6;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({10 + 100 + 5 + 10})));
}

// Kept workers cost a reset of 1 + 2 ms at 175, and nothing was loaded before it: batches at 183, steps 193 and 203.
TEST(Loader, PersistentWorkersPrefetchNothingAcrossTheBoundary) {
  Scenario s = two_epochs();
  s.loader.persistent_workers = true;
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({135, 175, 193, 203})));
  EXPECT_EQ(run.finished, 203 * kMs);
}

// Epoch e reads samples e * 4 to e * 4 + 3 of the replay: 1, 2, 3, 4 ms, then 5, 6, 7, 8 ms.
TEST(Loader, EveryEpochHasItsOwnDraws) {
  Scenario s = pipeline(0, 1, 4);
  s.run.epochs = 2;
  EXPECT_THAT(replayed_ends(s, in_ms({1, 2, 3, 4, 5, 6, 7, 8}), in_ms({0})),
              ElementsAreArray(in_ms({1, 3, 6, 10, 15, 21, 28, 36})));
}

// ------------------------------------------------------------------------------------------------- iterable style

Scenario shards(std::int64_t workers, std::int64_t prefetch, std::int64_t shards_per_rank, std::int64_t per_shard) {
  Scenario s = bare_job(0);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.shuffle = Shuffle::kShard;
  s.dataset.shards_per_rank = shards_per_rank;
  s.dataset.samples_per_shard = per_shard;
  s.loader.style = LoaderStyle::kIterable;
  s.loader.num_workers = workers;
  s.loader.prefetch_factor = prefetch;
  return s;
}

// Each worker cuts batches from its own shards and drops the samples that fill none; it reads them all the same.
TEST(Loader, IterableWorkersDropTheirOwnRemainders) {
  for (const std::int64_t workers : {1, 2, 3, 4}) {
    for (const std::int64_t count : {1, 2, 5, 7}) {
      for (const std::int64_t per_shard : {1, 3, 8}) {
        for (const std::int64_t batch : {1, 2, 3}) {
          for (const int variant : {0, 1, 2, 3}) {
            Scenario s = shards(workers, variant % 2 == 0 ? 1 : 3, count, per_shard);
            s.workload.batch_size = batch;
            s.run.epochs = 2;
            s.loader.in_order = variant < 2;
            s.loader.persistent_workers = variant == 1 || variant == 2;
            s.dataset.sample_size = Distribution::constant(1000);
            s.storage.latency = Distribution::lognormal(0.01, 1.0);
            std::int64_t batches = 0;
            for (std::int64_t w = 0; w < workers; ++w) {
              const std::int64_t own = count / workers + (w < count % workers ? 1 : 0);
              batches += own * per_shard / batch;
            }
            const ModelRun run = run_model(s);
            const std::string which = std::to_string(workers) + " workers, " + std::to_string(count) + " shards of " +
                                      std::to_string(per_shard) + ", batch " + std::to_string(batch) + ", variant " +
                                      std::to_string(variant);
            EXPECT_EQ(static_cast<std::int64_t>(run.end_ns.size()), 2 * batches) << which;
            EXPECT_DOUBLE_EQ(run.read_bytes, 2e3 * static_cast<double>(count * per_shard)) << which;
          }
        }
      }
    }
  }
}

// Without an end to the epoch there is one to no shard either, however many samples it has: 2^40 shards of 2^23 samples
// are more than a number holds.
TEST(Loader, AnEndlessEpochOfLargeShardsDoesNotEnd) {
  const Scenario s = shards(0, 1, 0, std::int64_t{1} << 23);
  TrainingModel model(s, 1, nullptr, nullptr);
  model.run(5, [](std::int64_t) { return true; });
  EXPECT_EQ(model.log().end_s.size(), 5u);
}

// A shuffle buffer of 4 that lets go once it holds 2, samples of 10 ms: the first batch of one leaves at 20, after two
// reads; then two reads for each until the buffer holds 4 (40, 60), one for each (70, 80), and what is left at once.
TEST(Loader, AShuffleBufferMayLetGoEarly) {
  Scenario s = shards(1, 1, 1, 8);
  s.workload.step_time = Distribution::constant(0.001);
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 4;
  s.dataset.shuffle_initial = 2;
  s.storage.latency = Distribution::constant(0.01);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({21, 41, 61, 71, 81, 82, 83, 84})));
}

// One worker, samples of 6 ms to read and 4 to decode: a batch of one every 10 ms. With a reading thread every 6: read
// at 6, 12, 18, ..., made at 10, 16, 22, ... Steps of 1 ms.
TEST(Loader, AReadingThreadWorksBesideItsWorker) {
  Scenario s = shards(1, 1, 1, 4);
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.latency = Distribution::constant(0.006);
  s.dataset.decode_time = Distribution::constant(0.004);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({11, 21, 31, 41})));
  s.loader.read_ahead = 10;
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({11, 17, 23, 29})));
  // From 11 to 16 the trainer waits: until 12 for storage, then for the decoder.
  EXPECT_NEAR(run.log.lost_s[1][static_cast<std::size_t>(LostTime::kStorageLatency)], 0.001, 1e-9);
  EXPECT_NEAR(run.log.lost_s[1][static_cast<std::size_t>(LostTime::kCpuDecode)], 0.004, 1e-9);
}

// While step 0 computes for 200 ms the thread reads 3 samples ahead of its worker, which holds 2 batches ready and
// waits for no order: at 206 there are batches 1 and 2, and samples 3, 4, 5 are read. The worker reads nothing itself.
TEST(Loader, AReadingThreadStaysItsSamplesAhead) {
  Scenario s = shards(1, 2, 1, 12);
  s.storage.latency = Distribution::constant(0.006);
  s.loader.read_ahead = 3;
  std::vector<SimTime> step(12, kMs);
  step[0] = 200 * kMs;
  const ModelRun run = run_model(s, {{in_seconds({6 * kMs}), {}, {}, in_seconds(step)}});
  // 1 at 207 ... 5 at 211 at once; sample 6 was begun at 206, when the worker took 3: at 212, then one every 6 ms.
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({206, 207, 208, 209, 210, 211, 213, 219, 225, 231, 237, 243})));
}

// Without workers the consumer cuts batches from all shards in a row: 5 shards of 3 are 7 batches of 2 and a remainder,
// which is not loaded.
TEST(Loader, IterableWithoutWorkersHasOneRemainder) {
  Scenario s = shards(0, 1, 5, 3);
  s.workload.batch_size = 2;
  s.dataset.sample_size = Distribution::constant(1000);
  const ModelRun run = run_model(s);
  EXPECT_EQ(run.end_ns.size(), 7u);
  EXPECT_DOUBLE_EQ(run.read_bytes, 14e3);
}

// Opening takes 30 ms, a sample 5, a step 10; two shards of two. Batch 0: 35, step ends 45. Batch 1, handed out at 35:
// 40; 55. Batch 2, handed out at 45, opens the second shard: 80; 90. Batch 3: 85; 100.
TEST(Loader, EveryShardIsOpened) {
  Scenario s = shards(1, 1, 2, 2);
  s.storage.open_latency = Distribution::constant(0.03);
  s.storage.latency = Distribution::constant(0.005);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({45, 55, 90, 100})));
  // Inline: open + sample + compute, sample + compute, and so on.
  s.loader.num_workers = 0;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({45, 60, 105, 120})));
}

// Three shards of 3 on two workers, one batch each ahead, 20 ms per sample, 10 ms per step. While both have shards a
// batch comes every 10 ms: 30, 40, 50, 60, 70, 80. Batch 7 reaches worker 1 at 70 and finds it without samples; batch
// 8 goes to worker 0 in its place. Worker 0 alone makes batch 6 by 80, then 8 by 100 and 9 by 120: 90, 110, 130.
TEST(Loader, AWorkerWithoutSamplesDropsOut) {
  Scenario s = shards(2, 1, 3, 3);
  s.storage.latency = Distribution::constant(0.02);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({30, 40, 50, 60, 70, 80, 90, 110, 130})));
}

// Worker 1 has no shard and drops out at once. Out of order, those that are left may hold max_tasks / active = 4 / 1
// (torch, _try_put_index), so worker 0 gets the batch that worker 1 did not make and holds 3 from then on. Batch 0 is
// there at 10 and trains 100 ms; three more are ready at 110; then one per 10 ms.
TEST(Loader, OutOfOrderTheOthersTakeOverFromAWorkerThatDroppedOut) {
  Scenario s = shards(2, 2, 1, 6);
  s.loader.in_order = false;
  EXPECT_THAT(replayed_ends(s, in_ms({10}), in_ms({100, 1, 1, 1, 1, 1})),
              ElementsAreArray(in_ms({110, 111, 112, 113, 121, 131})));
}

}  // namespace
}  // namespace stallcast
