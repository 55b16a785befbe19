#include "core/backtest/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/backtest/backtest.h"
#include "tests/core/backtest/made_up_machine.h"

namespace stallcast {
namespace {

const Workload& named(const std::vector<Workload>& workloads, const std::string& name) {
  for (const Workload& workload : workloads)
    if (workload.name == name) return workload;
  throw std::runtime_error("no workload " + name);
}

TEST(BacktestSweep, WorkerCountsGoToTwiceTheCoresOrWhatMemoryHolds) {
  EXPECT_EQ(worker_counts(2, 1e6, 0.0), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(worker_counts(8, 1e6, 0.0), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 9, 13}));
  // A quarter of 12 MB holds 3 samples of 1 MB.
  EXPECT_EQ(worker_counts(8, 1e6, 12e6), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(worker_counts(8, 1e9, 1e6), (std::vector<std::int64_t>{0, 1}));
}

// One worker makes a batch of 4 in 4 x (1 + 1 + 2) ms = 16 ms. Two of its workloads are far from the knee.
TEST(BacktestSweep, StepsCoverStarvedToSaturated) {
  const BacktestInputs inputs = made_up_machine();
  const SampleFiles files = files_of(100, 1e6);
  BacktestSweepOptions options;
  options.batch_size = 4;
  options.workers = {4, 0, 1, 2, 4};
  const auto workloads = plan_sweep(inputs, files, options);
  ASSERT_EQ(workloads.size(), 4U);
  for (const Workload& workload : workloads) {
    ASSERT_EQ(workload.settings.size(), 4U);  // sorted, each once
    EXPECT_EQ(workload.settings.front().workers, 0);
    EXPECT_EQ(workload.settings.back().workers, 4);
  }
  const double one = loader_capacity(inputs, files, named(workloads, "decode").settings[1]);
  const double most = loader_capacity(inputs, files, named(workloads, "decode").settings[3]);
  EXPECT_NEAR(4 / one, 0.016, 0.0005);
  EXPECT_GT(most, 2.0 * one);
  EXPECT_NEAR(named(workloads, "step").step_s, 2 * 4 / one, 1e-9);
  EXPECT_NEAR(named(workloads, "starved").step_s, 0.25 * 4 / most, 1e-9);
  const double middle = named(workloads, "decode").step_s;
  EXPECT_LT(middle, 4 / one);
  EXPECT_GT(middle, 4 / most);
  EXPECT_EQ(named(workloads, "read").settings[0].decode_passes, 0.0);
  // 2 ms at 1 ns per byte and 1 MB: 2 passes.
  EXPECT_NEAR(named(workloads, "decode").settings[0].decode_passes, 2.0, 1e-12);
}

TEST(BacktestSweep, AStepTimeThatIsGivenIsUsed) {
  BacktestSweepOptions options;
  options.step_s = 0.123;
  const auto workloads = plan_sweep(made_up_machine(), files_of(100, 1e6), options);
  ASSERT_EQ(workloads.size(), 2U);
  for (const Workload& workload : workloads)
    for (const LoaderSetting& setting : workload.settings) EXPECT_EQ(setting.step_s, 0.123);
}

// Files of 100 to 1,900,100 bytes. What is read is counted here from the order that the runs will follow, in whole
// pages.
TEST(BacktestSweep, StaysWithinItsBytes) {
  const BacktestInputs inputs = made_up_machine();
  SampleFiles files;
  for (int i = 0; i < 20; ++i) {
    files.files.push_back({"file", 100.0 + 1e5 * i});
    files.bytes += files.files.back().bytes;
  }
  files.largest = files.files.back().bytes;
  BacktestSweepOptions options;
  options.seconds = 100.0;
  options.bytes = 1e15;
  const double unlimited = sweep_bytes(plan_sweep(inputs, files, options), files, options.repeats);
  options.bytes = 0.5 * unlimited;
  const auto workloads = plan_sweep(inputs, files, options);
  double read = 0.0;
  for (const Workload& workload : workloads)
    for (const LoaderSetting& setting : workload.settings)
      for (const auto position : sample_order(20, static_cast<std::size_t>(setting.samples()), setting.seed))
        read += options.repeats * 4096.0 * std::ceil(files.files[position].bytes / 4096.0);
  EXPECT_LE(read, options.bytes);
  EXPECT_GE(read, 0.9 * options.bytes);
  EXPECT_NEAR(sweep_bytes(workloads, files, options.repeats), read, 1.0);
}

// Each repeat is a permutation, of the seed alone, and not that of the other repeat.
TEST(BacktestSweep, RunsInAnOrderThatItsSeedGives) {
  BacktestSweepOptions options;
  const auto order = run_order(20, options);
  ASSERT_EQ(order.size(), 40U);
  for (const std::size_t from : {0U, 20U}) {
    std::vector<std::size_t> repeat(order.begin() + static_cast<std::ptrdiff_t>(from),
                                    order.begin() + static_cast<std::ptrdiff_t>(from + 20));
    std::sort(repeat.begin(), repeat.end());
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(repeat[i], i);
  }
  EXPECT_EQ(run_order(20, options), order);
  EXPECT_FALSE(std::equal(order.begin(), order.begin() + 20, order.begin() + 20));
  options.seed = 2;
  EXPECT_NE(run_order(20, options), order);
}

TEST(BacktestSweep, RunsOfOneSettingAreLongEnoughToSaySomething) {
  BacktestSweepOptions options;
  options.seconds = 0.001;
  for (const Workload& workload : plan_sweep(made_up_machine(), files_of(100, 1e6), options))
    for (const LoaderSetting& setting : workload.settings) EXPECT_GE(setting.batches, 12);
}

}  // namespace
}  // namespace stallcast
