// The best case is one: no simulated job does better than it.
#include "core/plan/search/best_case.h"

#include <gtest/gtest.h>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/undisturbed.h"
#include "core/run/simulate.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

TEST(BestCase, NoSimulatedJobDoesBetter) {
  int tight = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    ResolvedScenario job;
    job.scenario = random_scenario(i);
    job.scenario.cost.node_price = UsdPerHour::from_base(10.0);
    job.scenario.cost.storage_discount = 1.0;
    const Figures best = best_case(job, job);
    const Figures simulated = simulated_figures(evaluate(job, RunOptions()));
    constexpr double kRounding = 1e-9;
    EXPECT_LE(simulated.at(Figure::kUtilization), best.at(Figure::kUtilization) + kRounding) << describe(job.scenario);
    if (!best.of(Figure::kTime)) continue;
    EXPECT_GE(simulated.at(Figure::kTime), best.at(Figure::kTime)) << describe(job.scenario);
    EXPECT_GE(simulated.at(Figure::kTotal), best.at(Figure::kTotal)) << describe(job.scenario);
    EXPECT_GE(simulated.at(Figure::kGpuHour), best.at(Figure::kGpuHour)) << describe(job.scenario);
    if (simulated.at(Figure::kTime) < 2.0 * best.at(Figure::kTime)) ++tight;
  }
  EXPECT_GT(tight, 60) << "it says nothing";
}

// Checkpoints and interruptions only add to a run: the search takes one undisturbed run for the bound of every cadence.
TEST(BestCase, NoRunIsBetterThanTheUndisturbedRun) {
  int compared = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    ResolvedScenario job;
    Scenario& s = job.scenario;
    s = random_scenario(i);
    s.failures.mtti = seconds(0.2 + 0.1 * static_cast<double>(i));
    s.failures.restart_time = seconds(0.1);
    s.run.replications = 4;
    s.cost.node_price = UsdPerHour::from_base(10.0);
    s.cost.storage_discount = 1.0;
    const std::optional<Scenario> part = undisturbed_part(s);
    if (!part) continue;
    const RunResult undisturbed = simulate(*part);
    const Figures best = simulated_figures(evaluate(job, undisturbed));
    if (undisturbed.steps == 0) continue;
    const Figures simulated = simulated_figures(evaluate(job, simulate(s)));
    // A pause refills the queues: what a checkpoint costs in all is measured, and may come out below nothing.
    constexpr double kMeasured = 1e-3;
    EXPECT_LE(simulated.at(Figure::kUtilization), best.at(Figure::kUtilization) * (1.0 + 1e-9)) << describe(s);
    for (const Figure f : {Figure::kTime, Figure::kTotal, Figure::kGpuHour}) {
      ASSERT_TRUE(best.of(f)) << describe(s);
      if (!simulated.of(f)) continue;  // interrupted too often to be ever done
      ++compared;
      EXPECT_GE(simulated.at(f), best.at(f) * (1.0 - kMeasured)) << figure_name(f) << " " << describe(s);
    }
  }
  EXPECT_GT(compared, 180) << "it says nothing";
}

// One rank computes 100 steps of 10 ms, with nothing to load: 1 s, and 3600 dollars per hour are 1 dollar.
TEST(BestCase, OfAJobThatOnlyComputesIsItsCompute) {
  ResolvedScenario job;
  Scenario& s = job.scenario;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.sample_size = Distribution::constant(1000.0);
  s.run.steps_per_epoch = 100;
  s.run.precision = 0.0;
  s.cost.node_price = UsdPerHour::from_base(3600.0);
  s.cost.storage_discount = 1.0;
  const Figures best = best_case(job, job);
  EXPECT_NEAR(best.at(Figure::kUtilization), 1.0, 1e-12);
  EXPECT_NEAR(best.at(Figure::kTime), 1.0, 1e-9);
  EXPECT_NEAR(best.at(Figure::kTotal), 1.0, 1e-9);
}

}  // namespace
}  // namespace stallcast
