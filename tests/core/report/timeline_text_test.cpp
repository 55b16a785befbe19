#include "core/report/text/timeline_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "core/report/json/result_document.h"
#include "core/report/text/result_text.h"
#include "core/report/words/interval_text.h"
#include "tests/core/report/text_width.h"
#include "tests/core/result/timelines.h"

namespace stallcast {
namespace {

using namespace runs;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

RunResult interrupted_run() {
  RunResult run;
  run.timeline = result();
  run.time_to_train_s = 10000.0;
  return run;
}

void expect_eighty_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), kColumns) << line;
}

// Every run of white space one space: text as it was before it was laid out in lines.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Of 22 columns 0.92 is 20.24, 0.03 is 0.66 and 0.02 is 0.44. The limits are those of timeline_requirements_test.
TEST(TimelineText, SaysWhatInterruptsARun) {
  EXPECT_EQ(render_run_timeline(interrupted_run(), kAscii),
            "Run timeline (mean of 40 simulated runs)\n"
            "Time to train    2.78 h; 80 % of runs take 2.72 h to 2.86 h\n"
            "ETTR             92.0 %  (95 %: 91.5 to 92.5 %)\n"
            "                 share of wall time spent on training that was kept\n"
            "Goodput          46.0 %  (95 %: 45.8 to 46.2 %)\n"
            "                 share of GPU time that computed it\n"
            "   92.0 %  ####################    training that was kept\n"
            "    3.0 %  #                       recomputed steps\n"
            "    2.0 %                          stopped for checkpoints\n"
            "    1.0 %                          listing and staging before the first step\n"
            "    0.6 %                          starting or restarting processes\n"
            "    0.5 %                          failed and not yet noticed\n"
            "    0.5 %                          reading a checkpoint back\n"
            "    0.4 %                          waiting for machines\n"
            "Interruptions    10 +- 3.2 failures a run; MTTI 16.7 min\n"
            "Checkpoints      every 92 s = 92 steps, 1 TB each; stops training for 2 s, is\n"
            "                 written in 12 s\n"
            "ETTR margin      it falls below 90.0 % once an interruption costs more than 72.2\n"
            "                 s (now 50 s), or once a checkpoint stops training for more than\n"
            "                 4.22 s (now 2 s), or once interruptions come less than 11.8 min\n"
            "                 apart (now 16.7 min)\n"
            "\n");
}

TEST(TimelineText, SaysWhatAFloorOfTheIntervalCosts) {
  RunResult run = interrupted_run();
  run.timeline.optimum = {300.0, 10000.0, 52.0, 9970.0, {}, true};
  EXPECT_THAT(unwrapped(render_run_timeline(run, kAscii)),
              HasSubstr("(as short as checkpoint.shortest_interval allows; every 52 s would end 0.3 % sooner)"));
  run.timeline.optimum.taken = false;
  EXPECT_THAT(unwrapped(render_run_timeline(run, kAscii)), Not(HasSubstr("shortest_interval")));
}

TEST(TimelineText, IsNotThereWhereNothingWasDrawn) { EXPECT_EQ(render_run_timeline(RunResult{}, kAscii), ""); }

// The time to train is said once.
TEST(TimelineText, IsABlockOfTheResult) {
  const std::string text = render_text(Scenario{}, interrupted_run(), {1.0, 1.0, "gpu", {"gpu"}}, {}, kAscii);
  EXPECT_THAT(text, HasSubstr("Run timeline (mean of 40 simulated runs)\nTime to train    2.78 h;"));
  EXPECT_EQ(text.find("Time to train"), text.rfind("Time to train"));
  expect_eighty_columns(text);
}

TEST(TimelineText, NamesKindsLevelsAndWhatIsMissing) {
  RunResult run = interrupted_run();
  TimelineResult& timeline = run.timeline;
  kind(timeline.mean, Interruption::kPreemption) = 2.5;
  kind(timeline.mean, Interruption::kDataLoss) = 0.25;
  timeline.interrupted = 60;
  timeline.checkpoint.slowdown_s = 0.5;
  timeline.checkpoint.storage_s = 9.0;
  timeline.mean.skipped_checkpoints = 25.0;
  const std::string wrapped_text = render_run_timeline(run, {true, false});
  expect_eighty_columns(wrapped_text);
  const std::string text = unwrapped(wrapped_text);
  EXPECT_THAT(text, HasSubstr("Run timeline (mean of 40 simulated runs; 60 more were not simulated)"));
  // 10,000 s / 12.75
  EXPECT_THAT(text, HasSubstr("10 +- 3.2 failures, 0.25 +- 0 losses of data, 2.5 +- 0 preemptions a run; one in 13.1 "
                              "min, MTTI of failures 16.7 min"));
  EXPECT_THAT(text, HasSubstr("stops training for 2 s, costs 2.5 s in total, is written in 12 s, on storage 9 s later; "
                              "25 of 125 a run skipped"));
  timeline.mean.interruptions.fill(0.0);
  timeline.checkpoint = {};
  timeline.mean.checkpoints = 0.0;
  const std::string bare = render_run_timeline(run, kAscii);
  EXPECT_THAT(bare, HasSubstr("Interruptions    none\nCheckpoints      none\n"));
  EXPECT_THAT(bare, Not(HasSubstr("ETTR margin")));
  EXPECT_THAT(bare, Not(HasSubstr("nan")));
}

TEST(TimelineText, ARunWithoutEndIsSaidToHaveNone) {
  RunResult run = interrupted_run();
  run.time_to_train_s = run.timeline.mean.wall_s = run.timeline.wall_p90_s = std::numeric_limits<double>::infinity();
  EXPECT_EQ(render_run_timeline(run, kAscii),
            "Run timeline (mean of 40 simulated runs)\n"
            "Time to train    never: in some simulated runs interruptions undo all progress\n"
            "Checkpoints      every 92 s = 92 steps, 1 TB each; stops training for 2 s, is\n"
            "                 written in 12 s\n"
            "\n");
}

IntervalExplanation explained() {
  IntervalExplanation interval;
  interval.chosen_s = interval.chosen_steps = 92.0;
  interval.cost_s = 2.0;
  interval.mtti_s = 1000.0;
  interval.restart_s = 20.0;
  interval.simulated_ettr = {0.92, 0.915, 0.925};
  interval.formula_ettr = 0.914;
  interval.simulated_best_s = 80.0;
  interval.simulated_best_ettr = 0.921;
  interval.formulas = {{"young", "Young", 63.2, 0.92}, {"exact", "exact for exponential interruptions", 0.0, 0.0}};
  interval.reasons = {
      {"async_write", "more work is lost with each interruption, in words that take two lines", 10.0, -0.01},
      {"whole_steps", "off the optimum", 0.5, std::nullopt}};
  return interval;
}

TEST(IntervalText, PutsFormulasBesideTheSimulation) {
  const std::string text = render_interval(explained());
  EXPECT_EQ(text,
            "\nCheckpoint interval and its ETTR, for 2 s per checkpoint, an MTTI of 16.7 min\n"
            "and 20 s to go on\n"
            "       92 s   92.0 %  chosen (92 steps), simulated (95 %: 91.5 to 92.5 %)\n"
            "       92 s   91.4 %  the same, by Daly's formula\n"
            "       80 s   92.1 %  best of those simulated\n"
            "     63.2 s   92.0 %  Young\n"
            "        0 s        -  exact for exponential interruptions\n"
            "Why simulation and formulas differ\n"
            "       10 s   -1.00 points  more work is lost with each interruption, in words\n"
            "                            that take two lines\n"
            "     500 ms                 off the optimum\n");
  expect_eighty_columns(text);
}

TEST(IntervalText, IsPartOfAnExplanation) {
  Explanation explanation;
  explanation.result = interrupted_run();
  EXPECT_THAT(render_text(Scenario{}, explanation, {}, kAscii), Not(HasSubstr("Checkpoint interval")));
  explanation.checkpoint_interval = explained();
  EXPECT_THAT(render_text(Scenario{}, explanation, {}, kAscii), HasSubstr("Checkpoint interval and its ETTR"));
}

TEST(IntervalJson, HasEveryFormulaAndReason) {
  Explanation explanation;
  const auto json = [&] {
    return explanation_document(explanation, {}, ordered_json::object(), {})["explanation"]["checkpoint_interval"];
  };
  EXPECT_TRUE(json().is_null());
  explanation.checkpoint_interval = explained();
  EXPECT_EQ(json()["chosen"]["simulated_ettr"]["mean"], 0.92);
  EXPECT_EQ(json()["simulated_best"]["interval_s"], 80.0);
  EXPECT_EQ(json()["formulas"][0]["name"], "young");
  EXPECT_TRUE(json()["formulas"][1]["ettr"].is_null());
  EXPECT_EQ(json()["reasons"][0]["ettr"], -0.01);
  EXPECT_TRUE(json()["reasons"][1]["ettr"].is_null());
  explanation.checkpoint_interval->simulated_best_s = 0.0;
  EXPECT_TRUE(json()["simulated_best"].is_null());
}

// Each number of the run timeline is a column of its own; the intervals that were tried are not.
TEST(TimelineCsv, IsFlat) {
  RunResult run = interrupted_run();
  run.timeline.optimum = {80.0, 9990.0, 80.0, 9990.0, {{80.0, 9990.0}, {160.0, 10100.0}}};
  const std::string csv = result_csv(result_document(run, {}, {}, ordered_json::object(), {}));
  for (const char* column : {",run_timeline.replications,", ",run_timeline.wall_s.p90,",
                             ",run_timeline.wall_time.rework.seconds,", ",run_timeline.interruptions.failure.sd,",
                             ",run_timeline.optimum.interval_s,", ",run_timeline.requirements.stop_s,"})
    EXPECT_THAT(csv, HasSubstr(column));
  EXPECT_THAT(csv, Not(HasSubstr("optimum.points")));
}

}  // namespace
}  // namespace stallcast
