#include "core/plan/explain/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/plan/evaluate/kpi.h"
#include "core/plan/explain/curve_values.h"
#include "core/plan/space/space.h"
#include "core/run/input_ranges.h"
#include "core/run/simulate.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// A worker takes 4 samples x 10 ms, and up to 1 ms to collate, for a batch that a GPU computes in 11 ms: n workers give
// a utilization of n x 11 / 41, and all there is from 4 on. At $3600 per hour a second is a dollar.
const std::string kWaitsForLatency = R"({
  "cluster": {"cores_per_node": 16},
  "workload": {"batch_size": 4, "step_time": "11 ms"},
  "dataset": {"layout": "records", "samples": 8000, "sample_size": "100 kB"},
  "loader": {"num_workers": 2, "prefetch_factor": 2, "persistent_workers": true},
  "storage": {"latency": "10 ms"},
  "cost": {"node_price": "$3600/h", "storage_discount": 1},
  "run": {"whole_run": true}
})";

Curve curve_of(const std::string& pointer, const std::vector<std::string>& values, const CurveOptions& options = {}) {
  return field_curve(scenario_file(kWaitsForLatency), shipped_catalogue(), pointer, values, options);
}

double utilization(const CurveStep& step) { return value_of(*find_kpi("gpu_utilization"), *step.figures)->mean; }

TEST(Curve, IsTheClosedFormAtEachValueAndBendsWhereWorkersAreEnough) {
  const Curve curve = curve_of("/loader/num_workers", {"8", "1", "2", "3", "4", "5", "6"});
  ASSERT_EQ(curve.steps.size(), 7U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(curve.steps[i].value, static_cast<double>(i + 1));
    EXPECT_NEAR(utilization(curve.steps[i]), static_cast<double>(i + 1) * 11.0 / 41.0, 0.02);
  }
  ASSERT_TRUE(curve.knee);
  EXPECT_EQ(curve.steps[*curve.knee].text, "4");
  ASSERT_TRUE(curve.now);
  EXPECT_EQ(curve.steps[*curve.now].text, "2");
  EXPECT_TRUE(curve.complete);
}

TEST(Curve, HasNoKneeWhereItStillGrowsAtItsEnd) { EXPECT_FALSE(curve_of("/loader/num_workers", {"1", "2", "3"}).knee); }

// Money does not change a run: one simulation, and the price in proportion.
TEST(Curve, APriceScalesTheBillAndNothingElse) {
  std::set<std::size_t> told;
  CurveOptions options;
  options.done = [&](std::size_t step, const CurveStep&) { told.insert(step); };
  const Curve curve = curve_of("/cost/node_price", {"$3600/h", "$7200/h", "$1800/h"}, options);
  EXPECT_THAT(told, ElementsAre(0, 1, 2));
  ASSERT_EQ(curve.steps.size(), 3U);
  const auto total = [&](std::size_t i) {
    return value_of(*find_kpi("cost.total_usd"), *curve.steps[i].figures)->mean;
  };
  EXPECT_EQ(utilization(curve.steps[0]), utilization(curve.steps[2]));
  EXPECT_NEAR(total(2), 4.0 * total(0), 1e-9 * total(2));
}

// What a value is worth is said as `simulate` says it of a scenario with that value: the same draws, on the same run.
TEST(Curve, RangesAreThoseOfEachValueByItself) {
  CurveOptions options;
  options.ranges = true;
  std::map<std::size_t, int> told;
  options.done = [&](std::size_t step, const CurveStep&) { ++told[step]; };
  const Curve curve = curve_of("/loader/num_workers", {"1", "3"}, options);
  EXPECT_TRUE(curve.ranged);
  EXPECT_THAT(told, ElementsAre(Pair(0, 2), Pair(1, 2)));
  const Curve narrow = curve_of("/loader/num_workers", {"1", "3"});
  EXPECT_FALSE(narrow.ranged);
  const Kpi& busy = *find_kpi("gpu_utilization");
  for (std::size_t i = 0; i < 2; ++i) {
    const Estimate range = *value_of(busy, *curve.steps[i].figures), luck = *value_of(busy, *narrow.steps[i].figures);
    EXPECT_EQ(range.mean, luck.mean);
    EXPECT_GT(range.half_width(), luck.half_width());
    ResolvedScenario job = *resolve_at(scenario_file(kWaitsForLatency), {{"/loader/num_workers", curve.steps[i].text}},
                                       shipped_catalogue())
                                .value;
    job.scenario.run.precision = std::max(job.scenario.run.precision, options.precision);
    const RunResult alone = simulate(job.scenario, {});
    const Estimate wanted = input_ranges(job, alone, {}).widened.gpu_utilization;
    EXPECT_EQ(range.ci95_low, wanted.ci95_low);
    EXPECT_EQ(range.ci95_high, wanted.ci95_high);
  }
}

TEST(Curve, AValueThatNoScenarioCanHaveSaysWhy) {
  const Curve curve = curve_of("/loader/num_workers", {"2", "100000", "many"});
  ASSERT_EQ(curve.steps.size(), 3U);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_FALSE(curve.steps[i].figures);
    EXPECT_THAT(curve.steps[i].why_not, HasSubstr("allowed"));
  }
  EXPECT_TRUE(curve.complete);
}

TEST(Curve, SaysThatItWasStopped) {
  std::stop_source stop;
  stop.request_stop();
  CurveOptions options;
  options.run.stop = stop.get_token();
  const Curve curve = curve_of("/loader/num_workers", {"1", "2"}, options);
  EXPECT_FALSE(curve.complete);
  EXPECT_FALSE(curve.steps.front().figures);
}

TEST(Curve, WordsKeepTheirOrderAndHaveNoKnee) {
  const Curve curve = curve_of("/loader/in_order", {"true", "false"});
  ASSERT_EQ(curve.steps.size(), 2U);
  EXPECT_EQ(curve.steps[0].text, "true");
  EXPECT_DOUBLE_EQ(curve.steps[1].value, 1.0);
  EXPECT_FALSE(curve.knee);
  EXPECT_EQ(curve.now, 0U);
}

TEST(Curve, AMemberOfADistributionIsAPlaceToLook) {
  const Curve curve = curve_of("/workload/step_time/mean", {"22 ms", "11 ms"});
  ASSERT_EQ(curve.steps.size(), 2U);
  EXPECT_DOUBLE_EQ(curve.steps[0].value, 0.011);
  EXPECT_EQ(curve.now, 0U);
  EXPECT_GT(utilization(curve.steps[1]), utilization(curve.steps[0]));
}

std::vector<std::string> usual(const std::string& text, const std::string& pointer, std::size_t most = 12) {
  return usual_values(scenario_file(text), shipped_catalogue(), pointer, most);
}

// An eighth to eight times 8.
TEST(UsualValues, AreAroundWhatTheScenarioHas) {
  EXPECT_THAT(usual(R"({"loader": {"num_workers": 8}})", "/loader/num_workers"),
              ElementsAre("1", "2", "4", "6", "8", "12", "16", "24", "32", "48", "64"));
  EXPECT_THAT(usual(R"({"workload": {"step_time": "200 ms"}})", "/workload/step_time/mean"), Contains("200 ms"));
}

TEST(UsualValues, OfACapacityAreSizesThatTheTierIsSoldIn) {
  const std::string job = R"({"storage": {"tier": "parallelstore", "capacity": "20 TiB"}})";
  // 12 to 100 TiB in steps of 4: 23 sizes.
  EXPECT_EQ(usual(job, "/storage/capacity", 30).size(), 23U);
  const auto few = usual(job, "/storage/capacity", 5);
  EXPECT_EQ(few.size(), 5U);
  EXPECT_THAT(few, Contains("20 TiB"));
  EXPECT_EQ(few.front(), "12 TiB");
  EXPECT_EQ(few.back(), "100 TiB");
}

TEST(UsualValues, OfWordsAreAllOfThemAndOfTextsNone) {
  EXPECT_THAT(usual("{}", "/checkpoint/mode"), ElementsAre("none", "sync", "async"));
  EXPECT_THAT(usual("{}", "/loader/in_order"), ElementsAre("false", "true"));
  EXPECT_THAT(usual("{}", "/name"), IsEmpty());
  EXPECT_THAT(usual("{}", "/run/concurrent_jobs"), IsEmpty());
  EXPECT_THAT(usual("{}", "/no/such"), IsEmpty());
}

// Whatever the field, every value is one that it takes, and the one as it is is among them.
TEST(UsualValues, OfEveryFieldCanBeSet) {
  const std::string job = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
                              "storage": {"tier": "parallelstore", "capacity": "12 TiB"}})";
  const ScenarioFile file = scenario_file(job);
  const auto resolved = resolve_at(file, {}, shipped_catalogue());
  for (const Field& field : field_table()) {
    const auto texts = usual_values(file, shipped_catalogue(), field.pointer, 6);
    EXPECT_LE(texts.size(), 6U) << field.pointer;
    for (const std::string& text : texts) {
      ScenarioFile changed = file;
      Findings findings;
      apply_override(changed, field.pointer + "=" + text, findings);
      EXPECT_FALSE(findings.has_errors()) << field.pointer << " = " << text;
    }
    if (!texts.empty()) {
      EXPECT_THAT(texts, Contains(text_of_field(resolved.value->scenario, field.pointer)));
    }
  }
}

}  // namespace
}  // namespace stallcast
