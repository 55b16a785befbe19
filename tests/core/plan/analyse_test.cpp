// Tornado and indices of injected models with closed forms, and of a job whose utilization can be written down.
#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/evaluate/input_range.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "tests/core/plan/base_file.h"
#include "tests/core/plan/inline_job.h"

namespace stallcast {
namespace {

SensitivityOptions options_of(std::int64_t samples) {
  SensitivityOptions options;
  options.figures = {find_kpi("gpu_utilization")};
  options.samples = samples;
  return options;
}

const std::vector<UncertainInput> kInputs = {
    {"/storage/latency", 0.8, 1.25}, {"/dataset/decode_time", 0.5, 2.0}, {"/workload/step_time", 1.0, 1.0}};

// 100 + 10 a + b: at the ends of a 108 and 112.5, of b 110.5 and 112.
TEST(Tornado, TurnsOneInputAtATime) {
  const Sensitivity found = analyse(
      kInputs, [](const auto& f) { return std::vector<double>{100.0 + 10.0 * f[0] + f[1]}; }, options_of(16));
  EXPECT_DOUBLE_EQ(found.as_given.front(), 111.0);
  ASSERT_EQ(found.tornado.size(), 3U);
  EXPECT_EQ(found.tornado[0].input.pointer, "/storage/latency");
  EXPECT_DOUBLE_EQ(found.tornado[0].at_low.front(), 109.0);
  EXPECT_DOUBLE_EQ(found.tornado[0].at_high.front(), 113.5);
  EXPECT_EQ(found.tornado[1].input.pointer, "/dataset/decode_time");
  EXPECT_DOUBLE_EQ(found.tornado[1].at_low.front(), 110.5);
  EXPECT_DOUBLE_EQ(found.tornado[1].at_high.front(), 112.0);
  EXPECT_EQ(found.tornado[2].at_low, found.tornado[2].at_high);
  EXPECT_EQ(found.runs, 1 + 2 * 3 + 16 * 5);
}

TEST(Tornado, AloneTakesNoRunsBeyondItsEnds) {
  SensitivityOptions options = options_of(16);
  options.indices = false;
  const Sensitivity found = analyse(
      kInputs, [](const auto& f) { return std::vector<double>{100.0 + 10.0 * f[0] + f[1]}; }, options);
  EXPECT_EQ(found.runs, 1 + 2 * 3);
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.indices.empty());
  EXPECT_EQ(found.samples, 0);
  EXPECT_DOUBLE_EQ(found.tornado[0].at_high.front(), 113.5);
}

// The logarithm of factors with intervals 1/h..h is normal, of sd ln(h) / 1.645: variances as ln(1.25)^2 : ln(2)^2.
TEST(Indices, OfALogarithmAreTheSharesOfTheIntervals) {
  const Sensitivity found = analyse(
      kInputs, [](const auto& f) { return std::vector<double>{std::log(f[0] * f[1] * f[2])}; }, options_of(1024));
  const double a = std::pow(std::log(1.25), 2), b = std::pow(std::log(2.0), 2);
  ASSERT_TRUE(found.indices.front());
  const std::vector<SobolIndex>& indices = *found.indices.front();
  EXPECT_NEAR(indices[0].total.mean, a / (a + b), 0.02);
  EXPECT_NEAR(indices[1].total.mean, b / (a + b), 0.02);
  EXPECT_NEAR(indices[1].first_order.mean, b / (a + b), 0.02);
  EXPECT_EQ(indices[2].total.mean, 0.0);
}

TEST(Indices, OfFiguresThatDoNotVaryAreNone) {
  const Sensitivity found = analyse(
      kInputs, [](const auto&) { return std::vector<double>{1.0}; }, options_of(16));
  EXPECT_FALSE(found.indices.front());
  EXPECT_TRUE(found.complete);
}

TEST(Indices, TakeAFewHundredRunsUnlessAskedOtherwise) {
  EXPECT_EQ(default_samples(1), 128);
  EXPECT_EQ(default_samples(4), 64);    // 384 runs
  EXPECT_EQ(default_samples(10), 32);   // 384 runs
  EXPECT_EQ(default_samples(100), 16);  // no fewer: 1632 runs
}

TEST(Sensitivity, AStopLeavesWhatIsDone) {
  std::stop_source source;
  SensitivityOptions options = options_of(16);
  options.run.stop = source.get_token();
  options.run.threads = 1;
  options.counted = [&](std::int64_t done, std::int64_t) {
    if (done == 3) source.request_stop();
  };
  const Sensitivity found = analyse(
      kInputs, [](const auto& f) { return std::vector<double>{f[0]}; }, options);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.runs, 3);
  EXPECT_EQ(found.tornado.size(), 1U);
  EXPECT_TRUE(found.indices.empty());
}

// 90 / (90 + latency): with 5 ms times 0.5 and 2.
TEST(Sensitivity, OfAJobIsItsClosedForm) {
  const Sensitivity found = analyse(inline_job(), {{"/storage/latency", 0.5, 2.0}}, options_of(16));
  EXPECT_NEAR(found.tornado.front().at_low.front(), 90.0 / 92.5, 1e-3);
  EXPECT_NEAR(found.tornado.front().at_high.front(), 90.0 / 100.0, 1e-3);
  EXPECT_DOUBLE_EQ(*found.tornado.front().value, 0.005);
  ASSERT_TRUE(found.indices.front());
  EXPECT_NEAR(found.indices.front()->front().total.mean, 1.0, 0.5);  // of 16 samples
}

// --- --input --------------------------------------------------------------------------------------------------------

TEST(InputRange, ReadsValuesAsFactorsOfTheValueGiven) {
  const Loaded<UncertainInput> input = parse_input_range("storage.latency=2.5 ms..10 ms", inline_job());
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input.value->pointer, "/storage/latency");
  EXPECT_DOUBLE_EQ(input.value->low_factor, 0.5);
  EXPECT_DOUBLE_EQ(input.value->high_factor, 2.0);
}

TEST(InputRange, ReadsFactorsToo) {
  const Loaded<UncertainInput> input = parse_input_range("/workload/batch_size=x1..x4", inline_job());
  ASSERT_TRUE(input.ok());
  EXPECT_DOUBLE_EQ(input.value->high_factor, 4.0);
}

TEST(InputRange, RefusesWhatIsNoInterval) {
  const auto code = [](const std::string& text) { return code_of(parse_input_range(text, inline_job()).findings); };
  EXPECT_EQ(code("storage.latency"), "not_an_interval");
  EXPECT_EQ(code("storage.latency=5 ms"), "not_an_interval");
  EXPECT_EQ(code("storage.latency=x0.5..xtwo"), "not_an_interval");
  EXPECT_EQ(code("storage.latncy=x0.5..x2"), "unknown_field");
  EXPECT_EQ(code("storage.tier=x0.5..x2"), "not_an_input");
  EXPECT_EQ(code("storage.latency=6 ms..10 ms"), "out_of_range");
  EXPECT_EQ(code("storage.latency=x2..x0.5"), "out_of_range");
  EXPECT_EQ(code("storage.latency=5 GB..10 ms"), "wrong_unit");
  EXPECT_EQ(code("storage.read_bandwidth=1 GB/s..2 GB/s"), "no_value");
}

TEST(InputRange, TakesThePlaceOfTheScenariosOwn) {
  Scenario scenario = inline_job().scenario;
  scenario.run.uncertain = {"storage.latency 0.9..1.1", "workload.step_time 0.99..1.01"};
  const auto all = uncertain_inputs(scenario, {{"/storage/latency", 0.5, 2.0}, {"/cost/node_price", 0.9, 1.1}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].low_factor, 0.5);
  EXPECT_EQ(all[2].pointer, "/cost/node_price");
}

}  // namespace
}  // namespace stallcast
