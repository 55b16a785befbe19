#include "core/plan/evaluate/evaluation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/plan/space/point_file.h"
#include "core/result/json/run_result_json.h"
#include "core/run/simulate.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/simulation_key.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

const char* const kSmallJob = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
    "loader": {"num_workers": 2}, "storage": {"tier": "parallelstore", "capacity": "12 TiB"},
    "run": {"steps_per_epoch": 20, "whole_run": true}})";

nlohmann::ordered_json figures(const RunResult& result) {
  nlohmann::ordered_json json = run_result_to_json(result);
  json.erase("wall_s");
  return json;
}

TEST(ResolveAt, APointIsWhatSetWouldSay) {
  const ScenarioFile base = scenario_file(kSmallJob);
  const auto resolved =
      resolve_at(base, {{"/loader/num_workers", "6"}, {"/storage/capacity", "16 TiB"}}, shipped_catalogue());
  EXPECT_EQ(resolved.value->scenario.loader.num_workers, 6);
  EXPECT_DOUBLE_EQ(resolved.value->scenario.storage.capacity.base(), 16.0 * 1099511627776.0);
  EXPECT_EQ(base.scenario.loader.num_workers, 2);
}

TEST(ResolveAt, AnEmptyTextTakesAwayWhatTheFileGives) {
  const ScenarioFile base = scenario_file(kSmallJob);
  const auto resolved =
      resolve_at(base, {{"/storage/tier", "gcs_standard"}, {"/storage/capacity", ""}}, shipped_catalogue());
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved.value->scenario.storage.capacity.base(), 0.0);
}

TEST(ResolveAt, FindingsOfAPointLeaveNothing) {
  EXPECT_FALSE(resolve_at(scenario_file(kSmallJob), {{"/storage/capacity", "13 TiB"}}, shipped_catalogue()).ok());
}

// Every field that the key leaves out, changed, leaves the run as it is to the last bit.
TEST(SimulationKey, LeavesOutOnlyWhatNoRunLooksAt) {
  const ResolvedScenario resolved =
      with_inputs_as_given(*resolve_at(scenario_file(kSmallJob), {}, shipped_catalogue()).value);
  const std::string key = simulation_key(resolved.scenario);
  const auto expected = figures(simulate(resolved.scenario));
  int left_out = 0;
  for (const Field& field : field_table()) {
    Scenario changed = resolved.scenario;
    FieldValue value = field.get(changed);
    if (auto* text = std::get_if<std::string>(&value)) {
      *text += "x";
    } else if (auto* number = std::get_if<double>(&value)) {
      *number = *number == 0.0 ? 0.5 : 0.5 * *number;
    } else if (auto* whole = std::get_if<std::int64_t>(&value)) {
      *whole = *whole == 0 ? 1 : 0;
    } else {
      continue;
    }
    field.set(changed, value);
    if (simulation_key(changed) != key) continue;
    ++left_out;
    EXPECT_EQ(figures(simulate(changed)), expected) << field.pointer;
  }
  EXPECT_GT(left_out, 20);
}

TEST(SimulationKey, TellsApartWhatARunDependsOn) {
  const ScenarioFile base = scenario_file(kSmallJob);
  const auto key = [&](const Point& point) {
    return simulation_key(resolve_at(base, point, shipped_catalogue()).value->scenario);
  };
  const std::string as_given = key({});
  EXPECT_EQ(key({{"/cost/pricing", "spot"}}), as_given);
  EXPECT_NE(key({{"/loader/num_workers", "3"}}), as_given);
  EXPECT_NE(key({{"/storage/capacity", "16 TiB"}}), as_given);  // by the bandwidth that comes with it
  EXPECT_NE(key({{"/run/seed", "2"}}), as_given);
}

TEST(Evaluate, IsTheRunItsBoundAndItsBill) {
  const ResolvedScenario resolved = *resolve_at(scenario_file(kSmallJob), {}, shipped_catalogue()).value;
  const Evaluation evaluation = evaluate(with_inputs_as_given(resolved), RunOptions());
  EXPECT_GT(evaluation.result.gpu_utilization.mean, 0.0);
  EXPECT_LE(evaluation.result.gpu_utilization.mean, evaluation.bound.gpu_utilization + 0.01);
  ASSERT_TRUE(evaluation.cost.total());
  // Shared runs are priced alike.
  const Evaluation again = evaluate(with_inputs_as_given(resolved), evaluation.result);
  EXPECT_EQ(again.cost.total()->to_double(), evaluation.cost.total()->to_double());
}

// An assignment without a text takes away what the file gives; one that cannot be read leaves no file.
TEST(ScenarioFileAt, TakesFieldsAwayToo) {
  const ScenarioFile file = scenario_file(R"({"loader": {"num_workers": 3}})");
  const auto there = scenario_file_at(file, {{"/loader/num_workers", ""}, {"/loader/prefetch_factor", "7"}});
  ASSERT_TRUE(there.value);
  EXPECT_EQ(there.value->scenario.loader.num_workers, Scenario().loader.num_workers);
  EXPECT_FALSE(there.value->given_anywhere().contains("/loader/num_workers"));
  EXPECT_EQ(there.value->scenario.loader.prefetch_factor, 7);
  EXPECT_TRUE(there.value->given_anywhere().contains("/loader/prefetch_factor"));
  EXPECT_FALSE(scenario_file_at(file, {{"/loader/num_workers", "many"}}).value);
}

}  // namespace
}  // namespace stallcast
