// The bound is a bound: no simulated job, however it is set up, is busier than its roofline says.
#include <gtest/gtest.h>

#include <random>

#include "core/model/resource_graph.h"
#include "core/run/simulate.h"

namespace stallcast {
namespace {

// A small job with every limit drawn around what the job needs, so that each binds now and then.
Scenario random_job(std::mt19937_64& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto whole = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto chance = [&](double p) { return uniform(0.0, 1.0) < p; };
  Scenario scenario;
  scenario.cluster.nodes = whole(1, 3);
  scenario.cluster.gpus_per_node = whole(1, 3);
  scenario.cluster.cores_per_node = whole(2, 8);
  scenario.workload.batch_size = whole(1, 6);
  scenario.workload.step_time = Distribution::constant(0.02);
  if (chance(0.3)) scenario.workload.step_return_cpu = seconds(uniform(0.0, 0.02));
  scenario.dataset.sample_size = Distribution::constant(100e3);
  scenario.dataset.decode_time = Distribution::constant(uniform(0.0, 0.01));
  scenario.loader.num_workers = whole(0, 4);
  scenario.loader.prefetch_factor = whole(1, 3);
  scenario.loader.in_order = chance(0.5);
  scenario.loader.pin_memory = chance(0.3);
  scenario.loader.consumer_batch_cpu = seconds(uniform(0.0, 0.002));
  scenario.loader.worker_batch_cpu = seconds(uniform(0.0, 0.005));
  scenario.storage.scope = chance(0.3) ? TierScope::kPerNode : TierScope::kShared;
  scenario.storage.latency = Distribution::lognormal(uniform(0.0, 0.02), 0.5);
  const double needed = 5e6 * static_cast<double>(scenario.workload.batch_size * scenario.ranks());
  if (chance(0.5)) scenario.storage.read_bandwidth = bytes_per_second(needed * uniform(0.2, 3.0));
  if (chance(0.3)) scenario.cluster.nic_bandwidth = bytes_per_second(needed * uniform(0.1, 2.0));
  if (chance(0.3)) scenario.storage.stream_bandwidth = bytes_per_second(uniform(5e6, 50e6));
  if (chance(0.3)) scenario.storage.read_iops = per_second(needed / 100e3 * uniform(0.2, 3.0));
  if (chance(0.3)) scenario.storage.metadata_rate = per_second(needed / 100e3 * uniform(0.2, 3.0));
  if (chance(0.3)) scenario.cluster.host_to_device_bandwidth = bytes_per_second(uniform(20e6, 1e9));
  scenario.run.steps_per_epoch = 400;
  scenario.run.whole_run = true;
  return scenario;
}

// The same job fed by a pool of threads, or decoded on the GPU, or read past the host.
Scenario another_loader(Scenario scenario, int i) {
  if (i % 2 == 0) scenario.loader.style = LoaderStyle::kThreads;
  if (scenario.loader.style == LoaderStyle::kThreads) scenario.loader.interleave = i % 3;
  if (i % 4 < 2) {
    scenario.loader.decode_on = DecodeDevice::kGpu;
    scenario.loader.gpu_decode_time = Distribution::constant(mean_of(scenario.dataset.decode_time) / 5.0);
    scenario.loader.gpudirect = scenario.storage.gpudirect = i % 8 < 4;
  }
  scenario.dataset.compression_ratio = 1.0 + i % 3;
  scenario.dataset.decompress_bandwidth = bytes_per_second(100e6);
  return scenario;
}

class BoundHolds : public testing::TestWithParam<bool> {};

TEST_P(BoundHolds, NoSimulatedJobIsBusierThanItsBound) {
  // 400 steps less the batches fetched ahead (at most 12 of them, 3 %) and the luck of the latencies.
  constexpr double kTolerance = 0.035;
  std::mt19937_64 random(20);
  for (int i = 0; i < 60; ++i) {
    Scenario scenario = random_job(random);
    if (GetParam()) scenario = another_loader(scenario, i);
    const Bound bound = utilization_bound(scenario);
    const RunResult result = simulate(scenario);
    EXPECT_LE(result.gpu_utilization.mean, bound.gpu_utilization + kTolerance)
        << "job " << i << ", bound by " << bound.binding_resource << ", workers " << scenario.loader.num_workers;
    EXPECT_GT(result.gpu_utilization.mean, 0.3 * bound.gpu_utilization) << "job " << i << ": the bound says nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Loaders, BoundHolds, testing::Bool(),
                         [](const auto& job) { return job.param ? "OtherLoaders" : "PyTorch"; });

// Ten row groups of 100 requests each at 100 requests/s take 10 s; all that follows is in the page cache. Ten workers
// with two batches each have all 20 batches in hand: they decode the one while they wait for the other, and 1000
// samples take 10 s. One worker reads, then decodes for 10 s more.
TEST(BoundOfAnEpoch, BatchesInHandAreReadAndDecodedAtOnce) {
  constexpr double kLuck = 1.02;  // of which reads are the first of their row group
  Scenario s;
  s.cluster.cores_per_node = 10;
  s.workload.batch_size = 50;
  s.workload.step_time = Distribution::constant(0.02);
  s.dataset.layout = DatasetLayout::kColumnar;
  s.dataset.samples = 1000;
  s.dataset.samples_per_shard = 100;
  s.dataset.sample_size = Distribution::constant(100e3);
  s.dataset.request_size = bytes(100e3);
  s.dataset.decode_time = Distribution::constant(0.01);
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(1e12);
  s.storage.read_iops = per_second(100);
  s.run.epochs = 1;
  s.loader.num_workers = 10;
  s.loader.prefetch_factor = 2;
  const Bound all_at_once = utilization_bound(s);
  EXPECT_EQ(all_at_once.binding_resource, "read_iops");
  EXPECT_NEAR(all_at_once.samples_per_s, 100.0, 1.0);
  EXPECT_LE(simulate(s).gpu_utilization.mean, kLuck * all_at_once.gpu_utilization);
  s.loader.num_workers = 1;
  s.loader.prefetch_factor = 1;
  const Bound one_by_one = utilization_bound(s);
  EXPECT_LT(one_by_one.samples_per_s, 70.0);
  EXPECT_GT(one_by_one.samples_per_s, 50.0 - 0.5);
  EXPECT_LE(simulate(s).gpu_utilization.mean, kLuck * one_by_one.gpu_utilization);
}

}  // namespace
}  // namespace stallcast
