// What moves the difference between two jobs whose figures can be written down.
#include "core/plan/sensitivity/pair_sensitivity.h"

#include <gtest/gtest.h>

#include "tests/core/plan/inline_job.h"

namespace stallcast {
namespace {

constexpr double kClose = 1e-3;

SensitivityOptions utilization() {
  SensitivityOptions options;
  options.figures = {find_kpi("gpu_utilization")};
  options.samples = 16;
  return options;
}

// 90 / (90 + latency in ms)
double busy(double latency_ms) { return 90.0 / (90.0 + latency_ms); }

const TornadoBar& bar_of(const PairSensitivity& pair, const std::string& pointer, std::optional<std::size_t> owner) {
  for (const TornadoBar& bar : pair.difference.tornado)
    if (bar.input.pointer == pointer && pair.inputs[bar.position].owner == owner) return bar;
  ADD_FAILURE() << "no input " << pointer;
  return pair.difference.tornado.front();
}

// 5 ms and 10 ms are two facts: each moves alone.
TEST(PairSensitivity, WhatDiffersMovesInOneAtATime) {
  const std::vector<ResolvedScenario> jobs = {inline_job(0.005), inline_job(0.010)};
  const UncertainInput latency{"/storage/latency", 0.5, 2.0};
  const PairSensitivity pair = analyse_pair(jobs, {{latency}, {latency}}, 0, 1, utilization());
  ASSERT_EQ(pair.inputs.size(), 2U);
  EXPECT_NEAR(pair.difference.as_given.front(), busy(10.0) - busy(5.0), kClose);
  const TornadoBar& best = bar_of(pair, "/storage/latency", 0);
  EXPECT_NEAR(best.at_low.front(), busy(10.0) - busy(2.5), kClose);
  EXPECT_NEAR(best.at_high.front(), busy(10.0) - busy(10.0), kClose);
  const TornadoBar& other = bar_of(pair, "/storage/latency", 1);
  EXPECT_NEAR(other.at_low.front(), busy(5.0) - busy(5.0), kClose);
  EXPECT_NEAR(other.at_high.front(), busy(20.0) - busy(5.0), kClose);
  EXPECT_DOUBLE_EQ(*other.value, 0.010);
  // The longer wait varies more: it decides the variance of the difference, and is first.
  EXPECT_EQ(pair.inputs[pair.difference.tornado.front().position].owner, std::size_t{1});
  ASSERT_TRUE(pair.difference.indices.front());
}

// A wait of 5 ms in both is one fact. It moves both alike, so that nothing is left of it in the difference; each alone
// moves by it all the same.
TEST(PairSensitivity, ASharedFactMovesInBothAtOnce) {
  const std::vector<ResolvedScenario> jobs = {inline_job(0.005, 10.0), inline_job(0.005, 12.0)};
  const UncertainInput latency{"/storage/latency", 0.5, 2.0}, price{"/cost/node_price", 0.9, 1.1};
  const PairSensitivity pair = analyse_pair(jobs, {{latency, price}, {price}}, 0, 1, utilization());
  ASSERT_EQ(pair.inputs.size(), 3U);
  const TornadoBar& shared = bar_of(pair, "/storage/latency", std::nullopt);
  EXPECT_EQ(shared.at_low.front(), 0.0);
  EXPECT_EQ(shared.at_high.front(), 0.0);
  EXPECT_FALSE(pair.difference.indices.front());
  for (const Sensitivity* one : {&pair.of_best, &pair.of_other}) {
    ASSERT_EQ(one->inputs.size(), 2U);
    EXPECT_EQ(one->tornado.front().input.pointer, "/storage/latency");
    EXPECT_NEAR(one->tornado.front().at_low.front(), busy(2.5), kClose);
    EXPECT_NEAR(one->tornado.front().at_high.front(), busy(10.0), kClose);
  }
  // Prices are not simulated: latency as given, low, high, and of A, B and AB of 16 samples.
  EXPECT_LE(pair.of_best.runs, 3 + 2 * 16);
}

// Where both call it uncertain, but with other intervals, they do not mean the same.
TEST(PairSensitivity, OtherIntervalsAreOtherFacts) {
  const std::vector<ResolvedScenario> jobs = {inline_job(0.005), inline_job(0.005)};
  const PairSensitivity pair =
      analyse_pair(jobs, {{{"/storage/latency", 0.5, 2.0}}, {{"/storage/latency", 0.8, 1.5}}}, 0, 1, utilization());
  ASSERT_EQ(pair.inputs.size(), 2U);
  EXPECT_NEAR(bar_of(pair, "/storage/latency", 1).at_high.front(), busy(7.5) - busy(5.0), kClose);
}

// Alone as in a pair: the same runs give the same figures.
TEST(PairSensitivity, EachIsAsByItself) {
  const std::vector<ResolvedScenario> jobs = {inline_job(0.005), inline_job(0.010)};
  const std::vector<UncertainInput> latency = {{"/storage/latency", 0.5, 2.0}};
  const PairSensitivity pair = analyse_pair(jobs, {latency, latency}, 0, 1, utilization());
  const Sensitivity alone = analyse(jobs[1], latency, utilization());
  EXPECT_EQ(pair.of_other.as_given, alone.as_given);
  EXPECT_EQ(pair.of_other.tornado.front().at_low, alone.tornado.front().at_low);
  EXPECT_EQ(pair.of_other.tornado.front().at_high, alone.tornado.front().at_high);
}

TEST(PairSensitivity, AStopLeavesWhatIsDone) {
  std::stop_source source;
  SensitivityOptions options = utilization();
  options.run.stop = source.get_token();
  options.run.threads = 1;
  options.counted = [&](std::int64_t done, std::int64_t) {
    if (done == 3) source.request_stop();
  };
  const UncertainInput latency{"/storage/latency", 0.5, 2.0};
  const PairSensitivity pair =
      analyse_pair({inline_job(0.005), inline_job(0.010)}, {{latency}, {latency}}, 0, 1, options);
  EXPECT_FALSE(pair.difference.complete);
  EXPECT_EQ(pair.difference.tornado.size(), 1U);
  EXPECT_TRUE(pair.difference.indices.empty());
}

}  // namespace
}  // namespace stallcast
