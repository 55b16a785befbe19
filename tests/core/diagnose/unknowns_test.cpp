#include "core/diagnose/unknowns.h"

#include <gtest/gtest.h>

#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

Json placed(const char* text, const std::vector<Observation>& seen, std::size_t count) {
  Json document = Json::parse(text);
  const auto file = parse_scenario(document, "s.json");
  EXPECT_EQ(place_unknowns(document, *file.value, seen).size(), count);
  return document;
}

Observation watched(const char* quantity, double value) { return {quantity, value, 0.0, "", ""}; }

// A third of a second of which 217 ms are waited: what computes is the rest.
TEST(Unknowns, AStepIsWhatWasSeenWithoutItsWait) {
  const Json out =
      placed(R"({"dataset": {"sample_size": "150 kB"}})", {watched("it_per_s", 3), watched("data_time", 0.217)}, 2);
  EXPECT_EQ(out["workload"]["step_time"], "116.3 ms");  // 333.3 - 217
  EXPECT_EQ(out["dataset"]["decode_time"], "2 ms");
  ASSERT_EQ(out["run"]["uncertain"].size(), 2U);
  EXPECT_TRUE(parse_uncertain_inputs(out["run"]["uncertain"].get<std::vector<std::string>>(), "").ok());
}

TEST(Unknowns, ABusyShareDoesAsWell) {
  EXPECT_EQ(placed("{}", {watched("step_time", 0.5), watched("gpu_busy", 0.3)}, 2)["workload"]["step_time"], "150 ms");
  EXPECT_EQ(placed("{}", {watched("step_time", 0.5)}, 2)["workload"]["step_time"], "250 ms");
  // 8 samples of each of 2 ranks in a step: 32 of them a second are 2 steps.
  EXPECT_EQ(placed(R"({"cluster": {"nodes": 2, "gpus_per_node": 1}, "workload": {"batch_size": 8}})",
                   {watched("samples_per_s", 32), watched("gpu_busy", 0.5)}, 2)["workload"]["step_time"],
            "250 ms");
}

// Storage that is there without a word of its latency, which no default of 0 stands for.
TEST(Unknowns, StorageDescribedByHandHasAnOpenLatency) {
  const Json out = placed(R"({"storage": {"read_bandwidth": "1 GB/s"}})", {watched("it_per_s", 3)}, 3);
  EXPECT_EQ(out["storage"]["latency"], "1 ms");
  placed(R"({"storage": {"read_bandwidth": "1 GB/s", "latency": "2 ms"}})", {watched("it_per_s", 3)}, 2);
  placed(R"({"storage": {"tier": "filestore_zonal"}})", {watched("it_per_s", 3)}, 2);
}

TEST(Unknowns, WhatIsKnownStays) {
  const Json out =
      placed(R"({"workload": {"step_time": "1 s"}, "dataset": {"decode_time": "0 s"}})", {watched("it_per_s", 3)}, 0);
  EXPECT_EQ(out["workload"]["step_time"], "1 s");
  EXPECT_FALSE(out.contains("run"));
  placed(R"({"workload": {"name": "resnet50"}})", {watched("it_per_s", 3)}, 0);
  placed(R"({"workload": {"step_time": "1 s"}, "dataset": {"format": "jpeg"}})", {watched("it_per_s", 3)}, 0);
}

}  // namespace
}  // namespace stallcast
