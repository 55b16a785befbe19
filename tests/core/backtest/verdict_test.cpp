#include "core/backtest/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/backtest/made_up_machine.h"

namespace stallcast {
namespace {

using testing::HasSubstr;

BacktestScore score_of(double mape) {
  BacktestScore score;
  score.settings = 20;
  score.mape = mape;
  return score;
}

TEST(BacktestVerdict, OfAQuietMachineIsTheLimit) {
  const MachineRest quiet{0.025, 0.05, 0.02, 0.005};  // just as much as allowed
  EXPECT_TRUE(judge(score_of(0.05), quiet).quiet());
  EXPECT_TRUE(judge(score_of(0.05), quiet).holds);
  EXPECT_FALSE(judge(score_of(0.051), quiet).holds);
  EXPECT_FALSE(judge(BacktestScore{}, quiet).holds);  // nothing measured
}

TEST(BacktestVerdict, EachKindOfUnrestTakesTheVerdictAway) {
  for (const MachineRest& rest :
       {MachineRest{0.026, 0.0, 0.0, 0.0}, MachineRest{0.0, 0.051, 0.0, 0.0}, MachineRest{0.0, 0.0, 0.02, 0.006}}) {
    const BacktestVerdict verdict = judge(score_of(0.01), rest);
    EXPECT_FALSE(verdict.quiet());
    EXPECT_EQ(verdict.unrest.size(), 1U);
  }
  EXPECT_EQ(judge(score_of(0.01), {0.03, 0.06, 0.5, 0.5}).unrest.size(), 3U);
  EXPECT_THAT(judge(score_of(0.01), {0.031, 0.0, 0.0, 0.0}).unrest.front(), HasSubstr("differ by 3.1 %"));
}

Bracket decoding(double s_per_byte) {
  Bracket out;
  out.decode_s_per_byte = out.decode_together_s_per_byte = s_per_byte;
  out.read_alone = out.read_together = 1.0;
  return out;
}

// A sample of 1 MB without workers and with hardly a step: 1 + 1 ms of reading, 2 passes of 1 ms. With decoding 10 %
// slower 4 ms become 4.2: the rate changes by 1 - 4 / 4.2 = 4.8 %.
TEST(RateDrift, IsTheChangeOfPredictions) {
  SettingOutcome outcome;
  outcome.setting.workload = "test";
  outcome.setting.batch_size = 4;
  outcome.setting.batches = 50;
  outcome.setting.decode_passes = 2.0;
  outcome.setting.step_s = 1e-9;
  const auto drift = [&](const std::vector<Bracket>& brackets) {
    return rate_drift(made_up_machine(), brackets, files_of(10, 1e6), {outcome}, 1);
  };
  EXPECT_NEAR(drift({decoding(1e-9), decoding(1.1e-9)}), 1.0 - 4.0 / 4.2, 1e-4);
  EXPECT_NEAR(drift({decoding(1e-9), decoding(1e-9), decoding(1.1e-9)}), 0.5 * (1.0 - 4.0 / 4.2), 1e-4);
  EXPECT_EQ(drift({decoding(1e-9)}), 0.0);
}

}  // namespace
}  // namespace stallcast
