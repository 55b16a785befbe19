#include "core/observe/job_scenario.h"

#include <gtest/gtest.h>

#include "core/catalogue/catalogue.h"
#include "core/observe/try_readers.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

JobFigures figures_of_job() {
  JobFigures f;
  f.workers = 2;
  f.cores = 2.0;
  f.time_s = 30.0;
  f.batches_per_s = 5.0;
  f.load_cpu_s = 0.1;
  f.source_wait_s = 0.08;
  f.waiting_for_source = 0.2;
  f.trainer_waits = 0.25;
  f.trainer_blocked_s = 0.14;
  f.trainer_cpu_s = 0.01;
  f.read_bytes = 1.6e6;
  f.read_bytes_per_s = 8e6;
  return f;
}

Scenario scenario_in(const JobScenario& seen) {
  const auto file = parse_scenario(seen.document, "seen");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  const auto resolved = resolve(*file.value, shipped_catalogue());
  EXPECT_TRUE(resolved.ok()) << rendered(resolved.findings);
  return resolved.value->scenario;
}

// 1.6 MB a batch in files of 100 kB are 16 samples; 0.68 ms of 100 ms are the loader's own, 99.32 / 16 = 6.2075 ms.
TEST(JobScenario, SharesABatchAmongItsSamples) {
  JobFigures f = figures_of_job();
  f.file_per_sample = true;
  f.file_bytes = 1e5;
  const Scenario s = scenario_in(scenario_of(f, {}, {}, "job"));
  EXPECT_EQ(s.workload.batch_size, 16);
  EXPECT_NEAR(mean_of(s.dataset.decode_time), 6.2075e-3, 2e-6);
  EXPECT_NEAR(mean_of(s.storage.latency), 0.08 / 16, 1e-9);
  EXPECT_NEAR(mean_of(s.dataset.sample_size), 1e5, 1.0);
  EXPECT_NEAR(mean_of(s.workload.step_time), 0.14, 1e-9);
  EXPECT_NEAR(s.workload.step_return_cpu.base(), 0.01 - 0.43e-3, 1e-6);
  EXPECT_EQ(s.loader.num_workers, 2);
}

// 80 ms in 16 waits of 5 ms are 16 x 150 us x (5 / 3)^0.7 = 3.432 ms of the 99.32 ms of a batch; in 16,000 waits of 5
// us they are 16,000 x 150 us x (0.005 / 3)^0.7 = 27.26 ms, and a single one costs 0.6 ms at the most.
TEST(JobScenario, WhatWaitsCostOfACoreIsNotDecoding) {
  JobFigures f = figures_of_job();
  f.file_per_sample = true;
  f.file_bytes = 1e5;
  for (const auto& [waits, cold_s] :
       {std::pair(16.0, 3.432e-3), std::pair(16000.0, 27.26e-3), std::pair(1.0, 0.6e-3)}) {
    f.source_waits = waits;
    const Scenario s = scenario_in(scenario_of(f, {}, {}, "job"));
    EXPECT_NEAR(16.0 * s.loader.wait_cpu.base(), cold_s, 0.01 * cold_s) << waits;
    EXPECT_NEAR(16.0 * (s.loader.wait_cpu.base() + mean_of(s.dataset.decode_time)), 99.32e-3, 1e-5) << waits;
  }
}

TEST(JobScenario, WithoutFilesABatchIsASampleUnlessTold) {
  const JobScenario unknown = scenario_of(figures_of_job(), {}, {}, "job");
  EXPECT_TRUE(unknown.batch_is_sample);
  EXPECT_EQ(scenario_in(unknown).workload.batch_size, 1);
  const JobScenario told = scenario_of(figures_of_job(), {}, {8, {}}, "job");
  EXPECT_FALSE(told.batch_is_sample);
  EXPECT_EQ(scenario_in(told).workload.batch_size, 8);
  EXPECT_NEAR(mean_of(scenario_in(told).storage.latency), 0.01, 1e-9);  // 80 ms of 8 samples
}

TEST(BatchFromFiles, IsAWholeNumberOrNothing) {
  JobFigures f = figures_of_job();
  f.file_per_sample = true;
  f.file_bytes = 1e5;
  EXPECT_EQ(batch_from_files(f), 16);
  f.file_bytes = 1.3e6;  // 1.23 files a batch
  EXPECT_EQ(batch_from_files(f), 0);
  f.file_bytes = 1e5;
  f.file_per_sample = false;
  EXPECT_EQ(batch_from_files(f), 0);
}

// A batch that varies by 1/2 has a gamma shape of 4: of 8 samples each a shape of 1/2, so that their sum has 4 again.
TEST(JobScenario, SamplesVaryAsTheirBatches) {
  JobFigures f = figures_of_job();
  f.wait_variation = 0.5;
  const Scenario s = scenario_in(scenario_of(f, {}, {8, {}}, "job"));
  EXPECT_EQ(s.storage.latency.kind, DistributionKind::kGamma);
  EXPECT_NEAR(s.storage.latency.shape, 0.5, 1e-6);
  EXPECT_EQ(s.dataset.decode_time.kind, DistributionKind::kConstant);
  const double variance_of_batch = 8.0 * std::pow(standard_deviation_of(s.storage.latency), 2);
  EXPECT_NEAR(std::sqrt(variance_of_batch) / (8.0 * mean_of(s.storage.latency)), 0.5, 1e-6);
}

TEST(JobScenario, ASharedPaceIsABandwidthAndNoLatency) {
  JobFigures f = figures_of_job();
  f.sharing = SourceSharing::kShared;
  f.shared_bytes_per_s = 8e6;
  const Scenario s = scenario_in(scenario_of(f, {}, {}, "job"));
  EXPECT_DOUBLE_EQ(s.storage.read_bandwidth.base(), 8e6);
  EXPECT_DOUBLE_EQ(mean_of(s.storage.latency), 0.0);
}

TEST(JobScenario, APaceOfItsOwnUpToALimitIsBoth) {
  JobFigures f = figures_of_job();
  f.sharing = SourceSharing::kLimited;
  f.shared_bytes_per_s = 8e6;
  const Scenario s = scenario_in(scenario_of(f, {}, {}, "job"));
  EXPECT_DOUBLE_EQ(s.storage.read_bandwidth.base(), 8e6);
  EXPECT_DOUBLE_EQ(mean_of(s.storage.latency),
                   mean_of(scenario_in(scenario_of(figures_of_job(), {}, {}, "job")).storage.latency));
}

// What the trainer waits for a core is neither its step nor a wait for data.
TEST(JobScenario, ATrainersWaitForACoreIsNotItsStep) {
  JobFigures f = figures_of_job();
  const double busy = scenario_of(f, {}, {}, "job").outcomes[1].value;
  f.trainer_queued = 0.1;
  EXPECT_NEAR(scenario_of(f, {}, {}, "job").outcomes[1].value, busy - 0.1, 1e-12);
}

// Four readers of 20 MB/s and four more. Where all share one pace, the job keeps half of it; up to a limit of 30 MB/s,
// three quarters; where each has its own, all.
TEST(JobScenario, ReadersThatWereTriedTellHowTheyShare) {
  JobFigures f = figures_of_job();
  f.read_bytes_per_s = 20e6;
  const auto tried = [&](double job, double all) {
    ReadersTried t;
    t.readers = 4;
    t.job_bytes_per_s = job;
    t.own_bytes_per_s = all - job;
    t.exponent = std::log2(all / 20e6);
    t.job_exponent = 1.0 + std::log2(job / 20e6);
    t.error = t.job_error = 0.1;
    return with_readers_tried(f, t);
  };
  EXPECT_EQ(tried(10e6, 20e6).sharing, SourceSharing::kShared);
  EXPECT_EQ(tried(15e6, 30e6).sharing, SourceSharing::kLimited);
  EXPECT_DOUBLE_EQ(tried(15e6, 30e6).shared_bytes_per_s, 30e6);
  EXPECT_EQ(tried(20e6, 40e6).sharing, SourceSharing::kPerReader);
  // Readers of shorter requests read less each, and take nothing from the job.
  EXPECT_EQ(tried(20e6, 34e6).sharing, SourceSharing::kPerReader);
}

// 5 batches a second are 200 ms each. Where the GPU is busy for 30 % of it, 60 ms are the step; of the 100 ms on a core
// no more can be loading than 200 - 60 - 80 ms of waiting for the source.
TEST(JobScenario, OfATrainerThatLoadsByItselfTheGpuOrTheLogTellTheStep) {
  JobFigures f = figures_of_job();
  f.workers = 0;
  f.gpu_busy = 0.3;
  const Scenario by_gpu = scenario_in(scenario_of(f, {}, {}, "job"));
  EXPECT_NEAR(mean_of(by_gpu.workload.step_time), 0.06, 1e-9);
  EXPECT_NEAR(mean_of(by_gpu.dataset.decode_time), 0.06, 1e-9);
  const Scenario by_log = scenario_in(scenario_of(f, {}, {0, {{"data_time", 0.15, 0.0, "", ""}}}, "job"));
  EXPECT_NEAR(mean_of(by_log.workload.step_time), 0.05, 1e-9);
  EXPECT_NEAR(mean_of(by_log.dataset.decode_time), 0.07, 1e-9);
}

// The trainer of figures_of_job() does not wait for 3/4 of 200 ms. A GPU that is busy for longer tells the step, since
// the trainer waits for the next batch while kernels run; one that is busy for less does not.
TEST(JobScenario, AGpuThatIsBusyWhileTheTrainerWaitsTellsTheStep) {
  JobFigures f = figures_of_job();
  f.gpu_busy = 0.9;
  const JobScenario seen = scenario_of(f, {}, {}, "job");
  EXPECT_NEAR(mean_of(scenario_in(seen).workload.step_time), 0.18, 1e-9);
  EXPECT_DOUBLE_EQ(scenario_in(seen).workload.step_return_cpu.base(), 0.0);
  EXPECT_DOUBLE_EQ(seen.outcomes[1].value, 0.9);
  const double without = mean_of(scenario_in(scenario_of(figures_of_job(), {}, {}, "job")).workload.step_time);
  f.gpu_busy = 0.5;
  EXPECT_DOUBLE_EQ(mean_of(scenario_in(scenario_of(f, {}, {}, "job")).workload.step_time), without);
}

TEST(JobScenario, IsFittedToThePaceAndTheWaitsOfItsTrainer) {
  const JobScenario seen = scenario_of(figures_of_job(), {}, {}, "job");
  ASSERT_EQ(seen.outcomes.size(), 2U);
  EXPECT_EQ(seen.outcomes[0].quantity, "it_per_s");
  EXPECT_DOUBLE_EQ(seen.outcomes[0].value, 5.0);
  EXPECT_EQ(seen.outcomes[1].quantity, "gpu_busy");
  EXPECT_DOUBLE_EQ(seen.outcomes[1].value, 0.75);
}

TEST(AnnotatedText, SaysWhereValuesAreFromAndReadsBack) {
  const JobScenario seen = scenario_of(figures_of_job(), {}, {}, "job");
  const std::string text = annotated_text(seen.document, seen.values);
  EXPECT_NE(text.find("\"num_workers\": 2,  // processes found"), std::string::npos) << text;
  const auto again = nlohmann::ordered_json::parse(text, nullptr, true, true);
  EXPECT_EQ(again, seen.document);
}

}  // namespace
}  // namespace stallcast
