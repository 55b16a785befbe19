#include "core/timeline/interval_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "core/analytic/checkpoint_interval.h"
#include "core/plan/explain/explain.h"
#include "tests/core/result/timelines.h"

namespace stallcast {
namespace {

using namespace runs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Synchronous checkpoints of a run that lasts: no preparation, no kinds but failures, intervals of whole steps that are
// short. The mean of the run timeline is otherwise that of runs::run().
RunResult plain_run() {
  RunResult run;
  run.timeline = result();
  TimelineResult& timeline = run.timeline;
  part(timeline.mean, WallTime::kPreparation) = 0.0;
  part(timeline.mean, WallTime::kTraining) += 100.0;
  timeline.checkpoint.write_s = timeline.checkpoint.stop_s;
  timeline.checkpoint.interval_steps = 9200.0;
  return run;
}

Scenario sync_scenario() {
  Scenario s;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.failures.mtti = seconds(1000.0);
  return s;
}

const IntervalReason* find(const IntervalExplanation& explained, const std::string& name) {
  const auto found = std::find_if(explained.reasons.begin(), explained.reasons.end(),
                                  [&](const IntervalReason& reason) { return reason.name == name; });
  return found == explained.reasons.end() ? nullptr : &*found;
}

std::vector<std::string> names(const IntervalExplanation& explained) {
  std::vector<std::string> all;
  for (const IntervalReason& reason : explained.reasons) all.push_back(reason.name);
  return all;
}

// delta 2 s, M 1000 s; 50 + 40 + 60 + 50 = 200 s to go on after 10 failures: R 20 s.
// Young sqrt(2 * 2 * 1000) = 63.25 s; Daly's first order sqrt(2 * 2 * 1020) - 2 = 61.87 s.
TEST(ExplainInterval, FormulasTakeWhatWasSimulated) {
  const auto explained = explain_interval(sync_scenario(), plain_run());
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->cost_s, 2.0);
  EXPECT_EQ(explained->mtti_s, 1000.0);
  EXPECT_DOUBLE_EQ(explained->restart_s, 20.0);
  EXPECT_EQ(explained->simulated_ettr.mean, 0.92);
  ASSERT_EQ(explained->formulas.size(), 4u);
  EXPECT_EQ(explained->formulas[0].name, "young");
  EXPECT_NEAR(explained->formulas[0].interval_s, 63.2456, 1e-4);
  EXPECT_NEAR(explained->formulas[1].interval_s, 61.8748, 1e-4);
  EXPECT_DOUBLE_EQ(explained->formulas[2].interval_s, daly_interval(2.0, 1000.0));
  EXPECT_DOUBLE_EQ(explained->formulas[3].interval_s, optimal_interval(2.0, 1000.0));
  // Daly: M exp(R/M) (exp((92 + 2)/M) - 1) / 92 seconds for each second of training.
  EXPECT_NEAR(explained->formula_ettr, 92.0 / (1000.0 * std::exp(0.02) * std::expm1(0.094)), 1e-12);
  // Kokolis: (1 - (20 + 46) / 1000) / (1 + 2 / 92)
  EXPECT_NEAR(explained->first_order_ettr, 0.934 / (94.0 / 92.0), 1e-12);
  // The exact optimum is the best of all intervals by the formula.
  for (const IntervalFormula& formula : explained->formulas)
    EXPECT_LE(formula.ettr, explained->formulas[3].ettr + 1e-12) << formula.name;
  EXPECT_LT(explained->formula_ettr, explained->formulas[3].ettr);
}

// The formulas know all there is to this run; only Daly's first order knows R, and it hardly moves the interval:
// 63.87 / 63.25 is under 1 %.
TEST(ExplainInterval, ARunAsTheFormulasHaveItNeedsNoReason) {
  EXPECT_THAT(names(*explain_interval(sync_scenario(), plain_run())), IsEmpty());
}

TEST(ExplainInterval, ThereIsNothingToSayWithoutCheckpointsOrInterruptions) {
  EXPECT_FALSE(explain_interval(sync_scenario(), RunResult{}));
  RunResult run = plain_run();
  run.timeline.checkpoint = {};
  EXPECT_FALSE(explain_interval(sync_scenario(), run));
  run = plain_run();
  run.timeline.mean.wall_s = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(explain_interval(sync_scenario(), run));
  run = plain_run();
  run.timeline.mtti_s = 0.0;
  run.timeline.mean.interruptions.fill(0.0);
  EXPECT_FALSE(explain_interval(sync_scenario(), run));
  kind(run.timeline.mean, Interruption::kPreemption) = 4.0;
  EXPECT_EQ(explain_interval(sync_scenario(), run)->mtti_s, 2500.0);
}

// A write that takes bandwidth from reads costs more than its stop; queues that fill meanwhile, less. Startup, 20 s of
// the 60 of restarting, came before the first step.
TEST(ExplainInterval, CountsWhatACheckpointCostsAndNotTheFirstStart) {
  RunResult run = plain_run();
  run.timeline.checkpoint.slowdown_s = 0.5;
  run.timeline.startup_s = 20.0;
  auto explained = explain_interval(sync_scenario(), run);
  EXPECT_EQ(explained->cost_s, 2.5);
  EXPECT_DOUBLE_EQ(explained->restart_s, 18.0);
  run.timeline.checkpoint.slowdown_s = -3.0;
  EXPECT_EQ(explain_interval(sync_scenario(), run)->cost_s, 0.0);
}

// None happened to be drawn: 5 + 0.5 * 30 + 7, and 5 to read the checkpoint.
TEST(ExplainInterval, WithoutAnInterruptionTheScenarioSaysWhatOneTakes) {
  Scenario s = sync_scenario();
  s.failures.detection_time = seconds(5.0);
  s.failures.node_loss_fraction = 0.5;
  s.failures.replacement_time = seconds(30.0);
  s.failures.swap_time = seconds(10.0);
  s.failures.restart_time = seconds(7.0);
  RunResult run = plain_run();
  run.timeline.mean.interruptions.fill(0.0);
  EXPECT_DOUBLE_EQ(explain_interval(s, run)->restart_s, 32.0);
  s.failures.spares = 1;
  EXPECT_DOUBLE_EQ(explain_interval(s, run)->restart_s, 22.0);
}

// Written 12 s after training went on; 10 interruptions lose 12 s more each of 10,000 s.
TEST(ExplainInterval, AsyncLosesWhatIsNotYetWritten) {
  Scenario s = sync_scenario();
  RunResult run = plain_run();
  run.timeline.checkpoint.write_s = 12.0;
  EXPECT_EQ(find(*explain_interval(s, run), "async_write"), nullptr);
  s.checkpoint.mode = CheckpointMode::kAsync;
  const auto explained = explain_interval(s, run);
  ASSERT_THAT(names(*explained), ElementsAre("async_write"));
  EXPECT_DOUBLE_EQ(explained->reasons[0].size_s, 12.0);
  EXPECT_DOUBLE_EQ(*explained->reasons[0].ettr, -0.012);
}

// Each third checkpoint goes on to storage: on average the last one there is one interval older, and it is there 10 s
// later. A quarter of 10 failures lose it: 2.5 * 102 s of 10,000 s.
TEST(ExplainInterval, LevelsLoseMoreAndRestoreFaster) {
  Scenario s = sync_scenario();
  s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
  s.checkpoint.storage_every = 3;
  s.failures.node_loss_fraction = 0.25;
  RunResult run = plain_run();
  run.timeline.checkpoint.storage_s = 10.0;
  run.timeline.checkpoint.first_level_restore_s = 1.0;
  const auto explained = explain_interval(s, run);
  EXPECT_DOUBLE_EQ(find(*explained, "storage_every")->size_s, 102.0);
  EXPECT_DOUBLE_EQ(*find(*explained, "storage_every")->ettr, -0.0255);
  EXPECT_DOUBLE_EQ(find(*explained, "first_level")->size_s, 4.0);
  s.failures.node_loss_fraction = 0.0;
  EXPECT_EQ(find(*explain_interval(s, run), "storage_every"), nullptr);
}

// 10 failures and 30 preemptions in 10,000 s: one in 250 s. Of failures alone, one in 1000.
TEST(ExplainInterval, OtherKindsComeOnTop) {
  Scenario s = sync_scenario();
  RunResult run = plain_run();
  kind(run.timeline.mean, Interruption::kPreemption) = 30.0;
  auto explained = explain_interval(s, run);
  ASSERT_NE(find(*explained, "several_kinds"), nullptr);
  EXPECT_DOUBLE_EQ(find(*explained, "several_kinds")->size_s, 1000.0);
  EXPECT_DOUBLE_EQ(explained->mtti_s, 250.0);
  EXPECT_DOUBLE_EQ(explained->restart_s, 5.0);  // 200 s over 40 interruptions
  EXPECT_NEAR(explained->formula_ettr, 1.0 - wasted_fraction(92.0, 2.0, 250.0, 5.0), 1e-12);
  EXPECT_EQ(find(*explained, "spot_notice"), nullptr);
  // A notice of the 2 s that a checkpoint takes saves half an interval each time: 30 * 46 s of 10,000.
  s.failures.preemption_notice = seconds(2.0);
  explained = explain_interval(s, run);
  EXPECT_DOUBLE_EQ(find(*explained, "spot_notice")->size_s, 46.0);
  EXPECT_DOUBLE_EQ(*find(*explained, "spot_notice")->ettr, 0.138);
  s.failures.preemption_notice = seconds(1.9);
  EXPECT_EQ(find(*explain_interval(s, run), "spot_notice"), nullptr);
}

// 600 s of planned stops, and 5 s to go on after each of 30: 200 s over 40 interruptions.
TEST(ExplainInterval, PlannedStopsAreNotInterruptionsOfTheFormulas) {
  RunResult run = plain_run();
  kind(run.timeline.mean, Interruption::kMaintenance) = 30.0;
  part(run.timeline.mean, WallTime::kMaintenance) = 600.0;
  const auto explained = explain_interval(sync_scenario(), run);
  EXPECT_EQ(find(*explained, "several_kinds"), nullptr);
  EXPECT_DOUBLE_EQ(*find(*explained, "maintenance")->ettr, -0.075);
}

// Weibull, shape 0.5, mean M: scale M / Gamma(3) = M / 2, median M / 2 * ln(2)^2 = 0.2402 M; exponential 0.6931 M.
// With shape 1 it is the exponential law.
TEST(ExplainInterval, WeibullFailuresComeInClusters) {
  Scenario s = sync_scenario();
  s.failures.law = FailureLaw::kWeibull;
  s.failures.weibull_shape = 0.5;
  const auto explained = explain_interval(s, plain_run());
  ASSERT_THAT(names(*explained), ElementsAre("not_exponential"));
  EXPECT_NEAR(explained->reasons[0].size_s, 1000.0 * (std::log(2.0) - 0.5 * std::log(2.0) * std::log(2.0)), 1e-9);
  EXPECT_THAT(explained->reasons[0].phrase, testing::StartsWith("shorter"));
  EXPECT_FALSE(explained->reasons[0].ettr);
  s.failures.weibull_shape = 3.0;
  EXPECT_THAT(explain_interval(s, plain_run())->reasons.at(0).phrase, testing::StartsWith("longer"));
  s.failures.weibull_shape = 1.0;
  EXPECT_THAT(names(*explain_interval(s, plain_run())), IsEmpty());
}

// 2,000 s more to go on make R 220 s: sqrt(4 * 1220) - sqrt(4 * 1000) = 6.611 s.
TEST(ExplainInterval, TheTimeToGoOnIsInOneFormulaOnly) {
  RunResult run = plain_run();
  part(run.timeline.mean, WallTime::kReplacement) += 2000.0;
  const auto explained = explain_interval(sync_scenario(), run);
  EXPECT_NEAR(find(*explained, "restart_overhead")->size_s, 6.6114, 1e-4);
}

// 300 s in 100 checkpoints. The exact optimum is near 62 s, and a write of 80 s cannot be repeated every 62 s.
TEST(ExplainInterval, ABacklogIsWaitedFor) {
  RunResult run = plain_run();
  part(run.timeline.mean, WallTime::kBacklog) = 300.0;
  run.timeline.checkpoint.write_s = 80.0;
  const auto explained = explain_interval(sync_scenario(), run);
  EXPECT_DOUBLE_EQ(find(*explained, "backlog")->size_s, 3.0);
  EXPECT_DOUBLE_EQ(*find(*explained, "backlog")->ettr, -0.03);
  EXPECT_DOUBLE_EQ(find(*explained, "write_longer_than_interval")->size_s, 80.0);
}

// Steps of 46 s: the nearest whole interval to the exact optimum, 61.9 s, is one step.
TEST(ExplainInterval, StepsAreWhole) {
  RunResult run = plain_run();
  run.timeline.checkpoint.interval_steps = 2.0;
  const auto explained = explain_interval(sync_scenario(), run);
  EXPECT_DOUBLE_EQ(find(*explained, "whole_steps")->size_s, optimal_interval(2.0, 1000.0) - 46.0);
}

TEST(ExplainInterval, AShortRunAndItsPreparationShow) {
  RunResult run;
  run.timeline = result();
  run.timeline.ideal_s = 4600.0;
  const auto explained = explain_interval(sync_scenario(), run);
  EXPECT_DOUBLE_EQ(find(*explained, "finite_run")->size_s, 4600.0);
  EXPECT_DOUBLE_EQ(*find(*explained, "preparation")->ettr, -0.01);
}

// 1 % more than 9,990 s is 10,089.9: 70 to 120 s are as good as 80.
TEST(ExplainInterval, SaysHowFlatTheOptimumIs) {
  RunResult run = plain_run();
  run.timeline.optimum = {80.0,
                          9990.0,
                          80.0,
                          9990.0,
                          {{40.0, 10300.0}, {70.0, 10000.0}, {80.0, 9990.0}, {120.0, 10089.0}, {160.0, 10091.0}}};
  const auto explained = explain_interval(sync_scenario(), run);
  EXPECT_EQ(explained->simulated_best_s, 80.0);
  EXPECT_DOUBLE_EQ(explained->simulated_best_ettr, 9300.0 / 9990.0);
  EXPECT_DOUBLE_EQ(find(*explained, "flat_optimum")->size_s, 50.0);
}

// Cadence optimal at a floor of 120 s where 80 s would be the best; where the best is allowed there is nothing to say.
TEST(ExplainInterval, SaysWhatTheFloorDoes) {
  RunResult run = plain_run();
  Scenario s = sync_scenario();
  s.checkpoint.cadence = CheckpointCadence::kOptimal;
  run.timeline.optimum = {120.0, 10040.0, 80.0, 9990.0, {{80.0, 9990.0}, {120.0, 10040.0}}};
  const auto held = explain_interval(s, run);
  EXPECT_DOUBLE_EQ(find(*held, "shortest_interval")->size_s, 40.0);
  EXPECT_EQ(held->simulated_best_s, 80.0);
  run.timeline.optimum.interval_s = 80.0;
  const auto allowed = explain_interval(s, run);
  for (const IntervalReason& reason : allowed->reasons) EXPECT_NE(reason.name, "shortest_interval");
}

// A stop of no time: the formulas would never stop writing, and say nothing of what comes of it.
TEST(ExplainInterval, AFreeStopHasNoInterval) {
  RunResult run = plain_run();
  run.timeline.checkpoint.stop_s = 0.0;
  run.timeline.checkpoint.write_s = 10.0;
  const auto explained = explain_interval(sync_scenario(), run);
  for (const IntervalFormula& formula : explained->formulas) {
    EXPECT_EQ(formula.interval_s, 0.0) << formula.name;
    EXPECT_EQ(formula.ettr, 0.0) << formula.name;
  }
  EXPECT_THAT(names(*explained), ElementsAre("write_longer_than_interval"));
}

TEST(ExplainInterval, TheLargestEffectComesFirst) {
  Scenario s = sync_scenario();
  s.checkpoint.mode = CheckpointMode::kAsync;
  RunResult run = plain_run();
  run.timeline.checkpoint.write_s = 12.0;
  run.timeline.checkpoint.interval_steps = 2.0;
  part(run.timeline.mean, WallTime::kBacklog) = 300.0;
  EXPECT_THAT(names(*explain_interval(s, run)), ElementsAre("backlog", "async_write", "whole_steps"));
}

// A job that names no records, so nothing of it has a price.
ResolvedScenario without_records(const Scenario& scenario) {
  ResolvedScenario resolved;
  resolved.scenario = scenario;
  return resolved;
}

// Changes meet the same interruptions, with the checkpoints that the run timeline had.
TEST(Explain, ChangesKeepTheIntervalOfTheTimeline) {
  Scenario base = sync_scenario();
  base.run.steps_per_epoch = 1000;  // what has no length is not interrupted
  base.checkpoint.cadence = CheckpointCadence::kOptimal;
  base.storage.mean_time_to_data_loss = seconds(1e6);
  std::mutex mutex;
  std::vector<Scenario> tried;
  (void)explain(without_records(base), {}, [&](const Scenario& s, const RunOptions&) {
    const std::lock_guard lock(mutex);
    tried.push_back(s);
    return plain_run();
  });
  ASSERT_GT(tried.size(), 1u);
  const auto without = std::count_if(tried.begin(), tried.end(),
                                     [](const Scenario& s) { return s.checkpoint.mode == CheckpointMode::kNone; });
  EXPECT_EQ(without, 0) << "without checkpoints an interrupted run would be lost";
  int more_often = 0;
  for (std::size_t i = 1; i < tried.size(); ++i) {
    EXPECT_EQ(tried[i].failures.mtti.base(), base.failures.mtti.base());
    EXPECT_EQ(tried[i].storage.mean_time_to_data_loss.base(), 1e6);
    EXPECT_EQ(tried[i].checkpoint.cadence, CheckpointCadence::kTime);
    const double interval_s = tried[i].checkpoint.interval.base(), half_a_step_s = 0.005;
    if (std::abs(interval_s - (92.0 - half_a_step_s)) < 1e-9) continue;
    EXPECT_NEAR(interval_s, 0.1 * (92.0 - half_a_step_s), 1e-9);
    ++more_often;
  }
  EXPECT_EQ(more_often, 1) << "the change against rework";
}

// The simulated runs of a counterfactual are not those of the scenario whose journal it is.
TEST(Explain, CounterfactualsKeepNoJournal) {
  RunOptions options;
  options.journal = "run.journal";
  std::atomic<int> runs = 0, with_journal = 0;
  const Explanation explanation =
      explain(without_records(sync_scenario()), options, [&](const Scenario&, const RunOptions& asked) {
        ++runs;
        if (!asked.journal.empty()) ++with_journal;
        return plain_run();
      });
  EXPECT_GT(runs, 1);
  EXPECT_EQ(with_journal, 1);
  EXPECT_TRUE(explanation.checkpoint_interval);
}

}  // namespace
}  // namespace stallcast
