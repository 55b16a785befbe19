// A simulated run moment by moment against the sums that simulate_timeline keeps of it, and against the result it
// belongs to.
#include "core/timeline/logged_run.h"

#include <gtest/gtest.h>

#include "core/run/simulate.h"
#include "tests/core/run/time_of.h"

namespace stallcast {
namespace {

double logged(const TimelineLog& log, WallTime what) {
  double sum = 0.0;
  for (const TimelinePhase& phase : log.phases)
    if (phase.what == what) sum += phase.end_s - phase.begin_s;
  return sum;
}

void expect_same(const LoggedRun& drawn) {
  const SimulatedRun& run = drawn.run;
  const double tolerance = 1e-9 * run.wall_s;
  double end_s = 0.0;
  for (const TimelinePhase& phase : drawn.log.phases) {
    EXPECT_DOUBLE_EQ(phase.begin_s, end_s);
    EXPECT_GT(phase.end_s, phase.begin_s);
    end_s = phase.end_s;
  }
  EXPECT_NEAR(end_s, run.wall_s, tolerance);
  for (std::size_t k = 0; k < kWallTimes; ++k) {
    const auto what = static_cast<WallTime>(k);
    double expected = run.time_s[k];
    if (what == WallTime::kTraining) expected += time_of(run, WallTime::kCheckpoint) + time_of(run, WallTime::kBacklog);
    if (what == WallTime::kCheckpoint || what == WallTime::kBacklog) expected = 0.0;
    EXPECT_NEAR(logged(drawn.log, what), expected, tolerance) << wall_time_name(what);
  }
  double interruptions = 0.0;
  for (const double count : run.interruptions) interruptions += count;
  EXPECT_EQ(static_cast<double>(drawn.log.interruptions.size()), interruptions);
}

// One node that trains steps of 1 s, fails every 2000 s in the mean, and saves every 100 s.
Scenario failing_job() {
  Scenario s;
  s.cluster.cores_per_node = 8;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(1.0);
  s.dataset.sample_size = Distribution::constant(1e3);
  s.dataset.samples = 40000;
  s.loader.num_workers = 2;
  s.run.epochs = 5;
  s.run.precision = 0.05;
  s.run.replications = 12;
  s.failures.mtti = seconds(2000);
  s.failures.restart_time = seconds(30);
  s.failures.detection_time = seconds(5);
  s.failures.node_loss_fraction = 0.5;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.cadence = CheckpointCadence::kTime;
  s.checkpoint.interval = seconds(100);
  s.checkpoint.size = bytes(1e9);
  s.storage.write_bandwidth = bytes_per_second(1e9);
  s.storage.read_bandwidth = bytes_per_second(1e9);
  return s;
}

TEST(TimelineLog, LosesTheLatestTrainingThatIsStillKept) {
  TimelineLog log;
  log.add(WallTime::kTraining, 10.0);
  log.add(WallTime::kRestart, 12.0);
  log.add(WallTime::kTraining, 20.0);
  log.lose(9.0);  // 8 s after the restart and 1 s before it
  ASSERT_EQ(log.phases.size(), 4U);
  EXPECT_DOUBLE_EQ(log.phases[0].end_s, 9.0);
  EXPECT_EQ(log.phases[1].what, WallTime::kRework);
  EXPECT_EQ(log.phases[3].what, WallTime::kRework);
  EXPECT_DOUBLE_EQ(logged(log, WallTime::kRework), 9.0);
  log.lose(2.0);
  EXPECT_DOUBLE_EQ(logged(log, WallTime::kRework), 11.0);
  EXPECT_DOUBLE_EQ(logged(log, WallTime::kTraining), 7.0);
}

TEST(LoggedRun, IsOneOfThoseTheResultIsTheMeanOf) {
  const Scenario s = failing_job();
  const RunResult result = simulate(s);
  ASSERT_EQ(result.timeline.replications, 12);
  SimulatedRun sum;
  for (std::uint64_t r = 0; r < 12; ++r) {
    const auto drawn = logged_run(s, result, r);
    ASSERT_TRUE(drawn);
    expect_same(*drawn);
    sum.wall_s += drawn->run.wall_s / 12.0;
    sum.useful_gpu_s += drawn->run.useful_gpu_s / 12.0;
    sum.steps_lost += drawn->run.steps_lost / 12.0;
  }
  EXPECT_NEAR(sum.wall_s, result.timeline.mean.wall_s, 1e-9 * sum.wall_s);
  EXPECT_NEAR(sum.useful_gpu_s, result.timeline.mean.useful_gpu_s, 1e-6 * sum.useful_gpu_s);
  EXPECT_NEAR(sum.steps_lost, result.timeline.mean.steps_lost, 1e-6 * sum.steps_lost);
  EXPECT_GT(sum.steps_lost, 0.0);
}

TEST(LoggedRun, EveryKindOfInterruptionIsSummedUp) {
  Scenario s = failing_job();
  s.cost.pricing = HostPricing::kSpot;
  s.failures.preemption_mtti = seconds(4000);
  s.failures.preemption_notice = seconds(30);
  s.failures.preemption_wait = seconds(300);
  s.failures.maintenance_interval = seconds(5000);
  s.failures.maintenance_time = seconds(200);
  const RunResult result = simulate(s);
  for (std::uint64_t r = 0; r < 12; ++r) expect_same(*logged_run(s, result, r));
}

TEST(LoggedRun, WithoutInterruptionsItIsTheRun) {
  Scenario s = failing_job();
  s.failures = {};
  s.checkpoint = {};
  const RunResult result = simulate(s);
  const auto drawn = logged_run(s, result);
  ASSERT_TRUE(drawn);
  expect_same(*drawn);
  EXPECT_NEAR(drawn->run.wall_s, result.time_to_train_s, 1e-6 * result.time_to_train_s);
  s.dataset.samples = 0;
  EXPECT_FALSE(logged_run(s, simulate(s)));
}

}  // namespace
}  // namespace stallcast
