#include "core/model/resource_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

using ::testing::ElementsAre;

// One rank of 100 samples/s (10 per 100 ms step), four workers, 1 MB samples, storage without limits.
Scenario plain_job() {
  Scenario scenario;
  scenario.cluster.cores_per_node = 8;
  scenario.workload.batch_size = 10;
  scenario.workload.step_time = Distribution::constant(0.1);
  scenario.dataset.sample_size = Distribution::constant(1e6);
  scenario.loader.num_workers = 4;
  return scenario;
}

TEST(UtilizationBound, WithoutLimitsTheGpuBinds) {
  const Bound bound = utilization_bound(plain_job());
  EXPECT_NEAR(bound.gpu_utilization, 1.0, 1e-9);
  EXPECT_NEAR(bound.samples_per_s, 100.0, 1e-6);
  EXPECT_EQ(bound.binding_resource, "gpu");
}

// 4 workers * 10 samples / (10 * 80 ms) = 50 samples/s of 100.
TEST(UtilizationBound, LatencyKeepsWorkersBusy) {
  Scenario scenario = plain_job();
  scenario.storage.latency = Distribution::constant(0.08);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.5, 1e-9);
  EXPECT_EQ(bound.binding_resource, "loader_workers");
}

// 1 MB at 12.5 MB/s is 80 ms again, now of a stream.
TEST(UtilizationBound, NamesTheStreamWhenTransferTakesTheTime) {
  Scenario scenario = plain_job();
  scenario.storage.stream_bandwidth = bytes_per_second(12.5e6);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.5, 1e-9);
  EXPECT_EQ(bound.binding_resource, "stream");
}

// 2 cores / 80 ms = 25 samples/s; the four workers alone could do 50.
TEST(UtilizationBound, CoresBindBeforeWorkers) {
  Scenario scenario = plain_job();
  scenario.cluster.cores_per_node = 2;
  scenario.dataset.decode_time = Distribution::constant(0.08);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.25, 1e-9);
  EXPECT_EQ(bound.binding_resource, "cpu_cores");
}

// 50 MB/s shared is 50 samples/s; neighbours that take a fifth leave 40.
TEST(UtilizationBound, TierBandwidthLessItsNeighbours) {
  Scenario scenario = plain_job();
  scenario.storage.read_bandwidth = bytes_per_second(50e6);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.5, 1e-9);
  scenario.storage.noise = 0.2;
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.4, 1e-9);
  EXPECT_EQ(bound.binding_resource, "tier_bandwidth");
}

// 1 MB in requests of 250 kB is 4 requests: 60 IOPS give 15 samples/s.
TEST(UtilizationBound, RequestsCountAgainstIops) {
  Scenario scenario = plain_job();
  scenario.dataset.request_size = bytes(250e3);
  scenario.storage.read_iops = per_second(60);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.15, 1e-9);
  EXPECT_EQ(bound.binding_resource, "read_iops");
}

// A lognormal of mean 280 kB and sigma 0.68 has its median at 280 exp(-0.68^2 / 2) kB. It takes more than k requests of
// 256 KiB with the probability that it is larger than k of them; one it takes always. The mean size alone would say 2.
TEST(UtilizationBound, SmallSamplesTakeFewerRequestsThanTheMeanSizeSays) {
  Scenario scenario = plain_job();
  scenario.dataset.sample_size = Distribution::lognormal(280e3, 0.68);
  scenario.dataset.request_size = bytes(262144.0);
  double requests = 1.0;
  for (int k = 1; k < 100; ++k) {
    const double above_median = std::log(262144.0 * k / 280e3) + 0.5 * 0.68 * 0.68;
    requests += 0.5 * std::erfc(above_median / 0.68 / std::sqrt(2.0));
  }
  EXPECT_NEAR(requests, 1.56, 0.01);
  EXPECT_NEAR(sample_demand(scenario).requests, requests, 0.01);
  scenario.storage.read_iops = per_second(60);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.6 / requests, 0.003);
}

// 30 opens/s: 30 samples/s with a file per sample, 300 with ten samples per shard.
TEST(UtilizationBound, OpensDependOnTheLayout) {
  Scenario scenario = plain_job();
  scenario.storage.metadata_rate = per_second(30);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.3, 1e-9);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "metadata_rate");
  scenario.dataset.layout = DatasetLayout::kShards;
  scenario.dataset.samples_per_shard = 10;
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 1.0, 1e-9);
  EXPECT_EQ(sample_demand(scenario).opens, 0.0);  // a map-style loader keeps its shards open
  scenario.loader.style = LoaderStyle::kIterable;
  EXPECT_NEAR(sample_demand(scenario).opens, 0.1, 1e-12);
}

// One sample at random costs its row group of 4: 4 MB, 50 MB/s give 12.5 samples/s. In file order it costs itself.
TEST(UtilizationBound, ARandomSampleCostsItsRowGroup) {
  Scenario scenario = plain_job();
  scenario.dataset.layout = DatasetLayout::kColumnar;
  scenario.dataset.samples_per_shard = 4;
  scenario.storage.read_bandwidth = bytes_per_second(50e6);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.125, 1e-9);
  scenario.dataset.shuffle = Shuffle::kShard;
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.5, 1e-9);
}

// Page faults of 300 kB: four for a sample of 1 MB, each waited for, 1.2 MB of bytes. 5 ms each, batches of 4 by 10
// workers: 10 * 4 / 80 ms = 500/s with latency alone.
TEST(SampleDemand, AMapWaitsForEveryRequest) {
  Scenario scenario = plain_job();
  scenario.dataset.layout = DatasetLayout::kRecords;
  scenario.dataset.request_size = bytes(300e3);
  EXPECT_DOUBLE_EQ(sample_demand(scenario).waits, 1.0);
  scenario.dataset.page_by_page = true;
  EXPECT_DOUBLE_EQ(sample_demand(scenario).waits, 4.0);
  EXPECT_DOUBLE_EQ(sample_demand(scenario).requests, 4.0);
  EXPECT_DOUBLE_EQ(sample_demand(scenario).read_bytes, 1.2e6);
  const double without = rank_times(scenario).worker_batch_s;
  scenario.storage.latency = Distribution::constant(0.005);
  const auto batch = static_cast<double>(scenario.workload.batch_size);
  EXPECT_NEAR(rank_times(scenario).worker_batch_s - without, batch * 4.0 * 0.005, 1e-12);
}

// 8 MB requests hold 8 samples read in order: a wait of 80 ms is 10 ms per sample. 4 * 10 / (10 * 10 ms) = 400/s.
TEST(SampleDemand, ReadingAheadSharesAWait) {
  Scenario scenario = plain_job();
  scenario.dataset.layout = DatasetLayout::kShards;
  scenario.dataset.shuffle = Shuffle::kNone;
  scenario.dataset.request_size = bytes(8e6);
  EXPECT_NEAR(sample_demand(scenario).waits, 0.125, 1e-12);
  scenario.storage.latency = Distribution::constant(0.08);
  EXPECT_NEAR(rank_times(scenario).worker_batch_s, 0.1, 1e-12);
}

// Two nodes want 200 samples/s together. A shared tier of 50 MB/s gives a quarter, one in each node gives half, and
// then the NIC, which local devices do not use, does not matter.
TEST(UtilizationBound, ATierPerNodeGrowsWithTheNodes) {
  Scenario scenario = plain_job();
  scenario.cluster.nodes = 2;
  scenario.storage.read_bandwidth = bytes_per_second(50e6);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.25, 1e-9);
  scenario.storage.scope = TierScope::kPerNode;
  scenario.cluster.nic_bandwidth = bytes_per_second(1e6);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 0.5, 1e-9);
  scenario.storage.scope = TierScope::kShared;
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "nic");
}

// Serial: 100 ms of compute and 10 * 10 ms of reading; no workers to hide it.
TEST(UtilizationBound, WithoutWorkersLoadingAddsToTheStep) {
  Scenario scenario = plain_job();
  scenario.loader.num_workers = 0;
  scenario.storage.latency = Distribution::constant(0.01);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.5, 1e-9);
  EXPECT_EQ(bound.binding_resource, "loader_workers");
}

// Two machines exchange 80 MB at 1 GB/s: 2 * 1/2 * 80 ms = 80 ms, half of it hidden: 40 ms; the barrier 60 ms; both
// once per two micro-steps: 50 ms. next() takes 10 ms at a gap of 0 and 50 ms at 200 ms: 40 ms at 100 + 50 ms. Consumer
// 100 + 50 + 40 = 190 ms. A pinning thread takes next() off its path: 150 ms.
TEST(UtilizationBound, HandOffAndBarrierLengthenTheStep) {
  Scenario scenario = plain_job();
  scenario.cluster.nodes = 2;
  scenario.loader.next_ready = {{seconds(0), seconds(0.01)}, {seconds(0.2), seconds(0.05)}};
  scenario.cluster.gpu_link_bandwidth = bytes_per_second(1e9);
  scenario.workload.gradient_bytes = bytes(80e6);
  scenario.workload.allreduce_overlap = 0.5;
  scenario.workload.barrier_time = seconds(0.06);
  scenario.workload.gradient_accumulation = 2;
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 100.0 / 190.0, 1e-9);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "gpu");
  scenario.loader.pin_memory = true;
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 100.0 / 150.0, 1e-9);
}

// 10 MB over 25 MB/s: 400 ms beside 100 ms of compute.
TEST(UtilizationBound, TheCopyToTheGpuLengthensTheStep) {
  Scenario scenario = plain_job();
  scenario.cluster.host_to_device_bandwidth = bytes_per_second(25e6);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.2, 1e-9);
  EXPECT_EQ(bound.binding_resource, "host_to_device");
}

// The pinning thread copies 10 MB at 25 MB/s: 400 ms per batch, 25 samples/s.
TEST(UtilizationBound, ThePinningThreadBinds) {
  Scenario scenario = plain_job();
  scenario.loader.pin_memory = true;
  scenario.loader.pin_bandwidth = bytes_per_second(25e6);
  const Bound bound = utilization_bound(scenario);
  EXPECT_NEAR(bound.gpu_utilization, 0.25, 1e-9);
  EXPECT_EQ(bound.binding_resource, "pin_memory");
}

// Decoding takes the GPU 10 * 15 ms beside 100 ms of compute; decompressing 1 MB to 3 at 1 GB/s 10 * 3 ms.
TEST(UtilizationBound, DecodingOnTheGpuLengthensTheStep) {
  Scenario scenario = plain_job();
  scenario.loader.decode_on = DecodeDevice::kGpu;
  scenario.dataset.decode_time = Distribution::constant(10.0);  // of a CPU
  scenario.loader.gpu_decode_time = Distribution::constant(0.015);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 100.0 / 250.0, 1e-9);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "gpu_decode");
  scenario.loader.gpu_decode_time = Distribution::constant(0.0);
  scenario.dataset.compression_ratio = 3.0;
  scenario.dataset.decompress_bandwidth = bytes_per_second(1e9);
  EXPECT_NEAR(utilization_bound(scenario).gpu_utilization, 100.0 / 130.0, 1e-9);
}

// A pool of 4: 4 / 80 ms = 50 samples/s while its threads read; 2 streams: 2 / 80 ms; the assembler: 10 / 500 ms.
TEST(UtilizationBound, APoolHasThreadsStreamsAndAnAssembler) {
  Scenario scenario = plain_job();
  scenario.loader.style = LoaderStyle::kThreads;
  scenario.storage.latency = Distribution::constant(0.08);
  EXPECT_NEAR(utilization_bound(scenario).samples_per_s, 50.0, 1e-6);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "loader_workers");
  scenario.loader.interleave = 2;
  EXPECT_NEAR(utilization_bound(scenario).samples_per_s, 25.0, 1e-6);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "reading_streams");
  scenario.loader.worker_batch_cpu = seconds(0.5);
  EXPECT_NEAR(utilization_bound(scenario).samples_per_s, 20.0, 1e-6);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "batching");
}

// 1 MB samples over a link of 25 MB/s to the GPU: 25 samples/s either way. As a copy it adds 400 ms to every step (20
// samples/s); by DMA it runs beside the steps.
TEST(UtilizationBound, GpuDirectReadsShareTheLinkToTheGpu) {
  Scenario scenario = plain_job();
  scenario.loader.num_workers = 40;
  scenario.cluster.cores_per_node = 80;
  scenario.cluster.host_to_device_bandwidth = bytes_per_second(25e6);
  EXPECT_NEAR(utilization_bound(scenario).samples_per_s, 20.0, 1e-6);
  scenario.loader.gpudirect = scenario.storage.gpudirect = true;
  EXPECT_NEAR(utilization_bound(scenario).samples_per_s, 25.0, 1e-6);
  EXPECT_EQ(utilization_bound(scenario).binding_resource, "host_to_device");
}

// FLOPs: 10 samples * 1e12 / (1e15 * 0.4) = 25 ms; samples/s: 10 / 200 = 50 ms.
TEST(RankTimes, ComputeInEveryForm) {
  Scenario scenario = plain_job();
  scenario.workload.step_time_form = StepTimeForm::kFlops;
  scenario.workload.flops_per_sample = Flops::from_base(1e12);
  scenario.cluster.gpu_peak = FlopsPerSecond::from_base(1e15);
  EXPECT_NEAR(rank_times(scenario).compute_s, 0.025, 1e-12);
  scenario.workload.step_time_form = StepTimeForm::kSamplesPerSecond;
  scenario.workload.samples_per_s_per_gpu = per_second(200);
  EXPECT_NEAR(rank_times(scenario).compute_s, 0.05, 1e-12);
}

TEST(ResourceGraph, ABranchPerNodeHasTheSameCut) {
  Scenario scenario = plain_job();
  scenario.cluster.nodes = 17;
  scenario.cluster.gpus_per_node = 8;
  scenario.storage.client_read_bandwidth = bytes_per_second(700e6);
  scenario.storage.read_bandwidth = bytes_per_second(11.9e9);  // exactly 17 * 700 MB/s: a tie
  const MinCut one = min_cut(resource_graph(scenario, false));
  const MinCut each = min_cut(resource_graph(scenario, true));
  EXPECT_NEAR(one.max_flow_per_s, 11900.0, 1e-6);
  EXPECT_NEAR(each.max_flow_per_s, 11900.0, 1e-6);
  EXPECT_THAT(one.binding, ElementsAre("tier_bandwidth", "client_bandwidth"));
  EXPECT_THAT(each.binding, ElementsAre("tier_bandwidth", "client_bandwidth"));
}

}  // namespace
}  // namespace stallcast
