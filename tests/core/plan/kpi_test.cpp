#include "core/plan/evaluate/kpi.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/report/json/result_document.h"
#include "core/report/words/kpi_text.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

// "/cost/total_usd" of "cost.total_usd"; an object stands for its mean.
const nlohmann::ordered_json& at(const nlohmann::ordered_json& document, const std::string& name) {
  const nlohmann::ordered_json* value = &document;
  std::istringstream path(name);
  for (std::string key; std::getline(path, key, '.');) value = &value->at(key);
  return value->is_object() ? value->at("mean") : *value;
}

Evaluation evaluate_text(const std::string& text, ResolvedScenario& resolved) {
  resolved = with_inputs_as_given(*resolve_at(scenario_file(text), {}, shipped_catalogue()).value);
  return evaluate(resolved, RunOptions());
}

const std::string kJob = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
    "storage": {"tier": "parallelstore", "capacity": "12 TiB"})";

// The name of a KPI is where a script finds the same number.
TEST(Kpi, IsTheNumberOfTheJsonAtItsName) {
  for (const char* const rest : {R"(, "run": {"steps_per_epoch": 20, "whole_run": true}})",
                                 R"(, "run": {"steps_per_epoch": 2000}, "failures": {"mtti": "2 h"},
                                      "checkpoint": {"mode": "sync", "cadence": "time", "interval": "10 min",
                                                     "size": "10 GB"}})"}) {
    ResolvedScenario resolved;
    const Evaluation evaluation = evaluate_text(kJob + rest, resolved);
    const auto document =
        result_document(evaluation.result, evaluation.bound, evaluation.cost, scenario_to_json(resolved.scenario), {});
    for (const Kpi& kpi : kpi_table()) {
      const auto value = kpi.of(evaluation);
      ASSERT_TRUE(value) << kpi.name;
      EXPECT_DOUBLE_EQ(value->mean, at(document, kpi.name).get<double>()) << kpi.name;
      EXPECT_LE(value->ci95_low, value->mean) << kpi.name;
      EXPECT_GE(value->ci95_high, value->mean) << kpi.name;
      EXPECT_FALSE(kpi.help.empty());
    }
  }
}

TEST(Kpi, WithoutALengthThereIsNoTotal) {
  ResolvedScenario resolved;
  const Evaluation evaluation = evaluate_text(kJob + "}", resolved);
  EXPECT_FALSE(find_kpi("cost.total_usd")->of(evaluation));
  EXPECT_FALSE(find_kpi("time_to_train_s")->of(evaluation));
  EXPECT_TRUE(find_kpi("cost.usd_per_hour.total_usd")->of(evaluation));
  EXPECT_TRUE(find_kpi("effective_usd_per_useful_gpu_hour")->of(evaluation));
  EXPECT_EQ(find_kpi("no_such"), nullptr);
}

TEST(Kpi, TextHasTheUnitOfTheDimension) {
  EXPECT_EQ(kpi_text(*find_kpi("gpu_utilization"), 0.7861), "78.6 %");
  EXPECT_EQ(kpi_text(*find_kpi("cost.total_usd"), 373.6), "$373.60");
  EXPECT_EQ(kpi_text(*find_kpi("time_to_train_s"), 27000.0), "7.5 h");
  EXPECT_EQ(kpi_text(*find_kpi("samples_per_s"), 543.21), "543 samples/s");
}

}  // namespace
}  // namespace stallcast
