#include "core/run/input_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/cost/price_run.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/report/words/assumed_inputs.h"
#include "core/run/model_error.h"
#include "core/run/simulate.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

// One rank, steps of 50 ms that read 10 MB: 200 MB/s wanted, 100 MB/s delivered.
ResolvedScenario reads_too_slowly() {
  ResolvedScenario out;
  Scenario& s = out.scenario;
  s.cluster.cores_per_node = 16;
  s.cluster.host_to_device_bandwidth = bytes_per_second(50e9);
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.05);
  s.dataset.samples = 20'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  s.run.epochs = 1;
  return out;
}

// The bandwidth is a data sheet's, 0.6 to 1.1 of it, and decides alone; a copy to the GPU of 0.2 ms in steps of 100 ms
// does not. GPUs are busy for half of the time at 100 MB/s, and for a half times the factor at another rate.
TEST(InputRanges, AreSetByTheInputThatDecides) {
  ResolvedScenario job = reads_too_slowly();
  job.provenance["/storage/read_bandwidth"] = {Origin::kCatalogue, "tier/t", "a data sheet", "vendor", ""};
  job.provenance["/cluster/host_to_device_bandwidth"] = {Origin::kCatalogue, "instance/i", "", "assumed", ""};
  const RunResult result = simulate(job.scenario, RunOptions());
  const InputRanges ranges = input_ranges(job, result, RunOptions());
  EXPECT_TRUE(ranges.drawn);
  ASSERT_EQ(ranges.inputs.size(), 2U);
  EXPECT_EQ(ranges.inputs[0].assumed.range.pointer, "/storage/read_bandwidth");
  // From 0.6 to 1.1 of the rate: half of it in utilization and in throughput; the copy is 0.2 % of a step.
  ASSERT_TRUE(ranges.inputs[0].ends.has_value());
  EXPECT_NEAR(ranges.inputs[0].utilization_effect, 0.5 * result.gpu_utilization.mean, 0.005);
  EXPECT_NEAR(ranges.inputs[0].throughput_effect, 0.5, 0.01);
  ASSERT_TRUE(ranges.inputs[1].ends.has_value());
  EXPECT_LT(ranges.inputs[1].utilization_effect, 0.005);
  const Estimate& range = ranges.widened.gpu_utilization;
  EXPECT_EQ(range.mean, result.gpu_utilization.mean);
  // The outermost of 19 draws are about at the 5th and the 95th percentile or beyond, and not beyond the 0.1st and the
  // 99.9th (factor_at); the model's own error, of what is not measured, is a factor beside that.
  const double error = model_error(range.mean, kUnmeasuredError);
  const auto beside_error = [error](double factor) {
    return std::hypot(std::log(factor), std::log(factor < 1.0 ? 1.0 - error : 1.0 + error));
  };
  EXPECT_LT(range.ci95_low, std::exp(-beside_error(0.62)) * range.mean);
  EXPECT_GT(range.ci95_low, std::exp(-beside_error(0.37)) * range.mean);
  EXPECT_GT(range.ci95_high, std::exp(beside_error(1.08)) * range.mean);
  EXPECT_LT(range.ci95_high, std::exp(beside_error(1.21)) * range.mean);
}

// What writes a checkpoint decides how long it takes, so an answer names it where nobody did.
TEST(InputRanges, TheTextNamesWhatWritesCheckpoints) {
  const ScenarioFile file = scenario_file(
      R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"}, "storage": {"tier": "gcs_standard"},
          "checkpoint": {"mode": "sync", "size": "1 GB", "interval_steps": 20}, "run": {"steps_per_epoch": 40}})");
  const auto text = [&](const Point& set) {
    const ResolvedScenario job = *resolve_at(file, set, shipped_catalogue()).value;
    const InputRanges ranges = input_ranges(job, simulate(job.scenario), RunOptions());
    const std::string block = assumed_inputs_block({job, ranges, price_run(job, ranges.widened)});
    std::string one_line;  // the block is wrapped
    for (const char c : block)
      if (c != ' ' && c != '\n') one_line += c;
    return one_line;
  };
  EXPECT_THAT(text({}), testing::HasSubstr("andcheckpointswrittenbytorch_save,fromrank0alone:setcheckpoint.softwareand"
                                           "checkpoint.writersifthatisnotso"));
  EXPECT_THAT(text({{"/checkpoint/software", "gcs_connector"}}),
              testing::HasSubstr("bygcs_connector,fromrank0alone:setcheckpoint.writersif"));
  EXPECT_THAT(text({{"/checkpoint/software", "gcs_connector"}, {"/checkpoint/writers", "all"}}),
              testing::Not(testing::HasSubstr("checkpointswritten")));
  const auto words = [&](const Point& set) {
    const ResolvedScenario job = *resolve_at(file, set, shipped_catalogue()).value;
    const InputRanges ranges = input_ranges(job, simulate(job.scenario), RunOptions());
    std::vector<std::string> out;
    const auto json = assumed_inputs_to_json({job, ranges, price_run(job, ranges.widened)});
    for (const auto& one : json.at("assumptions"))
      if (one.at("value").is_string()) out.push_back(one.at("value"));
    return out;
  };
  EXPECT_EQ(words({}), (std::vector<std::string>{"torch_save", "rank0"}));
  EXPECT_TRUE(words({{"/checkpoint/software", "torch_dcp"}}).empty());
  EXPECT_THAT(text({{"/checkpoint/software", "torch_dcp"}}),  // which every rank calls
              testing::Not(testing::HasSubstr("checkpointswritten")));
}

// Half of the time is lost to the storage's rate. Of five draws, three follow the copy to the GPU by chance, which
// costs nothing.
TEST(InputRanges, OfManyThoseThatMostTimeIsLostToAreTried) {
  RunResult result;
  result.lost_fraction[static_cast<std::size_t>(LostTime::kTierBandwidth)] = 0.5;
  InputSpread spread;
  spread.inputs = {{"/cluster/host_to_device_bandwidth", 0.5, 2.0},
                   {"/loader/pin_bandwidth", 0.5, 2.0},
                   {"/storage/read_bandwidth", 0.6, 1.1}};
  const std::vector<double> by_chance = {0.3, 0.4, 0.5, 0.6, 0.7};
  for (std::size_t d = 0; d < by_chance.size(); ++d) {
    DrawnRun run;
    run.factors = {by_chance[d], by_chance[(2 * d) % 5], by_chance[(3 * d + 1) % 5]};
    run.gpu_utilization = by_chance[d];
    spread.drawn.push_back(run);
  }
  EXPECT_EQ(inputs_to_try(spread, result, 1), std::vector<std::size_t>{2});
  EXPECT_EQ(inputs_to_try(spread, result, 2), (std::vector<std::size_t>{2, 0}));
  result.lost_fraction = {};
  EXPECT_EQ(inputs_to_try(spread, result, 1), std::vector<std::size_t>{0});
}

TEST(InputRanges, WhereAllIsGivenThereIsNone) {
  const ResolvedScenario job = reads_too_slowly();
  const RunResult result = simulate(job.scenario, RunOptions());
  const InputRanges ranges = input_ranges(job, result, RunOptions());
  EXPECT_FALSE(ranges.drawn);
  EXPECT_TRUE(ranges.inputs.empty());
  EXPECT_EQ(ranges.widened.events, result.events);
}

// An entry of run.uncertain is what somebody knows; it stands.
TEST(InputRanges, WhatIsKnownIsNotAssumed) {
  ResolvedScenario job = reads_too_slowly();
  job.provenance["/storage/read_bandwidth"] = {Origin::kCatalogue, "tier/t", "a data sheet", "vendor", ""};
  job.scenario.run.uncertain = {"storage.read_bandwidth 0.95..1.05"};
  EXPECT_TRUE(as_assumed(job, RunResult()).inputs.empty());
}

// What somebody knows to an interval widens the answer once, also where simulate() has drawn it already.
TEST(InputRanges, WhatIsUncertainCountsOnce) {
  ResolvedScenario job = reads_too_slowly();
  job.provenance["/cluster/host_to_device_bandwidth"] = {Origin::kCatalogue, "instance/i", "", "assumed", ""};
  const RunResult as_given = simulate(job.scenario, RunOptions());
  job.scenario.run.uncertain = {"storage.read_bandwidth 0.6..1.5"};
  const RunResult drawn_before = simulate(job.scenario, RunOptions());
  ASSERT_LT(drawn_before.gpu_utilization.ci95_low, 0.9 * as_given.gpu_utilization.ci95_low);
  const InputRanges once = input_ranges(job, as_given, RunOptions());
  const InputRanges again = input_ranges(job, drawn_before, RunOptions());
  EXPECT_EQ(again.widened.gpu_utilization.ci95_low, once.widened.gpu_utilization.ci95_low);
  EXPECT_EQ(again.widened.gpu_utilization.ci95_high, once.widened.gpu_utilization.ci95_high);
  EXPECT_EQ(again.widened.inputs.samples_per_s.ci95_low, once.widened.inputs.samples_per_s.ci95_low);
  EXPECT_EQ(again.widened.inputs.time_to_train_s.ci95_high, once.widened.inputs.time_to_train_s.ci95_high);
  EXPECT_EQ(again.widened.inputs.simulation.gpu_utilization.ci95_low, as_given.gpu_utilization.ci95_low);
}

}  // namespace
}  // namespace stallcast
