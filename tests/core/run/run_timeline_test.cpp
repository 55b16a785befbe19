// The outer run timeline against what can be worked out by hand and against closed forms. No inner simulation: the pace
// and the checkpoints' behaviour are given.
#include "core/timeline/run_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/analytic/checkpoint_interval.h"
#include "core/engine/statistics.h"
#include "core/timeline/exact_trainer.h"
#include "core/timeline/interruptions.h"
#include "core/timeline/optimal_interval.h"
#include "core/timeline/replications.h"
#include "tests/core/run/time_of.h"
#include "tests/properties/random_scenario.h"
#include "tests/temporary_folder.h"

namespace stallcast {
namespace {

// Steps of 1 s on 8 GPUs that compute all the time.
TimelineInput pace(double steps, double interval, double stop) {
  TimelineInput in;
  in.steps = steps;
  in.paces = {{steps, 1.0, 8.0}};
  in.checkpoint.interval_steps = interval;
  in.checkpoint.interval_s = interval;
  in.checkpoint.stop_s = stop;
  in.checkpoint.write_s = stop;
  return in;
}

Scenario job() {
  Scenario s;
  s.cluster.nodes = 4;
  s.cluster.gpus_per_node = 2;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.cost.pricing = HostPricing::kSpot;  // so that preemptions can come
  return s;
}

SimulatedRun one(const Scenario& s, const TimelineInput& in, std::uint64_t replication = 0) {
  const auto trainer = paced_trainer(s, in, 1, replication);
  return simulate_timeline(s, in, *trainer, 1, replication);
}

// A billion steps, which would take a day: whoever asks for a stop gets it before the session ends, and no run of it.
TEST(ExactTrainer, AStopEndsItsSession) {
  Scenario s = job();
  s.workload.step_time = Distribution::constant(1.0);
  s.checkpoint.interval_steps = 1000;
  s.checkpoint.size = bytes(1e9);
  s.run.epochs = 1;
  s.run.steps_per_epoch = 1'000'000'000;
  std::stop_source stop;
  stop.request_stop();
  const TimelineInput in = pace(1e9, 1000.0, 0.0);
  const auto trainer = exact_trainer(s, in, 1, 0, stop.get_token());
  EXPECT_EQ(simulate_timeline(s, in, *trainer, 1, 0).wall_s, kNotAtAll);
}

// Ten steps of a second that read next to nothing.
Scenario ten_steps() {
  Scenario s = job();
  s.workload.batch_size = 1;
  s.workload.step_time = Distribution::constant(1.0);
  s.loader.num_workers = 1;
  s.loader.persistent_workers = true;
  s.dataset.sample_size = Distribution::constant(1.0);
  s.checkpoint.size = bytes(8.0);
  s.failures.maintenance_time = seconds(1.0);
  s.run.epochs = 1;
  s.run.steps_per_epoch = 10;
  return s;
}

// Ten steps of a second and then validation for ten, which a maintenance of a second interrupts after eighteen. It is
// announced, so that all steps are saved before it: only the validation comes again, 19 + 10 s in all. The run had
// ended with what interrupted it, after 18 s.
TEST(ExactTrainer, WhatInterruptsTheLastValidationInterruptsTheRun) {
  Scenario s = ten_steps();
  s.workload.validation_step_time = seconds(10.0);
  s.workload.validation_steps = 1;
  s.checkpoint.interval_steps = 8;
  s.failures.maintenance_interval = seconds(18.0);
  const TimelineInput in = pace(10.0, 8.0, 0.0);
  const std::stop_source stop;
  const auto trainer = exact_trainer(s, in, 1, 0, stop.get_token());
  EXPECT_NEAR(simulate_timeline(s, in, *trainer, 1, 0).wall_s, 29.0, 0.1);
}

// What starts anew after an interruption takes its start once more, and that is time of the restart.
TEST(ExactTrainer, AStartIsNoTraining) {
  Scenario s = ten_steps();
  s.loader.start_cpu = seconds(4.0);
  s.cluster.cores_per_node = 8;
  s.checkpoint.interval_steps = 5;
  s.failures.maintenance_interval = seconds(12.0);
  TimelineInput in = pace(10.0, 5.0, 0.0);
  in.startup_s = 4.0;
  const std::stop_source stop;
  const auto trainer = exact_trainer(s, in, 1, 0, stop.get_token());
  const SimulatedRun run = simulate_timeline(s, in, *trainer, 1, 0);
  EXPECT_NEAR(time_of(run, WallTime::kTraining), 10.0, 0.1);
  EXPECT_NEAR(time_of(run, WallTime::kRestart), 8.0, 0.1);
}

std::vector<SimulatedRun> many(const Scenario& s, const TimelineInput& in, std::int64_t count) {
  RunOptions options;
  options.replications = count;
  return replicate(s, in, 1, options);
}

Interval wall_of(const std::vector<SimulatedRun>& runs) {
  std::vector<double> values;
  for (const SimulatedRun& run : runs) values.push_back(run.wall_s);
  return mean_of_replications(values);
}

// Startup 3, 100 steps, a stop of 5 after every 20, the last step too: 3 + 100 + 25.
TEST(RunTimeline, WithoutInterruptions) {
  TimelineInput in = pace(100, 20, 5);
  in.startup_s = 3.0;
  in.preparation_s = 7.0;
  const SimulatedRun run = one(job(), in);
  EXPECT_DOUBLE_EQ(run.wall_s, 135.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kTraining), 100.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kCheckpoint), 25.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kRestart), 3.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kPreparation), 7.0);
  EXPECT_DOUBLE_EQ(run.checkpoints, 5.0);
  EXPECT_DOUBLE_EQ(run.useful_gpu_s, 800.0);
}

// A cold epoch of 10 steps of 3 s before the warm ones of 1 s: 30 + 90.
TEST(RunTimeline, EpochsOfSeveralKinds) {
  TimelineInput in = pace(100, 1000, 0);
  in.paces = {{10, 3.0, 8.0}, {100, 1.0, 8.0}};
  EXPECT_DOUBLE_EQ(one(job(), in).wall_s, 120.0);
}

// Stops of 1 s, 30 s of writing, every 10 steps: each checkpoint but the first waits 20 s for the one before.
//   step 10 at 10, stop to 11, written at 41; step 20 at 21, waits to 41, stop to 42, written at 72; step 30 at 52, ...
TEST(RunTimeline, AWriteThatOutlivesTheIntervalHoldsTheNextOneBack) {
  Scenario s = job();
  s.checkpoint.mode = CheckpointMode::kAsync;
  TimelineInput in = pace(40, 10, 1);
  in.checkpoint.write_s = 30.0;
  const SimulatedRun run = one(s, in);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kBacklog), 60.0);
  EXPECT_DOUBLE_EQ(run.wall_s, 40 + 4 + 60);
  s.checkpoint.when_busy = WhenBusy::kSkip;
  const SimulatedRun skipping = one(s, in);  // written at 41: those at 21 and 31 are left out, that at 41 is not
  EXPECT_DOUBLE_EQ(skipping.skipped_checkpoints, 2.0);
  EXPECT_DOUBLE_EQ(skipping.wall_s, 40 + 2);
}

// What a session leaves behind: first level after 2 + 4 s, each second one on storage 10 s later, each second of those
// exported 20 s later. At 100 s: steps 10, 20, ..., each 12 s after the one before.
TEST(RunTimeline, CheckpointsGoFromLevelToLevel) {
  Scenario s = job();
  s.checkpoint.mode = CheckpointMode::kAsync;
  s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
  s.checkpoint.storage_every = 2;
  s.checkpoint.export_every = 2;
  TimelineInput in = pace(1000, 10, 2);
  in.checkpoint.write_s = 4.0;
  in.checkpoint.storage_s = 10.0;
  in.checkpoint.export_s = 20.0;
  TrainingSession session;
  paced_trainer(s, in, 1, 0)->train(0.0, 0.0, 100.0, session);
  ASSERT_EQ(session.saved.size(), 8U);
  EXPECT_DOUBLE_EQ(session.saved[0].first_level_at, 10 + 2 + 4);
  EXPECT_TRUE(std::isinf(session.saved[0].storage_at));
  EXPECT_DOUBLE_EQ(session.saved[1].first_level_at, 22 + 2 + 4);
  EXPECT_DOUBLE_EQ(session.saved[1].storage_at, 38);
  EXPECT_TRUE(std::isinf(session.saved[1].exported_at));
  EXPECT_DOUBLE_EQ(session.saved[3].exported_at, 46 + 2 + 4 + 10 + 20);
  EXPECT_DOUBLE_EQ(session.step, 84.0);  // 8 stops of 2 in 100 s
  EXPECT_FALSE(session.finished);
}

// The first failure of this replication at t, later ones left out: t = n * 12 + rest in a cycle of 10 steps and a stop
// of 2. Everything since the last full cycle is lost; then 3 to notice, 4 to replace, 5 to restart, 6 to restore.
TEST(RunTimeline, AFailureCostsTheWorkSinceTheLastCheckpointAndTheRecovery) {
  Scenario s = job();
  s.failures.mtti = seconds(300);
  s.failures.detection_time = seconds(3);
  s.failures.replacement_time = seconds(4);
  s.failures.restart_time = seconds(5);
  Interruptions clock(s, 1, 0);
  const double t = clock.next().at_s;
  clock.pass(Interruption::kFailure);
  TimelineInput in = pace(0, 10, 2);
  in.checkpoint.restore_s = 6.0;
  const double cycles = std::floor(t / 12.0);
  in.steps = 10 * (cycles + 1);  // one cycle after the failure
  in.paces.front().until_step = in.steps;
  ASSERT_GT(cycles, 0.0);
  ASSERT_GT(clock.next().at_s, t + 18 + 12) << "another seed is needed";
  const SimulatedRun run = one(s, in);
  const double lost = t - 12 * cycles;
  EXPECT_NEAR(time_of(run, WallTime::kRework), lost, 1e-9);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kDetection), 3.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kReplacement), 4.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kRestart), 5.0);
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kRestore), 6.0);
  EXPECT_NEAR(run.wall_s, 12 * (cycles + 1) + lost + 18, 1e-9);
  EXPECT_NEAR(run.steps_lost, std::min(lost, 10.0), 1e-9);
}

// Planned stops lose nothing: at 50 a checkpoint of 2 s, 30 s of maintenance, 5 of restart; 87 s later the clock is at
// 100 and the next one due.
TEST(RunTimeline, MaintenanceFollowsACheckpoint) {
  Scenario s = job();
  s.failures.maintenance_interval = seconds(50);
  s.failures.maintenance_time = seconds(30);
  s.failures.restart_time = seconds(5);
  const SimulatedRun run = one(s, pace(60, 1000, 2));
  EXPECT_DOUBLE_EQ(time_of(run, WallTime::kRework), 0.0);
  EXPECT_DOUBLE_EQ(run.wall_s, 50 + 2 + 30 + 5 + 10);
  EXPECT_DOUBLE_EQ(run.interruptions[static_cast<std::size_t>(Interruption::kMaintenance)], 1.0);
}

// Two spares, repairs of 1000 s, failures that take one node each: the third within 1000 s waits for the first repair
// or for a replacement, whichever is sooner.
TEST(RunTimeline, SparesRunOut) {
  Scenario s = job();
  s.failures.mtti = seconds(50);
  s.failures.spares = 2;
  s.failures.swap_time = seconds(1);
  s.failures.replacement_time = seconds(100);
  s.failures.repair_time = seconds(100000);
  const SimulatedRun run = one(s, pace(2000, 5, 0));
  const double failures = run.interruptions[static_cast<std::size_t>(Interruption::kFailure)];
  ASSERT_GT(failures, 5.0);
  // The first two are swaps, the rest full replacements, less what the next failure cuts off.
  EXPECT_LE(time_of(run, WallTime::kReplacement), 2 + 100 * (failures - 2) + 1e-9);
  s.failures.spares = 1000;
  EXPECT_LE(time_of(one(s, pace(2000, 5, 0)), WallTime::kReplacement), failures + 1e-9);
}

// One spare, machines that fail every 10 h, up or not, and 24 h to repair one; a new one takes 1000 h. Failed machines
// leave for repair as they come and are repaired side by side, so that those in repair are an M/G/infinity queue:
// Poisson of mean a = 24 / 10. Training goes on while no more than the one spare is missing: e^-a (1 + a) = 30.8 % of
// the time.
TEST(RunTimeline, AJobWithSparesStandsWhileMoreMachinesAreInRepair) {
  Scenario s = job();
  s.cluster.nodes = 100;
  s.failures.mtti = seconds(10 * 3600);
  s.failures.spares = 1;
  s.failures.replacement_time = seconds(1000 * 3600);
  s.failures.repair_time = seconds(24 * 3600);
  const SimulatedRun mean = mean_of(many(s, pace(1e7, 100, 0), 20));
  EXPECT_NEAR(time_of(mean, WallTime::kTraining) / mean.wall_s, std::exp(-2.4) * 3.4, 0.01);
}

// The same with 20 h for a new machine: sooner than any that is repaired where its repair has just begun. A machine
// that is bought comes instead of one that is not repaired, so that with repairs that never end all but the first
// failure wait 20 h each: the time of a failure that follows another within 20 h runs out beside it, and training goes
// on with the chance that none came within the last 20 h, e^-2.
TEST(RunTimeline, AMachineThatIsBoughtTakesThePlaceOfTheFailedOne) {
  Scenario s = job();
  s.cluster.nodes = 100;
  s.failures.mtti = seconds(10 * 3600);
  s.failures.spares = 1;
  s.failures.replacement_time = seconds(20 * 3600);
  s.failures.repair_time = seconds(1e6 * 3600);
  const SimulatedRun mean = mean_of(many(s, pace(1e7, 100, 0), 20));
  EXPECT_NEAR(time_of(mean, WallTime::kTraining) / mean.wall_s, std::exp(-2.0), 0.01);
}

// Two machines fail at once and one spare is left: the other waits for the first of the two to be repaired. A machine
// that is back before the failure is noticed waits no longer than for the swap.
TEST(RunTimeline, ARepairedMachineTakesOverAsSoonAsItIsBack) {
  Scenario s = job();
  s.failures.mtti = seconds(1e6);
  s.failures.nodes_per_failure = 2;
  s.failures.spares = 1;
  s.failures.swap_time = seconds(7);
  s.failures.repair_time = seconds(100);
  s.failures.replacement_time = seconds(1000);
  const auto waited = [&s] {
    const SimulatedRun mean = mean_of(many(s, pace(1e6, 100, 0), 20));
    return time_of(mean, WallTime::kReplacement) / mean.interruptions[static_cast<std::size_t>(Interruption::kFailure)];
  };
  EXPECT_NEAR(waited(), 100 + 7, 0.5);
  s.failures.detection_time = seconds(40);
  EXPECT_NEAR(waited(), 60 + 7, 0.5);
  s.failures.detection_time = seconds(200);
  EXPECT_NEAR(waited(), 7, 0.5);
}

// A lost node's disk is lost with its copy; the job goes back to the last copy on storage. When processes alone fail,
// disks keep theirs.
TEST(RunTimeline, LocalCopiesAreLostWithTheirNode) {
  Scenario s = job();
  s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
  s.checkpoint.storage_every = 10;
  s.failures.mtti = seconds(1000);
  TimelineInput in = pace(100000, 10, 0.1);
  in.checkpoint.write_s = 0.1;
  s.failures.node_loss_fraction = 0.0;
  const SimulatedRun kept = mean_of(many(s, in, 20));
  s.failures.node_loss_fraction = 1.0;
  const SimulatedRun lost = mean_of(many(s, in, 20));
  // Half an interval of 10 s is lost per failure, or half of ten intervals.
  EXPECT_NEAR(kept.steps_lost / kept.interruptions[0], 5.0, 0.5);
  EXPECT_NEAR(lost.steps_lost / lost.interruptions[0], 50.0, 5.0);
  EXPECT_DOUBLE_EQ(kept.restores, 0.0);  // all from the nodes' own disks
  EXPECT_GT(lost.restores, 0.0);
}

// Peers' memory outlives one node, and does not outlive all.
TEST(RunTimeline, PeersOutliveASingleNode) {
  Scenario s = job();
  s.checkpoint.first_level = CheckpointLevel::kPeerMemory;
  s.checkpoint.storage_every = 10;
  s.failures.mtti = seconds(1000);
  TimelineInput in = pace(100000, 10, 0.1);
  in.checkpoint.write_s = 0.1;
  const SimulatedRun single = mean_of(many(s, in, 20));
  EXPECT_NEAR(single.steps_lost / single.interruptions[0], 5.0, 0.5);
  s.failures.nodes_per_failure = 4;  // of 4: 1 - exp(-4) of the pairs are broken
  const SimulatedRun all = mean_of(many(s, in, 20));
  const double broken = 1.0 - std::exp(-4.0);
  EXPECT_NEAR(all.steps_lost / all.interruptions[0], broken * 50.0 + (1 - broken) * 5.0, 5.0);
}

// A scratch tier that loses everything takes the checkpoints with it, but not what was exported.
TEST(RunTimeline, ScratchLossGoesBackToTheExportedCopy) {
  Scenario s = job();
  s.storage.mean_time_to_data_loss = seconds(5000);
  TimelineInput in = pace(20000, 100, 0);
  in.rehydration_s = 40.0;
  in.checkpoint.export_s = 10.0;
  s.checkpoint.export_every = 5;
  const std::vector<SimulatedRun> runs = many(s, in, 100);
  const SimulatedRun mean = mean_of(runs);
  const double losses = mean.interruptions[static_cast<std::size_t>(Interruption::kDataLoss)];
  EXPECT_NEAR(mean.steps_lost / losses, 250.0 + 10.0, 20.0);  // half of five intervals and the time of the export
  EXPECT_NEAR(mean.rehydrations, losses, 0.05 * losses);      // but for losses while one is under way
  EXPECT_NEAR(time_of(mean, WallTime::kRehydration), 40.0 * losses, 0.05 * 40.0 * losses);
}

// Notice of 30 s: a checkpoint of 20 s is still written, one of 40 s is not. Waiting is not paid for.
TEST(RunTimeline, PreemptionWithNotice) {
  Scenario s = job();
  s.failures.preemption_mtti = seconds(2000);
  s.failures.preemption_notice = seconds(30);
  s.failures.preemption_wait = seconds(100);
  const SimulatedRun quick = mean_of(many(s, pace(20000, 500, 20), 50));
  const double preemptions = quick.interruptions[static_cast<std::size_t>(Interruption::kPreemption)];
  EXPECT_LT(quick.steps_lost / preemptions, 1.0);  // the step that was under way
  EXPECT_NEAR(quick.unpaid_s, 100.0 * preemptions, 1e-6 * quick.wall_s);
  const SimulatedRun slow = mean_of(many(s, pace(20000, 500, 40), 50));
  EXPECT_GT(slow.steps_lost / slow.interruptions[static_cast<std::size_t>(Interruption::kPreemption)], 150.0);
}

// --- closed forms ---

struct Machine {
  double delta, mtti, restart;
};

Scenario failing(const Machine& m) {
  Scenario s = job();
  s.failures.mtti = seconds(m.mtti);
  s.failures.detection_time = seconds(0.4 * m.restart);
  s.failures.restart_time = seconds(0.6 * m.restart);
  return s;
}

const std::vector<Machine> kMachines{{60, 8424, 300}, {20, 11135, 120}, {300, 86400, 900}, {5, 1000, 30}};

// The exact expression for exponential interruptions, which strike recovery too. **Source** Daly 2006
TEST(RunTimeline, ExpectedWallTimeIsTheExactExpression) {
  for (const Machine& m : kMachines) {
    for (const double factor : {0.5, 1.0, 2.0}) {
      const double tau = std::round(factor * daly_interval(m.delta, m.mtti));
      const double solve = tau * std::round(400.0 * m.mtti / tau);
      const Interval wall = wall_of(many(failing(m), pace(solve, tau, m.delta), 200));
      const double expected = expected_wall_time(solve, tau, m.delta, m.mtti, m.restart);
      const double half99 = wall.half_width * 2.6 / 1.97;  // t at 99 % over t at 95 %, 199 degrees of freedom
      EXPECT_NEAR(wall.mean, expected, half99) << m.delta << " " << m.mtti << " x" << factor;
      EXPECT_LT(half99, 0.01 * expected);
    }
  }
}

// The simulated optimum lies within 10 % of Daly's higher order, and the waste there within 0.3 points of the exact.
TEST(OptimalInterval, IsDalysWhereItsAssumptionsHold) {
  for (const Machine& m : kMachines) {
    const double daly = daly_interval(m.delta, m.mtti);
    const double solve = std::round(400.0 * m.mtti);
    TimelineInput in = pace(solve, daly, m.delta);
    Scenario s = failing(m);
    s.checkpoint.cadence = CheckpointCadence::kOptimal;
    s.checkpoint.shortest_interval = Seconds();
    const OptimalInterval found = optimal_interval_of(s, in, 1.0, 7, {});
    EXPECT_NEAR(found.interval_s / daly, 1.0, 0.1) << m.delta << " " << m.mtti;
    const double waste = 1.0 - solve / found.wall_s;
    EXPECT_NEAR(waste, wasted_fraction(found.interval_s, m.delta, m.mtti, m.restart), 0.003) << m.delta;
  }
}

// None is shorter than people accept, and what that costs is told beside it; of a first level only each n-th counts.
TEST(OptimalInterval, IsNoShorterThanAllowed) {
  const Machine m = {2.0, 3600.0, 60.0};
  const double daly = daly_interval(m.delta, m.mtti);
  const TimelineInput in = pace(std::round(400.0 * m.mtti), daly, m.delta);
  Scenario s = failing(m);
  s.checkpoint.cadence = CheckpointCadence::kOptimal;
  s.checkpoint.shortest_interval = seconds(3.0 * daly);
  const OptimalInterval held = optimal_interval_of(s, in, 1.0, 7, {});
  EXPECT_NEAR(held.interval_s, 3.0 * daly, 1.0);
  EXPECT_NEAR(held.free_s / daly, 1.0, 0.1);
  EXPECT_GT(held.wall_s, held.free_wall_s);
  s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
  s.checkpoint.storage_every = 3;
  const OptimalInterval levels = optimal_interval_of(s, in, 1.0, 7, {});
  EXPECT_NEAR(levels.interval_s / daly, 1.0, 0.1);
}

// Meta's expression, where N r (u0 + dt / 2) < 0.1.
TEST(RunTimeline, EttrIsThePublishedExpressionWhereInterruptionsAreFew) {
  struct Case {
    double nodes, per_1000_node_days, u0_min, dt_min, w_min;
  };
  for (const Case& c : {Case{256, 6.5, 5, 60, 5}, Case{256, 6.5, 5, 60, 0.5}, Case{1024, 6.5, 5, 15, 0.5},
                        Case{128, 2.34, 10, 120, 1}, Case{2048, 3.789, 4, 10, 0.1}}) {
    const double mtti = 86400.0 / (c.nodes * c.per_1000_node_days * 1e-3);
    ASSERT_LT((c.u0_min + c.dt_min / 2) * 60.0 / mtti, 0.1);
    const Scenario s = failing({c.w_min * 60, mtti, c.u0_min * 60});
    const double solve = c.dt_min * 60.0 * std::round(200.0 * mtti / (c.dt_min * 60.0));
    const SimulatedRun mean = mean_of(many(s, pace(solve, c.dt_min * 60, c.w_min * 60), 100));
    const double ettr = time_of(mean, WallTime::kTraining) / mean.wall_s;
    EXPECT_NEAR(ettr, expected_ettr(c.dt_min * 60, c.w_min * 60, mtti, c.u0_min * 60), 0.01) << c.nodes;
  }
}

// 419 unexpected interruptions in 54 days: Poisson, so their spread is sqrt(419) = 20.5.
TEST(Interruptions, AreAsManyAndAsSpreadAsAPoissonProcess) {
  Scenario s = job();
  s.cluster.nodes = 2048;
  s.failures.per_1000_node_days = 3.789;
  const double days = 54 * 86400.0;
  std::vector<double> counts;
  for (std::uint64_t r = 0; r < 400; ++r) {
    Interruptions clock(s, 1, r);
    double n = 0.0;
    for (; clock.next().at_s < days; clock.pass(Interruption::kFailure)) n += 1.0;
    counts.push_back(n);
  }
  const Interval mean = mean_of_replications(counts);
  EXPECT_NEAR(mean.mean, 419.0, 1.5 * mean.half_width);
  double squares = 0.0;
  for (const double n : counts) squares += (n - mean.mean) * (n - mean.mean);
  EXPECT_NEAR(std::sqrt(squares / 399.0), 20.5, 20.5 * 3.0 / std::sqrt(2 * 399.0));
}

// 1 / (1/100 + 1/300) = 75; with preemptions every 75 s half of it, but only spot machines are preempted.
TEST(Interruptions, RatesOfAllKindsAddUp) {
  Scenario s = job();
  EXPECT_EQ(unplanned_mtti_s(s), 0.0);
  s.failures.mtti = seconds(100);
  s.failures.outage_mtti = seconds(300);
  EXPECT_NEAR(unplanned_mtti_s(s), 75.0, 1e-12);
  s.failures.preemption_mtti = seconds(75);
  EXPECT_NEAR(unplanned_mtti_s(s), 37.5, 1e-12);
  s.cost.pricing = HostPricing::kOnDemand;
  EXPECT_NEAR(unplanned_mtti_s(s), 75.0, 1e-12);
}

// Weibull times of shape 0.7 have the same mean and a coefficient of variation of sqrt(G(1+2/k)/G(1+1/k)^2 - 1) = 1.46.
TEST(Interruptions, WeibullTimesHaveTheStatedMean) {
  Scenario s = job();
  s.failures.mtti = seconds(100);
  s.failures.law = FailureLaw::kWeibull;
  s.failures.weibull_shape = 0.7;
  Interruptions clock(s, 1, 0);
  double before = 0.0, sum = 0.0, squares = 0.0;
  constexpr int kGaps = 100000;
  for (int i = 0; i < kGaps; ++i) {
    const double gap = clock.next().at_s - before;
    before = clock.next().at_s;
    sum += gap;
    squares += gap * gap;
    clock.pass(Interruption::kFailure);
  }
  const double mean = sum / kGaps;
  EXPECT_NEAR(mean, 100.0, 3.0 * 146.0 / std::sqrt(kGaps));
  EXPECT_NEAR(std::sqrt(squares / kGaps - mean * mean) / mean, 1.46, 0.03);
}

// --- conservation ---

Scenario random_timeline(Dice& dice, TimelineInput& in) {
  Scenario s = job();
  s.cluster.nodes = dice.whole(2, 100);
  CheckpointSpec& c = s.checkpoint;
  c.mode = static_cast<CheckpointMode>(dice.whole(0, 2));
  c.when_busy = static_cast<WhenBusy>(dice.whole(0, 1));
  c.first_level = static_cast<CheckpointLevel>(dice.whole(0, 2));
  c.storage_every = dice.whole(1, 4);
  c.export_every = dice.whole(0, 3);
  s.storage.servers = dice.whole(0, 20);
  s.storage.slow_server_fraction = dice.chance(0.5) ? 0.05 : 0.0;
  s.storage.slow_server_factor = 3.0;
  FailureSpec& f = s.failures;
  if (dice.chance(0.7)) f.mtti = seconds(dice.uniform(200, 5000));
  f.law = static_cast<FailureLaw>(dice.whole(0, 1));
  f.nodes_per_failure = dice.whole(1, 2);
  f.node_loss_fraction = dice.uniform(0, 1);
  if (dice.chance(0.4)) f.outage_mtti = seconds(dice.uniform(1000, 20000));
  f.outage_nodes = dice.whole(1, 2);
  f.outage_time = seconds(dice.uniform(0, 300));
  f.detection_time = seconds(dice.uniform(0, 30));
  f.spares = dice.whole(0, 4);
  f.swap_time = seconds(dice.uniform(0, 20));
  f.replacement_time = seconds(dice.uniform(0, 200));
  f.repair_time = seconds(dice.uniform(0, 5000));
  f.restart_time = seconds(dice.uniform(0, 30));
  if (dice.chance(0.4)) f.preemption_mtti = seconds(dice.uniform(500, 10000));
  f.preemption_notice = seconds(dice.uniform(0, 40));
  f.preemption_wait = seconds(dice.uniform(0, 400));
  if (dice.chance(0.4)) f.maintenance_interval = seconds(dice.uniform(500, 5000));
  f.maintenance_time = seconds(dice.uniform(0, 200));
  if (dice.chance(0.4)) s.storage.mean_time_to_data_loss = seconds(dice.uniform(2000, 50000));
  in = pace(dice.uniform(500, 20000), static_cast<double>(dice.whole(5, 500)), dice.uniform(0, 10));
  in.steps = std::round(in.steps);
  in.paces = {{std::round(0.2 * in.steps), dice.uniform(0.5, 3.0), 4.0}, {in.steps, dice.uniform(0.2, 1.0), 4.0}};
  in.startup_s = dice.uniform(0, 20);
  in.rehydration_s = dice.uniform(0, 100);
  in.checkpoint.write_s = in.checkpoint.stop_s * (c.mode == CheckpointMode::kSync ? 1.0 : dice.uniform(1, 10));
  in.checkpoint.storage_s = dice.uniform(0, 60);
  in.checkpoint.export_s = dice.uniform(0, 60);
  in.checkpoint.restore_s = dice.uniform(0, 30);
  in.checkpoint.first_level_restore_s = dice.uniform(0, 3);
  return s;
}

// Every second is in one place, and every step is either kept or done again: nothing is lost, nothing counted twice.
TEST(RunTimeline, ConservesTimeAndWork) {
  Dice dice(20261121);
  int finished = 0;
  for (int i = 0; i < 400; ++i) {
    TimelineInput in;
    const Scenario s = random_timeline(dice, in);
    const SimulatedRun run = one(s, in, static_cast<std::uint64_t>(i));
    if (!std::isfinite(run.wall_s)) continue;  // gets nowhere
    ++finished;
    double sum = 0.0;
    for (const double time : run.time_s) {
      EXPECT_GE(time, -1e-9) << i;
      sum += time;
    }
    EXPECT_NEAR(sum, run.wall_s, 1e-9 * run.wall_s) << i;
    EXPECT_NEAR(run.useful_gpu_s, 4.0 * in.steps, 1e-6 * in.steps) << i;
    EXPECT_NEAR(run.computed_gpu_s, 4.0 * (in.steps + run.steps_lost), 1e-6 * (in.steps + run.steps_lost)) << i;
    const double cold = in.paces[0].until_step;
    EXPECT_NEAR(time_of(run, WallTime::kTraining), cold * in.paces[0].step_s + (in.steps - cold) * in.paces[1].step_s,
                1e-6 * run.wall_s)
        << i;
    EXPECT_LE(run.unpaid_s, run.wall_s) << i;
    EXPECT_LE(run.stored_checkpoints, run.checkpoints + 1e-9) << i;
  }
  EXPECT_GT(finished, 300);
}

// Better in one respect, with the same luck, is never worse in the mean.
TEST(RunTimeline, LessOfAnythingBadNeverCostsTime) {
  Scenario s = failing({20, 3000, 200});
  const TimelineInput in = pace(200000, 300, 20);
  const double wall = wall_of(many(s, in, 100)).mean;
  TimelineInput better = in;
  better.checkpoint.stop_s = better.checkpoint.write_s = 10.0;
  EXPECT_LT(wall_of(many(s, better, 100)).mean, wall);
  Scenario calmer = s;
  calmer.failures.mtti = seconds(6000);
  EXPECT_LT(wall_of(many(calmer, in, 100)).mean, wall);
  Scenario quicker = s;
  quicker.failures.restart_time = seconds(10);
  EXPECT_LT(wall_of(many(quicker, in, 100)).mean, wall);
}

// Stopped after a few simulated runs, and gone on with: every one is what it would have been, and none is simulated
// twice.
TEST(Replications, AStoppedSetGoesOnWhereItWas) {
  const Scenario s = failing({20, 3000, 200});
  const TimelineInput in = pace(50000, 300, 20);
  const std::filesystem::path file = temporary_folder() / "stopped_set.jsonl";
  std::filesystem::remove(file);
  RunOptions options;
  options.replications = 60;
  const std::vector<SimulatedRun> undisturbed = replicate(s, in, 1, options);
  options.journal = file.string();
  std::stop_source stop;
  options.stop = stop.get_token();
  options.progress = [&](const Progress& progress) {
    if (progress.runs >= 10) stop.request_stop();
  };
  const std::size_t before = replicate(s, in, 1, options).size();
  EXPECT_GE(before, 10U);
  EXPECT_LT(before, 60U);
  options.stop = {};
  std::int64_t drawn = 0;
  options.progress = [&](const Progress&) { ++drawn; };
  const std::vector<SimulatedRun> resumed = replicate(s, in, 1, options);
  EXPECT_EQ(static_cast<std::size_t>(drawn), 60 - before);
  ASSERT_EQ(resumed.size(), undisturbed.size());
  for (std::size_t r = 0; r < resumed.size(); ++r) {
    EXPECT_EQ(resumed[r].wall_s, undisturbed[r].wall_s) << r;
    EXPECT_EQ(resumed[r].time_s, undisturbed[r].time_s) << r;
    EXPECT_EQ(resumed[r].interruptions, undisturbed[r].interruptions) << r;
    EXPECT_EQ(resumed[r].steps_lost, undisturbed[r].steps_lost) << r;
  }
}

TEST(RunTimeline, ARunThatGetsNowhereSaysSo) {
  Scenario s = failing({20, 10, 200});
  EXPECT_TRUE(std::isinf(one(s, pace(2000, 300, 20)).wall_s));
  s.failures.mtti = seconds(1e-6);  // far below a step: not a billion interruptions before that shows
  EXPECT_TRUE(std::isinf(one(s, pace(2000, 300, 20)).wall_s));
}

}  // namespace
}  // namespace stallcast
