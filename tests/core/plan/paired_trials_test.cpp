#include "core/plan/pairs/paired_trials.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/plan/explain/explain.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

// Busy for a tenth of the time for each worker; a sketch says 0.05 more, and knows it to 0.02 and not to 0.001.
struct FakeRuns {
  std::atomic<std::int64_t> sketches = 0, fine = 0;

  Simulation run() {
    return [this](const Scenario& scenario, const RunOptions& options) {
      const bool sketch = options.coarse;
      ++(sketch ? sketches : fine);
      RunResult result;
      const double mean = 0.1 * static_cast<double>(scenario.loader.num_workers) + (sketch ? 0.05 : 0.0);
      const double half = sketch ? 0.02 : 0.001;
      result.gpu_utilization = {mean, mean - half, mean + half};
      return result;
    };
  }
};

Scenario with_workers(std::int64_t workers) {
  Scenario scenario;
  scenario.loader.num_workers = workers;
  return scenario;
}

// The answer of a job of two workers that took this many samples and events.
RunResult answer(std::int64_t samples, std::int64_t events) {
  RunResult now;
  now.gpu_utilization = {0.2, 0.199, 0.201};
  now.samples = samples;
  now.events = events;
  return now;
}
constexpr std::int64_t kFew = 1'000, kMany = 100'000'000;

Change change_to(std::int64_t workers) { return {"workers", ChangeKind::kSetting, "workers", with_workers(workers)}; }

TEST(PairedTrials, AreAsFineAsAnAnswerThatTookNoMoreThanACoarseRun) {
  FakeRuns runs;
  const PairedTrials trials(with_workers(2), answer(kFew, kFew), {}, runs.run());
  EXPECT_FALSE(trials.coarse());
  EXPECT_EQ(runs.sketches + runs.fine, 0);  // the answer is the base
  EXPECT_DOUBLE_EQ(trials.base().gpu_utilization.mean, 0.2);
  const RunResult after = trials.of(with_workers(4));
  EXPECT_EQ(runs.fine, 1);
  EXPECT_DOUBLE_EQ(trials.utilization(after).mean, 0.4);
}

// The base is 0.25 where the answer is 0.2. Of busy GPUs 0.15 / 0.25 are left with one worker, 0.6 of 0.2; of idle ones
// 0.55 / 0.75 with four, which leaves 0.8 * 0.55 / 0.75 of 1.
TEST(PairedTrials, PutWhatTwoSketchesSayOnTheScaleOfTheAnswer) {
  FakeRuns runs;
  const PairedTrials trials(with_workers(2), answer(kMany, kMany), {}, runs.run());
  EXPECT_TRUE(trials.coarse());
  EXPECT_EQ(runs.sketches, 1);
  const Estimate less = trials.utilization(trials.of(with_workers(1)));
  const Estimate more = trials.utilization(trials.of(with_workers(4)));
  EXPECT_EQ(runs.sketches, 3);
  EXPECT_EQ(runs.fine, 0);
  EXPECT_NEAR(less.mean, 0.2 * 0.15 / 0.25, 1e-9);
  EXPECT_NEAR(more.mean, 1.0 - 0.8 * 0.55 / 0.75, 1e-9);
  EXPECT_NEAR(more.half_width(), 0.02 * 0.2 / 0.25, 1e-9);
}

TEST(PairedTrials, AreExactWhereTheAnswerIs) {
  FakeRuns runs;
  RunOptions exact;
  exact.exact = true;
  EXPECT_FALSE(PairedTrials(with_workers(2), answer(kMany, kMany), exact, runs.run()).coarse());
}

// A hundred thousand steps at a price; three workers feed the GPU, two of them four fifths of it.
constexpr const char* kPriced = R"({"cluster": {"gpus_per_node": 1, "cores_per_node": 8},
    "workload": {"batch_size": 10, "step_time": "100 ms"},
    "dataset": {"sample_size": "100 kB", "decode_time": "5 ms", "tensor_size": "600 kB"},
    "loader": {"num_workers": 2, "prefetch_factor": 2, "persistent_workers": true},
    "storage": {"latency": "20 ms"}, "cost": {"node_price": "$36/h", "storage_discount": 1},
    "run": {"steps_per_epoch": 1000, "epochs": 1000}})";

ResolvedScenario priced(const Point& point) {
  return *resolve_at(scenario_file(kPriced), point, shipped_catalogue()).value;
}

TEST(PairedEvaluations, OfTheJobItselfAreItsAnswer) {
  const Evaluation now = evaluate(priced({}), RunOptions());
  PairedEvaluations pairs(priced({}), now, {});
  EXPECT_TRUE(pairs.trials().coarse());
  const KpiValues same = pairs.of(priced({}));
  for (const Kpi& kpi : kpi_table()) {
    const auto answer = kpi.of(now), &value = value_of(kpi, same);
    ASSERT_EQ(answer.has_value(), value.has_value()) << kpi.name;
    if (!answer) continue;
    EXPECT_NEAR(value->mean, answer->mean, 1e-9 * std::abs(answer->mean)) << kpi.name;
  }
  EXPECT_EQ(pairs.runs(), 1);
}

TEST(PairedEvaluations, APriceIsPaidInProportionAndNotSimulatedAgain) {
  const Evaluation now = evaluate(priced({}), RunOptions());
  PairedEvaluations pairs(priced({}), now, {});
  const KpiValues dear = pairs.of(priced({{"/cost/node_price", "$108/h"}}));
  EXPECT_NEAR(value_of(*find_kpi("cost.total_usd"), dear).value().mean, 3.0 * now.cost.total().value().to_double(),
              0.02);
  EXPECT_EQ(pairs.runs(), 1);
}

// A third worker feeds the GPU: what two sketches say of it is what its own answer says.
TEST(PairedEvaluations, SayWhatTheAnswerOfTheChangedJobDoes) {
  const Evaluation now = evaluate(priced({}), RunOptions());
  PairedEvaluations pairs(priced({}), now, {});
  const ResolvedScenario changed = priced({{"/loader/num_workers", "3"}});
  const KpiValues three = pairs.of(changed), answer = kpi_values(evaluate(changed, RunOptions()));
  EXPECT_GT(value_of(*find_kpi("gpu_utilization"), three)->mean, now.result.gpu_utilization.mean + 0.15);
  for (const char* name : {"gpu_utilization", "samples_per_s", "time_to_train_s", "cost.total_usd", "cost.wasted_usd",
                           "effective_usd_per_useful_gpu_hour"}) {
    const double wanted = value_of(*find_kpi(name), answer).value().mean;
    const double slack = std::string(name) == "cost.wasted_usd" ? 0.1 : 0.01;  // a small difference of large ones
    EXPECT_NEAR(value_of(*find_kpi(name), three).value().mean, wanted, slack * wanted) << name;
  }
}

// Only machines cost something, and what the GPUs compute stays the same: whatever a change does, dollars, time and
// dollars per busy hour times utilization are what they were, and samples per second over it. Failures are drawn anew
// in the sketches, which are a quarter of the simulated runs: the sketch of the job itself is not as busy as its
// answer.
TEST(PairedEvaluations, BillAndTimeSayTheSameAsUtilization) {
  const Point failing = {{"/failures/mtti", "20 h"},        {"/failures/detection_time", "1 h"},
                         {"/failures/restart_time", "1 h"}, {"/checkpoint/mode", "sync"},
                         {"/checkpoint/size", "30 GB"},     {"/checkpoint/interval_steps", "2000"}};
  const Evaluation now = evaluate(priced(failing), RunOptions());
  PairedEvaluations pairs(priced(failing), now, {});
  Point changed = failing;
  changed.push_back({"/checkpoint/mode", "async"});
  changed.push_back({"/loader/num_workers", "3"});
  const KpiValues before = pairs.now(), after = pairs.of(priced(changed));
  const auto mean = [](const char* name, const KpiValues& values) { return mean_of(*find_kpi(name), values); };
  EXPECT_GT(mean("gpu_utilization", after), mean("gpu_utilization", before) + 0.05);
  const double busier = mean("gpu_utilization", after) / mean("gpu_utilization", before);
  for (const char* name :
       {"cost.total_usd", "cost.compute_usd", "time_to_train_s", "effective_usd_per_useful_gpu_hour"})
    EXPECT_NEAR(mean(name, before) / mean(name, after), busier, 2e-3 * busier) << name;
  EXPECT_NEAR(mean("samples_per_s", after) / mean("samples_per_s", before), busier, 2e-3 * busier);
}

// A sketch knows a gain of 0.35 to 0.016, within a twentieth of it, and one of 0.15 not.
TEST(TryChanges, RunsFinelyWhatMattersAndIsNotKnownYet) {
  FakeRuns runs;
  Scenario job = with_workers(2);
  job.run.precision = 0.005;
  const auto found = try_changes(job, answer(kMany, 1), {change_to(2), change_to(4), change_to(8)}, {}, runs.run());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(runs.sketches, 4);
  EXPECT_EQ(runs.fine, 1);
  EXPECT_NEAR(found[0]->mean, 0.2, 1e-9);                      // no difference: a sketch
  EXPECT_NEAR(found[1]->mean, 0.4, 1e-9);                      // fine
  EXPECT_NEAR(found[2]->mean, 1.0 - 0.8 * 0.15 / 0.75, 1e-9);  // a sketch
}

// Two fine runs are affordable of three that are asked for: those of the largest differences.
TEST(TryChanges, RunsFinelyTheLargestDifferencesThatAreAffordable) {
  FakeRuns runs;
  Scenario job = with_workers(2);
  job.run.precision = 0.005;
  const std::vector<Change> changes = {change_to(3), change_to(5), change_to(4)};
  const auto found = try_changes(job, answer(kMany, 1'000'000), changes, {}, runs.run(), 2.5e6);
  EXPECT_EQ(runs.fine, 2);
  EXPECT_NEAR(found[0]->mean, 1.0 - 0.8 * 0.65 / 0.75, 1e-9);
  EXPECT_NEAR(found[1]->mean, 0.5, 1e-9);
  EXPECT_NEAR(found[2]->mean, 0.4, 1e-9);
}

TEST(TryChanges, LeavesOutWhatAStopLeftUndone) {
  FakeRuns runs;
  std::stop_source source;
  source.request_stop();
  RunOptions options;
  options.stop = source.get_token();
  const auto found = try_changes(with_workers(2), answer(kMany, 1), {change_to(4)}, options, runs.run());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].has_value());
}

}  // namespace
}  // namespace stallcast
