#include "core/scenario/resolve/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/checkpoint_stages.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/units/binary_multiples.h"
#include "tests/core/catalogue/record_files.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::ordered_json;

Loaded<ResolvedScenario> resolved(const std::string& json, const std::vector<std::string>& overrides = {},
                                  const Catalogue& records = shipped_catalogue()) {
  auto file = parse_scenario(Json::parse(json, nullptr, true, true), "s.json");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  Findings findings;
  for (const std::string& assignment : overrides) apply_override(*file.value, assignment, findings);
  EXPECT_TRUE(findings.empty()) << rendered(findings);
  return resolve(*file.value, records);
}

const char* const kHeadline = R"({
  "cluster": {"instance": "a3-highgpu-8g", "nodes": 4},
  "workload": {"name": "unet3d"},
  "storage": {"tier": "parallelstore", "capacity": "100 TiB"}})";

// The record's on-demand price is $88.49 and its spot price $50.6095.
TEST(Resolve, AMapWithoutReadAheadReadsAPageAtATime) {
  const std::string start = R"({"workload": {"step_time": "1 s"}, "storage": {"tier": "vast"},
                               "dataset": {"sample_size": "1 MB", "layout": "records", "page_by_page": true)";
  const auto request = [&](const std::string& more) {
    const auto job = resolved(start + more + "}}");
    EXPECT_TRUE(job.ok()) << rendered(job.findings);
    return job.value->scenario.dataset.request_size.base();
  };
  EXPECT_DOUBLE_EQ(request(""), 4096.0);
  EXPECT_DOUBLE_EQ(request(R"(, "request_size": "64 KiB")"), 65536.0);
  const auto in_order = resolved(R"({"workload": {"step_time": "1 s"}, "storage": {"tier": "vast"},
    "dataset": {"sample_size": "1 MB", "layout": "shards", "samples_per_shard": 9, "shuffle": "none", "page_by_page": true}})");
  EXPECT_THAT(rendered(in_order.findings), HasSubstr("warning[unused] at /dataset/page_by_page"));
}

TEST(Resolve, TakesThePriceOfAMachineByHowItIsPaid) {
  EXPECT_EQ(resolved(kHeadline).value->scenario.cost.node_price, UsdPerHour::from_base(88.49));
  const auto spot = resolved(kHeadline, {"cost.pricing=spot"});
  EXPECT_EQ(spot.value->scenario.cost.node_price, UsdPerHour::from_base(50.6095));
  EXPECT_EQ(spot.value->provenance.at("/cost/node_price").record, "instance/a3-highgpu-8g");
  ASSERT_TRUE(spot.value->records.instance && spot.value->records.storage);
  EXPECT_EQ(spot.value->records.storage->name, "parallelstore");
  const auto own = resolved(kHeadline, {"cost.node_price=$10/h"});
  EXPECT_EQ(own.value->scenario.cost.node_price, UsdPerHour::from_base(10));
}

TEST(Resolve, SaysThatAPriceIsNotInTheCatalogue) {
  const char* const by_hand = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "unet3d"},
                                  "storage": {"tier": "gcs_standard"}, "cost": {"pricing": "reserved_3y"}})";
  EXPECT_THAT(rendered(resolved(by_hand).findings), HasSubstr("s.json: warning[unknown_price] at /cost/pricing"));
  EXPECT_EQ(resolved(by_hand).value->scenario.cost.node_price, UsdPerHour());
  EXPECT_THAT(rendered(resolved(by_hand, {"cost.node_price=$10/h"}).findings), Not(HasSubstr("unknown_price")));
}

TEST(Resolve, FillsTheHeadlineScenarioFromItsRecords) {
  const auto result = resolved(kHeadline);
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario& s = result.value->scenario;
  EXPECT_EQ(s.ranks(), 32);
  EXPECT_DOUBLE_EQ(s.cluster.cores_per_node, 124.8);  // 104 of two threads, 1.2 each
  EXPECT_DOUBLE_EQ(s.cluster.nic_bandwidth.base(), 25e9);
  EXPECT_DOUBLE_EQ(s.cluster.gpu_peak.base(), 989e12);
  EXPECT_EQ(s.workload.batch_size, 7);
  EXPECT_DOUBLE_EQ(s.workload.step_time.mean, 0.323);
  EXPECT_EQ(s.dataset.layout, DatasetLayout::kFilePerSample);
  EXPECT_EQ(s.dataset.sample_size.kind, DistributionKind::kGamma);
  EXPECT_NEAR(standard_deviation_of(s.dataset.sample_size) / mean_of(s.dataset.sample_size), 0.334, 0.0005);
  EXPECT_EQ(s.dataset.samples, 0);
  EXPECT_DOUBLE_EQ(s.storage.read_bandwidth.base(), 115 * kGiB);  // 1.15 GiB/s per TiB * 100 TiB
  EXPECT_DOUBLE_EQ(s.storage.write_bandwidth.base(), 50 * kGiB);
  EXPECT_DOUBLE_EQ(s.storage.read_iops.base(), 3e6);
  EXPECT_DOUBLE_EQ(s.storage.client_read_bandwidth.base(), 20e9);
  EXPECT_TRUE(s.storage.duplex);
  EXPECT_EQ(s.storage.latency.kind, DistributionKind::kLognormal);
  EXPECT_DOUBLE_EQ(mean_of(s.storage.latency), 0.3e-3);
  // 7 samples of 2 MiB: 14.7 MB / 1.35 GB/s = 10.87 ms, which no core changes, + (0.68 ms + 7 * 3.2 us) * 1.2 / the
  // speed of a core of an A3 = 11.62 ms
  EXPECT_NEAR(s.loader.worker_batch_cpu.base(), 10.874e-3 + 0.7024e-3 * 1.2 / s.cluster.core_speed, 0.001e-3);
  EXPECT_NEAR(s.cluster.core_speed, 1.15, 0.05);
  ASSERT_FALSE(s.loader.next_ready.empty());
  EXPECT_NEAR(s.loader.next_ready.back().time.base(), 1.3e-3 + 14680064 / 7.5e9, 1e-6);
  EXPECT_DOUBLE_EQ(s.loader.start_first.per_worker.base(), 11.5e-3);
  EXPECT_GT(s.workload.barrier_time.base(), 0.0);
}

TEST(Resolve, SaysWhereEveryValueComesFrom) {
  const auto result = resolved(kHeadline, {"loader.num_workers=8"});
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const auto& origin = result.value->provenance;
  for (const Field& field : field_table()) EXPECT_EQ(origin.count(field.pointer), 1U) << field.pointer;
  EXPECT_EQ(origin.at("/cluster/nodes").origin, Origin::kFile);
  EXPECT_EQ(origin.at("/loader/num_workers").origin, Origin::kOverride);
  EXPECT_EQ(origin.at("/loader/in_order").origin, Origin::kDefault);
  const Provenance& bandwidth = origin.at("/storage/read_bandwidth");
  EXPECT_EQ(bandwidth.origin, Origin::kCatalogue);
  EXPECT_EQ(bandwidth.record, "tier/parallelstore");
  EXPECT_EQ(bandwidth.kind, "vendor");
  EXPECT_THAT(bandwidth.source, HasSubstr("Parallelstore overview"));
}

TEST(Resolve, WhatIsGivenWins) {
  const auto result =
      resolved(kHeadline, {"workload.batch_size=3", "storage.read_bandwidth=5 GB/s", "workload.step_time=1 s",
                           "workload.barrier_time=0 s", "cluster.gpus_per_node=2"});
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario& s = result.value->scenario;
  EXPECT_EQ(s.workload.batch_size, 3);
  EXPECT_DOUBLE_EQ(s.storage.read_bandwidth.base(), 5e9);
  EXPECT_DOUBLE_EQ(s.workload.step_time.mean, 1.0);
  EXPECT_DOUBLE_EQ(s.workload.barrier_time.base(), 0.0);
  EXPECT_EQ(s.ranks(), 8);
}

TEST(Resolve, CapacityThatCannotBeBoughtNamesTheNearestSizesAndTheirPrice) {
  // 24 TiB are 24576 GiB of $0.0001917808 an hour: $4.713; 28 TiB $5.499
  const auto result = resolved(kHeadline, {"storage.capacity=27 TiB"});
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(result.value.has_value());
  EXPECT_EQ(rendered(result.findings),
            "--set: error[invalid_capacity] at /storage/capacity:\n"
            "  got \"27 TiB\"; allowed 12 TiB to 100 TiB in steps of 4 TiB; did you mean \"24 TiB\" ($4.71/h) or \"28 "
            "TiB\" ($5.50/h)? (parallelstore comes in these sizes)\n");
}

TEST(Resolve, CapacityOutsideTheRangeNamesItsEnd) {
  EXPECT_THAT(rendered(resolved(kHeadline, {"storage.capacity=200 TiB"}).findings),
              HasSubstr("did you mean \"100 TiB\" ($19.64/h)?"));
  EXPECT_THAT(rendered(resolved(kHeadline, {"storage.capacity=1 TiB"}).findings),
              HasSubstr("did you mean \"12 TiB\" ($2.36/h)?"));
}

TEST(Resolve, CapacityNotGivenIsTheSmallestWithAWarning) {
  const auto result = resolved(R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "unet3d"},
                                   "storage": {"tier": "parallelstore"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_DOUBLE_EQ(result.value->scenario.storage.read_bandwidth.base(), 13.8 * kGiB);
  EXPECT_THAT(rendered(result.value->warnings), HasSubstr("warning[assumed_capacity] at /storage/capacity"));
}

TEST(Resolve, ScratchLustreCountsItsOwnTebibytes) {
  const auto result = resolved(R"({"cluster": {"instance": "p4d.24xlarge"}, "workload": {"name": "unet3d"},
                                   "storage": {"tier": "fsx_lustre_scratch_2", "capacity": "9600 GiB"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  // 9.6 of the vendor's TiB at 200 MB/s
  EXPECT_DOUBLE_EQ(result.value->scenario.storage.read_bandwidth.base(), 1.92e9);
  EXPECT_DOUBLE_EQ(result.value->scenario.workload.step_time.mean, 0.636);
}

TEST(Resolve, ObjectStoreHasRequestRateStreamsAndQuota) {
  const auto result = resolved(R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": 4}, "workload": {"name": "unet3d"},
                                   "storage": {"tier": "gcs_standard"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const StorageSpec& s = result.value->scenario.storage;
  EXPECT_DOUBLE_EQ(s.read_iops.base(), 5000);
  EXPECT_DOUBLE_EQ(s.stream_bandwidth.base(), 195 * kMiB);
  EXPECT_DOUBLE_EQ(s.stream_write_bandwidth.base(), 100 * kMiB);
  EXPECT_DOUBLE_EQ(s.read_bandwidth.base(), 25e9);
  EXPECT_DOUBLE_EQ(mean_of(s.latency), 0.024);
  EXPECT_EQ(result.value->provenance.at("/storage/stream_bandwidth").kind, "measured");
}

TEST(Resolve, ShardsAreReadByTheClientsReadAhead) {
  const std::string cluster = R"({"cluster": {"instance": "a3-highgpu-8g"}, "storage": {"tier": "gcs_standard"}, )";
  const auto shards = resolved(cluster + R"("workload": {"name": "resnet50"}})");
  const auto files = resolved(cluster + R"("workload": {"name": "unet3d"}})");
  ASSERT_TRUE(shards.ok() && files.ok());
  EXPECT_DOUBLE_EQ(shards.value->scenario.dataset.request_size.base(), 8.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(files.value->scenario.dataset.request_size.base(), 0.0);  // a file of its own is one request
}

TEST(Resolve, LocalNvmeTakesTheInstancesBandwidth) {
  const auto result = resolved(
      R"({"cluster": {"instance": "p4d.24xlarge"}, "workload": {"name": "unet3d"}, "storage": {"tier": "local_nvme"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const StorageSpec& s = result.value->scenario.storage;
  EXPECT_EQ(s.scope, TierScope::kPerNode);
  EXPECT_DOUBLE_EQ(s.read_bandwidth.base(), 16e9);
  EXPECT_DOUBLE_EQ(s.capacity.base(), 8e12);
  EXPECT_EQ(result.value->provenance.at("/storage/read_bandwidth").record, "instance/p4d.24xlarge");
}

TEST(Resolve, LocalNvmeNeedsAnInstanceThatHasIt) {
  const auto result = resolved(
      R"({"workload": {"step_time": "1 s"}, "dataset": {"sample_size": "1 MB"}, "storage": {"tier": "local_nvme"}})");
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(rendered(result.findings), HasSubstr("error[no_local_storage] at /storage/tier"));
}

TEST(Resolve, UnknownNamesSuggestTheNearest) {
  const auto result = resolved(
      R"({"cluster": {"instance": "a3-higpu-8g"}, "workload": {"name": "unet4d"}, "storage": {"tier": "paralelstore"}})");
  EXPECT_FALSE(result.ok());
  const std::string text = rendered(result.findings);
  EXPECT_THAT(text, HasSubstr("s.json: error[unknown_record] at /cluster/instance:\n  got \"a3-higpu-8g\""));
  EXPECT_THAT(text, HasSubstr("did you mean \"a3-highgpu-8g\"?"));
  EXPECT_THAT(text, HasSubstr("did you mean \"unet3d\"?"));
  EXPECT_THAT(text, HasSubstr("did you mean \"parallelstore\"?"));
}

// Case, hyphens and spaces do not matter; the vendor's spelling, titles and aliases name the record, too.
TEST(Resolve, NamesMayBeSpelledAsPeopleSpellThem) {
  const auto result = resolved(
      R"({"cluster": {"instance": "A3 HighGPU 8g"}, "workload": {"name": "UNet-3D"}, "storage": {"tier": "gcs"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_EQ(result.value->scenario.cluster.instance, "a3-highgpu-8g");
  EXPECT_EQ(result.value->scenario.workload.name, "unet3d");
  EXPECT_EQ(result.value->scenario.storage.tier, "gcs_standard");
  EXPECT_TRUE(result.findings.empty()) << rendered(result.findings);
}

// FSx for Lustre is sold in several classes, with other rates and prices.
TEST(Resolve, ANameOfSeveralRecordsIsTheUsualOneWithAWarning) {
  const auto result = resolved(
      R"({"cluster": {"instance": "p5"}, "workload": {"name": "unet3d"}, "storage": {"tier": "FSx", "capacity": "1200 GiB"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_EQ(result.value->scenario.storage.tier, "fsx_lustre_persistent_2_125");
  const std::string text = rendered(result.findings);
  EXPECT_THAT(text, HasSubstr("warning[assumed_record] at /storage/tier:\n  got \"FSx\"; read as"));
  EXPECT_THAT(text, HasSubstr("fsx_lustre_scratch_2"));
}

// A100 80 GB: two machines of 8 GPUs with 48 and 96 cores, of which the lower median counts: 6 a GPU.
TEST(Resolve, AGpuWithoutAMachineGetsTheUsualOne) {
  const std::string job =
      R"({"cluster": {"gpu": "A100 80GB", "gpus_per_node": 4}, "workload": {"name": "unet3d"},
          "storage": {"tier": "nfs"}})";
  const auto result = resolved(job);
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario& s = result.value->scenario;
  EXPECT_EQ(s.cluster.gpu, "a100-80gb-sxm");
  std::vector<double> cores;
  for (const auto& [name, machine] : shipped_catalogue().instances)
    if (machine.gpu == "a100-80gb-sxm")
      cores.push_back(static_cast<double>(machine.physical_cores.value) / static_cast<double>(machine.gpus.value));
  std::sort(cores.begin(), cores.end());
  EXPECT_EQ(s.cluster.cores_per_node, std::round(4.0 * cores.at((cores.size() - 1) / 2)));
  EXPECT_EQ(s.cluster.gpu_peak, shipped_catalogue().gpus.at("a100-80gb-sxm").dense_bf16_peak->value);
  EXPECT_EQ(result.value->provenance.at("/cluster/cores_per_node").kind, "assumed");
  const auto other = resolved(job, {"cluster.instance=p5.48xlarge"});
  EXPECT_THAT(rendered(other.findings), HasSubstr("error[contradiction] at /cluster/gpu"));
}

// Its own disk is one device of the record.
TEST(Resolve, AMachineOfOnesOwnHasOneLocalDevice) {
  const auto result = resolved(R"({"cluster": {"gpu": "H100"}, "workload": {"name": "unet3d"},
                                   "storage": {"tier": "local_nvme"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_EQ(result.value->scenario.storage.read_bandwidth,
            shipped_catalogue().tiers.at("local_nvme").device_read_bandwidth->value);
}

// 3 dollars for each of 4 GPUs; and $262,800 over 5 years of 8760 h at 60 % use is $10 an hour, to which 10 kW at 10
// cents and a PUE of 1.5 add $1.50.
TEST(Resolve, MachinesThatAreRentedByTheGpuOrOwnedHaveAPrice) {
  const std::string job = R"({"cluster": {"gpu": "H100", "gpus_per_node": 4}, "workload": {"name": "unet3d"},
                              "storage": {"tier": "nfs"}})";
  const auto rented = resolved(job, {"cost.gpu_hour_price=$3/h"});
  ASSERT_TRUE(rented.ok()) << rendered(rented.findings);
  EXPECT_DOUBLE_EQ(rented.value->scenario.cost.node_price.base(), 12.0);
  const auto owned = resolved(job, {"cost.purchase_price=$262800", "cost.use_fraction=0.6", "cost.power_kw=10",
                                    "cost.electricity_usd_per_kwh=0.1", "cost.power_usage_effectiveness=1.5"});
  ASSERT_TRUE(owned.ok()) << rendered(owned.findings);
  EXPECT_DOUBLE_EQ(owned.value->scenario.cost.node_price.base(), 11.5);
  const auto given = resolved(job, {"cost.gpu_hour_price=$3/h", "cost.node_price=$7/h"});
  EXPECT_DOUBLE_EQ(given.value->scenario.cost.node_price.base(), 7.0);
}

// Jasper is published on V100 and A100: on an L40S it takes the A100's rate times 362.05 / 312.
TEST(Resolve, ARateThatNobodyPublishedIsScaledByThePeakWithAWideRange) {
  const auto result = resolved(R"({"cluster": {"gpu": "L40S", "gpus_per_node": 8}, "workload": {"name": "jasper"},
                                   "storage": {"tier": "nfs"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const double a100 =
      shipped_catalogue().workloads.at("jasper_librispeech").samples_per_s.at("a100-40gb-sxm").value.base();
  EXPECT_DOUBLE_EQ(result.value->scenario.workload.samples_per_s_per_gpu.base(), a100 * (362.05e12 / 312e12));
  EXPECT_EQ(result.value->scenario.workload.step_time_form, StepTimeForm::kSamplesPerSecond);
  const Provenance& from = result.value->provenance.at("/workload/samples_per_s_per_gpu");
  EXPECT_EQ(from.low_factor, 0.5);
  EXPECT_EQ(from.high_factor, 1.7);
  EXPECT_THAT(rendered(result.findings), HasSubstr("warning[assumed_rate] at /workload/name"));
}

TEST(Resolve, WorkloadWithoutAMachineAsksForOne) {
  const auto result = resolved(R"({"workload": {"name": "unet3d"}})");
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(rendered(result.findings), HasSubstr("error[missing_value] at /cluster/instance"));
  EXPECT_TRUE(resolved(R"({"workload": {"name": "unet3d", "step_time": "300 ms"}})").ok());
}

TEST(Resolve, AScenarioWithoutRecordsStillPaysForItsLoader) {
  const auto result =
      resolved(R"({"workload": {"batch_size": 2, "step_time": "100 ms"}, "dataset": {"sample_size": "1 MB"},
                                   "cluster": {"cores_per_node": 8}, "storage": {"read_bandwidth": "1 GB/s"}})");
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_GT(result.value->scenario.loader.worker_batch_cpu.base(), 0.0);
  EXPECT_DOUBLE_EQ(result.value->scenario.workload.barrier_time.base(), 0.0);  // one rank
}

TEST(Resolve, SpawnedWorkersComputeBeforeTheyAreReady) {
  const auto forked = resolved(kHeadline);
  const auto spawned = resolved(kHeadline, {"loader.start_method=spawn"});
  ASSERT_TRUE(forked.ok() && spawned.ok());
  EXPECT_EQ(forked.value->scenario.loader.start_cpu.base(), 0.0);
  EXPECT_GT(spawned.value->scenario.loader.start_cpu.base(),
            50 * forked.value->scenario.loader.start_ready.base.base());
  EXPECT_EQ(spawned.value->provenance.at("/loader/start_cpu").kind, "measured");
}

// What a loader is says its record, unless the person does.
TEST(Resolve, TheLoadersRecordSaysItsStyle) {
  const auto style_of = [](const std::string& framework) {
    const auto found = resolved(kHeadline, {"loader.framework=" + framework});
    return found.value ? found.value->scenario.loader.style : LoaderStyle::kMap;
  };
  EXPECT_EQ(style_of("pytorch"), LoaderStyle::kMap);
  EXPECT_EQ(style_of("tf_data"), LoaderStyle::kThreads);
  EXPECT_EQ(style_of("dali"), LoaderStyle::kThreads);
  const auto sharded =
      resolved(kHeadline, {"loader.framework=webdataset", "dataset.layout=shards", "dataset.samples_per_shard=100"});
  ASSERT_TRUE(sharded.ok()) << rendered(sharded.findings);
  EXPECT_EQ(sharded.value->scenario.loader.style, LoaderStyle::kIterable);
  EXPECT_EQ(sharded.value->provenance.at("/loader/style").record, "loader/webdataset");
  const auto given = resolved(kHeadline, {"loader.framework=tf_data", "loader.style=map"});
  EXPECT_EQ(given.value->scenario.loader.style, LoaderStyle::kMap);
}

// Every file in scenarios/ loads, resolves and says nothing but the warnings that it is about.
TEST(Scenarios, AllResolve) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(STALLCAST_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 10U);
  for (const fs::path& path : files) {
    const auto file = load_scenario(path);
    ASSERT_TRUE(file.ok()) << rendered(file.findings);
    const auto result = resolve(*file.value, shipped_catalogue());
    EXPECT_TRUE(result.ok()) << rendered(result.findings);
    EXPECT_EQ(rendered(result.findings), "") << path;
  }
}

// fsx_lustre_scratch_2's client keeps what it reads in memory. A p4d has 1152 GiB: a tenth is held back, and 8 ranks
// keep 6 * 2 + 1 batches of 7 samples of 80 MB or so.
TEST(Resolve, GivesMemoryThatIsLeftToThePageCache) {
  const char* const job = R"({
    "cluster": {"instance": "p4d.24xlarge"}, "workload": {"name": "unet3d"}, "dataset": {"samples": 1000},
    "loader": {"num_workers": 6}, "storage": {"tier": "fsx_lustre_scratch_2", "capacity": "1200 GiB"}})";
  const auto with = resolved(job);
  ASSERT_TRUE(with.ok()) << rendered(with.findings);
  const Scenario& s = with.value->scenario;
  EXPECT_EQ(s.page_cache.policy, CachePolicy::kLinux);
  EXPECT_EQ(with.value->provenance.at("/page_cache/policy").record, "tier/fsx_lustre_scratch_2");
  EXPECT_EQ(s.page_cache.read_bandwidth.base(), 90e9);  // of the record host_page_cache
  EXPECT_EQ(with.value->provenance.at("/page_cache/read_bandwidth").record, "tier/host_page_cache");
  EXPECT_LT(s.page_cache.capacity.base(), 0.9 * 1152 * kGiB);
  EXPECT_GT(s.page_cache.capacity.base(), 0.7 * 1152 * kGiB);
  EXPECT_EQ(resolved(job, {"page_cache.policy=none"}).value->scenario.page_cache.policy, CachePolicy::kNone);
  EXPECT_EQ(resolved(job, {"storage.page_cache=false"}).value->scenario.page_cache.policy, CachePolicy::kNone);
  EXPECT_EQ(resolved(job, {"page_cache.capacity=100 GiB"}).value->scenario.page_cache.capacity, bytes(100 * kGiB));
  // Of a dataset of unknown size nobody can say what is cached.
  EXPECT_EQ(resolved(job, {"dataset.samples=0"}).value->scenario.page_cache.policy, CachePolicy::kNone);
}

TEST(Resolve, ANodeCacheIsTheMachinesNvme) {
  const auto with = resolved(kHeadline, {"dataset.samples=10000", "node_cache.policy=lru"});
  ASSERT_TRUE(with.ok()) << rendered(with.findings);
  const Scenario& s = with.value->scenario;
  EXPECT_GT(s.node_cache.capacity.base(), 0.0);
  EXPECT_EQ(s.node_cache.capacity, s.cluster.local_storage_per_node);
  EXPECT_EQ(s.node_cache.read_bandwidth, s.cluster.local_read_bandwidth);
  EXPECT_EQ(s.node_cache.write_bandwidth, s.cluster.local_write_bandwidth);
  EXPECT_EQ(with.value->provenance.at("/node_cache/capacity").record, "instance/a3-highgpu-8g");
}

// g5.48xlarge has NVMe, and nobody publishes what it reads per second: that of one device, said to be assumed.
TEST(Resolve, NvmeOfAnUnknownRateIsNotUnlimited) {
  const auto with = [](const std::string& instance, std::vector<std::string> more) {
    more.insert(more.end(), {"cluster.instance=" + instance, "workload.step_time=100 ms", "dataset.samples=10000",
                             "node_cache.policy=lru"});
    return resolved(kHeadline, more);
  };
  const auto unknown = with("g5.48xlarge", {});
  ASSERT_TRUE(unknown.ok()) << rendered(unknown.findings);
  EXPECT_EQ(unknown.value->scenario.node_cache.read_bandwidth.base(), 2e9);
  EXPECT_EQ(unknown.value->scenario.node_cache.write_bandwidth.base(), 1e9);
  const Provenance& from = unknown.value->provenance.at("/node_cache/read_bandwidth");
  EXPECT_EQ(from.record, "tier/local_nvme");
  EXPECT_EQ(from.kind, "assumed");
  EXPECT_THAT(rendered(unknown.findings), HasSubstr("assumed_bandwidth"));
  const auto stated =
      with("g5.48xlarge", {"cluster.local_read_bandwidth=5 GB/s", "cluster.local_write_bandwidth=2 GB/s"});
  EXPECT_EQ(stated.value->scenario.node_cache.read_bandwidth.base(), 5e9);
  EXPECT_THAT(rendered(stated.findings), Not(HasSubstr("assumed_bandwidth")));
  // The same machine without NVMe has nothing to keep it on, whatever room is asked for.
  const auto none = with("p3.16xlarge", {"node_cache.capacity=1 TB"});
  EXPECT_FALSE(none.ok());
  EXPECT_THAT(rendered(none.findings), HasSubstr("no_local_storage"));
}

TEST(Resolve, RefusesACacheWithoutRoomOrADatasetWithoutSize) {
  const auto none = resolve(
      *parse_scenario(Json::parse(R"({"node_cache": {"policy": "lru"}, "dataset": {"samples": 100}})"), "s.json").value,
      shipped_catalogue());
  EXPECT_THAT(rendered(none.findings), HasSubstr("/node_cache/capacity"));
  EXPECT_THAT(rendered(none.findings), HasSubstr("the machine has no NVMe that is known of"));
  const auto endless = resolved(kHeadline, {"node_cache.policy=lru"});
  EXPECT_FALSE(endless.ok());
  EXPECT_THAT(rendered(endless.findings), HasSubstr("/dataset/samples"));
  const auto local = resolved(
      kHeadline, {"storage.tier=local_nvme", "storage.capacity=1 TB", "node_cache.policy=lru", "dataset.samples=1000"});
  EXPECT_THAT(rendered(local.findings), HasSubstr("the storage is the machine's NVMe already"));
}

constexpr double kDay = 86400.0;

std::string llama(const std::string& name, int nodes, const std::string& checkpoint) {
  return R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": )" + std::to_string(nodes) +
         R"(}, "workload": {"name": ")" + name + R"("}, "dataset": {"samples": 10000000},
         "storage": {"tier": "parallelstore", "capacity": "100 TiB"}, "checkpoint": )" +
         checkpoint + "}";
}

// At the ranks of the closed division the size follows from the architecture, to the last digit of the published one.
TEST(ResolveCheckpoint, SizeFollowsFromTheArchitecture) {
  const std::vector<std::tuple<std::string, int, double>> published = {
      {"llama3_8b", 1, 5e-5}, {"llama3_70b", 8, 5e-5}, {"llama3_405b", 64, 5e-4}, {"llama3_1t", 128, 5e-4}};
  for (const auto& [name, nodes, half_digit] : published) {
    const auto r = resolved(llama(name, nodes, R"({"mode": "sync", "interval_steps": 100, "writers": "all"})"));
    ASSERT_TRUE(r.value) << rendered(r.findings);
    const Scenario& s = r.value->scenario;
    EXPECT_EQ(s.checkpoint.size.base(), 0.0) << name;
    EXPECT_NEAR(checkpoint_shape(s).total / kGiB,
                shipped_catalogue().workloads.at(name).checkpoint_size->value.base() / kGiB, half_digit)
        << name;
    EXPECT_EQ(r.value->provenance.at("/model/layers").record, "workload/" + name);
  }
}

TEST(ResolveCheckpoint, AskedForNothingFillsNothing) {
  const auto none = resolved(llama("llama3_8b", 1, R"({"mode": "none"})"));
  EXPECT_EQ(none.value->scenario.model.layers, 0);
  const auto given = resolved(llama("llama3_8b", 1, R"({"mode": "sync", "interval_steps": 100, "size": "30 GB"})"));
  EXPECT_EQ(given.value->scenario.model.layers, 0);
  EXPECT_EQ(checkpoint_shape(given.value->scenario).total, 30e9);
}

// 405b is split over 8 * 32 = 256 ranks; 24 nodes have 192.
TEST(ResolveCheckpoint, OtherRanksShareTheModelEvenly) {
  const auto r = resolved(llama("llama3_405b", 24, R"({"mode": "sync", "interval_steps": 100, "writers": "all"})"));
  ASSERT_TRUE(r.value) << rendered(r.findings);
  EXPECT_THAT(rendered(r.findings), HasSubstr("warning[assumed_parallelism] at /model/zero_stage"));
  const CheckpointShape shape = checkpoint_shape(r.value->scenario);
  EXPECT_EQ(shape.writers, 192);
  EXPECT_NEAR(shape.largest_rank, shape.total / 192, 1.0);
  const auto own = resolved(llama("llama3_405b", 24, R"({"mode": "sync", "interval_steps": 100, "writers": "all"})"),
                            {"model.tensor_parallel=8", "model.pipeline_parallel=3"});
  EXPECT_THAT(rendered(own.findings), Not(HasSubstr("assumed_parallelism")));
  EXPECT_EQ(own.value->scenario.model.zero_stage, 0);
}

// Writers are not alike unless somebody says so; DLIO's rates are of whole runs, and one writer has nobody to wait for.
TEST(ResolveCheckpoint, WritersOfACheckpointDiffer) {
  const auto spread = [](const std::string& writers, const std::vector<std::string>& more) {
    const auto r = resolved(
        llama("llama3_8b", 1, R"({"mode": "sync", "interval_steps": 100, "writers": ")" + writers + R"("})"), more);
    EXPECT_TRUE(r.ok()) << rendered(r.findings);
    return r.value->scenario.checkpoint.writer_spread;
  };
  EXPECT_GT(spread("all", {}), 0.0);
  EXPECT_EQ(spread("rank0", {}), 0.0);
  EXPECT_EQ(spread("all", {"checkpoint.software=dlio"}), 0.0);
  EXPECT_EQ(spread("all", {"checkpoint.writer_spread=0.05"}), 0.05);
}

// As the software does it, unless somebody says otherwise; one writer has nobody to share with.
TEST(ResolveCheckpoint, ReplicasSaveAsTheSoftwareDoes) {
  const auto saving = [](const char* more) {
    const auto r = resolved(llama("llama3_8b", 1, std::string(R"({"mode": "sync", "interval_steps": 100, )") + more));
    EXPECT_TRUE(r.ok()) << rendered(r.findings);
    return r.value->scenario.checkpoint.replica_saving;
  };
  EXPECT_EQ(saving(R"("writers": "all", "software": "megatron_dist"})"), ReplicaSaving::kParallel);
  EXPECT_EQ(saving(R"("writers": "all", "software": "torch_dcp"})"), ReplicaSaving::kParallelAfterCopy);
  EXPECT_EQ(saving(R"("writers": "all", "software": "dlio"})"), ReplicaSaving::kFirst);
  EXPECT_EQ(saving(R"("writers": "all", "software": "dlio", "replica_saving": "parallel"})"), ReplicaSaving::kParallel);
  EXPECT_EQ(saving(R"("writers": "rank0", "software": "torch_dcp"})"), ReplicaSaving::kFirst);
}

// Parameters that somebody gives are another model than the record's: 14 B for each.
TEST(ResolveCheckpoint, ParametersGivenTakeThePlaceOfTheArchitecture) {
  const auto r =
      resolved(llama("llama3_8b", 1, R"({"mode": "sync", "interval_steps": 100})"), {"model.parameters=1e9"});
  EXPECT_EQ(r.value->scenario.model.layers, 0);
  EXPECT_DOUBLE_EQ(checkpoint_shape(r.value->scenario).total, 14e9);
}

// What a person names goes before the workload's own time; nothing else of the format is taken.
TEST(Resolve, FormatSaysWhatDecodingTakes) {
  const FormatRecord& png = shipped_catalogue().formats.at("png");
  const std::vector<std::string> named = {"dataset.format=png", "dataset.sample_size=200 kB"};
  const auto r = resolved(kHeadline, named);
  ASSERT_TRUE(r.value) << rendered(r.findings);
  const double slower = png.decode_time.evidence.core_speed / r.value->scenario.cluster.core_speed;
  EXPECT_DOUBLE_EQ(mean_of(r.value->scenario.dataset.decode_time),
                   slower * png.decode_time_of(bytes(200e3), true).base());
  EXPECT_EQ(r.value->provenance.at("/dataset/decode_time").record, "format/png");
  auto bare = named;
  bare.emplace_back("dataset.augmentation=none");
  EXPECT_DOUBLE_EQ(mean_of(resolved(kHeadline, bare).value->scenario.dataset.decode_time),
                   slower * png.decode_time_of(bytes(200e3), false).base());
  auto given = named;
  given.emplace_back("dataset.decode_time=7 ms");
  EXPECT_DOUBLE_EQ(mean_of(resolved(kHeadline, given).value->scenario.dataset.decode_time), 0.007);
  EXPECT_TRUE(resolved(kHeadline, {"dataset.format=jpegg"}).findings.has_errors());
}

// The record's size is of the whole checkpoint: 32 writers share it out.
TEST(ResolveCheckpoint, RecordedSizeIsSharedOutAmongWriters) {
  const double whole = shipped_catalogue().workloads.at("unet3d").checkpoint_size->value.base();
  const std::vector<std::string> sync = {"checkpoint.mode=sync", "checkpoint.interval_steps=10"};
  EXPECT_DOUBLE_EQ(resolved(kHeadline, sync).value->scenario.checkpoint.size.base(), whole);
  auto all = sync;
  all.emplace_back("checkpoint.writers=all");
  const auto shared = resolved(kHeadline, all);
  EXPECT_DOUBLE_EQ(shared.value->scenario.checkpoint.size.base(), whole);
  EXPECT_DOUBLE_EQ(checkpoint_shape(shared.value->scenario).largest_rank, whole / 32);
  auto own = all;
  own.emplace_back("checkpoint.size_per_writer=1 GB");
  EXPECT_DOUBLE_EQ(checkpoint_shape(resolved(kHeadline, own).value->scenario).total, 32e9);
}

// A snapshot is the copy of the largest rank's part, into memory that is not pinned, after the software's own start.
// The time of one copy, and how much longer the slowest of all ranks takes.
TEST(ResolveCheckpoint, SnapshotTakesAsLongAsItsCopy) {
  const auto r = resolved(llama("llama3_70b", 8, R"({"mode": "async", "interval_steps": 100, "writers": "all"})"));
  ASSERT_TRUE(r.value) << rendered(r.findings);
  const Scenario& s = r.value->scenario;
  const CheckpointerRecord& usual = shipped_catalogue().checkpointers.at("megatron_dist");
  EXPECT_EQ(s.checkpoint.software, "megatron_dist");  // what the workload's ranks usually write with
  const double one =
      usual.staging_time->value.base() + checkpoint_shape(s).largest_rank / usual.staging_bandwidth->value.base();
  const double slowest = slowest_of(64.0, s.checkpoint.writer_spread);
  EXPECT_GT(slowest, 1.0);
  EXPECT_NEAR(s.checkpoint.snapshot_time.base(), one * slowest, 1e-9);
  const Provenance& from = r.value->provenance.at("/checkpoint/snapshot_time");
  EXPECT_EQ(from.record, "checkpointer/megatron_dist");
  EXPECT_THAT(from.note, HasSubstr("15.29 GB of the largest rank"));
  EXPECT_LT(from.low_factor, 1.0);
  EXPECT_GT(from.high_factor, 1.0);
}

// Pinned memory takes the link's rate.
TEST(ResolveCheckpoint, PinnedMemoryIsCopiedToAtTheRateOfTheLink) {
  const auto r = resolved(llama("llama3_70b", 8, R"({"mode": "async", "interval_steps": 100, "writers": "all",
                                                     "software": "in_memory"})"));
  ASSERT_TRUE(r.value) << rendered(r.findings);
  const Scenario& s = r.value->scenario;
  const double one = shipped_catalogue().checkpointers.at("in_memory").staging_time->value.base() +
                     checkpoint_shape(s).largest_rank / s.cluster.host_to_device_bandwidth.base();
  EXPECT_NEAR(s.checkpoint.snapshot_time.base(), one * slowest_of(64.0, s.checkpoint.writer_spread), 1e-9);
}

// One writer is torch.save, many are DCP, memory of other machines takes software for it; a library of an object store
// sends ten parts at a time; where a writer's rate is stated nothing is added.
TEST(ResolveCheckpoint, SoftwareIsTheUsualOneAndNamed) {
  const auto with = [](std::vector<std::string> more) {
    more.insert(more.end(), {"checkpoint.mode=sync", "checkpoint.interval_steps=10"});
    return resolved(kHeadline, more);
  };
  EXPECT_EQ(with({}).value->scenario.checkpoint.software, "torch_save");
  EXPECT_EQ(with({"checkpoint.writers=all"}).value->scenario.checkpoint.software, "torch_dcp");
  EXPECT_EQ(with({"checkpoint.first_level=peer_memory"}).value->scenario.checkpoint.software, "in_memory");
  const Scenario rated = with({"checkpoint.to_storage=false", "checkpoint.write_bandwidth=2 GB/s"}).value->scenario;
  EXPECT_EQ(rated.checkpoint.software, "");
  EXPECT_EQ(rated.checkpoint.serialize_bandwidth.base(), 0.0);
  EXPECT_EQ(with({}).value->scenario.checkpoint.streams, 1);
  EXPECT_EQ(with({"storage.tier=gcs_standard", "storage.capacity=0 B"}).value->scenario.checkpoint.streams, 10);
  // Mountpoint uploads several parts of a file at once, and reads them one after the other.
  const CheckpointSpec mounted =
      with({"storage.tier=mountpoint_s3", "storage.capacity=0 B"}).value->scenario.checkpoint;
  EXPECT_EQ(mounted.streams, 25);
  EXPECT_EQ(mounted.read_streams, 1);
  const auto all = assumed_values(*with({}).value);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const AssumedValue& one) {
    return one.range.pointer == "/checkpoint/serialize_bandwidth";
  }));
  const auto wrong = with({"checkpoint.software=torch_sav"});
  EXPECT_FALSE(wrong.ok());
  EXPECT_THAT(rendered(wrong.findings), HasSubstr("did you mean \"torch_save\"?"));
}

// Who writes is a part of the software: of what is named, else of what the workload's ranks write with. A model that no
// rank has in whole is not saved by one. What somebody says goes before.
TEST(ResolveCheckpoint, WritersAreThoseOfTheSoftware) {
  const auto saved = [](const std::string& scenario, const std::vector<std::string>& set) {
    const auto r = resolved(scenario, set);
    EXPECT_TRUE(r.ok()) << rendered(r.findings);
    const CheckpointSpec& c = r.value->scenario.checkpoint;
    return c.software + (c.writers == CheckpointWriters::kAll ? ", all" : ", rank0");
  };
  const auto usual = llama("llama3_70b", 8, R"({"mode": "sync", "interval_steps": 100})");
  EXPECT_EQ(saved(usual, {}), "megatron_dist, all");
  EXPECT_EQ(saved(usual, {"checkpoint.size=1 TB"}), "megatron_dist, all");
  EXPECT_EQ(saved(usual, {"checkpoint.software=fsdp_full_state"}), "fsdp_full_state, rank0");
  EXPECT_EQ(saved(usual, {"checkpoint.writers=rank0"}), "torch_save, rank0");
  EXPECT_EQ(saved(usual, {"checkpoint.software=megatron_dist", "checkpoint.writers=rank0"}), "megatron_dist, rank0");
  EXPECT_EQ(saved(usual, {"checkpoint.first_level=peer_memory"}), "in_memory, all");
  EXPECT_EQ(saved(usual, {"checkpoint.to_storage=false", "checkpoint.write_bandwidth=2 GB/s"}), ", all");
  const auto own = llama("bert_large", 1, R"({"mode": "sync", "interval_steps": 100})");
  const std::vector<std::string> parameters = {"model.parameters=7e9"};
  EXPECT_EQ(saved(own, parameters), "torch_save, rank0");
  EXPECT_EQ(saved(own, {"model.parameters=7e9", "model.zero_stage=3"}), "torch_dcp, all");
  EXPECT_EQ(saved(own, {"model.parameters=7e9", "model.tensor_parallel=8"}), "torch_dcp, all");
  EXPECT_EQ(saved(own, {"model.parameters=7e9", "checkpoint.software=gcs_connector"}), "gcs_connector, rank0");
  const auto named = resolved(usual, {"checkpoint.software=orbax"});
  EXPECT_EQ(named.value->provenance.at("/checkpoint/writers").origin, Origin::kCatalogue);
  EXPECT_EQ(resolved(usual, {}).value->provenance.at("/checkpoint/writers").origin, Origin::kDefault);
}

// A disk of the node has its page cache before it, other storage has not; torch.save leaves the rest to the kernel, DCP
// syncs; a store that is written when all is there is the connector's matter.
TEST(ResolveCheckpoint, SoftwareWritesAsItIsWritten) {
  const auto path_of = [](std::vector<std::string> more) {
    more.insert(more.end(), {"checkpoint.mode=sync", "checkpoint.interval_steps=10"});
    const auto r = resolved(kHeadline, more);
    EXPECT_TRUE(r.ok()) << rendered(r.findings);
    return r.ok() ? r.value->scenario.checkpoint.write_path : WritePath::kDirect;
  };
  const std::vector<std::string> disk = {"storage.tier=local_nvme", "storage.capacity=0 B"};
  const auto on_disk = [&](std::vector<std::string> more) {
    more.insert(more.end(), disk.begin(), disk.end());
    return path_of(more);
  };
  EXPECT_EQ(path_of({}), WritePath::kDirect);
  EXPECT_EQ(on_disk({}), WritePath::kPageCache);
  EXPECT_EQ(on_disk({"checkpoint.writers=all"}), WritePath::kSynced);
  EXPECT_EQ(on_disk({"checkpoint.software=dlio"}), WritePath::kDirect);
  EXPECT_EQ(on_disk({"checkpoint.writers=all", "checkpoint.write_path=direct"}), WritePath::kDirect);
  EXPECT_EQ(path_of({"storage.tier=gcs_standard", "storage.capacity=0 B", "checkpoint.software=gcs_connector"}),
            WritePath::kWhole);
}

// 487 days at 12 TiB are 58.4 at 100 TiB; 22 servers of FSx at 50400 GiB.
TEST(ResolveStorage, MeanTimeToDataLossFollowsTheCapacity) {
  const auto loss = [](std::vector<std::string> overrides) {
    overrides.emplace_back("run.steps_per_epoch=100000000");
    const auto r = resolved(kHeadline, overrides);
    EXPECT_TRUE(r.value) << rendered(r.findings);
    return r.value ? r.value->scenario.storage.mean_time_to_data_loss.base() / kDay : -1.0;
  };
  EXPECT_NEAR(loss({}), 58.44, 1e-9);
  EXPECT_NEAR(loss({"storage.tier=fsx_lustre_scratch_2", "storage.capacity=50400 GiB"}), 2465.0 / 22, 1e-9);
  EXPECT_NEAR(loss({"storage.mean_time_to_data_loss=30 d"}), 30.0, 1e-9);
  EXPECT_EQ(loss({"storage.tier=gcs_standard"}), 0.0);
}

// A thousandth of 58.44 days is 5049.2 s of steps of 1 s.
TEST(ResolveStorage, ShortRunsSeeNoDataLoss) {
  const auto loss = [](const std::string& steps) {
    const auto r = resolved(kHeadline, {"workload.step_time=1 s", steps});
    return r.value ? r.value->scenario.storage.mean_time_to_data_loss.base() : -1.0;
  };
  EXPECT_EQ(loss("run.steps_per_epoch=5049"), 0.0);
  EXPECT_GT(loss("run.steps_per_epoch=5050"), 0.0);
}

// --- intervals of facts ---------------------------------------------------------------------------------------------

// As `stallcast calibrate --tier` writes a device of a node; bandwidth 0.9 to 1.25 times 2 GB/s.
constexpr const char* kMeasuredTier = R"({"kind": "tier", "name": "disk", "title": "Disk", "status": "current",
  "scope": "per_node", "client": "local",
  "sources": {"measured": {"title": "stallcast calibrate", "locator": "probe.json", "read": "2026-11-21"}},
  "facts": {
    "latency_mean": {"value": "1 ms", "low": "950 us", "high": "1.1 ms", "source": "measured", "kind": "measured"},
    "latency_sigma": {"value": 0.4, "low": 0.2, "high": 0.6, "source": "measured", "kind": "measured"},
    "read_bandwidth": {"value": "2 GB/s", "low": "1.8 GB/s", "high": "2.5 GB/s", "source": "measured",
                       "kind": "measured"},
    "stream_bandwidth": {"value": "1 GB/s", "source": "measured", "kind": "measured"},
    "metadata_rate": {"value": "3000 /s", "low": "1000 /s", "high": "4000 /s", "source": "measured",
                      "kind": "measured"}}})";
constexpr const char* kOnDisk = R"({"workload": {"step_time": "1 s"}, "dataset": {"sample_size": "1 MB"},
  "storage": {"tier": "disk"}})";

class ResolveIntervals : public RecordFiles {
 protected:
  Loaded<ResolvedScenario> on(const char* record, const char* scenario, const std::vector<std::string>& sets = {}) {
    write("overlay/tiers/disk.json", record);
    Loaded<Catalogue> loaded = load_catalogue(STALLCAST_SOURCE_DIR "/models", {directory() / "overlay"});
    EXPECT_TRUE(loaded.ok()) << rendered(loaded.findings);
    return resolved(scenario, sets, *loaded.value);
  }
  std::vector<std::string> uncertain(const char* record, const char* scenario,
                                     const std::vector<std::string>& sets = {}) {
    const auto result = on(record, scenario, sets);
    EXPECT_TRUE(result.ok()) << rendered(result.findings);
    return result.ok() ? result.value->scenario.run.uncertain : std::vector<std::string>{};
  }
};

// The latency's is the mean's: 0.95 / 1 and 1.1 / 1; opens 1000 / 3000 to 4000 / 3000, three digits.
TEST_F(ResolveIntervals, OfMeasuredFactsAreUncertainInputs) {
  const auto result = on(kMeasuredTier, kOnDisk);
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_THAT(result.value->scenario.run.uncertain,
              UnorderedElementsAre("storage.read_bandwidth 0.9..1.25", "storage.latency 0.95..1.1",
                                   "storage.metadata_rate 0.333..1.33"));
  const Provenance& origin = result.value->provenance.at("/run/uncertain");
  EXPECT_EQ(origin.origin, Origin::kCatalogue);
  EXPECT_EQ(origin.kind, "measured");
  EXPECT_THAT(origin.record, HasSubstr("tier/disk"));
}

TEST_F(ResolveIntervals, AFieldThatIsGivenHasTheInputThatThePersonKnows) {
  EXPECT_THAT(uncertain(kMeasuredTier, kOnDisk, {"storage.read_bandwidth=2 GB/s", "storage.metadata_rate=3000 /s"}),
              ElementsAre("storage.latency 0.95..1.1"));
}

TEST_F(ResolveIntervals, AListThatIsGivenStaysAsItIs) {
  EXPECT_THAT(uncertain(kMeasuredTier, kOnDisk, {"run.uncertain=[\"storage.latency 0.5..2\"]"}),
              ElementsAre("storage.latency 0.5..2"));
  const auto none = on(kMeasuredTier, R"({"workload": {"step_time": "1 s"}, "dataset": {"sample_size": "1 MB"},
                                          "storage": {"tier": "disk"}, "run": {"uncertain": []}})");
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none.value->scenario.run.uncertain.empty());
  EXPECT_EQ(none.value->provenance.at("/run/uncertain").origin, Origin::kFile);
}

TEST_F(ResolveIntervals, NoShippedRecordHasOne) {
  EXPECT_TRUE(resolved(kHeadline).value->scenario.run.uncertain.empty());
  EXPECT_EQ(resolved(kHeadline).value->provenance.at("/run/uncertain").origin, Origin::kDefault);
  // A field that is computed from a rate that was measured elsewhere, and from assumptions.
  const auto saves = resolved(kHeadline, {"checkpoint.mode=async", "checkpoint.size=20 GB",
                                          "checkpoint.interval_steps=80", "checkpoint.software=torch_save"});
  ASSERT_TRUE(saves.ok()) << rendered(saves.findings);
  EXPECT_EQ(saves.value->provenance.at("/checkpoint/snapshot_time").kind, "measured");
  EXPECT_THAT(saves.value->scenario.run.uncertain, ElementsAre());
}

// 1 GB/s + 10 TiB * 0.2 GB/s per TiB = 3 GB/s; at the low ends 0.5 + 2 = 2.5, at the high ends 1.1 + 2 = 3.1: 0.833 and
// 1.03 times it. Of 100 TiB the bound holds, 6 GB/s, but at the low end of 5.7 GB/s: 0.95; it has no high end.
TEST_F(ResolveIntervals, OfAComputedRateRunsFromAllLowEndsToAllHighEnds) {
  constexpr const char* kGrowing = R"({"kind": "tier", "name": "disk", "title": "Disk", "status": "current",
    "scope": "shared", "client": "kernel", "provider": "any",
    "sources": {"page": {"title": "Page", "locator": "x", "read": "2026-11"}},
    "facts": {
      "capacity_min": {"value": "10 TiB", "source": "page", "kind": "measured"},
      "read_bandwidth": {"value": "1 GB/s", "low": "500 MB/s", "high": "1.1 GB/s", "source": "page",
                         "kind": "measured"},
      "read_bandwidth_per_tib": {"value": "200 MB/s", "source": "page", "kind": "measured"},
      "read_bandwidth_max": {"value": "6 GB/s", "low": "5.7 GB/s", "source": "page", "kind": "measured"}}})";
  EXPECT_THAT(uncertain(kGrowing, kOnDisk, {"storage.capacity=10 TiB"}),
              ElementsAre("storage.read_bandwidth 0.833..1.03"));
  EXPECT_THAT(uncertain(kGrowing, kOnDisk, {"storage.capacity=100 TiB"}),
              ElementsAre("storage.read_bandwidth 0.95..1"));
}

TEST_F(ResolveIntervals, AreOfServingJobsToo) {
  const auto serving =
      on(kMeasuredTier, R"({"job": "serving", "storage": {"tier": "disk"}, "serving": {"weights": "1 GB"}})");
  ASSERT_TRUE(serving.value.has_value()) << rendered(serving.findings);
  const auto training = on(kMeasuredTier, kOnDisk);
  EXPECT_FALSE(serving.value->scenario.run.uncertain.empty());
  EXPECT_EQ(serving.value->scenario.run.uncertain, training.value->scenario.run.uncertain);
}

}  // namespace
}  // namespace stallcast
