// What a job reads from and writes to that says nothing of its storage.
#include "core/scenario/resolve/machine/usual_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

constexpr double kGiga = 1e9;

UsualStorage around(std::int64_t nodes, std::int64_t gpus, const char* instance = nullptr) {
  ClusterSpec cluster;
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus;
  const Catalogue& catalogue = shipped_catalogue();
  return usual_storage(catalogue, cluster, instance == nullptr ? nullptr : &catalogue.instances.at(instance));
}

template <class T>
void expect_range(const UsualValue<T>& usual, double low, double value, double high) {
  EXPECT_DOUBLE_EQ(usual.value.base(), value);
  EXPECT_DOUBLE_EQ(usual.low * usual.value.base(), low);
  EXPECT_DOUBLE_EQ(usual.high * usual.value.base(), high);
}

// RA-11333, table 6: one machine of 8 GPUs, and a unit of 32 of them.
TEST(UsualStorage, IsWhatTheTableAdvises) {
  const UsualStorage one = around(1, 8);
  expect_range(one.read, 4 * kGiga, 8 * kGiga, 40 * kGiga);
  expect_range(one.write, 2 * kGiga, 4 * kGiga, 20 * kGiga);
  const UsualStorage unit = around(32, 8);
  expect_range(unit.read, 15 * kGiga, 40 * kGiga, 125 * kGiga);
  expect_range(unit.write, 7 * kGiga, 20 * kGiga, 62 * kGiga);
  expect_range(unit.client_read, 4 * kGiga, 8 * kGiga, 40 * kGiga);
  expect_range(unit.client_write, 2 * kGiga, 4 * kGiga, 20 * kGiga);
}

TEST(UsualStorage, GivesMoreToMoreMachinesAndNoLessThanOneMachineTakes) {
  double before = 0.0;
  for (const std::int64_t nodes : {1, 2, 6, 7, 32, 128, 1000}) {
    const UsualStorage usual = around(nodes, 8);
    EXPECT_GE(usual.read.value.base(), before);
    EXPECT_GE(usual.read.value.base(), usual.client_read.value.base());
    before = usual.read.value.base();
  }
  expect_range(around(128, 8).read, 60 * kGiga, 160 * kGiga, 500 * kGiga);  // the table's line of four units
}

TEST(UsualStorage, IsThatOfTheWholeMachineWhereAJobTakesAPartOfIt) {
  EXPECT_DOUBLE_EQ(around(1, 2, "p4d.24xlarge").read.value.base(), around(1, 8).read.value.base());
  EXPECT_DOUBLE_EQ(around(1, 2).read.value.base(), around(1, 8).read.value.base() / 4.0);
}

TEST(UsualStorage, WaitsAsTheSharedFileSystemsOfTheCatalogueDo) {
  std::vector<double> latencies;
  for (const auto& [name, tier] : shipped_catalogue().tiers) {
    const bool mounted = tier.scope == "shared" && (tier.client == "kernel" || tier.client == "nfs");
    if (mounted && name != "custom" && tier.latency_mean) latencies.push_back(tier.latency_mean->value.base());
  }
  ASSERT_GE(latencies.size(), 10U);
  const UsualStorage usual = around(1, 8);
  const auto count = [&](double latency) {
    return std::count_if(latencies.begin(), latencies.end(), [latency](double one) { return one <= latency; });
  };
  const auto all = static_cast<double>(latencies.size());
  EXPECT_GE(static_cast<double>(count(usual.latency.value.base())), 0.5 * all);
  EXPECT_GE(static_cast<double>(count(usual.latency.high * usual.latency.value.base())), 0.9 * all);
  EXPECT_LE(usual.latency.low, 1.0);
  EXPECT_THAT(usual.latency_source, HasSubstr(std::to_string(latencies.size())));
}

const char* const kJob = R"({
  "cluster": {"instance": "p5.48xlarge", "nodes": 4},
  "workload": {"step_time": "1 s", "batch_size": 8},
  "dataset": {"sample_size": "1 MB", "samples": 100000}})";

Loaded<ResolvedScenario> job(const std::vector<std::string>& overrides = {}, const char* json = kJob) {
  auto file = parse_scenario(Json::parse(json), "s.json");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  Findings findings;
  for (const std::string& assignment : overrides) apply_override(*file.value, assignment, findings);
  EXPECT_TRUE(findings.empty()) << rendered(findings);
  return resolve(*file.value, shipped_catalogue());
}

TEST(UsualStorage, IsTakenWithItsRangeAndAWarningWhereAJobNamesNone) {
  const auto without = job();
  ASSERT_TRUE(without.ok()) << rendered(without.findings);
  const Scenario& s = without.value->scenario;
  EXPECT_DOUBLE_EQ(s.storage.read_bandwidth.base(), 8 * kGiga);
  EXPECT_GT(mean_of(s.storage.latency), 0.0);
  EXPECT_EQ(s.page_cache.policy, CachePolicy::kLinux);
  EXPECT_THAT(rendered(without.findings), HasSubstr("warning[assumed_storage] at /storage/tier"));
  for (const char* pointer : {"/storage/read_bandwidth", "/storage/client_write_bandwidth", "/storage/latency"}) {
    const std::vector<AssumedValue> assumed = assumed_values(*without.value);
    const auto one = std::find_if(assumed.begin(), assumed.end(),
                                  [pointer](const AssumedValue& a) { return a.range.pointer == pointer; });
    ASSERT_NE(one, assumed.end()) << pointer;
    EXPECT_LT(one->range.low_factor, 1.0) << pointer;
    EXPECT_GT(one->range.high_factor, 1.0) << pointer;
  }
}

TEST(UsualStorage, IsNotTakenWhereTheJobSaysAnythingOfIt) {
  for (const char* said : {"storage.read_bandwidth=0 B/s", "storage.latency=1 ms", "storage.tier=vast"}) {
    const auto with = job({said});
    ASSERT_TRUE(with.ok()) << rendered(with.findings);
    EXPECT_THAT(rendered(with.findings), Not(HasSubstr("assumed_storage"))) << said;
  }
  EXPECT_DOUBLE_EQ(job({"storage.latency=1 ms"}).value->scenario.storage.read_bandwidth.base(), 0.0);
}

TEST(UsualStorage, IsOfJobsThatMoveBytes) {
  const char* const computes = R"({"workload": {"step_time": "1 s", "batch_size": 8}})";
  const auto moves = [&](const std::vector<std::string>& overrides) {
    return job(overrides, computes).value->scenario.storage.write_bandwidth.base() > 0.0;
  };
  EXPECT_FALSE(moves({}));
  EXPECT_TRUE(moves({"dataset.sample_size=1 MB"}));
  EXPECT_TRUE(moves({"checkpoint.mode=sync", "checkpoint.interval_steps=10", "checkpoint.size=1 GB"}));
  EXPECT_TRUE(moves({"job=serving", "serving.weights=1 GB"}));
}

}  // namespace
}  // namespace stallcast
