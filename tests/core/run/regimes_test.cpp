// Caches end to end: what simulate() says of a run whose epochs are not alike.
#include "core/steps/regimes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/model/resource_graph.h"
#include "core/run/simulate.h"
#include "tests/analytic/lru.h"

namespace stallcast {
namespace {

// One rank, 100,000 samples of 1 MB (100 GB) in 10,000 steps of 10, 50 ms each: 200 MB/s wanted, 100 MB/s delivered.
Scenario cached_job() {
  Scenario s;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.05);
  s.dataset.samples = 100'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.loader.num_workers = 4;
  s.loader.prefetch_factor = 2;
  s.loader.persistent_workers = true;
  s.run.epochs = 10;
  return s;
}

double share(const RegimeResult& regime, ReadLevel level) { return regime.served[index_of(level)]; }

TEST(Regimes, ThereAreNoneWithoutCaches) {
  EXPECT_FALSE(has_kinds_of_reads(regimes_of(cached_job())));
  EXPECT_TRUE(simulate(cached_job()).regimes.empty());
}

// Everything fits into memory: the first epoch is bound by storage at half of what the GPU wants, the other nine are
// not. Time: 10,000 steps at 0.1 s and 90,000 at 0.05 s = 5,500 s, computing 5,000 s of them.
TEST(Regimes, AWarmPageCacheReadsNothing) {
  Scenario s = cached_job();
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(100e9);
  const RunResult r = simulate(s);
  ASSERT_EQ(r.regimes.size(), 2u);
  EXPECT_EQ(r.regimes[0].name, "epoch 1");
  EXPECT_EQ(r.regimes[1].name, "epochs 2 to 10");
  EXPECT_EQ(r.regimes[1].epochs, 9.0);
  EXPECT_NEAR(r.regimes[0].gpu_utilization.mean, 0.5, 0.005);
  EXPECT_NEAR(r.regimes[1].gpu_utilization.mean, 1.0, 0.001);
  EXPECT_EQ(share(r.regimes[0], ReadLevel::kStorage), 1.0);
  EXPECT_EQ(share(r.regimes[1], ReadLevel::kPageCache), 1.0);
  EXPECT_NEAR(r.time_to_train_s, 5500.0, 5.0);
  EXPECT_NEAR(r.gpu_utilization.mean, 5000.0 / 5500.0, 0.002);
  EXPECT_NEAR(r.samples_per_s, 1e6 / 5500.0, 0.5);
  EXPECT_NEAR(r.totals.read_bytes, 100e9, 1.0);
  EXPECT_NEAR(r.totals.samples, 1e6, 1e-3);
  EXPECT_NEAR(r.totals.useful_gpu_s, 5000.0, 1e-6);
  EXPECT_NEAR(r.totals.training_s, r.time_to_train_s, 1e-9);
  double lost = 0.0;
  for (const double fraction : r.lost_fraction) lost += fraction;
  EXPECT_NEAR(lost, 1.0 - r.gpu_utilization.mean, 1e-9);
  EXPECT_TRUE(r.converged);
}

// Where storage always binds, the time of a warm epoch is what storage has to deliver of it: (1 - h) * 100 GB at
// 100 MB/s, as long as h < 1/2 everywhere; with compute hidden behind it where it does not bind. At position x storage
// must deliver 1 - h(x) = (1 - c) / (1 - x) for x < c, so a step takes max(50 ms, 100 ms * that).
TEST(Regimes, TheWarmEpochIsSweptAsItChanges) {
  for (const double c : {0.3, 0.5, 0.7, 0.9}) {
    Scenario s = cached_job();
    s.page_cache.policy = CachePolicy::kLru;
    s.page_cache.capacity = bytes(c * 100e9);
    const RunResult r = simulate(s);
    ASSERT_EQ(r.regimes.size(), 2u) << c;
    EXPECT_NEAR(share(r.regimes[1], ReadLevel::kPageCache), lru_reshuffle_hit_ratio(c), 0.005) << c;
    double step = 0.0;
    constexpr int kPoints = 10'000;
    for (int i = 0; i < kPoints; ++i) {
      const double missed = 1.0 - lru_reshuffle_hit_ratio_at(c, (i + 0.5) / kPoints);
      step += std::max(0.05, 0.1 * missed) / kPoints;
    }
    EXPECT_NEAR(r.regimes[1].gpu_utilization.mean, 0.05 / step, 0.01) << c;
    EXPECT_NEAR(r.totals.read_bytes, 100e9 + 9 * 100e9 * (1.0 - share(r.regimes[1], ReadLevel::kPageCache)), 1e3);
    EXPECT_LE(r.gpu_utilization.half_width(), 0.006);
    EXPECT_LE(r.gpu_utilization.mean, utilization_bound(s).gpu_utilization + 0.006) << c;
    EXPECT_GE(r.gpu_utilization.mean, utilization_bound(s).gpu_utilization - 0.02) << c;
  }
}

// The same epochs one by one.
TEST(Regimes, AgreeWithTheWholeRun) {
  Scenario s = cached_job();
  s.dataset.samples = 10'000;
  s.run.epochs = 4;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(7e9);
  RunOptions few;
  few.affordable_samples = 3e4;
  const RunResult parts = simulate(s, few);
  s.run.whole_run = true;
  const RunResult whole = simulate(s);
  EXPECT_NEAR(parts.gpu_utilization.mean, whole.gpu_utilization.mean, 0.01);
  EXPECT_NEAR(parts.time_to_train_s / whole.time_to_train_s, 1.0, 0.01);
  EXPECT_NEAR(parts.totals.read_bytes / whole.totals.read_bytes, 1.0, 0.02);
  EXPECT_NEAR(parts.totals.useful_gpu_s, whole.totals.useful_gpu_s, 1e-6);
}

TEST(Regimes, ALargerCacheNeverLowersUtilization) {
  double before = 0.0;
  for (double c = 0.0; c <= 1.05; c += 0.15) {
    Scenario s = cached_job();
    s.page_cache.policy = CachePolicy::kLru;
    s.page_cache.capacity = bytes(c * 100e9);
    const double now = simulate(s).gpu_utilization.mean;
    EXPECT_GE(now, before - 0.002) << c;
    before = now;
  }
}

// Storage that gives 300 MB/s while its credit lasts.
Scenario bursting_job(double credit) {
  Scenario s = cached_job();
  s.storage.burst_bandwidth = bytes_per_second(300e6);
  s.storage.burst_credit = bytes(credit);
  return s;
}

// Storage gives 100 MB/s and 300 MB/s while 20 GB of credit last; the GPU takes 200 MB/s. The credit goes at 100 MB/s,
// so after 200 s: 4,000 steps of 50 ms. The other 96,000 take 100 ms each: 9,600 s.
TEST(Regimes, ABurstLastsAsLongAsItsCredit) {
  const Scenario s = bursting_job(20e9);
  for (const double samples : {kAffordableSamples, 5e4}) {
    RunOptions options;
    options.affordable_samples = samples;
    const RunResult r = simulate(s, options);
    EXPECT_EQ(r.whole, samples == kAffordableSamples);
    EXPECT_NEAR(r.time_to_train_s, 9800.0, 40.0);
    EXPECT_NEAR(r.totals.read_bytes, 1e12, 1e9);
    EXPECT_LE(r.gpu_utilization.mean, utilization_bound(s).gpu_utilization + 0.005);
  }
}

// A validation pass of 200 s refills the 20 GB at 100 MB/s. Each of ten epochs is 4,000 steps of 50 ms, 6,000 of 100 ms
// and the pass: 1,000 s.
TEST(Regimes, CreditThatComesBackBetweenEpochsLastsInEach) {
  Scenario s = bursting_job(20e9);
  s.workload.validation_steps = 200;
  s.workload.validation_step_time = seconds(1);
  for (const double samples : {kAffordableSamples, 2e5}) {
    RunOptions options;
    options.affordable_samples = samples;
    const RunResult r = simulate(s, options);
    EXPECT_EQ(r.whole, samples == kAffordableSamples);
    EXPECT_NEAR(r.time_to_train_s, 10'000.0, 100.0);
  }
}

// The same in a run that is simulated whole: 1,000 steps, of which 5 GB of credit carry 1,000: (5e9 / 100e6) s / 50 ms.
TEST(Regimes, AWholeRunSpendsItsCredit) {
  Scenario s = bursting_job(5e9);
  s.dataset.samples = 20'000;
  s.run.epochs = 1;
  s.run.whole_run = true;
  // 1,000 steps in 50 s, then 1,000 more at 100 MB/s in 100 s.
  EXPECT_NEAR(simulate(s).time_to_train_s, 150.0, 2.0);
  s.storage.burst_credit = bytes(50e9);
  EXPECT_NEAR(simulate(s).time_to_train_s, 100.0, 1.0);
  s.storage.burst_credit = bytes(0);
  EXPECT_NEAR(simulate(s).time_to_train_s, 200.0, 2.0);
}

// Each of 100,000 files comes once from the origin, at 50 MB/s through storage; nine epochs then read storage. Four
// workers, 10 ms to the first byte of each sample and 80 ms of transfer (a quarter of 50 MB/s): 4 / 90 ms = 44.4 of the
// 200 samples/s that the GPU takes.
TEST(Regimes, LazyLoadReadsTheOriginInTheFirstEpoch) {
  Scenario s = cached_job();
  s.staging.method = StagingMethod::kLazy;
  s.origin.read_bandwidth = bytes_per_second(50e6);
  s.origin.latency = Distribution::constant(0.01);
  const RunResult r = simulate(s);
  ASSERT_EQ(r.regimes.size(), 2u);
  EXPECT_EQ(share(r.regimes[0], ReadLevel::kOrigin), 1.0);
  EXPECT_NEAR(r.regimes[0].gpu_utilization.mean, 4.0 / 0.09 / 200.0, 0.005);
  EXPECT_NEAR(r.regimes[1].gpu_utilization.mean, 0.5, 0.005);
  EXPECT_NEAR(r.totals.origin_read_bytes, 100e9, 1e3);
  EXPECT_NEAR(r.totals.written_bytes, 100e9, 1e3);
  EXPECT_NEAR(r.totals.read_bytes, 900e9, 1e3);
  EXPECT_NEAR(r.totals.read_requests, 900'000, 1.0);
  EXPECT_NEAR(r.totals.origin_read_requests, 100'000, 1.0);
  EXPECT_EQ(r.staging.method, "lazy");
}

// A copy at 100 MB/s beside the job takes 1,000 s. Its origin has as much again for the job: 200 MB/s is shared by the
// copy and the reads of what has not come.
TEST(Regimes, APrefetchIsReadFromBothSides) {
  Scenario s = cached_job();
  s.staging.method = StagingMethod::kPrefetch;
  s.origin.read_bandwidth = bytes_per_second(2e9);
  s.staging.bandwidth = bytes_per_second(100e6);
  s.storage.read_bandwidth = bytes_per_second(1e9);
  const RunResult r = simulate(s);
  // Nothing binds: 200 MB/s for 1,000 s, which are two epochs, half of it on average from the origin, and the copy
  // itself.
  ASSERT_GE(r.regimes.size(), 3u);
  EXPECT_EQ(r.regimes[1].name, "epoch 2");
  EXPECT_NEAR(share(r.regimes[0], ReadLevel::kOrigin), 0.75, 0.03);
  EXPECT_NEAR(share(r.regimes[1], ReadLevel::kOrigin), 0.25, 0.03);
  EXPECT_NEAR(r.totals.origin_read_bytes, 100e9 + 100e9, 8e9);
  EXPECT_NEAR(r.totals.origin_read_bytes + r.totals.read_bytes, 1000e9 + 100e9, 1e9);
  EXPECT_NEAR(r.gpu_utilization.mean, 1.0, 0.005);
  EXPECT_NEAR(r.staging.copy_s, 1000.0, 30.0);
}

// Simulated whole, the same job reads every step of it from both sides, and is as long.
TEST(Regimes, AWholeRunOutlastsItsPrefetch) {
  Scenario s = cached_job();
  s.dataset.samples = 1000;
  s.staging.method = StagingMethod::kPrefetch;
  s.origin.read_bandwidth = bytes_per_second(120e6);
  s.staging.bandwidth = bytes_per_second(20e6);
  s.storage.read_bandwidth = bytes_per_second(1e9);
  RunOptions few;
  few.affordable_samples = 2e3;
  const RunResult drawn = simulate(s, few);
  s.run.whole_run = true;
  const RunResult whole = simulate(s);
  EXPECT_EQ(whole.steps, 1000);
  EXPECT_NEAR(whole.staging.copy_s, 50.0, 0.1);
  EXPECT_NEAR(drawn.staging.copy_s / whole.staging.copy_s, 1.0, 0.05);
  EXPECT_NEAR(drawn.time_to_train_s / whole.time_to_train_s, 1.0, 0.01);
  EXPECT_NEAR(drawn.totals.origin_read_bytes / whole.totals.origin_read_bytes, 1.0, 0.03);
}

// Shards that do not fill the batches of every worker: an epoch is 56 steps and not the 60 that its samples make.
TEST(Regimes, EpochsAreAsLongAsTheLoaderMakesThem) {
  Scenario s = cached_job();
  s.loader.style = LoaderStyle::kIterable;
  s.workload.batch_size = 64;
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 50;
  s.dataset.shards_per_rank = 76;
  s.dataset.samples = 76 * 50;
  s.page_cache.policy = CachePolicy::kPinned;
  s.page_cache.capacity = bytes(10e9);
  for (const bool persistent : {false, true}) {
    s.loader.persistent_workers = persistent;
    s.loader.start_ready = {seconds(0.5), seconds(0)};
    s.run.whole_run = false;
    RunOptions few;
    few.affordable_samples = 1e4;
    const RunResult drawn = simulate(s, few);
    s.run.whole_run = true;
    const RunResult whole = simulate(s);
    EXPECT_EQ(whole.steps, 10 * 56);
    EXPECT_EQ(drawn.totals.samples, whole.totals.samples);
    EXPECT_NEAR(drawn.time_to_train_s / whole.time_to_train_s, 1.0, 0.005);
  }
}

// A cache that never answers changes nothing: a single epoch has no turn, with it or without.
TEST(Regimes, ASingleEpochHasNoTurn) {
  Scenario s = cached_job();
  s.loader.style = LoaderStyle::kIterable;
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 40;
  s.dataset.samples = 4000;
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 300;
  s.run.epochs = 1;
  const RunResult without = simulate(s);
  s.page_cache.policy = CachePolicy::kPinned;
  s.page_cache.capacity = bytes(1e9);
  const RunResult with = simulate(s);
  EXPECT_NEAR(with.gpu_utilization.mean, without.gpu_utilization.mean, 1e-6);
  EXPECT_NEAR(with.time_to_train_s, without.time_to_train_s, 1e-6);
}

// A bulk copy comes before the job: 100 GB at 1 GB/s.
TEST(Regimes, ABulkCopyComesFirst) {
  Scenario s = cached_job();
  const double trained = simulate(s).time_to_train_s;
  s.staging.method = StagingMethod::kBulk;
  s.staging.bandwidth = bytes_per_second(1e9);
  s.storage.list_page_size = 1000;
  s.storage.list_latency = milliseconds(100);
  const RunResult r = simulate(s);
  EXPECT_TRUE(r.regimes.empty());
  EXPECT_EQ(r.staging.limit, "staging_bandwidth");
  EXPECT_NEAR(r.totals.staging_s, 100.0, 1e-9);
  EXPECT_EQ(r.totals.list_requests, 100.0);
  EXPECT_NEAR(r.totals.listing_s, 10.0, 1e-9);
  EXPECT_NEAR(r.time_to_train_s, trained + 110.0, 1e-6);
  EXPECT_NEAR(r.totals.origin_read_bytes, 100e9, 1.0);
}

// 2,000 requests/s are asked for and 1,000 answered: after the first second's worth, half of the time is waiting, and
// each request that is answered has been refused at least once on average.
TEST(Regimes, RefusedRequestsAreTriedAgain) {
  Scenario s = cached_job();
  s.dataset.sample_size = Distribution::constant(1e5);
  s.workload.batch_size = 100;
  s.dataset.samples = 10'000'000;
  s.storage.read_bandwidth = BytesPerSecond();
  s.storage.read_iops = per_second(1000);
  s.loader.num_workers = 16;
  const double queued = simulate(s).gpu_utilization.mean;
  s.storage.retry_base = milliseconds(10);
  s.storage.retry_max = milliseconds(100);
  const RunResult r = simulate(s);
  EXPECT_NEAR(queued, 0.5, 0.01);
  EXPECT_LE(r.gpu_utilization.mean, 0.51);
  EXPECT_GE(r.gpu_utilization.mean, 0.30) << "pauses leave some of the rate unused";
  EXPECT_GT(r.totals.refused_requests, 0.3 * r.totals.read_requests);
  EXPECT_NEAR(r.totals.read_requests / 1e8, 1.0, 1e-4) << "samples whose reads are under way count as read";
}

// Two nodes, 100 GB each on NVMe of 1 GB/s, storage of 100 MB/s for both: cold at a quarter, warm as fast as the GPU.
// Peers serve half through cards of 150 MB/s: 100 MB/s of each node's 200, so they do not bind; at 50 MB/s they do, at
// half.
TEST(Regimes, PeersAreReadThroughTheNetwork) {
  Scenario s = cached_job();
  s.cluster.nodes = 2;
  s.node_cache.policy = CachePolicy::kPinned;
  s.node_cache.sharing = CacheSharing::kPartitioned;
  s.node_cache.capacity = bytes(60e9);
  s.node_cache.read_bandwidth = bytes_per_second(1e9);
  s.cluster.nic_bandwidth = bytes_per_second(150e6);
  RunResult r = simulate(s);
  ASSERT_EQ(r.regimes.size(), 2u);
  EXPECT_NEAR(r.regimes[0].gpu_utilization.mean, 0.25, 0.01);
  EXPECT_NEAR(r.regimes[1].gpu_utilization.mean, 1.0, 0.02);
  EXPECT_NEAR(share(r.regimes[1], ReadLevel::kPeerCache), 0.5, 0.02);
  EXPECT_LE(r.gpu_utilization.mean, utilization_bound(s).gpu_utilization + 0.005);
  s.cluster.nic_bandwidth = bytes_per_second(50e6);
  r = simulate(s);
  EXPECT_NEAR(r.regimes[1].gpu_utilization.mean, 0.5, 0.02);
}

// A node cache is filled at the rate its device writes: 60 MB/s hold the first epoch back, not the others.
TEST(Regimes, FillsTakeTheDevicesWrites) {
  Scenario s = cached_job();
  s.node_cache.policy = CachePolicy::kLru;
  s.node_cache.capacity = bytes(100e9);
  s.node_cache.write_bandwidth = bytes_per_second(60e6);
  const RunResult r = simulate(s);
  EXPECT_NEAR(r.regimes.at(0).gpu_utilization.mean, 0.3, 0.005);
  EXPECT_NEAR(r.regimes.at(1).gpu_utilization.mean, 1.0, 0.002);
  EXPECT_LE(r.gpu_utilization.mean, utilization_bound(s).gpu_utilization + 0.005);
}

// Regional cache behind a small page cache: every byte that no level above has is read there or put into it.
TEST(Regimes, EveryByteIsServedByOneLevel) {
  Scenario s = cached_job();
  s.cluster.nodes = 2;
  s.page_cache.policy = s.regional_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(30e9);
  s.regional_cache.capacity = bytes(1e12);
  const RunResult r = simulate(s);
  double answered = 0.0, page = 0.0, epochs = 0.0;
  for (const RegimeResult& regime : r.regimes) {
    for (const double level : regime.served) answered += level * regime.epochs;
    page += share(regime, ReadLevel::kPageCache) * regime.epochs;
    epochs += regime.epochs;
  }
  EXPECT_NEAR(epochs, 10.0, 1e-9);
  EXPECT_NEAR(answered, 10.0, 1e-9);
  EXPECT_NEAR(r.totals.read_bytes + r.totals.regional_read_bytes + page * 100e9, 1000e9, 1e6);
  EXPECT_NEAR(r.totals.regional_ingest_bytes, r.totals.read_bytes, 1e6) << "what is read is kept";
  EXPECT_NEAR(r.totals.read_bytes, 100e9, 2e9) << "once";
}

}  // namespace
}  // namespace stallcast
