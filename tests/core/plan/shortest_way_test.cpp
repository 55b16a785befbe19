#include "core/plan/explain/shortest_way.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/plan/explain/changes.h"
#include "core/plan/explain/curve_values.h"
#include "core/plan/explain/worded_change.h"

namespace stallcast {
namespace {

// A fifth for each worker, of which delivery in order takes a quarter.
RunResult by_workers(const Scenario& scenario, const RunOptions&) {
  RunResult result;
  const double mean =
      std::min(1.0, 0.2 * static_cast<double>(scenario.loader.num_workers)) * (scenario.loader.in_order ? 0.75 : 1.0);
  result.gpu_utilization = {mean, mean, mean};
  return result;
}

ResolvedScenario one_worker() {
  ResolvedScenario resolved;
  resolved.scenario.cluster.cores_per_node = 32;
  resolved.scenario.workload.step_time = Distribution::constant(0.1);
  resolved.scenario.storage.latency = Distribution::constant(0.05);
  resolved.scenario.loader.num_workers = 1;
  return resolved;
}

ShortestWay way_to(double target, const Simulation& run) {
  const ResolvedScenario job = one_worker();
  return shortest_way(job, explain(job, {}, run), target, {}, {}, run);
}

std::vector<std::string> names(const ShortestWay& way) {
  std::vector<std::string> out;
  for (const Counterfactual& step : way.steps) out.push_back(step.name);
  return out;
}

// From 0.15: four workers make 0.6, two 0.3, out of order 0.2. Then out of order makes 0.8 and eight workers 0.75. Then
// eight workers make 1, and so do sixteen.
TEST(ShortestWay, TakesTheBestSettingOnTopOfThoseBefore) {
  const ShortestWay way = way_to(0.9, by_workers);
  EXPECT_TRUE(way.reached);
  EXPECT_EQ(names(way), (std::vector<std::string>{"quadruple_workers", "loader_order", "double_workers"}));
  EXPECT_NEAR(way.steps[0].gpu_utilization.mean, 0.6, 1e-9);
  EXPECT_NEAR(way.steps[1].gain, 0.2, 1e-9);
  EXPECT_NEAR(way.steps[2].gpu_utilization.mean, 1.0, 1e-9);
}

// In words, each with the settings that all steps up to it take.
TEST(WordedWay, HasTheSettingsUpToEachStep) {
  const std::vector<WordedChange> steps = worded_way(way_to(0.9, by_workers));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].words, "use 4 loader workers per GPU");
  EXPECT_EQ(steps[1].words, "turn off in-order delivery");
  EXPECT_EQ(steps[2].words, "use 8 loader workers per GPU");
  EXPECT_NEAR(steps[1].before, 0.6, 1e-9);
  EXPECT_NEAR(steps[1].after, 0.8, 1e-9);
  EXPECT_EQ(settings_phrase(steps[0].settings), "use 4 loader workers per GPU");
  EXPECT_EQ(settings_phrase(steps[2].settings), "use 8 loader workers per GPU, turn off in-order delivery");
}

// What nobody can set has no settings, and the steps after it have theirs without it.
TEST(WordedWay, LeavesOutWhatNobodyCanSet) {
  ShortestWay way;
  way.steps = {
      {"storage_latency", ChangeKind::kIdeal, "storage answered at once", {0.5, 0.5, 0.5}, 0.1, {}, {}, {}},
      {"double_workers", ChangeKind::kSetting, "", {0.8, 0.8, 0.8}, 0.3, {}, {}, {{"/loader/num_workers", "2"}}}};
  const std::vector<WordedChange> steps = worded_way(way);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_FALSE(steps[0].can_be_set);
  EXPECT_EQ(steps[0].words, "if storage answered at once");
  EXPECT_TRUE(steps[0].settings.empty());
  EXPECT_EQ(settings_phrase(steps[1].settings), "use 2 loader workers per GPU");
}

// Made, each setting by itself gives the scenario that was tried.
TEST(WordedChange, SettingsMakeTheChange) {
  const ResolvedScenario job = one_worker();
  const Explanation explanation = explain(job, {}, by_workers);
  const std::vector<WordedChange> worded = worded_changes(explanation);
  ASSERT_EQ(worded.size(), explanation.counterfactuals.size());
  std::size_t settings = 0;
  for (const WordedChange& change : worded) {
    EXPECT_EQ(change.can_be_set, !change.settings.empty()) << change.name;
    if (!change.can_be_set) continue;
    ++settings;
    const std::vector<Change> all = possible_changes(job.scenario);
    const auto tried = std::find_if(all.begin(), all.end(), [&](const Change& one) { return one.name == change.name; });
    ASSERT_NE(tried, all.end());
    for (const Assignment& one : change.settings)
      EXPECT_EQ(one.text, text_of_field(tried->scenario, one.pointer)) << change.name;
  }
  EXPECT_GE(settings, 3U);
}

// What a rule says comes first where it buys back most, with the settings that it says.
TEST(ShortestWay, TakesWhatRulesSay) {
  const auto by_layout = [](const Scenario& scenario, const RunOptions& options) {
    RunResult result = by_workers(scenario, options);
    if (scenario.dataset.layout == DatasetLayout::kShards) result.gpu_utilization = {0.95, 0.95, 0.95};
    return result;
  };
  const MoreChanges shards = [](const Scenario& now, const RunResult&) {
    Change change{"shard_small_files", ChangeKind::kSetting, "dataset.layout to shards", now, {}};
    change.scenario.dataset.layout = DatasetLayout::kShards;
    change.settings = {{"/dataset/layout", "shards"}};
    return std::vector<Change>{change};
  };
  const ResolvedScenario job = one_worker();
  const ShortestWay way = shortest_way(job, explain(job, {}, by_layout), 0.9, {}, shards, by_layout);
  EXPECT_TRUE(way.reached);
  ASSERT_EQ(names(way), std::vector<std::string>{"shard_small_files"});
  EXPECT_NEAR(way.steps.front().gain, 0.8, 1e-9);
  EXPECT_EQ(worded_way(way).front().settings, (Point{{"/dataset/layout", "shards"}}));
}

TEST(ShortestWay, EndsAtTheTargetOrWhereNothingHelps) {
  EXPECT_EQ(names(way_to(0.5, by_workers)), std::vector<std::string>{"quadruple_workers"});
  const auto constant = [](const Scenario&, const RunOptions&) {
    RunResult result;
    result.gpu_utilization = {0.5, 0.5, 0.5};
    return result;
  };
  const ShortestWay nowhere = way_to(0.9, constant);
  EXPECT_FALSE(nowhere.reached);
  EXPECT_TRUE(nowhere.steps.empty());
  EXPECT_TRUE(nowhere.complete);
  EXPECT_TRUE(way_to(0.4, constant).reached);
}

// One rank that wants 100 samples/s of 1 MB has two workers of 12.5 samples/s each and a storage of 25 MB/s: the bound
// is the storage's, and neither helps by itself.
ResolvedScenario two_limits_close_together() {
  ResolvedScenario resolved = one_worker();
  Scenario& s = resolved.scenario;
  s.workload.batch_size = 10;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(25e6);
  s.storage.latency = Distribution::constant(1e-6);
  s.loader.num_workers = 2;
  return resolved;
}

TEST(ShortestWay, TakesAwayTheBoundWhereAnotherLimitIsCloseBehind) {
  const auto by_both = [](const Scenario& scenario, const RunOptions&) {
    RunResult result;
    const double by_storage = scenario.storage.read_bandwidth.base() > 0.0 ? 0.25 : 1.0;
    const double mean = std::min({1.0, 0.125 * static_cast<double>(scenario.loader.num_workers), by_storage});
    result.gpu_utilization = {mean, mean, mean};
    return result;
  };
  const ResolvedScenario job = two_limits_close_together();
  const ShortestWay way = shortest_way(job, explain(job, {}, by_both), 0.9, {}, {}, by_both);
  EXPECT_TRUE(way.reached);
  EXPECT_EQ(names(way), (std::vector<std::string>{"tier_bandwidth", "quadruple_workers"}));

  const auto stuck = [](const Scenario&, const RunOptions&) {
    RunResult result;
    result.gpu_utilization = {0.25, 0.25, 0.25};
    return result;
  };
  // The bound was taken away for nothing: it is no step of the way.
  EXPECT_TRUE(shortest_way(job, explain(job, {}, stuck), 0.9, {}, {}, stuck).steps.empty());
}

// No setting helps, but storage that answers at once does: somebody has to buy it.
TEST(ShortestWay, FallsBackToWhatHasToBeBought) {
  const auto by_latency = [](const Scenario& scenario, const RunOptions&) {
    RunResult result;
    const double mean = mean_of(scenario.storage.latency) > 0.0 ? 0.5 : 0.95;
    result.gpu_utilization = {mean, mean, mean};
    return result;
  };
  const ShortestWay way = way_to(0.9, by_latency);
  EXPECT_TRUE(way.reached);
  EXPECT_EQ(names(way), std::vector<std::string>{"storage_latency"});
}

}  // namespace
}  // namespace stallcast
