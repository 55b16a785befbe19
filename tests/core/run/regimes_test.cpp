// Caches end to end: what simulate() says of a run whose epochs are not alike.
#include "core/run/regimes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/analytic/lru.h"
#include "core/run/simulate.h"

namespace stallcast {
namespace {

// One rank, 100,000 samples of 1 MB (100 GB) in 10,000 steps of 10, 50 ms each: 200 MB/s wanted, 100 MB/s delivered.
Scenario job() {
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
  EXPECT_TRUE(regimes_of(job()).empty());
  EXPECT_TRUE(simulate(job()).regimes.empty());
}

// Everything fits into memory: the first epoch is bound by storage at half of what the GPU wants, the other nine are
// not. Time: 10,000 steps at 0.1 s and 90,000 at 0.05 s = 5,500 s, computing 5,000 s of them.
TEST(Regimes, AWarmPageCacheReadsNothing) {
  Scenario s = job();
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
    Scenario s = job();
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
  }
}

// The same epochs one by one.
TEST(Regimes, AgreeWithTheWholeRun) {
  Scenario s = job();
  s.dataset.samples = 10'000;
  s.run.epochs = 4;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(7e9);
  const RunResult parts = simulate(s);
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
    Scenario s = job();
    s.page_cache.policy = CachePolicy::kLru;
    s.page_cache.capacity = bytes(c * 100e9);
    const double now = simulate(s).gpu_utilization.mean;
    EXPECT_GE(now, before - 0.002) << c;
    before = now;
  }
}

}  // namespace
}  // namespace stallcast
