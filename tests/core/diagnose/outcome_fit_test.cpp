#include "core/diagnose/outcome_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

// One rank, steps of 50 ms that read 10 MB: 200 MB/s wanted, 100 MB/s delivered, "up to" by its data sheet.
ResolvedScenario reads_too_slowly() {
  ResolvedScenario out;
  Scenario& s = out.scenario;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.05);
  s.dataset.samples = 20'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.cluster.host_to_device_bandwidth = bytes_per_second(50e9);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  s.run.epochs = 1;
  out.provenance["/storage/read_bandwidth"] = {Origin::kCatalogue, "tier/t", "a data sheet", "vendor", ""};
  out.provenance["/cluster/host_to_device_bandwidth"] = {Origin::kCatalogue, "instance/i", "", "assumed", ""};
  return out;
}

Observation seen(const char* quantity, double value, double spread = 0.0) { return {quantity, value, spread, "", ""}; }

// 80 samples of 1 MB a second are 80 MB/s. The data sheet's range is 0.6 below, so a deviation of z is ln(1 / 0.6) /
// 1.645 = 0.31 of the logarithm, and that of what was seen 0.02: what is left is 0.02 / sqrt(0.02^2 + 0.31^2) of it.
TEST(OutcomeFit, OneFigureTellsTheOneInputThatDecides) {
  const OutcomeFit fit = fit_outcomes({{reads_too_slowly(), {seen("samples_per_s", 80)}}});
  EXPECT_TRUE(fit.explained);
  ASSERT_EQ(fit.inputs.size(), 1U);
  const FittedInput& rate = fit.inputs.front();
  EXPECT_EQ(rate.assumed.range.pointer, "/storage/read_bandwidth");
  EXPECT_NEAR(rate.factor, 0.8, 0.01);
  const double before = std::log(1.0 / 0.6) / 1.645;
  EXPECT_NEAR(rate.learned, 1.0 - 0.02 / std::hypot(0.02, before), 0.03);
  EXPECT_NEAR(rate.low_factor, std::exp(-1.645 * 0.02), 0.015);
  EXPECT_NEAR(rate.high_factor, std::exp(1.645 * 0.02), 0.015);
  ASSERT_EQ(fit.untouched.size(), 1U);  // the copy to the GPU says nothing
  ASSERT_EQ(fit.outcomes.size(), 1U);
  EXPECT_NEAR(fit.outcomes.front().before, 100.0, 1.0);
  EXPECT_NEAR(fit.outcomes.front().after, 80.0, 1.0);
}

// A step that never waits, as a logger prints it: a rate that may be half or twice the 100 MB/s is twice that, about
// the least at which 10 MB come within the 50 ms of a step.
TEST(OutcomeFit, NoWaitAtAllIsAFigureToo) {
  ResolvedScenario job = reads_too_slowly();
  job.scenario.run.uncertain = {"storage.read_bandwidth 0.5..2"};
  job.provenance["/storage/read_bandwidth"] = {Origin::kFile, "", "", "", ""};
  const OutcomeFit fit = fit_outcomes({{job, {seen("data_time", 0.0)}}});
  ASSERT_FALSE(fit.inputs.empty());
  EXPECT_EQ(fit.inputs.front().assumed.range.pointer, "/storage/read_bandwidth");
  EXPECT_GT(fit.inputs.front().factor, 1.8);
  EXPECT_NEAR(fit.outcomes.front().before, 0.05, 0.003);  // 100 ms for 10 MB, of which the step hides 50
  EXPECT_LT(fit.outcomes.front().after, 0.006);
  EXPECT_TRUE(fit.explained);
}

// What was seen as well as it is assumed moves halfway: with a spread as wide as the range, the most probable rate is
// in the middle between both on the logarithm, 0.8 ^ 1/2.
TEST(OutcomeFit, AnUnsureFigureMovesAnInputHalfway) {
  const double deviation = std::log(1.0 / 0.6) / 1.645;
  const OutcomeFit fit = fit_outcomes({{reads_too_slowly(), {seen("samples_per_s", 80, 80 * deviation)}}});
  ASSERT_FALSE(fit.inputs.empty());
  EXPECT_NEAR(std::log(fit.inputs.front().factor), 0.5 * std::log(0.8), 0.02);
}

// One worker takes 10 samples of 10 ms each, 100 samples/s; eight keep the GPU busy, 200 samples/s at 50 ms a step. Two
// figures of two runs tell both, from far away; one of them would not.
TEST(OutcomeFit, RunsWithOtherSettingsTellInputsApart) {
  ResolvedScenario one;
  Scenario& s = one.scenario;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.08);
  s.dataset.samples = 20'000;
  s.dataset.sample_size = Distribution::constant(1e3);
  s.dataset.decode_time = Distribution::constant(0.002);
  s.loader.num_workers = 1;
  s.loader.persistent_workers = true;
  s.run.epochs = 1;
  s.run.uncertain = {"dataset.decode_time 0.02..50", "workload.step_time 0.3..2"};
  one.provenance["/dataset/decode_time"] = one.provenance["/workload/step_time"] = {Origin::kFile, "", "", "", ""};
  ResolvedScenario eight = one;
  eight.scenario.loader.num_workers = 8;
  const OutcomeFit fit = fit_outcomes({{one, {seen("samples_per_s", 100)}}, {eight, {seen("samples_per_s", 200)}}});
  EXPECT_TRUE(fit.explained);
  ASSERT_EQ(fit.inputs.size(), 2U);
  for (const FittedInput& input : fit.inputs) {
    const bool decode = input.assumed.range.pointer == "/dataset/decode_time";
    EXPECT_NEAR(input.factor * (decode ? 0.002 : 0.08), decode ? 0.01 : 0.05, decode ? 0.0004 : 0.002);
    EXPECT_GT(input.learned, 0.8) << input.assumed.range.pointer;
  }
}

// 300 samples/s are more than the 200 that the GPU computes, whatever its storage does.
TEST(OutcomeFit, WhatNothingExplainsIsSaid) {
  EXPECT_FALSE(fit_outcomes({{reads_too_slowly(), {seen("samples_per_s", 300)}}}).explained);
}

TEST(OutcomeFit, WithoutAnInputNothingMoves) {
  ResolvedScenario job = reads_too_slowly();
  job.provenance.clear();
  const OutcomeFit fit = fit_outcomes({{job, {seen("samples_per_s", 80)}}});
  EXPECT_TRUE(fit.inputs.empty());
  EXPECT_FALSE(fit.explained);
}

TEST(OutcomeFit, GoesIntoTheFileWithWhatIsLeftOfTheRange) {
  const ResolvedScenario job = reads_too_slowly();
  const OutcomeFit fit = fit_outcomes({{job, {seen("samples_per_s", 80)}}});
  const auto out = with_fit({{"name", "mine"}}, job, fit);
  EXPECT_EQ(out["name"], "mine");
  ASSERT_EQ(out["run"]["uncertain"].size(), 1U);
  const auto left = parse_uncertain_inputs({out["run"]["uncertain"][0].get<std::string>()}, "");
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left.value->front().pointer, "/storage/read_bandwidth");
  EXPECT_NEAR(left.value->front().low_factor, fit.inputs.front().low_factor, 0.001);
  EXPECT_NE(out["storage"]["read_bandwidth"].get<std::string>().find("MB/s"), std::string::npos);
}

TEST(OutcomeFit, SameInputSameAnswer) {
  const std::vector<WatchedRun> runs = {{reads_too_slowly(), {seen("samples_per_s", 80)}}};
  const OutcomeFit first = fit_outcomes(runs), second = fit_outcomes(runs);
  EXPECT_EQ(first.inputs.front().factor, second.inputs.front().factor);
}

}  // namespace
}  // namespace stallcast
