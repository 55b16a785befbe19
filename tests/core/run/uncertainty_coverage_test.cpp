// Synthetic truths: does the predicted interval hold them? Slow: thousands of small runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/random_stream.h"
#include "core/run/simulate.h"
#include "core/run/uncertainty.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

constexpr int kTruths = 200;

// Storage between half and twice as fast as the GPU, by `position` in 0 to 1: either may be the limit, or both.
Scenario job_at(double position) {
  Scenario s;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::lognormal(0.05, 0.1);
  s.dataset.samples = 100'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(200e6 * std::exp2(2.0 * position - 1.0));
  s.storage.latency = Distribution::lognormal(0.002, 0.6);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  return s;
}

// `truth` is known to its own interval, relative to its value; rounding aside.
bool holds(const Estimate& interval, double truth, double relative_half) {
  return truth * (1.0 + relative_half) >= interval.ci95_low - 1e-9 &&
         truth * (1.0 - relative_half) <= interval.ci95_high + 1e-9;
}

// Of each job that is given, the truth is drawn as its intervals say. The predicted interval holds what the truth gives
// in the long run in 95 to 97.4 % of the cases (uncertainty.h); 200 of them have a standard error of 1.5 points. Of
// utilization in more: many truths and many draws are both at its ceiling of 1.
TEST(UncertainInputsCoverage, PredictedIntervalsHoldTheTruth) {
  const std::vector<UncertainInput> inputs = {{"/storage/read_bandwidth", 0.85, 1.25},
                                              {"/workload/step_time", 0.9, 1.08}};
  std::vector<int> utilization(kTruths), time(kTruths);
  parallel_for(kTruths, 0, [&](std::int64_t c) {
    const auto at = static_cast<std::size_t>(c);
    const RandomStream luck(4711, DrawPurpose::kTest, static_cast<std::uint64_t>(c));
    Scenario given = job_at(luck.uniform_at(inputs.size()));
    Scenario truth = given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      truth = scaled(truth, inputs[i].pointer, factor_at(inputs[i], luck.uniform_at(i)));
      given.run.uncertain.push_back(uncertain_input_text(inputs[i]));
    }
    truth.run.precision = 0.001;  // its own luck is not part of it
    RunOptions options;
    options.threads = 1;
    options.seed = static_cast<std::uint64_t>(c);
    const RunResult predicted = simulate(given, options);
    options.seed = static_cast<std::uint64_t>(c) + 1000;
    const RunResult was = simulate(truth, options);
    const double known_to = std::max(truth.run.precision, was.gpu_utilization.half_width());
    utilization[at] = holds(predicted.gpu_utilization, was.gpu_utilization.mean, known_to);
    time[at] = holds(predicted.inputs.time_to_train_s, was.time_to_train_s, known_to);
  });
  for (const auto& [what, held] : {std::pair("utilization", &utilization), std::pair("run_time", &time)}) {
    int all = 0;
    for (const int one : *held) all += one;
    RecordProperty(what, all);
    EXPECT_GE(all, kTruths * 90 / 100) << what;
    EXPECT_LE(all, kTruths * 99 / 100) << what;
  }
}

}  // namespace
}  // namespace stallcast
