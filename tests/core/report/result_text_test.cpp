#include "core/report/text/result_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/cost/price_run.h"
#include "tests/core/report/text_width.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Scenario small_job() {
  Scenario scenario;
  scenario.name = "ImageNet on a slow share";
  scenario.cluster.gpus_per_node = 8;
  scenario.workload.batch_size = 64;
  scenario.storage.tier = "filestore";
  scenario.storage.capacity = bytes(10e12);
  return scenario;
}

RunResult half_busy() {
  RunResult result;
  result.gpu_utilization = {0.5, 0.495, 0.505};
  result.samples_per_s = 12345.6;
  result.step_time_s = {0.2, 0.19, 0.35};
  result.simulated_s = 10.0;
  result.samples = 123456;
  result.read_bytes = 11.04e9;
  result.time_to_train_s = 11520.0;
  result.steps = 50;
  result.events = 1234;
  result.wall_s = 0.012;
  result.converged = true;
  result.lost_fraction[static_cast<std::size_t>(LostTime::kLoaderOrder)] = 0.4;
  result.lost_fraction[static_cast<std::size_t>(LostTime::kTierBandwidth)] = 0.1;
  return result;
}

const Bound kTierBound = {0.9, 22222.0, "tier_bandwidth", {"tier_bandwidth"}};

// One machine for 3.2 h at $32.77 = 104.864; half of it lost, 52.432: four fifths, 41.9456, to the order of batches;
// 104.864 / 12.8 useful GPU-hours = 8.1925.
CostBreakdown priced() {
  Scenario s = small_job();
  s.cost.node_price = UsdPerHour::from_base(32.77);
  s.cost.storage_discount = 1.0;
  RunResult result = half_busy();
  result.totals.training_s = 11520.0;
  result.totals.useful_gpu_s = result.totals.lost_gpu_s = 11520.0 * 4.0;
  return price_run(s, {}, result);
}

// 22 columns: 0.5 is 11, 0.4 is 8.8 (9), 0.1 is 2.2 (2).
TEST(ResultText, SaysTheResultInOneScreen) {
  EXPECT_EQ(render_text(small_job(), half_busy(), kTierBound, priced(), kAscii),
            "ImageNet on a slow share\n"
            "1 node x 8 GPUs, batch 64, 4 workers per GPU, prefetch 2, filestore 10 TB\n"
            "\n"
            "GPU utilization  50.0 %  (95 %: 49.5 to 50.5 %)\n"
            "Throughput       12300 samples/s, reading 1.1 GB/s\n"
            "Step             200 ms mean, 190 ms median, 350 ms 99th percentile\n"
            "Time to train    3.2 h\n"
            "\n"
            "Where GPU time goes\n"
            "   50.0 %  ###########             computing\n"
            "   40.0 %  #########               in-order delivery: waiting for a slow batch\n"
            "   10.0 %  ##                      storage bandwidth limit\n"
            "\n"
            "Upper bound      90.0 %, set by storage bandwidth (tier_bandwidth)\n"
            "Bottleneck       in-order delivery: waiting for a slow batch (loader_order).\n"
            "                 stallcast explain tries out what would help.\n"
            "\n"
            "Bill\n"
            "  $104.86  1 x machine, training: 3.2 x $32.77 per hour\n"
            "  $104.86  total\n"
            "Effective price  $8.19 per useful GPU-hour, $104.86 per epoch\n"
            "Idle GPU cost    $52.43 of the machines' $104.86; largest cause, $41.95:\n"
            "                 in-order delivery: waiting for a slow batch\n"
            "\n"
            "Converged: 50 steps, 1234 events of 10 s simulated in 12 ms.\n");
}

// 50.0 % (49.5 to 50.5): above 49.9 % it may be by its noise, above 49 % it is not.
TEST(ResultText, CallsNoiseOnlyWhatIsNoise) {
  const auto at = [](double utilization) {
    Bound bound = kTierBound;
    bound.gpu_utilization = utilization;
    return render_text(small_job(), half_busy(), bound, priced(), kAscii);
  };
  EXPECT_THAT(at(0.51), Not(HasSubstr("above it")));
  EXPECT_THAT(at(0.499), HasSubstr("above it by no more than its own noise"));
  EXPECT_THAT(at(0.49), HasSubstr("above it by more than its noise"));
}

TEST(ResultText, SaysThatNoCheckpointFellIntoTheRun) {
  Scenario saving = small_job();
  saving.checkpoint.mode = CheckpointMode::kAsync;
  const auto text = [](const Scenario& s, const RunResult& result) {
    return render_text(s, result, kTierBound, priced(), kAscii);
  };
  EXPECT_THAT(text(saving, half_busy()), HasSubstr("none: the run ends before the first one is due"));
  EXPECT_THAT(text(small_job(), half_busy()), Not(HasSubstr("Checkpoints")));
  RunResult endless = half_busy();
  endless.time_to_train_s = 0.0;
  EXPECT_THAT(text(saving, endless), Not(HasSubstr("none: the run ends")));
}

// A cure that was not tried is not named: explain tries.
TEST(ResultText, NamesTheCauseAndLeavesCuresToExplain) {
  RunResult result = half_busy();
  for (std::size_t cause = 0; cause < result.lost_fraction.size(); ++cause) {
    result.lost_fraction.fill(0.0);
    result.lost_fraction[cause] = 0.5;
    const std::string text = render_text(small_job(), result, kTierBound, priced(), kAscii);
    EXPECT_THAT(text, HasSubstr("(" + std::string(lost_time_name(static_cast<LostTime>(cause))) + ")"));
    EXPECT_THAT(text, HasSubstr("explain"));
    EXPECT_THAT(text, Not(HasSubstr("Change first")));
  }
  result.lost_fraction.fill(0.0);
  EXPECT_THAT(render_text(small_job(), result, kTierBound, priced(), kAscii),
              HasSubstr("Bottleneck       nothing: the GPUs are the limit\n"));
  result.lost_fraction[index(LostTime::kCpuDecode)] = 0.5;
  result.cpu_busy_fraction = 0.12;
  EXPECT_THAT(render_text(small_job(), result, kTierBound, priced(), kAscii),
              HasSubstr("(cpu_decode), with 12.0 % of\n                 the cores busy."));
}

Advice some_advice() {
  Advice advice;
  advice.next_units = {{"capacity", "storage.capacity 12 TiB to 16 TiB", {}, true, {0.51, 0.51, 0.51}, 0.01, -12.5, {}},
                       {"core", "never simulated", {}, false, {}, 0.0, {}, {}}};
  advice.workers = {{{4, {0.495, 0.49, 0.5}, 2e9}, {8, {0.5, 0.5, 0.5}, 4e9}}, 4, true};
  return advice;
}

TEST(ResultText, StaysWithinEightyColumns) {
  Scenario scenario = small_job();
  scenario.name = "A name that goes on and on, as names do when people are left alone with them, and then some more";
  scenario.cluster.instance = "a3-ultragpu-8g-with-a-long-suffix";
  Explanation explanation;
  explanation.result = half_busy();
  explanation.result.lost_fraction.fill(0.04);
  explanation.result.converged = false;
  explanation.bound = {
      0.9, 1.0, "tier_bandwidth", {"tier_bandwidth", "client_bandwidth", "read_iops", "cpu_cores", "nic"}};
  explanation.gap_reason =
      "Simulated is 40.0 points below the bound, which knows only mean rates: requests come in bursts.";
  explanation.change_first = "Set loader.in_order to false: GPU utilization 50.0 % -> 90.0 %.";
  explanation.counterfactuals = {
      {"barrier", ChangeKind::kIdeal, "all ranks took equal time and the barrier none", {}, -0.1, 12345.67, 12.3}};
  explanation.cost = priced();
  explanation.bottleneck = {"request_rate", "request_throttle", {"tier_bandwidth", "client_cap", "cpu_decode"}, ""};
  EXPECT_LE(widest_line(render_text(scenario, explanation, some_advice(), {true, false})), 80u);
}

TEST(ResultText, ANumberIsNotBrokenFromItsPercentSign) {
  Explanation explanation;
  explanation.result = half_busy();
  explanation.change_first = "Set loader.num_workers 4 to 8: GPU utilization 77.0 % -> 93.8 %.";
  EXPECT_THAT(render_text(small_job(), explanation, {}, kAscii),
              HasSubstr("GPU utilization 77.0 % ->\n                 93.8 %.\n"));
}

TEST(ResultText, SaysWhenItDidNotConverge) {
  RunResult result = half_busy();
  result.converged = false;
  EXPECT_THAT(render_text(small_job(), result, kTierBound, priced(), kAscii), HasSubstr("NOT CONVERGED"));
}

TEST(ResultText, ExplanationShowsWhatEachChangeBuys) {
  Explanation explanation;
  explanation.result = half_busy();
  explanation.bound = kTierBound;
  explanation.bottleneck = {"loader_order", "loader_order", {"cpu_decode"}, ""};
  explanation.gap_reason = "Because.";
  explanation.change_first = "Set loader.in_order to false: GPU utilization 50.0 % -> 90.0 %.";
  explanation.counterfactuals = {
      {"loader_order", ChangeKind::kSetting, "loader.in_order to false", {0.9, 0.9, 0.9}, 0.4, 120.5, 3.25},
      {"barrier", ChangeKind::kIdeal, "the barrier took no time", {0.48, 0.48, 0.48}, -0.02, {}, {}}};
  const std::string text = render_text(small_job(), explanation, {}, kAscii);
  EXPECT_THAT(text, HasSubstr("Effect of each change on its own, in points and $ per run\n"
                              "   90.0 %   +40.0    120.50  set loader.in_order to false\n"
                              "   48.0 %    -2.0            if the barrier took no time\n"));
  EXPECT_THAT(text, HasSubstr("Bottleneck       in-order delivery: waiting for a slow batch (loader_order),\n"
                              "                 about as much as cpu_decode\n"));
  EXPECT_THAT(text, HasSubstr("Change first     Set loader.in_order to false"));
}

// 7 points either way say nothing of a loss of 5, and something of a gain of 10; half a point is not worth the words.
TEST(ResultText, ExplanationSaysWhereAChangeMayBeNothing) {
  Explanation explanation;
  explanation.result = half_busy();
  explanation.counterfactuals = {{"a", ChangeKind::kSetting, "a", {0.60, 0.53, 0.67}, 0.10, {}, {}, {}},
                                 {"b", ChangeKind::kIdeal, "b", {0.503, 0.498, 0.508}, 0.003, {}, {}, {}},
                                 {"c", ChangeKind::kIdeal, "c", {0.45, 0.38, 0.52}, -0.05, {}, {}, {}}};
  EXPECT_THAT(render_text(small_job(), explanation, {}, kAscii),
              HasSubstr("set a\n   50.3 %    +0.3            if b\n"
                        "   45.0 %    -5.0            if c (+- 7.0 points: may be nothing)\n"));
}

TEST(ResultText, AdviceIsUnitsOfKnobsAndACurveOfWorkers) {
  Explanation explanation;
  explanation.result = half_busy();
  Scenario scenario = small_job();
  scenario.loader.num_workers = 8;
  const std::string text = render_text(scenario, explanation, some_advice(), kAscii);
  EXPECT_THAT(text, HasSubstr("One more unit of each setting, and its effect on the bill\n"
                              "    +1.0 points       -$12.50  storage.capacity 12 TiB to 16 TiB\n"));
  EXPECT_THAT(text, Not(HasSubstr("never simulated")));
  EXPECT_THAT(text, HasSubstr("      4   49.5 %  ###########       2 GB  enough\n"
                              "      8   50.0 %  ###########       4 GB  as set\n"));
}

TEST(ResultText, EscapesOnlyWhenColourIsAskedFor) {
  EXPECT_THAT(render_text(small_job(), half_busy(), kTierBound, priced(), {true, false}), Not(HasSubstr("\033")));
  EXPECT_THAT(render_text(small_job(), half_busy(), kTierBound, priced(), {true, true}),
              HasSubstr("\033[33m50.0 %\033[0m"));
}

TEST(ResultText, ANameCannotDriveTheTerminal) {
  Scenario scenario = small_job();
  scenario.name = "red\033[31m\nalert";
  EXPECT_THAT(render_text(scenario, half_busy(), kTierBound, priced(), kAscii), HasSubstr("red [31m alert\n1 node"));
}

TEST(RenderBar, CountsEighthsOfAColumn) {
  EXPECT_EQ(render_bar(0.5, 4, {true, false}), "██");
  EXPECT_EQ(render_bar(0.53125, 4, {true, false}), "██▏");  // 4 * 0.53125 = 2 1/8
  EXPECT_EQ(render_bar(7.0, 3, {true, false}), "███");
  EXPECT_EQ(render_bar(-1.0, 3, {true, false}), "");
  EXPECT_EQ(render_bar(0.5, 4, kAscii), "##");
}

TEST(DurationText, ChoosesTheUnitAPersonWould) {
  EXPECT_EQ(duration_text(0.0), "0 s");
  EXPECT_EQ(duration_text(2.5e-7), "250 ns");
  EXPECT_EQ(duration_text(0.01234), "12.3 ms");
  EXPECT_EQ(duration_text(90.0), "90 s");
  EXPECT_EQ(duration_text(150.0), "2.5 min");
  EXPECT_EQ(duration_text(7200.0), "2 h");
  EXPECT_EQ(duration_text(432000.0), "5 d");
}

}  // namespace
}  // namespace stallcast
