// Predictions of runs whose every time is constant, so that they can be worked out by hand.
#include "core/backtest/prediction.h"

#include <gtest/gtest.h>

#include "tests/core/backtest/made_up_machine.h"

namespace stallcast {
namespace {

LoaderSetting setting(std::int64_t workers, double step_s, std::int64_t batches) {
  LoaderSetting s;
  s.workload = "test";
  s.workers = workers;
  s.batch_size = 4;
  s.batches = batches;
  s.decode_passes = 2.0;
  s.step_s = step_s;
  return s;
}

// A sample of 1 MB: 1 ms of latency, 1 ms of bytes, 2 passes of 1 ms: 4 ms. A batch of 4: 16 ms. Inline, then a step of
// 8 ms: 24 ms each; utilization 8/24.
TEST(Prediction, WithoutWorkersIsLoadingPlusStep) {
  const Prediction p = predict(made_up_machine(), files_of(10, 1e6), setting(0, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 4 / 0.024, 1e-6 * 4 / 0.024);
  EXPECT_NEAR(p.utilization.mean, 8.0 / 24.0, 1e-6);
}

// One worker, a step shorter than its 16 ms: the k-th batch comes at 16 k ms, the last step ends 8 ms after it.
TEST(Prediction, OfAStarvedConsumerIsWhatAWorkerDelivers) {
  const Prediction p = predict(made_up_machine(), files_of(10, 1e6), setting(1, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 200 / (50 * 0.016 + 0.008), 1e-3);
}

// Two workers deliver two batches every 16 ms and more; a step of 40 ms is the limit: first batch, then 50 steps.
TEST(Prediction, OfASaturatedConsumerIsItsSteps) {
  BacktestInputs inputs = made_up_machine();
  StorageLaw& law = inputs.storage.reads.law;
  law.seconds_per_byte = 0.0;  // so that two first batches do not slow each other down
  law.stream_seconds_per_byte = 1e-9;
  const Prediction p = predict(inputs, files_of(10, 1e6), setting(2, 0.040, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 200 / (0.016 + 50 * 0.040), 1e-3);
}

// What a read takes of a core is not taken twice: 0.4 ms of the latency is processor time.
TEST(Prediction, ProcessorTimeOfReadsIsPartOfTheirLatency) {
  BacktestInputs inputs = made_up_machine();
  inputs.read_cpu.s_per_file = 0.0004;
  const Prediction p = predict(inputs, files_of(10, 1e6), setting(0, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 4 / 0.024, 1e-6 * 4 / 0.024);
}

// A file of 3 MB is read in 3 requests of up to 1 MiB: latencies of 1, 0.5 and 0.5 ms, 3 x 0.1 ms of the device, 3 ms
// of bytes and 2 x 3 ms of decoding.
TEST(Prediction, AFileIsOneRandomReadAndThenSequentialOnes) {
  BacktestInputs inputs = made_up_machine();
  inputs.storage.reads.law.sequential_latency_ratio = 0.5;
  inputs.storage.reads.law.request_time_s = 0.0001;
  const Prediction p = predict(inputs, files_of(10, 3e6), setting(0, 0.008, 50), 1);
  const double batch = 4 * (0.002 + 0.0003 + 0.003 + 0.006) + 0.008;
  EXPECT_NEAR(p.samples_per_s.mean, 4 / batch, 1e-6 * 4 / batch);
}

// The probe read whole files of 2 MB alone in 5 ms; the law says 2 x 1 ms and 2 ms for their two requests, so opening
// takes 1 ms. For files of 1 MB: 1 ms to open, 1 ms of latency, 1 ms of bytes, 2 ms of decoding.
TEST(Prediction, WhatTheLawLeavesOfAWholeFileIsItsOpen) {
  BacktestInputs inputs = made_up_machine();
  inputs.storage.open_latency_s = known(0.0003);
  inputs.whole_file_s = 0.005;
  inputs.whole_file_bytes = 2e6;
  const Prediction p = predict(inputs, files_of(10, 1e6), setting(0, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 4 / 0.028, 1e-6 * 4 / 0.028);
}

// Per byte it hides in the rate of a stream: 1 ns per byte of which 0.4 ns is processor time.
TEST(Prediction, ProcessorTimePerByteIsPartOfTheStream) {
  BacktestInputs inputs = made_up_machine();
  inputs.storage.reads.law.seconds_per_byte = 0.0;
  inputs.storage.reads.law.stream_seconds_per_byte = 1e-9;
  inputs.read_cpu.s_per_byte = 0.4e-9;
  const Prediction p = predict(inputs, files_of(10, 1e6), setting(0, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 4 / 0.024, 1e-6 * 4 / 0.024);
}

// With one core, two workers that need it for half of their time: decoding alone takes 4 x 2 ms per batch of it, so no
// more than one batch per 8 ms can be made.
TEST(Prediction, CoresLimitDecoding) {
  BacktestInputs inputs = made_up_machine();
  inputs.cores = 1;
  inputs.costs.busy_wake_s = 0.0015;  // turns of 3 ms
  const double rate = loader_capacity(inputs, files_of(10, 1e6), setting(8, 0.0, 50));
  EXPECT_LE(rate, 4 / 0.008 * 1.01);
  EXPECT_GE(rate, 4 / 0.008 * 0.95);
}

TEST(Prediction, EffectiveCoresDoTheWorkThatAllDoTogether) {
  BacktestInputs inputs = made_up_machine();
  EXPECT_DOUBLE_EQ(effective_cores(inputs), 8.0);
  inputs.decode_together_s_per_byte = 1.6e-9;  // 8 threads on 4 cores with two each
  EXPECT_DOUBLE_EQ(effective_cores(inputs), 5.0);
  inputs.decode_together_s_per_byte = 0.99e-9;  // noise
  EXPECT_DOUBLE_EQ(effective_cores(inputs), 8.0);
}

// Two busy cores whose turns of 3 ms end at times spread evenly: the first of two ends after 1 ms on average.
TEST(Prediction, TimeSliceFollowsFromTheWaitForABusyCore) {
  BacktestInputs inputs = made_up_machine();
  inputs.cores = 2;
  inputs.costs.busy_wake_s = 0.001;
  EXPECT_DOUBLE_EQ(time_slice_of(inputs).base(), 0.003);
  EXPECT_DOUBLE_EQ(backtest_scenario(inputs, files_of(1, 1e6), setting(1, 0.01, 1)).cluster.time_slice.base(), 0.003);
}

// A single value with a standard deviation of 10 % of its logarithm, the only thing that takes time: the interval of
// the rate is about +-1.96 x 10 %, and twice as wide when the probe is trusted half as much.
TEST(Prediction, IntervalIsThatOfTheFit) {
  BacktestInputs inputs = made_up_machine();
  LawFit& reads = inputs.storage.reads;
  reads.parameters = {LawParameter::kLatency};
  reads.values[0] = std::log(1e-3);
  reads.law = law_of(reads.parameters, reads.values);
  reads.covariance = Eigen::MatrixXd::Constant(1, 1, 0.01);
  LoaderSetting s = setting(0, 1e-6, 20);
  s.decode_passes = 0.0;
  const auto width = [&] {
    const Estimate e = predict(inputs, files_of(10, 1e6), s, 1).samples_per_s;
    return (e.ci95_high - e.ci95_low) / e.mean;
  };
  const double narrow = width();
  EXPECT_GT(narrow, 0.25);  // 2 x 1.96 x 0.1 = 0.39, of 40 draws
  EXPECT_LT(narrow, 0.55);
  inputs.storage.widen = 2.0;
  EXPECT_GT(width(), 1.5 * narrow);
}

// Only decoding takes time, and brackets differed by 10 % (standard deviation, known well): 2 x 1.96 x 0.1 of the rate.
TEST(Prediction, IntervalHoldsTheNoiseOfTheMachine) {
  BacktestInputs inputs = made_up_machine();
  inputs.storage.reads.law = {};
  const auto width = [&] {
    const Estimate e = predict(inputs, files_of(10, 1e6), setting(0, 1e-6, 20), 1).samples_per_s;
    return (e.ci95_high - e.ci95_low) / e.mean;
  };
  EXPECT_LT(width(), 1e-6);
  inputs.noise = {0.1, 0.1, 100.0, 100.0};
  EXPECT_GT(width(), 0.25);  // 0.39, of 40 draws
  EXPECT_LT(width(), 0.55);
  inputs.noise.decode_freedom = 3.0;  // Student's t of few differences is wider
  EXPECT_GT(width(), 0.30);
}

// The probe's law gives 1 + 1 ms for a file of 1 MB; read alone it takes 1.5 times that now. Decoding takes 2 ns a byte
// instead of 1: 3 + 4 ms a sample.
TEST(Prediction, BracketsReplaceWhatTheProbeSaid) {
  BacktestInputs inputs = made_up_machine();
  inputs.whole_file_bytes = 1e6;
  inputs.whole_file_s = 0.002;
  Bracket bracket;
  bracket.decode_s_per_byte = bracket.decode_together_s_per_byte = 2e-9;
  bracket.read_alone = bracket.read_together = 1.5;
  const Prediction p = predict(with_brackets(inputs, {bracket}), files_of(10, 1e6), setting(0, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 4 / (4 * 0.007 + 0.008), 1e-4 * 4 / 0.036);
}

// Alone a file takes less than the law has it: 1.5 ms, so the latency is half of what it says.
TEST(Prediction, WhatAFileTakesLessThanTheLawIsTakenOffTheLatency) {
  BacktestInputs inputs = made_up_machine();
  inputs.whole_file_bytes = 1e6;
  inputs.whole_file_s = 0.002;
  inputs.whole_file_times = 0.75;
  const Prediction p = predict(inputs, files_of(10, 1e6), setting(0, 0.008, 50), 1);
  EXPECT_NEAR(p.samples_per_s.mean, 4 / (4 * 0.0035 + 0.008), 1e-4 * 4 / 0.022);
}

// Reads after a rest of 4 ms take half as long again: 3 instead of 2 ms. One worker leaves the storage 2 ms of rest,
// the time of its decoding: half of the 1 ms. Without decoding there is no rest.
TEST(Prediction, AReadTakesLongerAfterTheStorageRested) {
  BacktestInputs inputs = made_up_machine();
  inputs.rested_times = 1.5;
  inputs.rest_s = 0.004;
  LoaderSetting s = setting(0, 0.008, 50);
  EXPECT_NEAR(rested_delay_s(inputs, files_of(10, 1e6), s), 0.0005, 1e-6);
  EXPECT_NEAR(predict(inputs, files_of(10, 1e6), s, 1).samples_per_s.mean, 4 / (4 * 0.0045 + 0.008), 0.01);
  s.decode_passes = 0.0;
  EXPECT_NEAR(rested_delay_s(inputs, files_of(10, 1e6), s), 0.0, 1e-6);
}

// Two cores, each 20 % slower beside the other. Two workers that do nothing but decode keep both busy, so each has half
// of two beside it: 1.2. One worker has nobody beside it.
TEST(Prediction, CoresSlowEachOtherDownByHowBusyTheOthersAre) {
  BacktestInputs inputs = made_up_machine();
  inputs.cores = 2;
  inputs.storage.reads.law = {};
  inputs.decode_together_s_per_byte = 1.2e-9;
  EXPECT_DOUBLE_EQ(effective_cores(inputs), 2.0);
  EXPECT_EQ(core_times_of(inputs, files_of(10, 1e6), setting(1, 1e-6, 50)), 1.0);
  EXPECT_NEAR(core_times_of(inputs, files_of(10, 1e6), setting(2, 1e-6, 200)), 1.2, 0.005);
  EXPECT_NEAR(core_times_of(inputs, files_of(10, 1e6), setting(2, 0.008, 200)), 1.1, 0.005);  // half busy
}

TEST(Prediction, IsAFunctionOfItsSeed) {
  BacktestInputs inputs = made_up_machine();
  inputs.storage.latency_sigma = known(0.8);
  const SampleFiles files = files_of(10, 1e6);
  const auto rate = [&](std::uint64_t seed) {
    return predict(inputs, files, setting(2, 0.008, 30), seed).samples_per_s;
  };
  EXPECT_EQ(rate(1).mean, rate(1).mean);
  EXPECT_EQ(rate(1).ci95_low, rate(1).ci95_low);
  EXPECT_NE(rate(1).mean, rate(2).mean);
}

}  // namespace
}  // namespace stallcast
