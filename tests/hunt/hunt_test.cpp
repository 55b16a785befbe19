// The hunt itself: that it draws what it says, sees what differs, and makes it small. What it finds is in
// answers_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "core/model/resource_graph.h"
#include "core/scenario/run_length.h"
#include "tests/core/shipped_catalogue.h"
#include "tests/hunt/compare.h"
#include "tests/hunt/identities.h"
#include "tests/hunt/random_job.h"
#include "tests/hunt/shrink.h"
#include "tests/hunt/tally.h"

namespace stallcast::hunt {
namespace {

using Json = nlohmann::ordered_json;

TEST(RandomJob, IsTheSameForTheSameSeed) {
  for (const std::uint64_t seed : {1, 2, 77, 123456}) {
    EXPECT_EQ(random_job(seed, shipped_catalogue()).dump(), random_job(seed, shipped_catalogue()).dump());
  }
  EXPECT_NE(random_job(1, shipped_catalogue()).dump(), random_job(2, shipped_catalogue()).dump());
}

// Every mechanism, every tier but the one that is memory, every workload, and few jobs with errors.
TEST(RandomJob, CoversEveryMechanismAndTheCatalogue) {
  const std::set<std::string> wanted = {"representatives",
                                        "several machines",
                                        "gradient accumulation",
                                        "validation",
                                        "layout file_per_sample",
                                        "layout shards",
                                        "layout records",
                                        "layout columnar",
                                        "shuffle none",
                                        "shuffle global",
                                        "shuffle shard",
                                        "shuffle buffer",
                                        "compression",
                                        "style map",
                                        "style iterable",
                                        "style threads",
                                        "no workers",
                                        "persistent workers",
                                        "out of order",
                                        "pinned memory",
                                        "read-ahead",
                                        "cold caches after a wait",
                                        "GPU decode",
                                        "GPUDirect",
                                        "scope shared",
                                        "scope per_node",
                                        "burst credit",
                                        "page cache none",
                                        "page cache lru",
                                        "page cache pinned",
                                        "page cache linux",
                                        "node cache none",
                                        "node cache lru",
                                        "node cache pinned",
                                        "partitioned node cache",
                                        "server cache",
                                        "regional cache",
                                        "staging none",
                                        "staging bulk",
                                        "staging lazy",
                                        "staging prefetch",
                                        "checkpoint none",
                                        "checkpoint sync",
                                        "checkpoint async",
                                        "cadence steps",
                                        "cadence time",
                                        "cadence epochs",
                                        "cadence optimal",
                                        "writers rank0",
                                        "writers all",
                                        "first level storage",
                                        "first level local_nvme",
                                        "first level peer_memory",
                                        "skipped checkpoints",
                                        "checkpoint of a model",
                                        "exported checkpoints",
                                        "failures",
                                        "spares",
                                        "preemptions",
                                        "maintenance",
                                        "outages"};
  constexpr int kJobs = 500;
  std::map<std::string, int> seen;
  std::set<std::string> tiers, workloads;
  int without_errors = 0;
  for (std::uint64_t seed = 1; seed <= kJobs; ++seed) {
    const auto job = resolve_job(random_job(seed, shipped_catalogue()), shipped_catalogue());
    if (!job) continue;
    ++without_errors;
    for (const std::string& mechanism : mechanisms(job->scenario)) ++seen[mechanism];
    tiers.insert(job->scenario.storage.tier);
    workloads.insert(job->scenario.workload.name);
    EXPECT_LE(simulated_samples(job->scenario), 2.0 * JobLimits().most_samples) << "seed " << seed;
    // Workers of an iterable loader drop what fills no batch.
    EXPECT_GE(epoch_steps(job->scenario), 10.0) << "seed " << seed;
    EXPECT_LE(job->scenario.cluster.nodes, 16) << "seed " << seed;
    // Only overlays say what was measured on this machine.
    EXPECT_TRUE(job->scenario.run.uncertain.empty()) << "seed " << seed << ": " << job->scenario.run.uncertain.front();
  }
  EXPECT_GT(without_errors, kJobs * 9 / 10);
  for (const std::string& mechanism : wanted) EXPECT_GT(seen[mechanism], 0) << mechanism;
  for (const auto& [mechanism, count] : seen)
    EXPECT_TRUE(wanted.contains(mechanism)) << mechanism << ": expect it above";
  for (const auto& [name, tier] : shipped_catalogue().tiers)
    EXPECT_TRUE(tiers.contains(name) || name == "host_page_cache") << name;
  for (const auto& [name, workload] : shipped_catalogue().workloads) EXPECT_TRUE(workloads.contains(name)) << name;
}

TEST(RandomJob, IsAsSmallAsIsAskedFor) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto job = resolve_job(random_job(seed, shipped_catalogue(), {.most_samples = 5000}), shipped_catalogue());
    if (!job) continue;
    EXPECT_LE(simulated_samples(job->scenario), 15000.0) << "seed " << seed;
  }
}

TEST(Compare, IsInPercentOfTheLargerAndInPoints) {
  const std::vector<Figure> expected = {{"time", FigureKind::kRelative, 100.0, 0.0},
                                        {"busy", FigureKind::kPoints, 0.5, 0.0},
                                        {"bytes", FigureKind::kRelative, 1.0, 50.0}};
  std::vector<Figure> got = expected;
  got[0].value = 80.0;   // 20 of 100
  got[1].value = 0.508;  // 0.8 points
  got[2].value = 2.0;    // 1 of 50: what is small beside the others says little
  const std::vector<Difference> differences = compare(expected, got);
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_NEAR(differences[0].size, -0.2, 1e-12);
  EXPECT_NEAR(differences[1].size, 0.008, 1e-12);
  EXPECT_NEAR(differences[2].size, 0.02, 1e-12);
  EXPECT_TRUE(is_finding(differences[0]));
  EXPECT_FALSE(is_finding(differences[1]));
  EXPECT_TRUE(is_difference(differences[1]));
  EXPECT_TRUE(is_difference(differences[2]));
  EXPECT_EQ(worst(differences).figure, "time");
  EXPECT_EQ(text_of(differences[0]), "time: 80 instead of 100 (-20.00 %)");
}

TEST(Compare, TakesWhatIsNoNumberForInfinitelyFar) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Figure> known = {{"cost", FigureKind::kRelative, 5.0, 0.0}},
                            unknown = {{"cost", FigureKind::kRelative, nan, 0.0}};
  EXPECT_TRUE(is_finding(compare(known, unknown).front()));
  EXPECT_TRUE(is_finding(compare(unknown, known).front()));
  EXPECT_FALSE(is_difference(compare(unknown, unknown).front()));
}

// 2 ranks train for 10 s and compute for 8 of them: 0.8, and 0.2 wait for storage.
class IdentitiesOf : public testing::Test {
 protected:
  IdentitiesOf() {
    job_ = *resolve_job(Json::parse(R"({"cluster": {"gpus_per_node": 2, "cores_per_node": 8},
      "workload": {"step_time": "80 ms"}, "run": {"steps_per_epoch": 100, "uncertain": []}})"),
                        shipped_catalogue());
    r_.gpu_utilization = {0.8, 0.8, 0.8};
    r_.lost_fraction[index(LostTime::kStorageLatency)] = 0.2;
    r_.time_to_train_s = 10.0;
    r_.goodput_fraction = r_.au = 0.8;
    r_.samples_per_s = 20.0;
    r_.totals.samples = 200.0;
    r_.totals.training_s = 10.0;
    r_.totals.useful_gpu_s = 16.0;
    r_.totals.lost_gpu_s = 4.0;
  }
  std::vector<std::string> broken() const {
    std::vector<std::string> names;
    for (const BrokenIdentity& b : broken_identities(job_, r_)) names.push_back(b.name);
    return names;
  }

  ResolvedScenario job_;
  RunResult r_;
};

TEST_F(IdentitiesOf, HoldForASoundResult) { EXPECT_THAT(broken(), testing::IsEmpty()); }

TEST_F(IdentitiesOf, SeeCausesThatDoNotSumToWhatIsLost) {
  r_.lost_fraction[index(LostTime::kBarrier)] = 0.1;
  EXPECT_THAT(broken(), testing::ElementsAre("lost_fractions_sum"));
}

TEST_F(IdentitiesOf, SeeARateThatIsNotThatOfTheRun) {
  r_.samples_per_s = 21.0;
  EXPECT_THAT(broken(), testing::ElementsAre("samples_per_s_is_of_the_run"));
}

TEST_F(IdentitiesOf, SeeTimeThatIsNowhere) {
  r_.time_to_train_s = 12.5;
  r_.samples_per_s = 16.0;
  r_.goodput_fraction = 0.64;
  EXPECT_THAT(broken(), testing::ElementsAre("times_sum"));
}

TEST_F(IdentitiesOf, SeeUtilizationAboveItsBound) {
  job_.scenario.storage.read_bandwidth = bytes_per_second(1e6);  // 2 ranks * 1 MB each 80 ms: a 25th of what they want
  job_.scenario.dataset.sample_size = Distribution::constant(1e6);
  ASSERT_NEAR(utilization_bound(job_.scenario).gpu_utilization, 0.04, 1e-9);
  EXPECT_THAT(broken(), testing::ElementsAre("within_bound"));
}

TEST_F(IdentitiesOf, SeeNumbersThatAreNone) {
  r_.totals.spare_node_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(broken(), testing::ElementsAre("nothing_negative"));
}

// Fails while there are more than 3 epochs and any cache.
TEST(Shrink, LeavesWhatTheFaultNeeds) {
  const Json job = Json::parse(R"({"format_version": 1, "name": "job",
    "cluster": {"instance": "a3-highgpu-8g", "nodes": 4}, "page_cache": {"policy": "lru", "capacity": "1 GB"},
    "loader": {"num_workers": 8, "pin_memory": true}, "run": {"epochs": 100, "seed": 5, "uncertain": []}})");
  int asked = 0;
  const Json small = shrink_job(job,
                                [&](const Json& candidate) {
                                  ++asked;
                                  return candidate.contains("/page_cache/policy"_json_pointer) &&
                                         candidate.contains("/run/epochs"_json_pointer) &&
                                         candidate.at("/run/epochs"_json_pointer).get<int>() > 3;
                                },
                                {});
  EXPECT_EQ(small.dump(), R"({"format_version":1,"page_cache":{"policy":"lru"},"run":{"epochs":6,"uncertain":[]}})");
  EXPECT_LT(asked, 60);
}

TEST(Shrink, MakesDistributionsConstantAndStopsWhenItIsTold) {
  const Json job = Json::parse(R"({"workload": {"step_time": {"kind": "normal", "mean": "20 ms", "sd": "1 ms"}}})");
  const auto has_a_step_time = [](const Json& candidate) {
    return candidate.contains("/workload/step_time"_json_pointer);
  };
  EXPECT_EQ(shrink_job(job, has_a_step_time, {}).dump(), R"({"workload":{"step_time":"20 ms"}})");
  EXPECT_EQ(shrink_job(job, has_a_step_time, {.most_trials = 0}), job);
}

TEST(Tally, CountsSharesAndRemembersTheWorst) {
  Tally tally;
  const auto differs = [](double size) {
    return std::vector<Difference>{{"time", FigureKind::kRelative, 1.0, 1.0, size}};
  };
  tally.add(1, differs(0.0));
  tally.add(2, differs(-0.02));
  tally.add(3, differs(0.5));
  tally.add(4, differs(0.009));
  EXPECT_EQ(tally.jobs(), 4);
  EXPECT_EQ(tally.jobs_near(), 2);
  EXPECT_EQ(tally.jobs_within(), 3);
  const FigureTally& time = tally.figures().at("time");
  EXPECT_DOUBLE_EQ(time.near_share(), 0.5);
  EXPECT_EQ(time.worst_seed, 3U);
}

}  // namespace
}  // namespace stallcast::hunt
