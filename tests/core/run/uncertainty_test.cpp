#include "core/run/uncertainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/plan/explain/explain.h"
#include "core/result/json/run_result_json.h"
#include "core/run/shared_jobs.h"
#include "core/timeline/optimal_interval.h"

namespace stallcast {
namespace {

// One rank, steps of 50 ms that read 10 MB: 200 MB/s wanted, 100 MB/s delivered. Without luck.
Scenario bandwidth_bound() {
  Scenario s;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.05);
  s.dataset.samples = 100'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  return s;
}

// The same with luck in its steps and latencies, near the point where storage and GPU are equally fast.
Scenario near_the_knee() {
  Scenario s = bandwidth_bound();
  s.workload.step_time = Distribution::lognormal(0.05, 0.2);
  s.storage.read_bandwidth = bytes_per_second(205e6);
  s.storage.latency = Distribution::lognormal(0.002, 0.6);
  return s;
}

Scenario with(Scenario s, std::vector<std::string> uncertain) {
  s.run.uncertain = std::move(uncertain);
  return s;
}

double width(const Estimate& e) { return e.ci95_high - e.ci95_low; }

// The 5th and 95th percentiles are the factors, the median is 1; z(0.975) / z(0.95) = 1.95996 / 1.64485 = 1.19158.
TEST(FactorAt, IsALognormalSplitAtTheValueGiven) {
  const UncertainInput input{"/storage/read_bandwidth", 0.8, 1.5};
  EXPECT_NEAR(factor_at(input, 0.05), 0.8, 1e-12);
  EXPECT_NEAR(factor_at(input, 0.5), 1.0, 1e-12);
  EXPECT_NEAR(factor_at(input, 0.95), 1.5, 1e-12);
  EXPECT_NEAR(factor_at(input, 0.025), std::pow(0.8, 1.19158), 1e-5);
  EXPECT_NEAR(factor_at(input, 0.975), std::pow(1.5, 1.19158), 1e-5);
  EXPECT_EQ(factor_at(input, 1e-9), factor_at(input, 0.001));
  EXPECT_EQ(factor_at({"/storage/noise", 1.0, 1.5}, 0.3), 1.0);
}

// Each of the 39 equally likely parts is met once: of 0.9..1.1 by the order of the factors.
TEST(DrawnFactors, AreALatinHypercube) {
  const std::vector<UncertainInput> inputs = {{"/storage/read_bandwidth", 0.8, 1.25},
                                              {"/workload/step_time", 0.5, 2.0}};
  const auto factors = drawn_factors(inputs, 7, kInputDraws);
  ASSERT_EQ(factors.size(), 39u);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<double> sorted;
    for (const auto& draw : factors) sorted.push_back(draw[i]);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t part = 0; part < sorted.size(); ++part) {
      const double from = static_cast<double>(part) / 39.0, to = static_cast<double>(part + 1) / 39.0;
      EXPECT_GE(sorted[part], part == 0 ? factor_at(inputs[i], 0.001) : factor_at(inputs[i], from)) << part;
      EXPECT_LE(sorted[part], part == 38 ? factor_at(inputs[i], 0.999) : factor_at(inputs[i], to)) << part;
    }
  }
}

TEST(DrawnFactors, DoNotDependOnTheOtherInputs) {
  const UncertainInput one{"/storage/read_bandwidth", 0.8, 1.25}, other{"/workload/step_time", 0.5, 2.0};
  const auto alone = drawn_factors({one}, 7, kInputDraws), after = drawn_factors({other, one}, 7, kInputDraws);
  const auto again = drawn_factors({one}, 8, kInputDraws);
  bool differs = false;
  for (std::size_t d = 0; d < alone.size(); ++d) {
    EXPECT_EQ(alone[d][0], after[d][1]);
    differs = differs || alone[d][0] != again[d][0];
  }
  EXPECT_TRUE(differs);
}

// Of one input: a further draw, uniform in probability, is beyond the lowest or the highest with 2 * E[p_min], p_min
// uniform in (0, 1/39): 1/39. Over 4000 seeds the mean has a standard error of sqrt(2 / 12) / 39 / sqrt(4000) = 1.7e-4.
// Of the sum of many alike inputs the draws are nearly independent: 2/40.
TEST(DrawnFactors, LowestAndHighestBoundAsManyAsTheyShould) {
  const UncertainInput input{"/storage/read_bandwidth", 0.5, 2.0};  // log2(factor) * 1.645 is the normal quantile
  const auto probability = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const auto z_of = [](double factor) { return std::log2(factor) * 1.6448536269514722; };
  double outside_one = 0.0, outside_many = 0.0;
  constexpr int kSeeds = 4000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::vector<UncertainInput> inputs;
    for (const char* pointer : {"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"})
      inputs.push_back({pointer, input.low_factor, input.high_factor});
    double low = 9.0, high = -9.0, low_sum = 99.0, high_sum = -99.0;
    for (const auto& draw : drawn_factors(inputs, static_cast<std::uint64_t>(seed), kInputDraws)) {
      double sum = 0.0;
      for (const double factor : draw) sum += z_of(factor);
      low = std::min(low, z_of(draw[0]));
      high = std::max(high, z_of(draw[0]));
      low_sum = std::min(low_sum, sum / std::sqrt(8.0));
      high_sum = std::max(high_sum, sum / std::sqrt(8.0));
    }
    outside_one += (probability(low) + probability(-high)) / kSeeds;
    outside_many += (probability(low_sum) + probability(-high_sum)) / kSeeds;
  }
  EXPECT_NEAR(outside_one, 1.0 / 39.0, 5 * 1.7e-4);
  EXPECT_LE(outside_many, 2.0 / 40.0 + 0.002);  // beta-distributed, standard error 0.034 / sqrt(4000) = 0.0006
  EXPECT_GE(outside_many, 1.0 / 39.0);
}

TEST(DrawnScenario, MovesTowardsWhatIsGivenUntilThereIsSuchAJob) {
  Scenario s = bandwidth_bound();
  s.dataset.samples = 100;  // in steps of 10: up to 10 times as many fit
  std::vector<double> factors = {100.0};
  const Scenario drawn = drawn_scenario(s, {{"/workload/batch_size", 0.5, 2.0}}, factors);
  EXPECT_EQ(drawn.workload.batch_size, 100);  // 10 * sqrt(100)
  EXPECT_DOUBLE_EQ(factors[0], 10.0);
}

// Throughput is in proportion to bandwidth, so its interval is the mean times the lowest and highest factor, and these
// lie where the order statistics of 39 strata do: the outermost parts of 1/39 each around the 2.5th and 97.5th
// percentile, exp(-+ 1.96 ln(1.25) / 1.645) = 0.766 and 1.305.
TEST(UncertainInputs, AClosedForm) {
  const UncertainInput input{"/storage/read_bandwidth", 0.8, 1.25};
  for (const std::int64_t seed : {1, 2, 3}) {
    Scenario s = with(bandwidth_bound(), {uncertain_input_text(input)});
    s.run.seed = seed;
    const RunResult r = simulate(s);
    const Estimate& rate = r.inputs.samples_per_s;
    EXPECT_NEAR(rate.mean, 100.0, 1.0);  // the first batch of 100 steps or more is waited for
    EXPECT_EQ(rate.mean, r.samples_per_s);
    double least = 1.0, most = 1.0;
    for (const auto& draw : drawn_factors({input}, static_cast<std::uint64_t>(seed), kInputDraws)) {
      least = std::min(least, draw[0]);
      most = std::max(most, draw[0]);
    }
    EXPECT_NEAR(rate.ci95_low / rate.mean, least, 0.003);
    EXPECT_NEAR(rate.ci95_high / rate.mean, most, 0.003);
    EXPECT_GT(rate.ci95_low / rate.mean, factor_at(input, 0.001) - 0.003);
    EXPECT_LT(rate.ci95_low / rate.mean, factor_at(input, 1.0 / 39.0) + 0.003);
    EXPECT_GT(rate.ci95_high / rate.mean, factor_at(input, 38.0 / 39.0) - 0.003);
    EXPECT_LT(rate.ci95_high / rate.mean, factor_at(input, 0.999) + 0.003);
    // Time is in proportion to 1 / bandwidth, utilization to bandwidth.
    EXPECT_NEAR(r.inputs.time_to_train_s.ci95_low / r.time_to_train_s, 1.0 / most, 0.003);
    EXPECT_NEAR(r.inputs.time_to_train_s.ci95_high / r.time_to_train_s, 1.0 / least, 0.003);
    EXPECT_NEAR(r.gpu_utilization.ci95_low / r.gpu_utilization.mean, least, 0.003);
    EXPECT_NEAR(r.inputs.inputs[0].throughput_share, 1.0, 1e-12);
  }
}

// Means, and everything else that is no interval, are of the inputs as given.
TEST(UncertainInputs, LeaveTheCentralValuesAlone) {
  const RunResult plain = simulate(near_the_knee());
  const RunResult wide =
      simulate(with(near_the_knee(), {"storage.read_bandwidth 0.9..1.1", "workload.step_time 0.95..1.05"}));
  auto a = run_result_to_json(plain), b = run_result_to_json(wide);
  EXPECT_TRUE(a["input_uncertainty"].is_null());
  for (const char* key : {"wall_s", "events", "input_uncertainty"}) a.erase(key), b.erase(key);
  EXPECT_LT(b["gpu_utilization"]["ci95_low"], a["gpu_utilization"]["ci95_low"]);
  a["gpu_utilization"] = b["gpu_utilization"];
  EXPECT_EQ(a, b);
  EXPECT_EQ(wide.inputs.simulation.gpu_utilization.ci95_low, plain.gpu_utilization.ci95_low);
  EXPECT_EQ(wide.inputs.simulation.gpu_utilization.ci95_high, plain.gpu_utilization.ci95_high);
  EXPECT_EQ(wide.inputs.drawn.size(), 39u);
}

// Nothing is written, so the write bandwidth is of no matter: all draws have the luck of the run as given.
TEST(UncertainInputs, WithoutInfluenceTheIntervalIsThatOfTheSimulation) {
  Scenario s = near_the_knee();
  s.storage.write_bandwidth = bytes_per_second(1e9);
  const RunResult r = simulate(with(s, {"storage.write_bandwidth 0.1..10"}));
  EXPECT_EQ(r.inputs.drawn.size(), 39u);
  EXPECT_EQ(r.gpu_utilization.ci95_low, r.inputs.simulation.gpu_utilization.ci95_low);
  EXPECT_EQ(r.gpu_utilization.ci95_high, r.inputs.simulation.gpu_utilization.ci95_high);
  EXPECT_EQ(r.inputs.inputs[0].utilization_share, 0.0);
}

TEST(UncertainInputs, WiderOnesNeverGiveANarrowerResult) {
  const auto job = [](bool knee) { return knee ? near_the_knee() : bandwidth_bound(); };
  for (const bool knee : {false, true}) {
    RunResult before = simulate(job(knee));
    before.inputs.samples_per_s = {before.samples_per_s, before.samples_per_s, before.samples_per_s};
    before.inputs.time_to_train_s = {before.time_to_train_s, before.time_to_train_s, before.time_to_train_s};
    for (const char* interval : {"0.98..1.02", "0.95..1.06", "0.9..1.2", "0.7..1.5"}) {
      const RunResult r = simulate(with(job(knee), {std::string("storage.read_bandwidth ") + interval}));
      for (const auto& [now, then] : {std::pair(r.gpu_utilization, before.gpu_utilization),
                                      std::pair(r.inputs.samples_per_s, before.inputs.samples_per_s),
                                      std::pair(r.inputs.time_to_train_s, before.inputs.time_to_train_s)}) {
        EXPECT_LE(now.ci95_low, then.ci95_low + 1e-9) << knee << " " << interval;
        EXPECT_GE(now.ci95_high, then.ci95_high - 1e-9) << knee << " " << interval;
      }
      before = r;
    }
  }
}

// Bandwidth decides and the step time does not, as long as storage is the limit.
TEST(UncertainInputs, SayWhichOneMatters) {
  const RunResult r =
      simulate(with(bandwidth_bound(), {"workload.step_time 0.9..1.1", "storage.read_bandwidth 0.8..1.25"}));
  EXPECT_LT(r.inputs.inputs[0].throughput_share, 0.2);
  EXPECT_GT(r.inputs.inputs[1].throughput_share, 0.8);
}

TEST(UncertainInputs, TheSameSeedGivesTheSameBytesOnOneAndTwoThreads) {
  const Scenario s = with(near_the_knee(), {"storage.read_bandwidth 0.9..1.1", "workload.step_time 0.95..1.05"});
  const auto bytes_with = [&](unsigned threads) {
    RunOptions options;
    options.threads = threads;
    auto json = run_result_to_json(simulate(s, options));
    json.erase("wall_s");
    return json.dump();
  };
  const std::string one = bytes_with(1);
  EXPECT_EQ(one, bytes_with(2));
  EXPECT_EQ(one, bytes_with(2));
}

// A mean time between failures that is known to a factor of two: the run's time is as uncertain, and the run timeline
// says so too; each draw has a quarter of the simulated runs.
TEST(UncertainInputs, FlowIntoTheTimeline) {
  Scenario s = bandwidth_bound();
  s.run.epochs = 20;  // 2.3 days
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 5000;
  s.checkpoint.size = bytes(1e9);
  s.failures.mtti = seconds(4.0 * 3600.0);
  s.failures.restart_time = seconds(600.0);
  s.run.replications = 400;
  const RunResult plain = simulate(s);
  const RunResult r = simulate(with(s, {"failures.mtti 0.5..2"}));
  EXPECT_EQ(r.timeline.replications, 400);
  EXPECT_EQ(r.timeline.wall_s.mean, plain.timeline.wall_s.mean);
  EXPECT_EQ(r.inputs.time_to_train_s.mean, plain.time_to_train_s);
  EXPECT_GT(width(r.timeline.wall_s), 1.5 * width(plain.timeline.wall_s));
  EXPECT_GT(width(r.timeline.goodput_fraction), 1.5 * width(plain.timeline.goodput_fraction));
  const std::size_t failures = static_cast<std::size_t>(Interruption::kFailure);
  // The outermost parts are beyond 0.5^(1.95 / 1.645) = 0.44 of the time between them, and 2.27 times it.
  EXPECT_LT(r.timeline.interruptions[failures].ci95_low, 0.5 * plain.timeline.interruptions[failures].mean);
  EXPECT_GT(r.timeline.interruptions[failures].ci95_high, 2.0 * plain.timeline.interruptions[failures].mean);
}

TEST(UncertainInputs, StoppedEarlyTheDrawsThatAreDoneCount) {
  const Scenario s = with(bandwidth_bound(), {"storage.read_bandwidth 0.8..1.25"});
  std::stop_source stop;
  RunOptions options;
  options.threads = 1;
  options.stop = stop.get_token();
  options.progress = [&](const Progress& progress) {
    if (progress.draws_wanted == 0) return;
    EXPECT_EQ(progress.draws_wanted, 39);
    if (progress.draws == 12) stop.request_stop();
  };
  const RunResult r = simulate(s, options);
  EXPECT_EQ(r.inputs.drawn.size(), 12u);
  EXPECT_FALSE(r.converged);
  EXPECT_LT(r.gpu_utilization.ci95_low, 0.95 * r.gpu_utilization.mean);
}

TEST(UncertainInputs, StoppedBeforeTheDrawsTheRunIsAsSimulated) {
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  const RunResult r = simulate(with(bandwidth_bound(), {"storage.read_bandwidth 0.8..1.25"}), options);
  EXPECT_TRUE(r.inputs.drawn.empty());
  EXPECT_EQ(r.inputs.draws_wanted, 39);
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(r.gpu_utilization.ci95_low, r.inputs.simulation.gpu_utilization.ci95_low);
}

// A job that names no records, so nothing of it has a price.
ResolvedScenario without_records(const Scenario& scenario) {
  ResolvedScenario resolved;
  resolved.scenario = scenario;
  return resolved;
}

// Failures every 10 h, a stop of 2 s, 100 GB to storage beside training: at 1 GB/s that takes 100 s, and Daly's
// interval is sqrt(2 * 2 * 36000) = 379 s but for terms of the next order. At a fifteenth of the bandwidth a write
// takes 1500 s, and no interval that is to be optimal is shorter.
TEST(CoarseRun, AnOptimalIntervalIsSoOfWhatIsDrawn) {
  Scenario s = bandwidth_bound();
  s.checkpoint.mode = CheckpointMode::kAsync;
  s.checkpoint.cadence = CheckpointCadence::kOptimal;
  s.checkpoint.shortest_interval = {};
  s.checkpoint.size = bytes(100e9);
  s.checkpoint.snapshot_time = seconds(2.0);
  s.storage.write_bandwidth = bytes_per_second(1e9);
  s.failures.mtti = seconds(36'000.0);
  RunResult result;
  result.timeline.checkpoint.interval_s = 400.0;  // searched for, a little longer than the closed form
  result.timeline.checkpoint.interval_steps = 1000.0;
  const CoarseRun run = coarse_run(s, result, {});
  const std::vector<UncertainInput> inputs{{"/storage/write_bandwidth", 0.05, 1.5}, {"/failures/mtti", 0.25, 4.0}};
  const auto interval_at = [&](double bandwidth, double mtti) {
    std::vector<double> factors{bandwidth, mtti};
    return run.drawn(inputs, factors).checkpoint.interval.base();
  };
  EXPECT_NEAR(interval_at(1.0, 1.0), 400.0 - 0.2, 1e-9);  // half a step: one comes with the step in which it passes
  EXPECT_NEAR(interval_at(1.0, 4.0), 800.0, 8.0);
  EXPECT_NEAR(interval_at(1.0 / 15.0, 1.0), 1500.0 * 400.0 / 379.0, 20.0);
  // A local NVMe takes the checkpoints, every second of which goes on to storage: two intervals have 1500 s for it.
  s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
  s.checkpoint.storage_every = 2;
  s.storage.write_bandwidth = bytes_per_second(1e9 / 15.0);
  EXPECT_NEAR(estimated_interval(s), 750.0, 1.0);
  s.checkpoint.cadence = CheckpointCadence::kTime;
  s.checkpoint.interval = seconds(400.0);
  std::vector<double> factors{1.0 / 15.0, 4.0};
  EXPECT_EQ(coarse_run(s, result, {}).drawn(inputs, factors).checkpoint.interval.base(), 400.0);
}

// Counterfactuals are of the inputs as given: no draws, and the gain is between central values.
TEST(UncertainInputs, ExplainTriesChangesOnTheInputsAsGiven) {
  const Scenario s = with(bandwidth_bound(), {"storage.read_bandwidth 0.8..1.25"});
  const Explanation plain = explain(without_records(bandwidth_bound())), wide = explain(without_records(s));
  ASSERT_EQ(plain.counterfactuals.size(), wide.counterfactuals.size());
  for (std::size_t i = 0; i < plain.counterfactuals.size(); ++i) {
    EXPECT_EQ(wide.counterfactuals[i].gain, plain.counterfactuals[i].gain);
    EXPECT_EQ(wide.counterfactuals[i].gpu_utilization.ci95_low, plain.counterfactuals[i].gpu_utilization.ci95_low);
  }
  EXPECT_FALSE(wide.result.inputs.drawn.empty());
}

TEST(UncertainInputs, SeveralJobsAreSimulatedWithTheValuesGiven) {
  const Scenario s = with(bandwidth_bound(), {"storage.read_bandwidth 0.8..1.25"});
  const SharedResult result = simulate_jobs({s, bandwidth_bound()});
  EXPECT_EQ(result.jobs[0].alone.inputs.draws_wanted, 0);
}

}  // namespace
}  // namespace stallcast
