// The thread pool to the nanosecond: every expected time is a recurrence or was worked out by hand.
#include "core/model/loader/thread_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/run/simulate.h"
#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

using ::testing::ElementsAreArray;

Scenario pool(std::int64_t threads, std::int64_t prefetch, std::int64_t batch, std::int64_t steps) {
  Scenario s = bare_job(steps);
  s.loader.style = LoaderStyle::kThreads;
  s.loader.num_workers = threads;
  s.loader.prefetch_factor = prefetch;
  s.workload.batch_size = batch;
  return s;
}

struct Times {
  std::vector<SimTime> read, decode;  // by sample
  SimTime collate = 0;
  std::vector<SimTime> compute;  // by batch
};

// `threads` samples at most are begun and not taken; a batch is begun when the buffer has room for it:
//   began[n]    = n < threads ? 0 : taken[n - threads]
//   done[n]     = began[n] + read[n] + decode[n]                              without streams
//   taken[n]    = max(done[n], taken[n - 1], begin of its batch)
//   begin[k]    = max(made[k - 1], k < prefetch ? 0 : returned[k - prefetch])
//   made[k]     = taken[its last] + collate
//   returned[k] = max(ended[k - 1], made[k]);  ended[k] = returned[k] + compute[k]
// With C streams of 3 samples ready at most, sample n belongs to stream n mod C:
//   fetched[n]  = max(fetched[n - C], n < 3 C ? 0 : pulled[n - 3 C]) + read[n]
//   pulled[n]   = max(fetched[n], pulled[n - 1], began[n]);  done[n] = pulled[n] + decode[n]
std::vector<SimTime> expected_ends(std::size_t threads, std::size_t streams, std::size_t prefetch, std::size_t batch,
                                   const Times& t) {
  const std::size_t batches = t.compute.size(), n = batches * batch;
  std::vector<SimTime> fetched(n), pulled(n), taken(n), made(batches), returned(batches), ended(batches);
  for (std::size_t k = 0; k < batches; ++k) {
    const SimTime begin = std::max(k == 0 ? 0 : made[k - 1], k < prefetch ? 0 : returned[k - prefetch]);
    for (std::size_t i = k * batch; i < (k + 1) * batch; ++i) {
      const SimTime began = i < threads ? 0 : taken[i - threads];
      SimTime done = began + t.read[i] + t.decode[i];
      if (streams > 0) {
        fetched[i] =
            std::max(i < streams ? 0 : fetched[i - streams], i < 3 * streams ? 0 : pulled[i - 3 * streams]) + t.read[i];
        pulled[i] = std::max({fetched[i], i == 0 ? 0 : pulled[i - 1], began});
        done = pulled[i] + t.decode[i];
      }
      taken[i] = std::max({done, i == 0 ? 0 : taken[i - 1], begin});
    }
    made[k] = taken[(k + 1) * batch - 1] + t.collate;
    returned[k] = std::max(k == 0 ? 0 : ended[k - 1], made[k]);
    ended[k] = returned[k] + t.compute[k];
  }
  return ended;
}

TEST(ThreadLoader, ConstantTimesFollowTheRecurrenceToTheNanosecond) {
  for (const std::int64_t threads : {1, 2, 3, 8}) {
    for (const std::int64_t streams : {0, 1, 3, 8}) {
      for (const std::int64_t prefetch : {1, 2, 4}) {
        for (const std::int64_t batch : {1, 3, 5}) {
          constexpr std::size_t kSteps = 20;
          const auto samples = static_cast<std::size_t>(batch) * kSteps;
          const Times t{std::vector<SimTime>(samples, 3'456'789), std::vector<SimTime>(samples, 2'345'678), 1'234'567,
                        std::vector<SimTime>(kSteps, 10 * kMs)};
          Scenario s = pool(threads, prefetch, batch, kSteps);
          s.loader.interleave = streams;
          s.storage.latency = Distribution::constant(to_seconds(t.read[0]));
          s.dataset.decode_time = Distribution::constant(to_seconds(t.decode[0]));
          s.loader.worker_batch_cpu = seconds(to_seconds(t.collate));
          const auto n = [](std::int64_t value) { return static_cast<std::size_t>(value); };
          EXPECT_THAT(run_model(s).end_ns,
                      ElementsAreArray(expected_ends(n(threads), n(streams), n(prefetch), n(batch), t)))
              << threads << " threads, " << streams << " streams, prefetch " << prefetch << ", batch " << batch;
        }
      }
    }
  }
}

TEST(ThreadLoader, AnyTimesFollowTheRecurrenceToTheNanosecond) {
  std::mt19937_64 random(1);
  for (const std::size_t threads : {1, 2, 5, 8}) {
    for (const std::size_t streams : {0, 1, 4}) {
      for (const std::size_t prefetch : {1, 3}) {
        for (const std::size_t batch : {1, 4}) {
          constexpr std::size_t kSteps = 100;
          std::uniform_int_distribution<SimTime> part_ns(1, 4'000'000 * static_cast<SimTime>(threads));
          std::uniform_int_distribution<SimTime> step_ns(1, 20'000'000);
          Times t{std::vector<SimTime>(batch * kSteps), std::vector<SimTime>(batch * kSteps), 0,
                  std::vector<SimTime>(kSteps)};
          for (SimTime& ns : t.read) ns = part_ns(random) * (random() % 20 == 0 ? 10 : 1);  // some are very slow
          for (SimTime& ns : t.decode) ns = part_ns(random);
          for (SimTime& ns : t.compute) ns = step_ns(random);
          Scenario s = pool(static_cast<std::int64_t>(threads), static_cast<std::int64_t>(prefetch),
                            static_cast<std::int64_t>(batch), kSteps);
          s.loader.interleave = static_cast<std::int64_t>(streams);
          EXPECT_THAT(run_model(s, {{in_seconds(t.read), {}, in_seconds(t.decode), in_seconds(t.compute)}}).end_ns,
                      ElementsAreArray(expected_ends(threads, streams, prefetch, batch, t)))
              << threads << " threads, " << streams << " streams, prefetch " << prefetch << ", batch " << batch;
        }
      }
    }
  }
}

// Sample 0 takes 100 ms, all others 10; 4 of each to a batch. Four threads have the other three of batch 0 at 10 and
// wait for it (4 samples under way): batch 0 at 100, then a batch every 10 ms. A worker process makes batch 0 alone,
// 100 + 3 * 10, while three others make 1, 2, 3 by 40: batch 0 at 130, the others follow at the pace of the steps.
TEST(ThreadLoader, ThreadsShareABatchThatAWorkerMakesAlone) {
  std::vector<SimTime> load(16, 10 * kMs);
  load[0] = 100 * kMs;
  const ReplayedDraws::Rank draws{in_seconds(load), {}, {}, in_seconds({10 * kMs})};
  Scenario s = pool(4, 4, 4, 4);
  EXPECT_THAT(run_model(s, {draws}).end_ns, ElementsAreArray(in_ms({110, 120, 130, 140})));
  s.loader.style = LoaderStyle::kMap;
  s.loader.prefetch_factor = 1;
  EXPECT_THAT(run_model(s, {draws}).end_ns, ElementsAreArray(in_ms({140, 150, 160, 170})));
}

// The same out of order: three threads go on with samples 4, 5, ... and make a batch of four of 1, 2, 3, 4 at 20 (the
// first of the second round), 5, 6, 7, 8 at 30 and so on at three samples per 10 ms: 1-3 at 10, 4-6 at 20, 7-9 at 30,
// 10-12 at 40, 13-15 at 50. Batches at 20, 30, 40; sample 0 fills the last one, at 100.
TEST(ThreadLoader, OutOfOrderTakesWhatIsReady) {
  std::vector<SimTime> load(16, 10 * kMs);
  load[0] = 100 * kMs;
  Scenario s = pool(4, 4, 4, 4);
  s.loader.in_order = false;
  EXPECT_THAT(run_model(s, {{in_seconds(load), {}, {}, in_seconds({kMs})}}).end_ns,
              ElementsAreArray(in_ms({21, 31, 41, 101})));
}

// One thread makes a batch per 10 ms. While step 0 computes from 10 to 200, P batches are made ahead and the thread
// has one sample more, which is batched as soon as there is room: P + 1 steps of 1 ms in a row.
TEST(ThreadLoader, TheBufferHoldsPrefetchFactorBatches) {
  for (const std::int64_t prefetch : {1, 2, 5}) {
    constexpr std::int64_t kSteps = 10;
    std::vector<SimTime> step(kSteps, kMs);
    step[0] = 190 * kMs;
    const Scenario s = pool(1, prefetch, 1, kSteps);
    const ModelRun run = run_model(s, {{in_seconds({10 * kMs}), {}, {}, in_seconds(step)}});
    std::int64_t at_once = 0;
    while (run.end_ns[static_cast<std::size_t>(at_once) + 1] == (201 + at_once) * kMs) ++at_once;
    EXPECT_EQ(at_once, prefetch + 1);
  }
}

// Files of one sample that take 10 ms to open. Two streams open two at a time, samples come in pairs every 10 ms
// although 8 threads wait; 8 streams bring 8.
TEST(ThreadLoader, InterleaveLimitsTheFilesBeingRead) {
  Scenario s = pool(8, 8, 1, 6);
  s.dataset.layout = DatasetLayout::kShards;
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.open_latency = Distribution::constant(0.01);
  s.loader.interleave = 2;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({11, 12, 21, 22, 31, 32})));
  s.loader.interleave = 0;  // one per thread
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({11, 12, 13, 14, 15, 16})));
}

// Two streams of files of 2 samples, 5 ms each and 20 ms to open: samples at 25, 25, 30, 30, then the next two files at
// 55, 55, 60, 60. Output in turn, so a batch of 2 at 25, 30, 55, 60.
TEST(ThreadLoader, StreamsReadFilesFromEndToEnd) {
  Scenario s = pool(4, 4, 2, 4);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 2;
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.open_latency = Distribution::constant(0.02);
  s.storage.latency = Distribution::constant(0.005);
  s.loader.interleave = 2;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({26, 31, 56, 61})));
}

// A stream brings a sample every 10 ms; 5 are read before the first leaves the buffer, at 50; then one for each that is
// read, and the last 4 at once when nothing is left to read: samples 1 to 8 at 50, 60, 70, 80 and four times 80.
TEST(ThreadLoader, TheShuffleBufferIsFilledFirst) {
  Scenario s = pool(4, 8, 1, 8);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 100;
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 5;
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.latency = Distribution::constant(0.01);
  s.loader.interleave = 1;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({51, 61, 71, 81, 82, 83, 84, 85})));
}

// The assembler copies 1 MB at 100 MB/s: a batch of one sample (5 ms) is pinned at 15, 25, 35.
TEST(ThreadLoader, TheAssemblerPinsItsBatches) {
  Scenario s = pool(2, 4, 1, 3);
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.latency = Distribution::constant(0.005);
  s.dataset.tensor_size = bytes(1e6);
  s.loader.pin_memory = true;
  s.loader.pin_bandwidth = bytes_per_second(100e6);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({16, 26, 36})));
}

// iter() returns after 20 ms, threads are ready at 30, a batch takes 5: 35, steps of 10 ms. At 55 the last step is
// done, at 60 the threads have stopped, and the second epoch begins like the first. Kept threads are only reset: 3 ms.
TEST(ThreadLoader, EpochsStartWithEmptyBuffers) {
  Scenario s = pool(1, 4, 1, 2);
  s.run.epochs = 2;
  s.storage.latency = Distribution::constant(0.005);
  s.loader.start_call = {milliseconds(20), seconds(0)};
  s.loader.start_ready = {milliseconds(30), seconds(0)};
  s.loader.shutdown = {milliseconds(5), seconds(0)};
  s.loader.reset = {milliseconds(3), seconds(0)};
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({45, 60, 105, 120})));
  s.loader.persistent_workers = true;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({45, 55, 73, 83})));
}

// Nothing is hidden: 2 files of 3 samples, 4 ms to open and 3 * 2 ms to read each, in batches of 2 with steps of 1 ms:
// 4 + 4 + 1, then 2 + (4 + 2) + 1, then 4 + 1.
TEST(ThreadLoader, WithoutThreadsAStepIsLoadPlusCompute) {
  Scenario s = pool(0, 1, 2, 3);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 3;
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.open_latency = Distribution::constant(0.004);
  s.storage.latency = Distribution::constant(0.002);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({9, 18, 23})));
}

// 4 threads, samples of 8 ms: 2 ms per sample, steps of 1 ms. What the GPU waits for is what the threads do: 3/4
// latency, 1/4 decoding; or, with streams, what the streams do.
TEST(ThreadLoader, AWaitIsBlamedOnWhatTheThreadsDo) {
  Scenario s = pool(4, 4, 4, 50);
  s.workload.step_time = Distribution::constant(0.001);
  s.storage.latency = Distribution::constant(0.006);
  s.dataset.decode_time = Distribution::constant(0.002);
  const auto share = [](const ModelRun& run, LostTime cause) {
    double part = 0.0, all = 0.0;
    for (const auto& lost : run.log.lost_s) {
      for (const double seconds : lost) all += seconds;
      part += lost[static_cast<std::size_t>(cause)];
    }
    return part / all;
  };
  const ModelRun together = run_model(s);
  // 7 of 8 ms are waited, of which the first is latency only after the first batch: 5 of 7 in steady state.
  EXPECT_NEAR(share(together, LostTime::kStorageLatency), 5.0 / 7.0, 0.01);
  EXPECT_NEAR(share(together, LostTime::kCpuDecode), 2.0 / 7.0, 0.01);
  s.loader.interleave = 1;  // a batch in 24 ms, its decoding hidden by the reading of the next
  const ModelRun streams = run_model(s);
  EXPECT_GT(share(streams, LostTime::kStorageLatency), 0.85);
}

// Steps of 10 ms. Sample 40 takes 500 ms; 4 threads have done 41, 42, 43 and wait for it: three quarters of that wait
// are order's, a quarter is the slow sample's own latency.
TEST(ThreadLoader, ThreadsThatWaitBehindASlowSampleLoseTimeToOrder) {
  std::vector<SimTime> load(80, 10 * kMs);
  load[40] = 500 * kMs;
  const ModelRun run = run_model(pool(4, 2, 1, 80), {{in_seconds(load), {}, {}, in_seconds({10 * kMs})}});
  double order = 0.0, latency = 0.0;
  for (const auto& lost : run.log.lost_s) {
    order += lost[static_cast<std::size_t>(LostTime::kLoaderOrder)];
    latency += lost[static_cast<std::size_t>(LostTime::kStorageLatency)];
  }
  EXPECT_NEAR(order / (order + latency), 0.75, 0.03);
}

}  // namespace
}  // namespace stallcast
