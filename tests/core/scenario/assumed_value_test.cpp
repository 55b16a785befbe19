#include "core/scenario/resolve/assumed_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

ResolvedScenario resolved(const char* json) {
  const Loaded<ScenarioFile> file = parse_scenario(nlohmann::ordered_json::parse(json), "a.json");
  return *resolve(*file.value, shipped_catalogue()).value;
}

const AssumedValue* value_of(const std::vector<AssumedValue>& all, const char* pointer) {
  const auto found =
      std::find_if(all.begin(), all.end(), [pointer](const AssumedValue& v) { return v.range.pointer == pointer; });
  return found != all.end() ? &*found : nullptr;
}

constexpr const char* kImages = R"({
  "cluster": {"instance": "p5.48xlarge"}, "workload": {"batch_size": 256, "step_time": "180 ms"},
  "dataset": {"samples": 100000, "sample_size": "150 kB", "decode_time": "6 ms"},
  "storage": {"tier": "s3_standard", "client_read_bandwidth": "10 GB/s"}, "run": {"epochs": 1}})";

// What the record states of Amazon's latency: 20 to 225 ms of 150.
TEST(AssumedValues, HaveTheIntervalOfTheirSource) {
  const auto all = assumed_values(resolved(kImages));
  const AssumedValue* latency = value_of(all, "/storage/latency");
  ASSERT_NE(latency, nullptr);
  EXPECT_NEAR(latency->range.low_factor, 12.0 / 32.0, 1e-12);
  EXPECT_NEAR(latency->range.high_factor, 150.0 / 32.0, 1e-12);
  EXPECT_EQ(latency->from.record, "tier/s3_standard");
  EXPECT_NE(latency->from.source, "");
  EXPECT_NE(latency->narrow_by.find("probe"), std::string::npos);
}

// A data sheet's rate: the table in the header.
TEST(AssumedValues, ElseThatOfTheKindOfStatement) {
  const auto all = assumed_values(resolved(kImages));
  const AssumedValue* requests = value_of(all, "/storage/read_iops");
  ASSERT_NE(requests, nullptr);
  EXPECT_EQ(requests->from.kind, "vendor");
  EXPECT_EQ(requests->range.low_factor, 0.6);
  EXPECT_EQ(requests->range.high_factor, 1.1);
  // A card's line rate is what it is; what storage gets of it is not known, and less than all.
  const ResolvedScenario headline = resolved(R"({"cluster": {"instance": "a3-highgpu-8g"},
    "workload": {"name": "unet3d"}, "storage": {"tier": "gcs_standard"}})");
  const auto a3 = assumed_values(headline);
  EXPECT_EQ(value_of(a3, "/cluster/nic_bandwidth"), nullptr);
  const AssumedValue* share = value_of(a3, "/cluster/nic_efficiency");
  ASSERT_NE(share, nullptr);
  EXPECT_LE(share->range.high_factor * headline.scenario.cluster.nic_efficiency, 1.0);
  for (const AssumedValue& value : all) {
    EXPECT_LE(value.range.low_factor, 1.0) << value.range.pointer;
    EXPECT_GE(value.range.high_factor, 1.0) << value.range.pointer;
    EXPECT_LT(value.range.low_factor, value.range.high_factor) << value.range.pointer;
    EXPECT_NE(value.basis, "") << value.range.pointer;
    EXPECT_NE(value.narrow_by, "") << value.range.pointer;
  }
}

// What the file gives is not assumed, nor what is off, nor sizes, counts and prices.
TEST(AssumedValues, AreNotWhatIsGivenOrOffOrBought) {
  const auto all = assumed_values(resolved(kImages));
  for (const char* pointer :
       {"/workload/step_time", "/dataset/decode_time", "/storage/client_read_bandwidth", "/storage/burst_bandwidth",
        "/storage/open_latency", "/cluster/memory_per_node", "/cost/node_price", "/failures/restart_time"})
    EXPECT_EQ(value_of(all, pointer), nullptr) << pointer;
}

// A workstation that no record describes: its memory is the median of others, and the page cache is a part of it.
TEST(AssumedValues, ThePageCacheOfAMachineWhoseMemoryIsGuessed) {
  const auto page_cache = [](const std::string& cluster) {
    const std::string json = R"({"cluster": )" + cluster + R"(, "workload": {"batch_size": 64, "step_time": "0.1 s"},
      "dataset": {"samples": 100000, "sample_size": "150 kB", "decode_time": "6 ms"}, "storage": {"tier": "nfs"},
      "run": {"epochs": 2}})";
    const ResolvedScenario job = resolved(json.c_str());
    EXPECT_GT(job.scenario.page_cache.capacity.base(), 0.0);
    const auto all = assumed_values(job);
    const AssumedValue* found = value_of(all, "/page_cache/capacity");
    return found != nullptr ? std::optional(*found) : std::nullopt;
  };
  const auto guessed = page_cache(R"({"gpu": "rtx-4090-24gb", "gpus_per_node": 2, "nodes": 1})");
  ASSERT_TRUE(guessed);
  EXPECT_EQ(guessed->range.low_factor, 0.5);
  EXPECT_EQ(guessed->range.high_factor, 2.0);
  EXPECT_NE(guessed->narrow_by.find("cluster.memory_per_node"), std::string::npos);
  EXPECT_FALSE(page_cache(R"({"gpu": "rtx-4090-24gb", "gpus_per_node": 2, "nodes": 1, "memory_per_node": "128 GB"})"));
  EXPECT_FALSE(page_cache(R"({"instance": "p5.48xlarge", "nodes": 1})"));
}

// A card that no record names is assumed, too: of one of eight GPUs it is an eighth of a machine's, or all of it.
TEST(AssumedValues, TheNetworkCardOfAMachineThatNoRecordDescribes) {
  const auto card = [](int gpus) {
    const std::string json = R"({"cluster": {"gpu": "v100-16gb", "cores_per_node": 8, "gpus_per_node": )" +
                             std::to_string(gpus) + R"(}, "workload": {"batch_size": 64, "step_time": "0.1 s"},
      "dataset": {"sample_size": "150 kB", "decode_time": "6 ms"}, "storage": {"tier": "nfs"}})";
    const auto all = assumed_values(resolved(json.c_str()));
    const AssumedValue* found = value_of(all, "/cluster/nic_bandwidth");
    return found != nullptr ? std::optional(*found) : std::nullopt;
  };
  const auto of_one = card(1), of_all = card(8);
  ASSERT_TRUE(of_one && of_all);
  EXPECT_EQ(of_one->range.low_factor, 0.5);
  EXPECT_NEAR(of_one->range.high_factor, 8.0, 1e-9);
  EXPECT_EQ(of_all->range.high_factor, 2.0);
}

TEST(AssumedValues, WhereNothingFailsThereIsNoRecovery) {
  const Scenario s = resolved(kImages).scenario;
  EXPECT_EQ(s.failures.detection_time.base(), 0.0);
  EXPECT_EQ(s.failures.restart_time.base(), 0.0);
}

// Nobody restarts 512 GPUs in no time.
TEST(AssumedValues, AFailureTakesTimeToNoticeAndToRestart) {
  const ResolvedScenario given = resolved(R"({
    "workload": {"step_time": "1 s"}, "failures": {"mtti": "8 h", "restart_time": "2 min"},
    "dataset": {"samples": 100000}, "run": {"epochs": 1}})");
  EXPECT_EQ(given.scenario.failures.detection_time.base(), 600.0);
  EXPECT_EQ(given.scenario.failures.restart_time.base(), 120.0);
  const auto all = assumed_values(given);
  const AssumedValue* detection = value_of(all, "/failures/detection_time");
  ASSERT_NE(detection, nullptr);
  EXPECT_EQ(detection->from.origin, Origin::kDefault);
  EXPECT_NE(detection->from.source.find("MegaScale"), std::string::npos);
  EXPECT_EQ(value_of(all, "/failures/restart_time"), nullptr);
}

}  // namespace
}  // namespace stallcast
