#include "core/plan/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

double& lost(RunResult& result, LostTime cause) { return result.lost_fraction[static_cast<std::size_t>(cause)]; }

// A run whose utilization is the bound less 0.2 while batches are delivered in order.
RunResult ordered_job(const Scenario& scenario, const RunOptions&) {
  RunResult result;
  const Bound bound = utilization_bound(scenario);
  const double order = scenario.loader.in_order ? 0.2 : 0.0;
  const double mean = bound.gpu_utilization - order;
  result.gpu_utilization = {mean, mean, mean};
  lost(result, LostTime::kLoaderOrder) = order;
  lost(result, LostTime::kStorageLatency) = 1.0 - bound.gpu_utilization;
  return result;
}

// 4 workers, 100 samples/s wanted, 4 / 50 ms = 80 samples/s: bound 0.8.
Scenario slow_storage() {
  Scenario scenario;
  scenario.cluster.cores_per_node = 8;
  scenario.workload.batch_size = 10;
  scenario.workload.step_time = Distribution::constant(0.1);
  scenario.loader.num_workers = 4;
  scenario.storage.latency = Distribution::constant(0.05);
  return scenario;
}

// A job that names no records, so nothing of it has a price.
ResolvedScenario without_records(const Scenario& scenario) {
  ResolvedScenario resolved;
  resolved.scenario = scenario;
  return resolved;
}

const Counterfactual* find(const Explanation& explanation, const std::string& name) {
  for (const Counterfactual& change : explanation.counterfactuals) {
    if (change.name == name) return &change;
  }
  return nullptr;
}

TEST(Explain, SortsChangesByWhatTheyBuy) {
  const Explanation explanation = explain(without_records(slow_storage()), {}, ordered_job);
  EXPECT_NEAR(explanation.bound.gpu_utilization, 0.8, 1e-9);
  EXPECT_NEAR(explanation.result.gpu_utilization.mean, 0.6, 1e-9);
  EXPECT_NEAR(find(explanation, "loader_order")->gain, 0.2, 1e-9);
  EXPECT_NEAR(find(explanation, "storage_latency")->gain, 0.2, 1e-9);
  EXPECT_NEAR(find(explanation, "double_workers")->gain, 0.2, 1e-9);
  for (std::size_t i = 1; i < explanation.counterfactuals.size(); ++i) {
    EXPECT_GE(explanation.counterfactuals[i - 1].gain, explanation.counterfactuals[i].gain);
  }
  EXPECT_TRUE(explanation.complete);
}

TEST(Explain, LeavesOutWhatCannotApply) {
  const Explanation explanation = explain(without_records(slow_storage()), {}, ordered_job);
  EXPECT_EQ(find(explanation, "tier_bandwidth"), nullptr);  // unlimited already
  EXPECT_EQ(find(explanation, "checkpoint"), nullptr);
  EXPECT_EQ(find(explanation, "cpu_decode"), nullptr);
}

TEST(Explain, SaysWhyTheSimulatedValueIsBelowTheBound) {
  const Explanation explanation = explain(without_records(slow_storage()), {}, ordered_job);
  // 0.2 is lost to latency, which the bound accounts for; the rest is order.
  EXPECT_EQ(
      explanation.gap_reason,
      "Simulated is 20.0 points below the bound, which knows only mean rates: batches are delivered in order, so one "
      "slow batch blocks finished ones.");
}

TEST(Explain, RecommendsASettingBeforeAnIdealWorld) {
  const Explanation explanation = explain(without_records(slow_storage()), {}, ordered_job);
  EXPECT_EQ(explanation.change_first, "Set loader.in_order to false: GPU utilization 60.0 % -> 80.0 %.");
}

// Out of order, 4 workers of 50 ms a sample are 80 samples/s of 100: twice as many are enough, four times bring no
// more.
TEST(Explain, NamesTheSmallerOfTwoSettingsThatBringTheSame) {
  Scenario scenario = slow_storage();
  scenario.loader.in_order = false;
  const Explanation explanation = explain(without_records(scenario), {}, ordered_job);
  EXPECT_EQ(explanation.change_first, "Set loader.num_workers 4 to 8: GPU utilization 80.0 % -> 100.0 %.");
}

// Coarse runs say 78 % of delivery out of order and 77 % of twice the workers, full runs 70 and 75 %: what is told
// first is what a full run of it says, and the best by that.
TEST(Explain, TellsTheBestSettingAsItsOwnRunSaysIt) {
  const auto run = [](const Scenario& scenario, const RunOptions& options) {
    double mean = 0.6;
    if (!scenario.loader.in_order) mean = options.coarse ? 0.78 : 0.70;
    if (scenario.loader.num_workers > 4) mean = options.coarse ? 0.77 : 0.75;
    RunResult result;
    result.samples = 100'000'000;
    result.gpu_utilization = {mean, mean, mean};
    lost(result, LostTime::kLoaderOrder) = 1.0 - mean;
    return result;
  };
  const Explanation explanation = explain(without_records(slow_storage()), {}, run);
  EXPECT_EQ(explanation.change_first, "Set loader.num_workers 4 to 8: GPU utilization 60.0 % -> 75.0 %.");
  EXPECT_DOUBLE_EQ(find(explanation, "double_workers")->gpu_utilization.mean, 0.75);
}

// One page says one figure: what the best setting saves is the difference of two bills, as rules and --set have it.
TEST(Explain, WhatTheBestSettingSavesIsTheDifferenceOfTheBills) {
  const ScenarioFile file =
      scenario_file(R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
      "dataset": {"decode_time": "9 ms"}, "loader": {"num_workers": 2}, "storage": {"tier": "gcs_standard"},
      "run": {"steps_per_epoch": 40, "whole_run": true}})");
  const auto bill = [&](const Point& set) {
    const ResolvedScenario job = *resolve_at(file, set, shipped_catalogue()).value;
    return price_run(job, simulate(job.scenario)).total()->to_double();
  };
  const Explanation explanation = explain(*resolve_at(file, {}, shipped_catalogue()).value, {});
  const auto is_setting = [](const Counterfactual& change) { return change.kind == ChangeKind::kSetting; };
  const Counterfactual& best = *std::ranges::find_if(explanation.counterfactuals, is_setting);  // sorted by gain
  EXPECT_NEAR(best.usd.value(), bill({}) - bill(best.settings), 1e-6);
  EXPECT_GT(best.usd.value(), 0.0);
}

TEST(Explain, ABusyGpuNeedsNothing) {
  Scenario scenario = slow_storage();
  scenario.storage.latency = Distribution::constant(0.0);
  scenario.loader.in_order = false;
  const Explanation explanation = explain(without_records(scenario), {}, ordered_job);
  EXPECT_EQ(explanation.bottleneck.cause, "gpu");
  EXPECT_THAT(explanation.gap_reason, HasSubstr("The bound is reached"));
  EXPECT_THAT(explanation.change_first, HasSubstr("the GPUs are the limit"));
}

TEST(Explain, AStopLeavesOutTheChangesNotRun) {
  std::stop_source source;
  RunOptions options;
  options.stop = source.get_token();
  const auto stopping = [&](const Scenario& scenario, const RunOptions& run_options) {
    source.request_stop();
    return ordered_job(scenario, run_options);
  };
  const Explanation explanation = explain(without_records(slow_storage()), options, stopping);
  EXPECT_FALSE(explanation.complete);
  EXPECT_TRUE(explanation.counterfactuals.empty());
}

TEST(Explain, AnErrorInAThreadIsThrownHere) {
  const auto failing = [](const Scenario& scenario, const RunOptions& options) {
    if (!scenario.loader.in_order) throw std::logic_error("broken");
    return ordered_job(scenario, options);
  };
  EXPECT_THROW(explain(without_records(slow_storage()), {}, failing), std::logic_error);
}

}  // namespace

}  // namespace stallcast
