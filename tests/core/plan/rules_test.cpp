#include "core/plan/rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/plan/evaluate/changed_job.h"
#include "core/plan/explain/ruled_changes.h"
#include "core/plan/rules/rule_facts.h"
#include "tests/core/plan/base_file.h"
#include "tests/temporary_folder.h"

namespace stallcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Rule> shipped_rules() {
  Loaded<std::vector<Rule>> rules = load_rules(std::filesystem::path(STALLCAST_SOURCE_DIR) / "models");
  EXPECT_THAT(rules.findings.list(), IsEmpty());
  return *rules.value;
}

// A folder with rules/a.json of this text.
Loaded<std::vector<Rule>> load_text(const std::string& text) {
  const std::filesystem::path folder = temporary_folder() / "stallcast_rules_test";
  std::filesystem::create_directories(folder / "rules");
  std::ofstream(folder / "rules" / "a.json") << text;
  Loaded<std::vector<Rule>> rules = load_rules(folder);
  std::filesystem::remove_all(folder);
  return rules;
}

std::vector<std::string> codes(const Findings& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings.list()) all.push_back(finding.code);
  return all;
}

const std::string kSource = R"("source": {"title": "t", "locator": "l", "read": "2026-11"})";

std::map<std::string, Recommendation> recommendations(const std::vector<Rule>& rules, const ScenarioFile& file) {
  const ResolvedScenario resolved = with_inputs_as_given(*resolve_at(file, {}, shipped_catalogue()).value);
  std::map<std::string, Recommendation> found;
  const Evaluation now = evaluate(resolved, RunOptions());
  ResolvedScenario job = resolved;
  job.scenario = for_changes(resolved.scenario, now.result);
  PairedEvaluations pairs(job, now, {});
  for (Recommendation& one : recommend(rules, file, resolved, now, pairs, shipped_catalogue(), {}))
    found[one.name] = std::move(one);
  return found;
}

std::map<std::string, RuleOutcome> outcomes(const std::vector<Rule>& rules, const std::string& job) {
  std::map<std::string, RuleOutcome> found;
  for (const auto& [name, one] : recommendations(rules, scenario_file(job))) found[name] = one.outcome;
  return found;
}

// One GPU wants 100 samples/s; each of two workers makes 40: cores are idle while the GPU waits for first bytes.
const char* const kFewWorkers = R"({"cluster": {"gpus_per_node": 1, "cores_per_node": 8},
    "workload": {"batch_size": 10, "step_time": "100 ms"},
    "dataset": {"sample_size": "100 kB", "decode_time": "5 ms"},
    "loader": {"num_workers": 2, "persistent_workers": true},
    "storage": {"latency": "20 ms"}, "run": {"steps_per_epoch": 300, "whole_run": true}})";

TEST(Rules, EveryShippedOneHasASourceAndAsksForWhatIsKnown) {
  const std::vector<Rule> rules = shipped_rules();
  EXPECT_GE(rules.size(), 10U);
  // A job that has everything that rules ask for.
  const ScenarioFile file = scenario_file(R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": 4},
      "workload": {"name": "resnet50"}, "dataset": {"samples": 1000000}, "run": {"epochs": 2},
      "storage": {"tier": "parallelstore", "capacity": "100 TiB"}, "failures": {"mtti": "2 h"},
      "checkpoint": {"mode": "sync", "cadence": "time", "interval": "1 h", "size": "10 GB"}})");
  const ResolvedScenario resolved = with_inputs_as_given(*resolve_at(file, {}, shipped_catalogue()).value);
  const RuleFacts facts = rule_facts(resolved, evaluate(resolved, RunOptions()), shipped_catalogue());
  for (const Rule& rule : rules) {
    EXPECT_FALSE(rule.source_title.empty() || rule.source_locator.empty()) << rule.name;
    for (const Assertion& condition : rule.when)
      EXPECT_TRUE(facts.numbers.contains(condition.path)) << rule.name << ": " << condition.path;
    for (const Assignment& one : rule.set) {
      if (!one.text.starts_with('{')) continue;
      EXPECT_TRUE(facts.texts.contains(one.text.substr(1, one.text.size() - 2))) << rule.name << ": " << one.text;
    }
  }
}

TEST(Rules, AreSaidWhereTheSimulationAgrees) {
  const auto found = outcomes(shipped_rules(), kFewWorkers);
  ASSERT_TRUE(found.contains("more_workers"));
  EXPECT_EQ(found.at("more_workers"), RuleOutcome::kSaid);
  EXPECT_FALSE(found.contains("fewer_workers"));  // there are fewer than cores
  EXPECT_FALSE(found.contains("async_checkpoint"));
}

// 20 GB by one rank through torch.save stop training for more than half a minute, and for 10 s (2 GB/s to host memory)
// where they are written in the background: the link to the GPU alone would say a tenth of that.
TEST(Rules, ASaveInTheBackgroundStopsAsLongAsItsSoftwareDoes) {
  const ScenarioFile file = scenario_file(R"({
      "cluster": {"gpus_per_node": 1, "cores_per_node": 8, "host_to_device_bandwidth": "25 GB/s"},
      "workload": {"batch_size": 10, "step_time": "500 ms"}, "dataset": {"sample_size": "100 kB"},
      "storage": {"write_bandwidth": "20 GB/s"}, "run": {"steps_per_epoch": 600, "whole_run": true},
      "checkpoint": {"mode": "sync", "interval_steps": 200, "size": "20 GB", "software": "torch_save"}})");
  const auto found = recommendations(shipped_rules(), file);
  ASSERT_TRUE(found.contains("async_checkpoint"));
  const ResolvedScenario there = *resolve_at(file, {{"/checkpoint/mode", "async"}}, shipped_catalogue()).value;
  EXPECT_GT(there.scenario.checkpoint.snapshot_time.base(), 5.0);
  const double utilization = evaluate(with_inputs_as_given(there), RunOptions()).result.gpu_utilization.mean;
  EXPECT_NEAR(found.at("async_checkpoint").after.value(), utilization, 0.01);
}

// A checkpoint of 10 s after every 10 s of training: half of the time. The best interval is searched for, also in
// coarse runs, which keep that of a job that has an optimal one already.
TEST(Rules, TheOptimalIntervalIsSearchedFor) {
  const ScenarioFile file = scenario_file(R"({"cluster": {"gpus_per_node": 8, "nodes": 8, "cores_per_node": 64},
      "workload": {"batch_size": 8, "step_time": "500 ms"}, "dataset": {"samples": 40000000, "sample_size": "1 kB"},
      "storage": {"write_bandwidth": "10 GB/s"}, "failures": {"mtti": "8 h"}, "run": {"epochs": 1},
      "checkpoint": {"mode": "sync", "interval_steps": 20, "size": "100 GB", "writers": "all"}})");
  const auto found = recommendations(shipped_rules(), file);
  ASSERT_TRUE(found.contains("optimal_cadence"));
  const Recommendation& optimal = found.at("optimal_cadence");
  EXPECT_EQ(optimal.outcome, RuleOutcome::kSaid);
  const ResolvedScenario there = *resolve_at(file, optimal.set, shipped_catalogue()).value;
  const RunResult full = evaluate(with_inputs_as_given(there), RunOptions()).result;
  EXPECT_LT(optimal.before.value(), 0.6);
  EXPECT_GT(full.goodput_fraction, 0.8);
  EXPECT_NEAR(optimal.after.value(), full.goodput_fraction, 1e-12) << "what is said is a full run";
}

// With cheaper checkpoints the best interval is another one, which is what --set gives.
TEST(Rules, AnOptimalIntervalFollowsCheaperCheckpoints) {
  const ScenarioFile file = scenario_file(R"({"cluster": {"gpus_per_node": 8, "nodes": 8, "cores_per_node": 64},
      "workload": {"batch_size": 8, "step_time": "500 ms"}, "dataset": {"samples": 40000000, "sample_size": "1 kB"},
      "storage": {"write_bandwidth": "10 GB/s"}, "failures": {"mtti": "8 h"}, "run": {"epochs": 1},
      "checkpoint": {"mode": "sync", "cadence": "optimal", "size": "500 GB", "writers": "rank0"}})");
  const auto found = recommendations(shipped_rules(), file);
  ASSERT_TRUE(found.contains("every_rank_writes"));
  const Recommendation& all = found.at("every_rank_writes");
  const ResolvedScenario there = *resolve_at(file, all.set, shipped_catalogue()).value;
  const double full = evaluate(with_inputs_as_given(there), RunOptions()).result.gpu_utilization.mean;
  EXPECT_GT(full, all.before.value() + 0.05);
  EXPECT_NEAR(all.before.value() + all.gain, full, 1e-12) << "what is said is a full run";
}

// Rank 0 writes for half an hour beside training, which stops for two seconds: what is lost is work that was not saved.
TEST(Rules, ASlowWriteInTheBackgroundIsCuredToo) {
  const ScenarioFile file = scenario_file(R"({"cluster": {"instance": "p5.48xlarge", "nodes": 32},
      "workload": {"name": "llama3_70b"}, "failures": {"mtti": "8 h"}, "run": {"epochs": 1, "steps_per_epoch": 20000},
      "storage": {"tier": "fsx_lustre_persistent_2_500", "capacity": "100800 GiB"},
      "checkpoint": {"mode": "async", "cadence": "time", "interval": "40 min", "writers": "rank0"}})");
  const ResolvedScenario resolved = *resolve_at(file, {}, shipped_catalogue()).value;
  const Evaluation now = evaluate(with_inputs_as_given(resolved), RunOptions());
  EXPECT_LT(now.result.lost_fraction[static_cast<std::size_t>(LostTime::kCheckpoint)], 0.005);
  const auto found = recommendations(shipped_rules(), file);
  ASSERT_TRUE(found.contains("every_rank_writes"));
  EXPECT_EQ(found.at("every_rank_writes").outcome, RuleOutcome::kSaid);
}

// Once the interval is the best one it stays so: a change to checkpoints after it brings its own, in the same step.
TEST(RuledChanges, AWayMakesTheIntervalOptimalOnce) {
  const ScenarioFile file = scenario_file(R"({"cluster": {"gpus_per_node": 8, "nodes": 8, "cores_per_node": 64},
      "workload": {"batch_size": 8, "step_time": "500 ms"}, "dataset": {"samples": 40000000, "sample_size": "1 kB"},
      "storage": {"write_bandwidth": "10 GB/s"}, "failures": {"mtti": "8 h"}, "run": {"epochs": 1},
      "checkpoint": {"mode": "sync", "interval_steps": 20, "size": "100 GB", "writers": "rank0"}})");
  const ResolvedScenario resolved = with_inputs_as_given(*resolve_at(file, {}, shipped_catalogue()).value);
  const std::vector<Rule> rules = shipped_rules();
  const ShortestWay way =
      shortest_way(resolved, explain(resolved), 0.97, {}, changes_by_rules(rules, file, resolved, shipped_catalogue()));
  const auto named = [&](const char* name) { return std::ranges::count(way.steps, name, &Counterfactual::name); };
  EXPECT_EQ(named("optimal_cadence"), 1);
  EXPECT_GT(way.steps.size(), 1U);
}

// Of a job that another change was made to, a rule changes its own fields and leaves the others.
TEST(RuledChanges, AreMadeOnTopOfOthers) {
  const ScenarioFile file = scenario_file(kFewWorkers);
  const ResolvedScenario resolved = with_inputs_as_given(*resolve_at(file, {}, shipped_catalogue()).value);
  Scenario now = resolved.scenario;
  now.loader.in_order = false;
  const auto changes = ruled_changes(shipped_rules(), file, resolved, shipped_catalogue(), now, simulate(now));
  const auto more = std::ranges::find(changes, "more_workers", &Change::name);
  ASSERT_NE(more, changes.end());
  EXPECT_FALSE(more->scenario.loader.in_order);
  EXPECT_EQ(more->scenario.loader.num_workers, 8);  // as many as cores for the GPU
  EXPECT_EQ(more->settings, (Point{{"/loader/num_workers", "8"}}));
  EXPECT_EQ(more->phrase, "loader.num_workers to 8");
  Scenario back = more->scenario;
  back.loader.num_workers = now.loader.num_workers;
  EXPECT_EQ(scenario_to_json(back), scenario_to_json(now));
}

// Custom says to look further ahead while batches are waited for; two workers are no faster for it.
TEST(Rules, AreSilencedWhereItDisagrees) {
  const auto found = outcomes(shipped_rules(), kFewWorkers);
  ASSERT_TRUE(found.contains("more_prefetch"));
  EXPECT_EQ(found.at("more_prefetch"), RuleOutcome::kSilenced);
}

TEST(Rules, WhatMustBeKeptIsKept) {
  const std::string rule = R"({"format_version": 1, "name": "r", "say": "s", "when": [],
      "set": {"/loader/num_workers": "1"}, "better": {"kpi": "host_memory.loader_bytes", "by": 0.1}, )" +
                           kSource;
  const auto without = load_text(rule + "}"),
             with = load_text(rule + R"(, "keep": {"kpi": "gpu_utilization", "within": 0.01}})");
  EXPECT_EQ(outcomes(*without.value, kFewWorkers).at("r"), RuleOutcome::kSaid);
  EXPECT_EQ(outcomes(*with.value, kFewWorkers).at("r"), RuleOutcome::kSilenced);  // one worker halves utilization
}

TEST(Rules, AChangeThatMakesNoJobIsImpossible) {
  const auto rules = load_text(R"({"format_version": 1, "name": "r", "say": "s", "when": ["gpu_utilization > 0"],
      "set": {"/storage/tier": "no_such_tier"}, "better": {"kpi": "gpu_utilization", "by": 0.01}, )" +
                               kSource + "}");
  EXPECT_EQ(outcomes(*rules.value, kFewWorkers).at("r"), RuleOutcome::kImpossible);
}

TEST(Rules, ARiskIsSaidWhereTheSimulationHasIt) {
  const std::string job = R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": 4}, "workload": {"name": "resnet50"},
      "storage": {"tier": "parallelstore", "capacity": "100 TiB"}, "run": {"steps_per_epoch": 100, "epochs": EPOCHS}})";
  const auto with_epochs = [&](const std::string& epochs) {
    std::string text = job;
    return outcomes(shipped_rules(), text.replace(text.find("EPOCHS"), 6, epochs));
  };
  // 100 TiB lose their data once in two months: a week has a tenth of a loss, a minute next to none.
  EXPECT_TRUE(with_epochs("30000").contains("copy_scratch"));
  EXPECT_FALSE(with_epochs("2").contains("copy_scratch"));
}

TEST(Rules, EverythingWrongInAFileIsSaidAtOnce) {
  const auto rules = load_text(R"({"name": "r", "when": ["nonsense"], "fields": {"/no/such": ["x"]}, "colour": 1,
      "set": {"/loader/num_workers": 3}, "better": {"kpi": "beauty", "by": 1}})");
  EXPECT_FALSE(rules.ok());
  const auto found = codes(rules.findings);
  for (const char* code : {"unknown_key", "missing_key", "wrong_type", "unknown_kpi", "not_a_condition"})
    EXPECT_THAT(found, Contains(code));
}

TEST(Rules, NoFolderIsNoRules) { EXPECT_THAT(*load_rules("/no/such/folder").value, IsEmpty()); }

}  // namespace
}  // namespace stallcast
