// What a run takes between its steps: epochs that end and start, validation, checkpoints. A run of which parts are
// simulated is as long as the same run simulated whole, and as long as follows by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/model/resource_graph.h"
#include "core/result/trace.h"
#include "core/run/simulate.h"
#include "core/scenario/run_length.h"
#include "core/steps/outline.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

constexpr double kStepOfTurns = 0.02, kReadOfTurns = 0.005;

// One GPU that loads each batch itself, then computes: 25 ms a step, to the nanosecond.
Scenario by_itself(std::int64_t epochs, std::int64_t steps) {
  Scenario s;
  s.workload.batch_size = 1;
  s.workload.step_time = Distribution::constant(kStepOfTurns);
  s.loader.num_workers = 0;
  s.storage.latency = Distribution::constant(kReadOfTurns);
  s.run.epochs = static_cast<std::int32_t>(epochs);
  s.run.steps_per_epoch = steps;
  return s;
}

// The same with four workers, which read a batch in 60 ms and keep up.
Scenario with_workers(std::int64_t epochs, std::int64_t steps) {
  Scenario s = by_itself(epochs, steps);
  s.loader.num_workers = 4;
  s.storage.latency = Distribution::constant(0.06);
  return s;
}

// Iterable, 4 workers with a shuffle buffer each, from storage that feeds three quarters of the steps.
Scenario mixing(std::int64_t epochs, std::int64_t shards, std::int64_t buffer) {
  Scenario s = by_itself(epochs, 0);
  s.loader.style = LoaderStyle::kIterable;
  s.loader.num_workers = 4;
  s.workload.batch_size = 8;
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 40;
  s.dataset.shards_per_rank = shards;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = buffer;
  s.storage.latency = Distribution();
  s.storage.read_bandwidth = bytes_per_second(300e6);
  return s;
}

// As if a second of one core were far too little for the whole run.
RunResult in_parts(const Scenario& s, double affordable_samples = 1e4) {
  RunOptions options;
  options.affordable_samples = affordable_samples;
  return simulate(s, options);
}

Scenario whole(Scenario s) {
  s.run.whole_run = true;
  return s;
}

double lost_time(const RunResult& r) { return std::accumulate(r.lost_fraction.begin(), r.lost_fraction.end(), 0.0); }

// N epochs of n steps, each with a validation at its end.
TEST(EpochBoundaries, ValidationTakesItsTimeInEveryEpoch) {
  for (const std::int64_t steps : {10, 39, 40, 250, 700, 5000}) {
    Scenario s = by_itself(40, steps);
    s.workload.validation_steps = 30;
    s.workload.validation_step_time = seconds(0.1);
    const RunResult r = in_parts(s);
    const auto n = static_cast<double>(steps);
    EXPECT_NEAR(r.time_to_train_s, 40 * n * (kStepOfTurns + kReadOfTurns) + 40 * 3.0, 1e-3) << steps << " steps";
    EXPECT_NEAR(r.gpu_utilization.mean, 40 * n * kStepOfTurns / r.time_to_train_s, 1e-9) << steps << " steps";
    EXPECT_NEAR(lost_time(r), 1.0 - r.gpu_utilization.mean, 1e-9) << steps << " steps";
    EXPECT_LT(r.steps, 2500) << "of " << steps << " in an epoch";
  }
}

TEST(EpochBoundaries, ASingleEpochEndsWithItsValidation) {
  Scenario s = by_itself(1, 5000);
  s.workload.validation_steps = 30;
  s.workload.validation_step_time = seconds(0.1);
  EXPECT_NEAR(in_parts(s).time_to_train_s, 5000 * (kStepOfTurns + kReadOfTurns) + 3.0, 1e-6);
}

// Workers take 2 s to start, in every epoch or in the first alone.
TEST(EpochBoundaries, WorkersThatPersistStartOnce) {
  for (const std::int64_t steps : {30, 300, 3000}) {
    for (const bool persistent : {false, true}) {
      Scenario s = with_workers(20, steps);
      s.loader.start_ready = {seconds(2), seconds(0)};
      s.loader.persistent_workers = persistent;
      const double time = in_parts(s).time_to_train_s;
      EXPECT_NEAR(time / simulate(whole(s)).time_to_train_s, 1.0, 1e-3) << steps << " steps";
      const double starts = persistent ? 1.0 : 20.0;
      EXPECT_NEAR(time, 20.0 * (static_cast<double>(steps) * kStepOfTurns + 0.06) + starts * 2.0, 0.01 * time);
    }
  }
}

// What a buffer takes to fill, it gives back when the shards end: where storage sets the pace, an epoch takes as long
// as its bytes, however large the buffer; and the GPU is never busier than the storage allows.
TEST(EpochBoundaries, ABufferThatFillsAndDrains) {
  for (const std::int64_t epochs : {1, 2, 5}) {
    for (const std::int64_t shards : {40, 160, 900}) {
      for (const std::int64_t buffer : {10, 100, 300}) {
        const Scenario s = mixing(epochs, shards, buffer);
        const RunResult r = in_parts(s), all = simulate(whole(s));
        const std::string which = fmt::format("{} epochs, {} shards, buffer {}", epochs, shards, buffer);
        EXPECT_NEAR(r.time_to_train_s / all.time_to_train_s, 1.0, 0.004) << which;
        EXPECT_NEAR(lost_time(r), 1.0 - r.gpu_utilization.mean, 1e-9) << which;
        // A single epoch past its first fill has bytes from before.
        if (epochs > 1)
          EXPECT_LE(r.gpu_utilization.mean, utilization_bound(s).gpu_utilization + 1e-3) << which;
        else
          EXPECT_NEAR(r.gpu_utilization.mean, all.gpu_utilization.mean, 0.005) << which;
      }
    }
  }
}

// Four workers take 200 ms for a batch each, a step in 50 ms; two shards are left over for two of them, a step in
// 100 ms. Every epoch starts with 200 ms of waiting.
TEST(EpochBoundaries, LastShardsThatSomeWorkersReadAlone) {
  for (const std::int64_t shards : {30, 402}) {
    for (const std::int64_t epochs : {1, 2, 5}) {
      Scenario s = mixing(epochs, shards, 0);
      s.dataset.shuffle = Shuffle::kNone;
      s.workload.batch_size = 1;
      s.storage.read_bandwidth = BytesPerSecond();
      s.storage.latency = Distribution();
      s.dataset.decode_time = Distribution::constant(0.2);
      s.cluster.cores_per_node = 16;
      s.loader.persistent_workers = true;
      const RunResult r = in_parts(s), all = simulate(whole(s));
      const double epoch_s = static_cast<double>((shards - 2) * 40) * 0.05 + 2 * 40 * 0.1;
      EXPECT_NEAR(all.time_to_train_s / (static_cast<double>(epochs) * epoch_s), 1.0, 0.01) << shards << ", " << epochs;
      EXPECT_NEAR(r.time_to_train_s / all.time_to_train_s, 1.0, 1e-3) << shards << " shards, " << epochs << " epochs";
    }
  }
}

// Where a run timeline is drawn, a run of N epochs has as many validations.
TEST(EpochBoundaries, ATimelineHasTheValidationOfEveryEpoch) {
  Scenario s = by_itself(3, 100);
  s.workload.validation_steps = 10;
  s.workload.validation_step_time = seconds(0.1);
  const double plain = 300 * (kStepOfTurns + kReadOfTurns) + 3.0;
  EXPECT_NEAR(simulate(s).time_to_train_s, plain, 1e-3);
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 90;
  s.checkpoint.size = bytes(1e9);
  s.storage.write_bandwidth = bytes_per_second(1e9);
  EXPECT_NEAR(simulate(s).time_to_train_s, plain + 3.0, 1e-2);
}

// A checkpoint every I steps stops the GPU for 3 s, whether or not the length of the run is known.
TEST(EpochBoundaries, CheckpointsThatAreSeldomAreNotMissed) {
  for (const std::int64_t interval : {7, 30, 300, 1900, 2500}) {
    Scenario s = by_itself(10, 5000);
    s.checkpoint.mode = CheckpointMode::kSync;
    s.checkpoint.interval_steps = interval;
    s.checkpoint.size = bytes(3e9);
    s.storage.write_bandwidth = bytes_per_second(1e9);
    const auto n = static_cast<double>(interval);
    const double busy = n * kStepOfTurns / (n * (kStepOfTurns + kReadOfTurns) + 3.0);
    const RunResult r = in_parts(s);
    EXPECT_NEAR(r.gpu_utilization.mean, busy, 2e-3) << "every " << interval;
    EXPECT_NEAR(r.time_to_train_s / simulate(whole(s)).time_to_train_s, 1.0, 2e-3) << "every " << interval;
    s.run.steps_per_epoch = 0;
    EXPECT_NEAR(simulate(s).gpu_utilization.mean, busy, 2e-3) << "every " << interval << ", endless";
  }
}

// A run without an end may save by the clock: 30 s are 1,200 steps.
TEST(EpochBoundaries, CheckpointsByTheClockOfAnEndlessRun) {
  Scenario s = by_itself(1, 0);
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.cadence = CheckpointCadence::kTime;
  s.checkpoint.interval = seconds(30);
  s.checkpoint.size = bytes(3e9);
  s.storage.write_bandwidth = bytes_per_second(1e9);
  const RunResult r = simulate(s);
  EXPECT_NEAR(r.gpu_utilization.mean, 30.0 / 33.0 * kStepOfTurns / (kStepOfTurns + kReadOfTurns), 1e-6);
  EXPECT_NEAR(r.samples_per_s_steady, 30.0 / 33.0 / (kStepOfTurns + kReadOfTurns), 1e-4);
  EXPECT_NEAR(r.checkpoint_stop_s, 3.0, 1e-9);
  EXPECT_NEAR(lost_time(r), 1.0 - r.gpu_utilization.mean, 1e-9);
  EXPECT_EQ(r.time_to_train_s, 0.0);
}

// A timeline has the checkpoints where they fall among the steps, and changes no number.
TEST(EpochBoundaries, ATimelineShowsCheckpoints) {
  Scenario s = by_itself(10, 5000);
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 50;
  s.checkpoint.size = bytes(3e9);
  s.storage.write_bandwidth = bytes_per_second(1e9);
  Trace trace;
  RunOptions options;
  options.trace = &trace;
  const double with_trace = simulate(s, options).time_to_train_s;
  EXPECT_EQ(with_trace, simulate(s).time_to_train_s);
  const auto stops = std::count_if(trace.spans.begin(), trace.spans.end(), [](const TraceSpan& span) {
    return span.kind == TraceSpanKind::kCheckpoint && span.end_ns - span.begin_ns == 3'000'000'000;
  });
  EXPECT_GE(stops, 3);
}

// With epochs that are short, long, and very long against what is under way at a time. The precision asked for is half
// a point of utilization, which is 1.7 % of the time of a job that is 30 % busy.
Scenario extrapolated(std::uint64_t number) {
  Scenario s = random_scenario(number);
  constexpr std::int64_t kTimes[] = {5, 20, 60};
  const std::int64_t times = kTimes[number % 3];
  s.run.steps_per_epoch *= times;
  s.dataset.shards_per_rank *= times;
  s.run.epochs = number % 4 == 0 ? 1 : 4;
  s.run.whole_run = false;
  return s;
}

// Against one whole run, or where that is one far from the others, the mean of ten.
void expect_as_long_as_whole(const Scenario& s) {
  const RunResult drawn = in_parts(s, 4e4);
  double time = simulate(whole(s)).time_to_train_s;
  if (std::abs(drawn.time_to_train_s / time - 1.0) > 0.01) {
    constexpr std::uint64_t kRuns = 10;
    RunOptions options;
    time = 0.0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      options.seed = seed;
      time += simulate(whole(s), options).time_to_train_s / static_cast<double>(kRuns);
    }
  }
  EXPECT_NEAR(drawn.time_to_train_s / time, 1.0, 0.02) << describe(s);
  EXPECT_NEAR(lost_time(drawn), 1.0 - drawn.gpu_utilization.mean, 1e-6) << describe(s);
}

TEST(EpochBoundaries, AnExtrapolatedRunIsAsLongAsTheWholeOne) {
  for (std::uint64_t i = 0; i < 60; ++i) expect_as_long_as_whole(extrapolated(i));
}

// The same with caches that hold none to all of the dataset.
TEST(EpochBoundaries, AnExtrapolatedRunWithCachesIsAsLongAsTheWholeOne) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    Scenario s = extrapolated(i);
    Dice dice(0xcac4e + i);
    const double bytes_in_all = epoch_steps(s) * static_cast<double>(s.ranks() * s.workload.batch_size) *
                                static_cast<double>(s.workload.gradient_accumulation) * mean_of(s.dataset.sample_size);
    const double nodes = static_cast<double>(s.cluster.nodes);
    for (CacheSpec* cache :
         std::initializer_list<CacheSpec*>{&s.page_cache, &s.node_cache, &s.server_cache, &s.regional_cache}) {
      if (dice.chance(0.5)) continue;
      cache->policy = dice.chance(0.5) ? CachePolicy::kLru : CachePolicy::kPinned;
      const bool shared = cache == &s.server_cache || cache == &s.regional_cache;
      cache->capacity = bytes(bytes_in_all * dice.uniform(0.1, 1.5) / (shared ? 1.0 : nodes));
      cache->read_bandwidth = bytes_per_second(5e6 * dice.uniform(1.0, 10.0) * static_cast<double>(s.ranks()));
    }
    expect_as_long_as_whole(s);
  }
}

TEST(Outline, AShortEpochKeepsWhatIsLeftOverForSomeWorkers) {
  const Scenario s = mixing(5, 1003, 10);
  const Outline brief = outline_of(s, {1000.0}, nullptr);
  EXPECT_FALSE(brief.whole);
  ASSERT_FALSE(brief.course.epochs.empty());
  EXPECT_EQ(brief.course.epochs.front().shards % 4, 1003 % 4);
  EXPECT_LT(brief.course.epochs.front().shards, 1003);
  EXPECT_TRUE(outline_of(mixing(5, 7, 10), {1000.0}, nullptr).whole) << "no longer than what is affordable";
}

}  // namespace
}  // namespace stallcast
