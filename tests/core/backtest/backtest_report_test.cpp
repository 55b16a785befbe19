// The text of a backtest: what stands in it, and where the curves are drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/report/json/backtest_json.h"
#include "core/report/measured/backtest_text.h"
#include "tests/core/backtest/made_up_machine.h"

namespace stallcast {
namespace {

using testing::HasSubstr;
using testing::Not;

// Lines are wrapped where a terminal ends: here all blanks are one.
std::string flat(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

LoaderRun run_of(double rate) {
  LoaderRun run;
  run.samples = 100.0;
  run.wall_s = 100.0 / rate;
  run.steps_s = 0.5 * run.wall_s;
  run.finished = true;
  return run;
}

// Predicted 50 and 100 samples/s with 0 and 2 workers; measured 50 twice, and 80 once or not at all.
Backtest made_up_backtest(bool whole) {
  Backtest b;
  b.target = "/data";
  b.files = files_of(10, 1e6);
  b.inputs = made_up_machine();
  b.predicted_at = "2026-11-21T10:00:00.000Z";
  Workload workload{"read", "no decoding", 0.0, 0.08, {}};
  for (const std::int64_t workers : {0, 2}) {
    LoaderSetting setting;
    setting.workload = "read";
    setting.workers = workers;
    workload.settings.push_back(setting);
    const double rate = workers == 0 ? 50.0 : 100.0;
    b.outcomes.push_back({setting, {{rate, 0.9 * rate, 1.1 * rate}, {0.6, 0.5, 0.7}}, {}, {}});
  }
  b.workloads = {workload};
  b.outcomes[0].runs = {run_of(50.0), run_of(50.0)};
  if (whole) b.outcomes[1].runs = {run_of(80.0)};
  b.interrupted = !whole;
  b.score = score_backtest(b.outcomes);
  b.doubts.push_back({"noisy_machine", "Others were busy."});
  return b;
}

TEST(BacktestText, PredictionsSayWhenTheyWereMadeAndNothingMeasured) {
  const std::string text = render_backtest_predictions(made_up_backtest(true));
  EXPECT_THAT(text, HasSubstr("Predicted at 2026-11-21T10:00:00.000Z, before any run"));
  EXPECT_THAT(text, HasSubstr("      2       100.0       90.0 .. 110.0     60.0 %"));
  EXPECT_THAT(text, Not(HasSubstr("80.0")));
}

// The error of the second setting is 100 / 80 - 1 = 25 %, so the mean over both is 12.5 %. The plot has 8 rows of 12.5
// samples/s: 50 is drawn in the row of 50 for both, 80 nearest to the second below the top.
TEST(BacktestText, ResultsShowBothCurvesErrorAndNoise) {
  const std::string text = render_backtest_results(made_up_backtest(true));
  EXPECT_THAT(text, HasSubstr("      2       100.0        80.0    +25.0 %        -"));
  EXPECT_THAT(text, HasSubstr("      100 |          p\n          |\n          |          m\n"));
  EXPECT_THAT(text, HasSubstr("       50 |   *\n"));
  EXPECT_THAT(text, HasSubstr("12.5 % of samples/s on average (MAPE) over 2 settings"));
  EXPECT_THAT(text, HasSubstr("two runs of one setting differ by 0.0 % on average"));
  EXPECT_THAT(text, HasSubstr("read: predicted at 2 workers, measured at 2"));
  EXPECT_THAT(text, HasSubstr("Others were busy."));
}

// 12.5 % is over 5 %; of a machine that moved nothing is said but why.
TEST(BacktestText, GivesAVerdictOnlyOfAQuietMachine) {
  Backtest backtest = made_up_backtest(true);
  backtest.verdict = judge(backtest.score, {});
  EXPECT_THAT(flat(render_backtest_results(backtest)), HasSubstr("Verdict the mean error is over 5 %"));
  EXPECT_EQ(backtest_json(backtest)["verdict"]["holds"], false);
  backtest.verdict = judge(backtest.score, {0.04, 0.0, 0.0, 0.0});
  const std::string text = flat(render_backtest_results(backtest));
  EXPECT_THAT(text, HasSubstr("none: the machine was not quiet, so an error of 5 % cannot be judged"));
  EXPECT_THAT(text, HasSubstr("differ by 4.0 % on average (quiet: up to 2.5 %)"));
  EXPECT_THAT(text, HasSubstr("12.5 % of samples/s on average"));
  EXPECT_TRUE(backtest_json(backtest)["verdict"]["holds"].is_null());
  EXPECT_EQ(backtest_json(backtest)["verdict"]["quiet"], false);
}

TEST(BacktestText, ShowsWhatChangedBetweenTheRuns) {
  Backtest backtest = made_up_backtest(true);
  for (const double decode : {1e-9, 1.05e-9}) {
    Bracket bracket;
    bracket.decode_s_per_byte = decode;
    bracket.read_alone = 1.0;
    backtest.brackets.push_back(bracket);
  }
  backtest.verdict.rest.drift = 0.017;
  EXPECT_THAT(flat(render_backtest_results(backtest)),
              HasSubstr("decoding alone changed by 5.0 % on average, reading by 0.0 %: 1.7 % of the predicted"));
}

TEST(BacktestText, SaysWhatWasNotRun) {
  const std::string text = render_backtest_results(made_up_backtest(false));
  EXPECT_THAT(text, HasSubstr("      2       100.0     not run"));
  EXPECT_THAT(text, HasSubstr("over 1 settings"));
  EXPECT_THAT(text, HasSubstr("Interrupted"));
}

TEST(BacktestJson, HoldsNullForWhatWasNotMeasured) {
  const auto document = backtest_json(made_up_backtest(false));
  EXPECT_EQ(document["settings"][0]["measured"]["samples_per_s"], 50.0);
  EXPECT_TRUE(document["settings"][1]["measured"].is_null());
  EXPECT_EQ(document["settings"][1]["predicted"]["samples_per_s"]["mean"], 100.0);
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["doubts"][0]["code"], "noisy_machine");
}

}  // namespace
}  // namespace stallcast
