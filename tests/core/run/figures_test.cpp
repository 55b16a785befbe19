// Every figure of a result is a sum over its ledger, so that they agree: on random jobs, simulated whole and in parts,
// with checkpoints, caches and interruptions.
#include "core/steps/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/cost/price_run.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/run_length.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

Scenario random_run(std::uint64_t number) {
  Scenario s = random_scenario(number);
  Dice dice(0x1ed6e5 + number);
  s.run.whole_run = false;
  s.run.epochs = dice.chance(0.3) ? 1 : 3;
  if (dice.chance(0.3)) {
    s.page_cache.policy = CachePolicy::kLru;
    s.page_cache.capacity = bytes(dice.uniform(1e6, 1e9));
  }
  if (dice.chance(0.4)) {
    s.checkpoint.mode = dice.chance(0.5) ? CheckpointMode::kSync : CheckpointMode::kAsync;
    s.checkpoint.cadence = dice.chance(0.5) ? CheckpointCadence::kSteps : CheckpointCadence::kEpochs;
    s.checkpoint.interval_steps = 7;
    s.checkpoint.size = bytes(1e6);
    s.checkpoint.write_bandwidth = bytes_per_second(1e8);
    s.checkpoint.to_storage = false;
  }
  if (dice.chance(0.3)) {
    s.failures.mtti = seconds(dice.uniform(5.0, 50.0));
    s.failures.restart_time = seconds(0.5);
    s.failures.detection_time = seconds(0.2);
    s.run.replications = 4;
  }
  s.cost.node_price = UsdPerHour::from_base(36.0);
  s.cost.storage_discount = 1.0;
  return s;
}

void expect_identities(const Scenario& s, const RunResult& r) {
  const auto gpus = static_cast<double>(s.ranks());
  const double lost = std::accumulate(r.lost_fraction.begin(), r.lost_fraction.end(), 0.0);
  EXPECT_NEAR(lost + r.gpu_utilization.mean, 1.0, 1e-6) << "causes and computing are all of the time: " << describe(s);
  const RunTotals& t = r.totals;
  const double near = 1e-9 * r.time_to_train_s;
  EXPECT_NEAR(t.samples / r.samples_per_s, r.time_to_train_s, near)
      << "samples over time are the rate: " << describe(s);
  EXPECT_NEAR(t.useful_gpu_s / (gpus * r.time_to_train_s), r.goodput_fraction, 1e-9) << describe(s);
  EXPECT_NEAR(t.listing_s + t.staging_s + t.training_s + t.rework_s + t.recovery_s + t.unpaid_s, r.time_to_train_s,
              near)
      << "the parts of the bill are the time: " << describe(s);
  EXPECT_NEAR(t.useful_gpu_s + t.lost_gpu_s, t.training_s * gpus, 1e-9 * t.training_s * gpus) << describe(s);
  const double steps = sum_of(r.ledger, is_training).steps;
  EXPECT_NEAR(steps * r.step_time_s.mean, t.training_s, near) << "steps times their mean are the time: " << describe(s);
  EXPECT_NEAR(steps / (epoch_steps(s) * static_cast<double>(s.run.epochs)), 1.0, 1e-9) << describe(s);
  if (r.timeline.replications > 0) {
    EXPECT_NEAR(r.timeline.wall_s.mean, r.time_to_train_s, 1e-6 * r.time_to_train_s) << "one account: " << describe(s);
  }
  ResolvedScenario job;
  job.scenario = s;
  const CostBreakdown cost = price_run(job, r);
  ASSERT_TRUE(cost.total()) << describe(s);
  const double hours = r.time_to_train_s / 3600.0;
  EXPECT_NEAR(cost.total()->to_double(), 36.0 * hours * static_cast<double>(s.cluster.nodes), 1e-6 + 1e-9 * hours)
      << "the bill's hours are the time: " << describe(s);
}

TEST(Figures, AgreeBecauseTheyAreSumsOverOneLedger) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Scenario s = random_run(i);
    for (const double affordable : {kAffordableSamples, 300.0}) {
      RunOptions options;
      options.affordable_samples = affordable;
      options.threads = 1;
      const RunResult r = simulate(s, options);
      if (r.steps == 0 || !std::isfinite(r.time_to_train_s)) continue;
      expect_identities(s, r);
    }
  }
}

// 100 steps of 10 ms with a checkpoint of 0.5 s after every 20 of them: 1 s computing, 2.5 s of stops.
TEST(Figures, OfCheckpointsByEveryCadence) {
  Scenario s;
  s.workload.step_time = Distribution::constant(0.01);
  s.loader.num_workers = 0;
  s.run.epochs = 5;
  s.run.steps_per_epoch = 20;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.size = bytes(1e9);
  s.checkpoint.write_bandwidth = bytes_per_second(2e9);
  s.checkpoint.to_storage = false;
  s.checkpoint.interval_steps = 20;
  s.checkpoint.interval = milliseconds(200);
  for (const CheckpointCadence cadence :
       {CheckpointCadence::kSteps, CheckpointCadence::kEpochs, CheckpointCadence::kTime}) {
    s.checkpoint.cadence = cadence;
    for (const bool whole : {false, true}) {
      s.run.whole_run = whole;
      const RunResult r = simulate(s);
      EXPECT_EQ(r.checkpoints, 5);
      EXPECT_NEAR(r.time_to_train_s, 3.5, 1e-9);
      EXPECT_NEAR(r.gpu_utilization.mean, 1.0 / 3.5, 1e-9);
      EXPECT_NEAR(r.lost_fraction[index(LostTime::kCheckpoint)], 2.5 / 3.5, 1e-9);
      EXPECT_NEAR(r.checkpoint_stop_s, 0.5, 1e-9);
      EXPECT_EQ(r.totals.checkpoints, 5.0);
    }
  }
  // Nothing is ever lost: one at the end is enough.
  s.checkpoint.cadence = CheckpointCadence::kOptimal;
  EXPECT_NEAR(simulate(s).time_to_train_s, 1.5, 1e-9);
}

// One slow epoch: all of it counts, 4 s of reading for 1 s of computing.
// Ten minutes of one machine and a spare one, reserved for twice as long: a quarter of what is paid for is work at
// most.
TEST(Figures, SparesAndReservedTimeArePaidFor) {
  Scenario s;
  s.workload.step_time = Distribution::constant(1.0);
  s.run.steps_per_epoch = 600;
  s.loader.num_workers = 0;
  const RunResult alone = simulate(s);
  EXPECT_NEAR(alone.useful_gpu_fraction, 1.0, 1e-3);
  s.failures.mtti = seconds(1e12);
  s.failures.spares = 1;
  EXPECT_NEAR(simulate(s).useful_gpu_fraction, alone.useful_gpu_fraction / 2.0, 1e-6);
  s.cost.reserved_time = seconds(1200);
  const RunResult both = simulate(s);
  EXPECT_NEAR(both.useful_gpu_fraction, 600.0 / (1200.0 + both.time_to_train_s), 1e-6);
  EXPECT_NEAR(both.gpu_utilization.mean, alone.gpu_utilization.mean, 1e-6);
}

// A run without an end has no end of an epoch.
TEST(Figures, AnEndlessRunHasNoValidation) {
  Scenario s;
  s.workload.step_time = Distribution::constant(0.2);
  s.workload.validation_steps = 15;
  s.workload.validation_step_time = seconds(100);
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 50;
  s.checkpoint.size = bytes(1e9);
  s.storage.write_bandwidth = bytes_per_second(1e9);
  EXPECT_EQ(simulate(s).lost_fraction[index(LostTime::kValidation)], 0.0);
}

// 4 writers of 10 files each, every 5 of 20 steps: 160 files, and three requests for each where one takes 1 MB of 2.5.
TEST(Figures, EveryFileOfACheckpointIsARequest) {
  Scenario s;
  s.cluster.gpus_per_node = 4;
  s.workload.step_time = Distribution::constant(0.1);
  s.run.steps_per_epoch = 20;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.writers = CheckpointWriters::kAll;
  s.checkpoint.interval_steps = 5;
  s.checkpoint.size = bytes(100e6);
  s.checkpoint.files_per_writer = 10;
  s.storage.write_bandwidth = bytes_per_second(1e9);
  EXPECT_DOUBLE_EQ(simulate(s).totals.write_requests, 160.0);
  s.dataset.request_size = bytes(1e6);
  EXPECT_DOUBLE_EQ(simulate(s).totals.write_requests, 480.0);
}

TEST(Figures, ASlowFirstEpochIsPartOfTheRun) {
  Scenario s;
  s.workload.step_time = Distribution::constant(0.01);
  s.loader.num_workers = 4;
  s.loader.prefetch_factor = 2;
  s.storage.latency = Distribution::constant(0.2);
  s.run.steps_per_epoch = 8;
  const RunResult r = simulate(s);
  EXPECT_NEAR(r.gpu_utilization.mean, 0.08 / r.time_to_train_s, 1e-9);
  EXPECT_GT(r.lost_fraction[index(LostTime::kStorageLatency)] + r.lost_fraction[index(LostTime::kLoaderOrder)], 0.7);
}

}  // namespace
}  // namespace stallcast
