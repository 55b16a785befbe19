// Nothing is lost and nothing comes from nowhere: time, bytes, samples and checkpoints of any job add up.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "core/model/loader/draws.h"
#include "core/model/resource_graph.h"
#include "core/run/simulate.h"
#include "core/scenario/check/check.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/data_path.h"
#include "core/steps/outline.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

constexpr std::uint64_t kConservedJobs = 240;

struct Job {
  Scenario scenario;
  RunResult result;
};

// Every job once for all tests of this file.
const std::vector<Job>& jobs() {
  static const std::vector<Job> all = [] {
    std::vector<Job> out;
    for (std::uint64_t i = 0; i < kConservedJobs; ++i) {
      const Scenario s = random_scenario(i);
      out.push_back({s, simulate(s)});
    }
    return out;
  }();
  return all;
}

// Batches that all epochs of one rank deliver.
std::int64_t batches_of(const Scenario& s) {
  if (s.loader.style != LoaderStyle::kIterable)
    return s.run.epochs * s.run.steps_per_epoch * s.workload.gradient_accumulation;
  const std::int64_t workers = std::max<std::int64_t>(1, s.loader.num_workers);
  std::int64_t batches = 0;
  for (std::int64_t w = 0; w < workers; ++w) {
    const std::int64_t shards = s.dataset.shards_per_rank / workers + (w < s.dataset.shards_per_rank % workers ? 1 : 0);
    batches += shards * s.dataset.samples_per_shard / s.workload.batch_size;
  }
  return s.run.epochs * batches;
}

std::int64_t steps_of(const Scenario& s) {
  return s.run.epochs * (batches_of(s) / s.run.epochs / s.workload.gradient_accumulation);
}

TEST(RandomScenario, CoversEveryChoiceWithoutAnError) {
  std::set<std::pair<int, int>> seen;
  for (const auto& [s, result] : jobs()) {
    EXPECT_FALSE(check_scenario(s, {}, "").has_errors()) << describe(s);
    int axis = 0;
    for (const int choice :
         {static_cast<int>(s.cluster.core_sharing), static_cast<int>(s.workload.step_time_form),
          static_cast<int>(s.dataset.layout), static_cast<int>(s.dataset.shuffle), static_cast<int>(s.loader.style),
          static_cast<int>(s.loader.start_method), static_cast<int>(s.storage.scope),
          static_cast<int>(s.checkpoint.mode), static_cast<int>(s.checkpoint.writers),
          static_cast<int>(s.storage.latency.kind), static_cast<int>(s.dataset.sample_size.kind),
          static_cast<int>(s.workload.step_time.kind), static_cast<int>(s.loader.num_workers),
          static_cast<int>(s.loader.decode_on), static_cast<int>(s.loader.gpudirect),
          static_cast<int>(std::min<std::int64_t>(2, reading_streams(s)))})
      seen.emplace(axis++, choice);
  }
  EXPECT_EQ(seen.size(), 3u + 3 + 4 + 4 + 3 + 2 + 2 + 3 + 2 + 8 + 8 + 8 + 5 + 2 + 2 + 3);
}

TEST(Conservation, StepsAndSamplesAreCounted) {
  for (const auto& [s, result] : jobs()) {
    EXPECT_EQ(result.steps, steps_of(s)) << describe(s);
    EXPECT_EQ(result.samples, result.steps * s.workload.batch_size * s.workload.gradient_accumulation * s.ranks());
    if (result.steps == 0) continue;
    EXPECT_NEAR(result.samples_per_s * result.simulated_s, static_cast<double>(result.samples), 1e-6) << describe(s);
    EXPECT_TRUE(result.converged) << describe(s);
  }
}

TEST(Conservation, EveryLostSecondHasACause) {
  for (const auto& [s, result] : jobs()) {
    if (result.steps == 0) continue;
    double lost = 0.0;
    for (std::size_t c = 0; c < result.lost_fraction.size(); ++c) {
      EXPECT_GE(result.lost_fraction[c], -1e-12) << lost_time_name(static_cast<LostTime>(c)) << ", " << describe(s);
      lost += result.lost_fraction[c];
    }
    EXPECT_NEAR(lost, 1.0 - result.gpu_utilization.mean, 1e-9) << describe(s);
  }
}

// Every sample of every batch that a rank asks for is read once, by its own draw: a row group where one sample of it is
// wanted at random; by whole requests in file order, so that each worker (and each shard) may read some ahead.
TEST(Conservation, BytesReadAreThoseOfTheSamples) {
  for (const auto& [s, result] : jobs()) {
    if (result.steps == 0) continue;  // nothing is measured of a job without a whole batch
    const Draws draws(s, static_cast<std::uint64_t>(s.run.seed), nullptr);
    const bool iterable = s.loader.style == LoaderStyle::kIterable;
    // Of an iterable loader the shards that the stated steps take.
    const std::int64_t per_epoch =
        outline_of(s, {1e9, true}, nullptr).course.epochs.front().shards * s.dataset.samples_per_shard;
    // Iterable workers read their remainders, which fill no batch; a loader without workers does not.
    const std::int64_t read_per_epoch = !iterable ? batches_of(s) / s.run.epochs * s.workload.batch_size
                                        : s.loader.num_workers > 0
                                            ? per_epoch
                                            : per_epoch / s.workload.batch_size * s.workload.batch_size;
    const std::int64_t stride = iterable ? per_epoch : read_per_epoch;
    double expected = 0.0;
    for (std::int64_t rank = 0; rank < s.ranks(); ++rank)
      for (std::int64_t epoch = 0; epoch < s.run.epochs; ++epoch)
        for (std::int64_t i = 0; i < read_per_epoch; ++i)
          expected += draws.sample(rank, static_cast<std::uint64_t>(epoch * stride + i)).size_bytes;
    if (s.dataset.layout == DatasetLayout::kColumnar && !reads_in_file_order(s))
      expected *= static_cast<double>(s.dataset.samples_per_shard);
    double ahead = 0.0;
    if (reads_in_file_order(s)) {
      const std::int64_t files = (read_per_epoch + s.dataset.samples_per_shard - 1) / s.dataset.samples_per_shard;
      const std::int64_t streams = iterable ? s.dataset.shards_per_rank
                                   : s.loader.style == LoaderStyle::kThreads
                                       ? files
                                       : std::max<std::int64_t>(1, s.loader.num_workers);
      ahead = s.dataset.request_size.base() * static_cast<double>(streams * s.ranks() * s.run.epochs);
    }
    EXPECT_GE(result.read_bytes, expected * (1.0 - 1e-12)) << describe(s);
    EXPECT_LE(result.read_bytes, (expected + ahead) * (1.0 + 1e-12)) << describe(s);
    const double wanted = s.dataset.layout == DatasetLayout::kColumnar ? s.dataset.wanted_fraction : 1.0;
    EXPECT_DOUBLE_EQ(result.wanted_bytes, result.read_bytes * wanted);
  }
}

TEST(Conservation, CheckpointsAreWrittenWhole) {
  for (const auto& [s, result] : jobs()) {
    const bool on = s.checkpoint.mode != CheckpointMode::kNone;
    const std::int64_t expected = on ? result.steps / s.checkpoint.interval_steps : 0;
    EXPECT_EQ(result.checkpoints, expected) << describe(s);
    EXPECT_NEAR(result.written_bytes,
                on && s.checkpoint.to_storage ? static_cast<double>(expected) * checkpoint_shape(s).total : 0.0, 1.0)
        << describe(s);
  }
}

TEST(Conservation, NothingIsBusierThanAlways) {
  for (const auto& [s, result] : jobs()) {
    if (result.steps == 0) continue;
    for (const double fraction : {result.cpu_busy_fraction, result.storage_busy_fraction, result.au, result.au_steady,
                                  result.gpu_utilization.mean, result.goodput_fraction}) {
      EXPECT_GE(fraction, 0.0) << describe(s);
      EXPECT_LE(fraction, 1.0 + 1e-9) << describe(s);
    }
    EXPECT_LE(result.gpu_utilization.ci95_low, result.gpu_utilization.mean + 1e-12) << describe(s);
    EXPECT_GE(result.gpu_utilization.ci95_high, result.gpu_utilization.mean - 1e-12) << describe(s);
    EXPECT_LE(result.step_time_s.p50, result.step_time_s.p99) << describe(s);
    EXPECT_LE(result.time_to_first_batch_s, result.simulated_s) << describe(s);
  }
}

// A short run lives on the batches loaded ahead, at most num_workers * prefetch_factor + num_workers of them per epoch
// and rank (or what a pool of threads holds), and on its luck: half as much again, and 0.05.
TEST(Conservation, NoJobIsBusierThanItsBound) {
  for (const auto& [s, result] : jobs()) {
    if (result.steps < 30) continue;
    const bool threads = s.loader.style == LoaderStyle::kThreads;
    const std::int64_t samples = s.loader.num_workers + 4 * reading_streams(s) + s.dataset.shuffle_buffer;
    const std::int64_t batches =
        threads
            ? s.loader.prefetch_factor + 1 + samples / s.workload.batch_size + 1
            : s.loader.num_workers * (s.loader.prefetch_factor + 1 + s.loader.read_ahead / s.workload.batch_size) + 1;
    const auto ahead = static_cast<double>(batches * s.run.epochs);
    const double share = ahead / static_cast<double>(result.steps * s.workload.gradient_accumulation);
    const Bound bound = utilization_bound(s);
    EXPECT_LE(result.gpu_utilization.mean, bound.gpu_utilization * (1.0 + 1.5 * share) + 0.05)
        << bound.binding_resource << ", " << describe(s);
  }
}

// An iterable epoch ends with its shards: a whole run of steps_per_epoch alone has no end, and is refused.
TEST(WholeRun, OfAnIterableLoaderMustKnowItsShards) {
  Scenario s;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.sample_size = Distribution::constant(1e5);
  s.loader.style = LoaderStyle::kIterable;
  s.run.whole_run = true;
  s.run.steps_per_epoch = 10;
  EXPECT_TRUE(check_scenario(s, {}, "").has_errors());
  s.dataset.shards_per_rank = 4;
  EXPECT_FALSE(check_scenario(s, {}, "").has_errors());
}

// Half a core may count as a whole one, but is not busy more than all the time then.
TEST(Conservation, PartsOfCoresAreNotBusierThanAlways) {
  for (const CoreSharing sharing :
       {CoreSharing::kProcessorSharing, CoreSharing::kOneQueue, CoreSharing::kQueuePerCore}) {
    Scenario s = random_scenario(0);
    s.loader = {};
    s.loader.num_workers = 2;
    s.dataset.decode_time = Distribution::constant(0.01);
    s.cluster.cores_per_node = 0.5;
    s.cluster.core_sharing = sharing;
    s.run.steps_per_epoch = 50;
    EXPECT_LE(simulate(s).cpu_busy_fraction, 1.0 + 1e-9) << static_cast<int>(sharing);
  }
}

// Bytes that are still on their way when a run stops have not been moved.
TEST(Conservation, BytesUnderWayDoNotKeepTheStorageBusy) {
  Scenario s;
  s.cluster.cores_per_node = 64;
  s.workload.step_time = Distribution::constant(0.001);
  s.dataset.layout = DatasetLayout::kRecords;
  s.dataset.sample_size = Distribution::lognormal(1e6, 1.0);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.loader.num_workers = 16;
  s.loader.in_order = false;
  s.run.max_steps = 4;
  EXPECT_LE(simulate(s).storage_busy_fraction, 1.0 + 1e-9);
}

}  // namespace
}  // namespace stallcast
