// Several jobs whose storage nobody measured: ranges by closed form, and whose inputs are one and the same.
#include "core/run/jobs_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/report/words/assumed_of_jobs.h"
#include "core/run/shared_jobs.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A step computes for 10 ms and wants 1 MB of 80 MB/s: 12.5 ms alone, 25 ms beside an equal one.
Scenario reading_a_megabyte_a_step() {
  Scenario s;
  s.cluster.cores_per_node = 64;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.layout = DatasetLayout::kRecords;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(80e6);
  s.loader.num_workers = 4;
  s.run.steps_per_epoch = 10'000;
  return s;
}

ResolvedScenario two_equal_jobs() {
  ResolvedScenario r;
  r.scenario = reading_a_megabyte_a_step();
  r.concurrent_jobs.emplace_back();
  r.concurrent_jobs[0].scenario = r.scenario;
  return r;
}

// Nobody gave `pointer`: the truth is between `low` and `high` times what was taken.
void nobody_gave(ResolvedScenario& r, const char* pointer, double low, double high, const char* record = "tier/x") {
  r.provenance[pointer] = {Origin::kCatalogue, record, "a data sheet", "vendor", "", low, high};
}

ResolvedScenario on_unmeasured_storage() {
  ResolvedScenario r = two_equal_jobs();
  nobody_gave(r, "/storage/read_bandwidth", 0.5, 2.0);
  nobody_gave(r.concurrent_jobs[0], "/storage/read_bandwidth", 0.5, 2.0);
  return r;
}

TEST(JobsRanges, TheJobsAreAsWithoutRanges) {
  const ResolvedScenario r = on_unmeasured_storage();
  const SharedResult with = simulate_jobs_with_ranges(r, RunOptions()).result, without = simulate_jobs(all_jobs(r));
  ASSERT_EQ(with.jobs.size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(with.jobs[j].together_s, without.jobs[j].together_s);
    EXPECT_EQ(with.jobs[j].slowdown, without.jobs[j].slowdown);
  }
  EXPECT_EQ(with.events, without.events);
}

TEST(JobsRanges, NothingIsDrawnWhereAllWasGiven) {
  const RangedJobs jobs = simulate_jobs_with_ranges(two_equal_jobs(), RunOptions());
  EXPECT_FALSE(jobs.ranges.drawn);
  EXPECT_TRUE(jobs.ranges.inputs.empty());
  EXPECT_EQ(jobs.result.jobs.size(), 2U);
}

// With 40 MB/s a step beside the other takes 50 ms, with 160 MB/s 12.5 ms, instead of 25: 1.5 times 25 ms apart. Alone
// it takes 25 and 10 ms: 2 times slower beside the other, and 1.25 times.
TEST(JobsRanges, TheBandwidthOfTheStorageIsOneTruthForBoth) {
  const RangedJobs jobs = simulate_jobs_with_ranges(on_unmeasured_storage(), RunOptions());
  ASSERT_TRUE(jobs.ranges.drawn);
  ASSERT_EQ(jobs.ranges.inputs.size(), 1U);
  const AssumedJobsInput& bandwidth = jobs.ranges.inputs[0];
  EXPECT_THAT(bandwidth.jobs, ElementsAre(0U, 1U));
  ASSERT_TRUE(bandwidth.ends);
  EXPECT_NEAR(bandwidth.time_effect, 1.5, 0.05);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(bandwidth.ends->first.jobs[j].slowdown, 2.0, 0.05);
    EXPECT_NEAR(bandwidth.ends->second.jobs[j].slowdown, 1.25, 0.05);
  }
  const Estimate time = range_of_draws(jobs.result.jobs[0].together_s, 0.0, jobs.ranges,
                                       [](const SharedResult& result) { return result.jobs[0].together_s; });
  EXPECT_NEAR(time.mean, 250.0, 5.0);
  EXPECT_LT(time.ci95_low, 0.7 * time.mean);
  EXPECT_GT(time.ci95_high, 1.5 * time.mean);
}

// The second job's own step time: the first is slowed by what both read, and the storage is the limit of both.
TEST(JobsRanges, AnInputOfOneJobIsDrawnForThatJob) {
  ResolvedScenario r = two_equal_jobs();
  nobody_gave(r.concurrent_jobs[0], "/workload/step_time", 0.5, 8.0);
  const RangedJobs jobs = simulate_jobs_with_ranges(r, RunOptions());
  ASSERT_EQ(jobs.ranges.inputs.size(), 1U);
  EXPECT_THAT(jobs.ranges.inputs[0].jobs, ElementsAre(1U));
  ASSERT_TRUE(jobs.ranges.inputs[0].ends);
  EXPECT_EQ(jobs.ranges.inputs[0].most_affected, 1U);
  // 80 ms a step: it no longer wants half of the storage, so the other has nearly all of it.
  const SharedResult& slow = jobs.ranges.inputs[0].ends->second;
  EXPECT_NEAR(slow.jobs[1].together_s, 800.0, 20.0);
  EXPECT_LT(slow.jobs[0].slowdown, 1.3);
}

TEST(JobsRanges, OneRecordOfTwoJobsIsOneTruthAndTwoRecordsAreTwo) {
  ResolvedScenario r = two_equal_jobs();
  nobody_gave(r, "/workload/step_time", 0.8, 1.2, "workload/a");
  nobody_gave(r.concurrent_jobs[0], "/workload/step_time", 0.8, 1.2, "workload/a");
  EXPECT_EQ(assumed_of_jobs(r).inputs.size(), 1U);
  nobody_gave(r.concurrent_jobs[0], "/workload/step_time", 0.8, 1.2, "workload/b");
  EXPECT_EQ(assumed_of_jobs(r).inputs.size(), 2U);
}

// What somebody knows to an interval is drawn, and no input that nobody gave.
TEST(JobsRanges, UncertainInputsAreDrawn) {
  ResolvedScenario r = two_equal_jobs();
  r.scenario.run.uncertain = {"storage.read_bandwidth 0.5..2"};
  r.concurrent_jobs[0].scenario.run.uncertain = r.scenario.run.uncertain;
  const RangedJobs jobs = simulate_jobs_with_ranges(r, RunOptions());
  EXPECT_TRUE(jobs.ranges.drawn);
  EXPECT_TRUE(jobs.ranges.inputs.empty());
  const Estimate time = range_of_draws(jobs.result.jobs[1].together_s, 0.0, jobs.ranges,
                                       [](const SharedResult& result) { return result.jobs[1].together_s; });
  EXPECT_LT(time.ci95_low, 0.7 * time.mean);
  EXPECT_GT(time.ci95_high, 1.5 * time.mean);
}

TEST(JobsRanges, TextAndJsonSayThem) {
  ResolvedScenario r = on_unmeasured_storage();
  r.scenario.name = "first";
  r.concurrent_jobs[0].scenario.name = "second";
  const RangedJobs jobs = simulate_jobs_with_ranges(r, RunOptions());
  const SharedCost cost = price_jobs(r, jobs.result);
  const AssumedOfJobs all{r, jobs.result, cost, jobs.ranges};
  EXPECT_THAT(ranges_block(all), HasSubstr("  first: "));
  EXPECT_THAT(ranges_block(all), HasSubstr(" together, "));
  EXPECT_THAT(assumed_inputs_block(all), HasSubstr("storage.read_bandwidth 80 MB/s, may be 40 MB/s to 160 MB/s:"));
  const auto json = job_ranges_to_json(all, 1);
  EXPECT_LT(json["together_s"]["low"].get<double>(), 180.0);
  EXPECT_GT(json["together_s"]["high"].get<double>(), 370.0);
  EXPECT_GE(json["slowdown"]["low"].get<double>(), 1.0);
  EXPECT_LE(json["gpu_utilization"]["high"].get<double>(), 1.0);
  EXPECT_TRUE(json["total_usd"].is_null()) << "nothing here has a price";
  const auto assumptions = assumptions_to_json(all);
  ASSERT_EQ(assumptions.size(), 1U);
  EXPECT_EQ(assumptions[0]["path"], "storage.read_bandwidth");
  EXPECT_EQ(assumptions[0]["jobs"].size(), 2U);
  EXPECT_NEAR(assumptions[0]["effect_s"].get<double>(), 375.0, 15.0);
  const AssumedOfJobs undrawn{r, jobs.result, cost, assumed_of_jobs(r)};
  EXPECT_EQ(ranges_block(undrawn), "");
  EXPECT_TRUE(job_ranges_to_json(undrawn, 0)["together_s"].is_null());
  EXPECT_TRUE(assumptions_to_json(undrawn)[0]["effect_s"].is_null());
}

}  // namespace
}  // namespace stallcast
