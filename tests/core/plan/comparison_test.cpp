#include "core/plan/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/run/simulate.h"
#include "tests/core/plan/inline_job.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

const KpiComparison& figure(const Comparison& comparison, const std::string& name) {
  for (const KpiComparison& one : comparison.figures)
    if (one.kpi->name == name) return one;
  ADD_FAILURE() << "no figure " << name;
  return comparison.figures.front();
}

// The same with latencies that vary, so that runs depend on luck.
ResolvedScenario lucky_job(double latency_s) {
  ResolvedScenario job = inline_job(latency_s);
  job.scenario.storage.latency = Distribution::lognormal(latency_s, 1.0);
  return job;
}

TEST(Compare, EqualScenariosDifferInNothingAtAll) {
  ResolvedScenario job = lucky_job(0.02);
  job.scenario.run.uncertain = {"storage.latency 0.8..1.3"};
  const Comparison found = compare({job, job, job});
  EXPECT_TRUE(found.inputs.empty());
  EXPECT_EQ(found.pairs, kPairs);
  EXPECT_EQ(found.draws, 39);
  for (const KpiComparison& one : found.figures) {
    EXPECT_FALSE(one.differences[0]);
    for (std::size_t i = 1; i < 3; ++i) {
      if (!one.values[i]) continue;
      ASSERT_TRUE(one.differences[i]) << one.kpi->name;
      EXPECT_EQ(one.differences[i]->mean, 0.0) << one.kpi->name;
      EXPECT_EQ(one.differences[i]->ci95_low, 0.0) << one.kpi->name;
      EXPECT_EQ(one.differences[i]->ci95_high, 0.0) << one.kpi->name;
    }
  }
  EXPECT_FALSE(found.advice.told_apart);
  EXPECT_EQ(found.advice.sentence, "A and B do not differ in total cost.");
}

// 90 / 95 against 90 / 100, and the hours of 100 steps at $10/h: 9.5 s and 10 s.
TEST(Compare, FindsTheDifferenceOfAClosedForm) {
  const Comparison found = compare({inline_job(0.005), inline_job(0.010)});
  ASSERT_EQ(found.inputs.size(), 1U);
  EXPECT_EQ(found.inputs.front().pointer, "/storage/latency");
  EXPECT_EQ(found.inputs.front().values, (std::vector<std::string>{"5 ms", "10 ms"}));
  const KpiComparison& utilization = figure(found, "gpu_utilization");
  EXPECT_NEAR(utilization.differences[1]->mean, 0.9 - 90.0 / 95.0, 1e-3);
  const KpiComparison& cost = figure(found, "cost.total_usd");
  EXPECT_NEAR(cost.differences[1]->mean, 0.5 / 3600.0 * 10.0, 1e-5);
  EXPECT_EQ(found.advice.best, 0U);
  EXPECT_TRUE(found.advice.told_apart);
  EXPECT_THAT(found.advice.sentence, HasSubstr("Take A: its total cost"));
}

// Every GPU-second and every dollar is in one part.
TEST(Compare, PartsSumToTheWhole) {
  const Comparison found = compare({inline_job(0.005), inline_job(0.010)});
  for (std::size_t i = 0; i < 2; ++i) {
    double time = 0.0, lost = 0.0, money = 0.0;
    for (const PartComparison& part : found.time) time += part.values[i].value();
    for (const PartComparison& part : found.lost_money) lost += part.values[i].value();
    for (const PartComparison& part : found.money)
      if (part.name != "total") money += part.values[i].value();
    EXPECT_NEAR(time, 1.0, 1e-9);
    EXPECT_NEAR(lost, found.scenarios[i].evaluation.cost.wasted()->to_double(), 1e-9);
    EXPECT_NEAR(money, found.scenarios[i].evaluation.cost.total()->to_double(), 1e-9);
  }
}

// Values are those of the scenario alone; the difference is over more runs, and narrower than the two intervals say.
TEST(Compare, PairsAreNarrowerThanIndependentRuns) {
  const ResolvedScenario a = lucky_job(0.020), b = lucky_job(0.021);
  const Comparison found = compare({a, b});
  const KpiComparison& utilization = figure(found, "gpu_utilization");
  EXPECT_EQ(utilization.values[0]->mean, simulate(a.scenario).gpu_utilization.mean);
  std::vector<double> of_a, of_b;
  for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(kPairs); ++r) {
    RunOptions options;
    options.seed = 1 + r;
    of_a.push_back(simulate(a.scenario, options).gpu_utilization.mean);
    options.seed = 1001 + r;
    of_b.push_back(simulate(b.scenario, options).gpu_utilization.mean);
  }
  const auto half_of_mean = [](const std::vector<double>& v) {
    const double n = static_cast<double>(v.size()), mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
    double squares = 0.0;
    for (const double x : v) squares += (x - mean) * (x - mean);
    return 2.365 * std::sqrt(squares / (n - 1.0) / n);  // t of 7 degrees of freedom
  };
  const double independent = std::hypot(half_of_mean(of_a), half_of_mean(of_b));
  EXPECT_LT(utilization.differences[1]->half_width(), 0.5 * independent);
  EXPECT_LT(utilization.differences[1]->ci95_high, 0.0);
}

// A reader who subtracts two columns finds the difference that stands beside them.
TEST(Compare, DifferencesAreThoseOfTheValues) {
  const Comparison found = compare({lucky_job(0.020), lucky_job(0.021)});
  for (const KpiComparison& one : found.figures) {
    if (!one.values[0] || !one.values[1] || !one.differences[1]) continue;
    EXPECT_DOUBLE_EQ(one.differences[1]->mean, one.values[1]->mean - one.values[0]->mean) << one.kpi->name;
    EXPECT_LE(one.differences[1]->ci95_low, one.differences[1]->mean);
    EXPECT_GE(one.differences[1]->ci95_high, one.differences[1]->mean);
  }
}

// What both do not know alike cancels: latency is uncertain by a factor of two in both, and B's step is 1 ms longer.
TEST(Compare, AnInputUncertainInBothIsDrawnForBoth) {
  ResolvedScenario a = inline_job(0.010), b = inline_job(0.010);
  a.scenario.run.uncertain = b.scenario.run.uncertain = {"storage.latency 0.5..2"};
  b.scenario.workload.step_time = Distribution::constant(0.091);
  const Comparison found = compare({a, b});
  const KpiComparison& time = figure(found, "time_to_train_s");
  // 100 steps of 1 ms more, whatever the latency.
  EXPECT_NEAR(time.differences[1]->mean, 0.1, 1e-3);
  EXPECT_LT(time.differences[1]->half_width(), 1e-3);
  // One that is uncertain in B alone does not: 10 ms times its interval, in 100 steps.
  a.scenario.run.uncertain.clear();
  const Comparison alone = compare({a, b});
  EXPECT_GT(figure(alone, "time_to_train_s").differences[1]->half_width(), 0.3);
}

TEST(Compare, IsTheSameWhateverTheThreads) {
  CompareOptions one, three;
  one.run.threads = 1;
  three.run.threads = 3;
  const std::vector<ResolvedScenario> scenarios = {lucky_job(0.02), lucky_job(0.03)};
  const Comparison a = compare(scenarios, one), b = compare(scenarios, three);
  for (std::size_t k = 0; k < a.figures.size(); ++k) {
    if (!a.figures[k].differences[1]) continue;
    EXPECT_EQ(a.figures[k].differences[1]->mean, b.figures[k].differences[1]->mean);
    EXPECT_EQ(a.figures[k].differences[1]->ci95_low, b.figures[k].differences[1]->ci95_low);
  }
}

TEST(Compare, WithoutPricesUtilizationDecides) {
  ResolvedScenario a = inline_job(0.005), b = inline_job(0.010);
  a.scenario.cost = b.scenario.cost = {};
  a.scenario.run.steps_per_epoch = b.scenario.run.steps_per_epoch = 0;
  a.scenario.run.whole_run = b.scenario.run.whole_run = false;
  const Comparison found = compare({b, a});
  EXPECT_EQ(found.advice.by->name, "gpu_utilization");
  EXPECT_THAT(found.advice.sentence, HasSubstr("Take B: its GPU utilization"));
}

TEST(Compare, AStopLeavesWhatIsThereAndNoAdvice) {
  std::stop_source source;
  source.request_stop();
  CompareOptions options;
  options.run.stop = source.get_token();
  const Comparison found = compare({inline_job(0.005), inline_job(0.010)}, options);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.pairs, 0);
  EXPECT_FALSE(found.advice.told_apart);
}

}  // namespace
}  // namespace stallcast
