// A stop comes in the middle of a step too: here one step would take days to simulate.
#include <gtest/gtest.h>

#include <stop_token>
#include <utility>
#include <vector>

#include "core/run/joint_run.h"
#include "core/run/simulate.h"

namespace stallcast {
namespace {

// A step of 10^10 samples, each read and decoded on its own.
Scenario endless_step() {
  Scenario s;
  s.workload.batch_size = 10'000'000;
  s.workload.gradient_accumulation = 1000;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.sample_size = Distribution::constant(1e5);
  s.storage.latency = Distribution::constant(1e-3);
  s.storage.read_bandwidth = bytes_per_second(1e9);
  s.run.steps_per_epoch = 100;
  return s;
}

RunOptions asked_to_stop() {
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  return options;
}

TEST(Stop, EndsASimulationInTheMiddleOfAStep) {
  for (const bool whole : {false, true}) {
    Scenario s = endless_step();
    s.run.whole_run = whole;
    const RunResult result = simulate(s, asked_to_stop());
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.steps, 0);
  }
}

TEST(Stop, EndsSeveralJobsInTheMiddleOfAStep) {
  Scenario loading;
  loading.job = JobKind::kServing;
  loading.serving.weights = bytes(1e12);
  loading.storage.read_bandwidth = bytes_per_second(1e9);
  const Scenario training = endless_step();
  const double horizon_s = 1e9;
  for (const Scenario* other : {&training, &std::as_const(loading)}) {
    const std::vector<JointJob> jobs{{&training, 1, nullptr, 1.0}, {other, 2, nullptr, 1.0}};
    const JointRates rates = simulate_joint(training, jobs, {.horizon_s = horizon_s, .stop = asked_to_stop().stop});
    ASSERT_EQ(rates.jobs.size(), 2u);
    EXPECT_EQ(rates.jobs.front().steps_per_s, 0.0);
  }
}

}  // namespace
}  // namespace stallcast
