// Several jobs and loads, as text, JSON and CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "core/report/json/jobs_document.h"
#include "core/report/text/jobs_text.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TextStyle kPlain = {.unicode = false, .colour = false};

ServingResult load() {
  ServingResult result;
  result.hosts = result.simulated_hosts = 1000;
  result.first_ready_s = 198.0;
  result.median_ready_s = 201.0;
  result.last_ready_s = result.last_byte_s = 203.0;
  result.read_bytes = 4e14;
  result.bytes_per_s = 1.97e12;
  result.requests = 2.4e7;
  result.time_fraction[static_cast<std::size_t>(LostTime::kTierBandwidth)] = 0.9;
  result.time_fraction[static_cast<std::size_t>(LostTime::kStorageLatency)] = 0.1;
  result.bound_s = 200.0;
  result.bound_resource = "tier_bandwidth";
  result.complete = true;
  return result;
}

ResolvedScenario loading() {
  ResolvedScenario r;
  r.scenario.job = JobKind::kServing;
  r.scenario.name = "fan-out";
  r.scenario.cluster.nodes = 1000;
  r.scenario.serving.weights = bytes(4e11);
  return r;
}

// A training job that is slowed to half for 100 s of its 1000 s, by a load.
struct Jobs {
  ResolvedScenario resolved;
  SharedResult result;
  SharedCost cost;
};
Jobs two_jobs() {
  Jobs jobs;
  jobs.resolved.scenario.name = "training, \"A\"";
  jobs.resolved.concurrent_jobs.push_back(loading());
  SharedJob training;
  training.name = jobs.resolved.scenario.name;
  training.end_s = training.together_s = 1050.0;
  training.alone_s = 1000.0;
  training.slowdown = 1.05;
  training.alone.gpu_utilization = {0.8, 0.79, 0.81};
  training.together.gpu_utilization = {0.76, 0.75, 0.77};
  training.together.totals.read_bytes = 3e12;
  SharedJob serving;
  serving.name = "fan-out";
  serving.serves = true;
  serving.start_s = 100.0;
  serving.end_s = 303.0;
  serving.alone_s = 150.0;
  serving.together_s = 203.0;
  serving.slowdown = 203.0 / 150.0;
  serving.serving_alone = serving.serving_together = load();
  serving.together.totals.read_bytes = 1e12;
  jobs.result.jobs = {training, serving};
  jobs.result.spans = {{0.0, 100.0, {{0, 1.0, 3e9, 0.8}}},
                       {100.0, 303.0, {{0, 0.5, 1.5e9, 0.4}, {1, 0.74, 2e9, 0.0}}},
                       {303.0, 1050.0, {{0, 1.0, 3e9, 0.8}}}};
  jobs.result.converged = true;
  jobs.cost.alone.resize(2);
  jobs.cost.together.resize(2);
  jobs.cost.storage_share = {0.75, 0.25};
  jobs.cost.notes = {"fs exists from the first start to the last end"};
  return jobs;
}

TEST(JobsText, ALoadSaysWhenItIsReadyAndWhatLimitsIt) {
  const std::string text = render_text(loading(), load(), CostBreakdown{}, kPlain, ServingRanges());
  EXPECT_THAT(text, HasSubstr("fan-out\n1000 nodes, each loads 400 GB in 8 streams of 16.8 MB requests"));
  EXPECT_THAT(text, HasSubstr("All ready        3.38 min; the first after 3.3 min, half of them after 3.35 min\n"));
  EXPECT_THAT(text, HasSubstr("1.97 TB/s, 1.97 GB/s per host; 400 TB in"));
  EXPECT_THAT(text, HasSubstr("   90.0 %  ####################    storage bandwidth limit\n"));
  EXPECT_THAT(text, HasSubstr("Lower bound      3.33 min, set by storage bandwidth\n"));
  EXPECT_THAT(text, HasSubstr("Change first     more capacity or a faster tier"));
}

TEST(JobsText, JobsAreATableAloneBesideTogether) {
  const Jobs jobs = two_jobs();
  const std::string text = render_text(jobs.resolved, jobs.result, jobs.cost, kPlain, JobsRanges());
  EXPECT_THAT(text, HasSubstr("Job                          alone  together  slower     GPUs busy          bill\n"));
  EXPECT_THAT(text, HasSubstr("training, \"A\"             16.7 min  17.5 min  1.05 x   80 % > 76 %       unknown\n"));
  EXPECT_THAT(text, HasSubstr("fan-out                    2.5 min  3.38 min  1.35 x             -       unknown\n"));
  EXPECT_THAT(text, HasSubstr("  100 s to 5.05 min      training, \"A\" 50 %, fan-out 74 %\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), kColumns) << line;
}

TEST(JobsDocument, EveryJobHasTheKeysOfASingleOne) {
  const Jobs jobs = two_jobs();
  const auto document = jobs_document(jobs.resolved, jobs.result, {Bound{}, Bound{}}, jobs.cost);
  EXPECT_EQ(document["format_version"], 2);
  ASSERT_EQ(document["jobs"].size(), 2U);
  const auto& training = document["jobs"][0];
  for (const char* key : {"scenario", "provenance", "gpu_utilization", "samples_per_s", "step_time_s",
                          "time_to_train_s", "goodput_fraction", "bound", "lost_time_fraction", "bottleneck", "cost",
                          "effective_usd_per_useful_gpu_hour", "converged", "alone", "slowdown", "start_s", "end_s"})
    EXPECT_TRUE(training.contains(key)) << key;
  EXPECT_EQ(training["job"], "training");
  EXPECT_EQ(training["gpu_utilization"]["mean"], 0.76);
  EXPECT_EQ(training["alone"]["gpu_utilization"]["mean"], 0.8);
  const auto& serving = document["jobs"][1];
  EXPECT_EQ(serving["job"], "serving");
  EXPECT_EQ(serving["time_to_ready_s"]["last"], 203.0);
  EXPECT_EQ(serving["bottleneck"], "tier_bandwidth");
  EXPECT_EQ(document["storage"]["read_bytes"], 4e12);
  EXPECT_EQ(document["storage"]["split"][0]["share"], 0.75);
  EXPECT_EQ(document["spans"][1]["jobs"][1]["rate"], 0.74);
}

TEST(JobsDocument, WhatHasNoEndIsNull) {
  Jobs jobs = two_jobs();
  jobs.result.jobs[0].end_s = jobs.result.spans[2].end_s = std::numeric_limits<double>::infinity();
  const auto document = jobs_document(jobs.resolved, jobs.result, {Bound{}, Bound{}}, jobs.cost);
  EXPECT_TRUE(document["jobs"][0]["end_s"].is_null());
  EXPECT_TRUE(document["spans"][2]["end_s"].is_null());
}

// One row each, columns of both: a cell is empty where the job has no such number.
TEST(JobsDocument, AsCsvOneRowForEachJob) {
  const Jobs jobs = two_jobs();
  const std::string csv = jobs_csv(jobs_document(jobs.resolved, jobs.result, {Bound{}, Bound{}}, jobs.cost));
  std::istringstream lines(csv);
  std::string header, first, second, none;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_FALSE(std::getline(lines, none));
  EXPECT_THAT(header, HasSubstr("scenario.name,"));
  EXPECT_THAT(header, HasSubstr(",gpu_utilization.mean,"));
  EXPECT_THAT(header, HasSubstr(",time_to_ready_s.last,"));
  EXPECT_THAT(header, Not(HasSubstr("cost.lines")));
  EXPECT_THAT(first, HasSubstr("\"training, \"\"A\"\"\","));
  const auto commas = [](const std::string& row) { return std::count(row.begin(), row.end(), ','); };
  EXPECT_EQ(commas(header), commas(second));
  EXPECT_EQ(commas(header) + 2, commas(first));  // one in each of its two quoted names
}

}  // namespace
}  // namespace stallcast
