#include "core/report/json/result_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stallcast {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ordered_json sample_document() {
  RunResult result;
  result.seed = 7;
  result.gpu_utilization = {0.5, 0.25, 0.75};
  result.lost_fraction[static_cast<std::size_t>(LostTime::kCpuDecode)] = 0.5;
  const Bound bound = {1.0, std::numeric_limits<double>::infinity(), "gpu", {"gpu", "nic"}};
  return result_document(result, bound, CostBreakdown{}, {{"name", "a, \"b\""}}, ordered_json::object());
}

TEST(ResultDocument, HasEveryContractedKey) {
  const ordered_json document = sample_document();
  for (const char* pointer : {"/format_version",
                              "/program_version",
                              "/seed",
                              "/scenario",
                              "/gpu_utilization/mean",
                              "/gpu_utilization/ci95_low",
                              "/gpu_utilization/ci95_high",
                              "/samples_per_s",
                              "/step_time_s/mean",
                              "/step_time_s/p50",
                              "/step_time_s/p99",
                              "/time_to_train_s",
                              "/goodput_fraction",
                              "/bound/gpu_utilization",
                              "/bound/binding_resource",
                              "/lost_time_fraction/startup",
                              "/bottleneck",
                              "/cost",
                              "/effective_usd_per_useful_gpu_hour",
                              "/events",
                              "/wall_s",
                              "/converged"}) {
    EXPECT_TRUE(document.contains(ordered_json::json_pointer(pointer))) << pointer;
  }
}

TEST(ResultDocument, DoesNotInventACost) {
  const ordered_json document = sample_document();
  for (const char* key :
       {"total_usd", "compute_usd", "storage_usd", "requests_usd", "transfer_usd", "overheads_usd", "wasted_usd"})
    EXPECT_TRUE(document["cost"][key].is_null()) << key;
  EXPECT_THAT(document["cost"]["unknown"].at(0).get<std::string>(), StartsWith("UNKNOWN total: the length of the run"));
  EXPECT_TRUE(document["effective_usd_per_useful_gpu_hour"].is_null());
}

TEST(ResultDocument, NamesEveryCauseAndTheLargest) {
  const ordered_json document = sample_document();
  EXPECT_EQ(document["lost_time_fraction"].size(), static_cast<std::size_t>(LostTime::kCount));
  EXPECT_EQ(document["lost_time_fraction"]["cpu_decode"], 0.5);
  EXPECT_EQ(document["bottleneck"], "cpu_decode");
}

TEST(ResultDocument, WithLittleLostTheGpuIsTheBottleneck) {
  RunResult result;
  result.lost_fraction[static_cast<std::size_t>(LostTime::kCpuDecode)] = 0.019;
  EXPECT_EQ(bottleneck_name(result), "gpu");
  result.lost_fraction[static_cast<std::size_t>(LostTime::kBarrier)] = 0.002;
  EXPECT_EQ(bottleneck_name(result), "cpu_decode");
}

TEST(ResultDocument, InfinityIsNullInText) {
  EXPECT_TRUE(ordered_json::parse(sample_document().dump())["bound"]["samples_per_s"].is_null());
}

TEST(ResultDocument, UncertainInputsHaveAnObject) {
  EXPECT_TRUE(sample_document()["input_uncertainty"].is_null());
  RunResult result;
  result.inputs.draws_wanted = 39;
  result.inputs.drawn.resize(20);
  result.inputs.simulation.gpu_utilization = {0.5, 0.49, 0.51};
  result.inputs.samples_per_s = {100.0, 90.0, 120.0};
  result.inputs.inputs = {{"/storage/read_bandwidth", 0.9, 1.2, 0.25, 0.75}};
  CostBreakdown cost;
  cost.price_interval = {4.0, 3.0, 6.0};
  const ordered_json spread =
      result_document(result, Bound{}, cost, ordered_json::object(), ordered_json::object())["input_uncertainty"];
  EXPECT_EQ(spread["draws"], 20);
  EXPECT_EQ(spread["draws_wanted"], 39);
  EXPECT_EQ(spread["simulation_alone"]["gpu_utilization"]["ci95_low"], 0.49);
  EXPECT_EQ(spread["samples_per_s"]["ci95_high"], 120.0);
  EXPECT_TRUE(spread["time_to_train_s"].is_null());
  EXPECT_EQ(spread["inputs"][0], ordered_json({{"input", "/storage/read_bandwidth"},
                                               {"low_factor", 0.9},
                                               {"high_factor", 1.2},
                                               {"utilization_share", 0.25},
                                               {"throughput_share", 0.75}}));
  EXPECT_TRUE(spread["cost"]["total_usd"].is_null());
  EXPECT_EQ(spread["cost"]["effective_usd_per_useful_gpu_hour"]["ci95_low"], 3.0);
}

TEST(ResultCsv, UncertainInputsHaveColumnsButForTheirList) {
  RunResult result;
  result.inputs.draws_wanted = 39;
  result.inputs.inputs = {{"/storage/read_bandwidth", 0.9, 1.2, 0.25, 0.75}};
  result.inputs.samples_per_s = {100.0, 90.0, 120.0};
  const std::string csv =
      result_csv(result_document(result, Bound{}, CostBreakdown{}, ordered_json::object(), ordered_json::object()));
  EXPECT_THAT(csv, HasSubstr("input_uncertainty.samples_per_s.ci95_low"));
  EXPECT_THAT(csv, HasSubstr("input_uncertainty.cost.total_usd"));
  EXPECT_THAT(csv, Not(HasSubstr("input_uncertainty.inputs")));
}

TEST(ResultDocument, ExplanationKeepsTheOrderOfGains) {
  Explanation explanation;
  explanation.counterfactuals = {{"barrier", ChangeKind::kIdeal, "x", {0.9, 0.9, 0.9}, 0.4, {}, 2.5},
                                 {"double_workers", ChangeKind::kSetting, "y", {0.6, 0.6, 0.6}, 0.1, {}, {}}};
  const ordered_json document =
      explanation_document(explanation, Advice{}, ordered_json::object(), ordered_json::object());
  EXPECT_EQ(document["explanation"]["counterfactuals"][0]["name"], "barrier");
  EXPECT_EQ(document["explanation"]["counterfactuals"][1]["kind"], "setting");
  EXPECT_EQ(document["explanation"]["counterfactuals"][0]["gain"], 0.4);
  EXPECT_EQ(document["explanation"]["counterfactuals"][0]["usd_per_hour"], 2.5);
  EXPECT_TRUE(document["explanation"]["counterfactuals"][0]["usd"].is_null());
  EXPECT_EQ(document["explanation"]["bottleneck"]["cause"], "gpu");
}

TEST(ResultDocument, ProvenanceSaysWhereANumberIsFrom) {
  const ordered_json json =
      provenance_to_json({{"/storage/latency", {Origin::kCatalogue, "tier/x", "A sheet", "vendor", ""}},
                          {"/run/seed", {Origin::kDefault, "", "", "", ""}}});
  EXPECT_EQ(json["/storage/latency"]["origin"], "catalogue");
  EXPECT_EQ(json["/storage/latency"]["kind"], "vendor");
  EXPECT_EQ(json["/run/seed"], ordered_json({{"origin", "default"}}));
}

TEST(ResultCsv, OneHeaderRowOneValueRow) {
  const std::string csv = result_csv(sample_document());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
  EXPECT_THAT(csv, StartsWith("scenario.name,format_version,program_version,seed,gpu_utilization.mean,"));
  const std::string values = csv.substr(csv.find('\n') + 1);
  EXPECT_THAT(values, StartsWith("\"a, \"\"b\"\"\",2,"));
}

}  // namespace
}  // namespace stallcast
