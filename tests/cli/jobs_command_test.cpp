// Command lines about several jobs on one storage, and about hosts that load a model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// 4 machines load 1 GB each from 100 MB/s: 40 s.
constexpr const char* kLoad = R"({
  "name": "load", "job": "serving",
  "cluster": {"nodes": 4},
  "storage": {"read_bandwidth": "100 MB/s", "latency": "0 s"},
  "serving": {"weights": "1 GB", "streams": 2, "request_size": "1 MB"},
  "run": {"start": "10 s"}
})";

// Steps of 10 ms that read 1 MB: 100 s.
constexpr const char* kTraining = R"({
  "name": "training",
  "cluster": {"cores_per_node": 64},
  "workload": {"step_time": "10 ms"},
  "dataset": {"layout": "records", "sample_size": "1 MB"},
  "loader": {"num_workers": 2},
  "storage": {"read_bandwidth": "100 MB/s", "latency": "0 s"},
  "run": {"steps_per_epoch": 10000, "concurrent_jobs": ["load.json"]}
})";

TEST_F(Cli, SimulateALoad) {
  const std::string load = file("load.json", kLoad);
  const Outcome table = run({"simulate", load});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, StartsWith("load\n4 nodes, each loads 1 GB in 2 streams of 1 MB requests"));
  EXPECT_THAT(table.out, HasSubstr("All ready        40 s;"));
  const auto document = nlohmann::json::parse(run({"simulate", load, "--format", "json"}).out);
  EXPECT_EQ(document["job"], "serving");
  EXPECT_NEAR(document["time_to_ready_s"]["last"].get<double>(), 40.0, 0.1);
  EXPECT_EQ(document["bottleneck"], "tier_bandwidth");
  EXPECT_TRUE(document.contains("catalogue"));
}

TEST_F(Cli, SimulateJobsTogether) {
  file("load.json", kLoad);
  const std::string training = file("training.json", kTraining);
  const Outcome table = run({"simulate", training});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("training\n2 jobs on storage of 100 MB/s"));
  const auto document = nlohmann::json::parse(run({"simulate", training, "--format", "json"}).out);
  ASSERT_EQ(document["jobs"].size(), 2U);
  EXPECT_GT(document["jobs"][0]["slowdown"].get<double>(), 1.2);
  EXPECT_GT(document["jobs"][1]["slowdown"].get<double>(), 1.05);
  EXPECT_EQ(document["jobs"][1]["start_s"], 10.0);
  EXPECT_NEAR(document["storage"]["read_bytes"].get<double>(), 14e9, 0.1e9);
  const Outcome csv = run({"simulate", training, "--format", "csv"});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3);
}

TEST_F(Cli, TheSameSeedGivesTheSameJobs) {
  file("load.json", kLoad);
  const std::string training = file("training.json", kTraining);
  auto once = [&] {
    auto document = nlohmann::json::parse(run({"simulate", training, "--seed", "3", "--format", "json"}).out);
    document.erase("wall_s");
    for (auto& job : document["jobs"]) {
      job.erase("wall_s");
      job["alone"].erase("wall_s");
    }
    return document.dump();
  };
  EXPECT_EQ(once(), once());
}

TEST_F(Cli, WhatIsForOneTrainingJobSaysSo) {
  const std::string load = file("load.json", kLoad), training = file("training.json", kTraining);
  for (const auto& words : std::vector<std::vector<std::string>>{{"explain", training},
                                                                 {"explain", load},
                                                                 {"simulate", load, "--trace", path("t.json")},
                                                                 {"simulate", training, "--focus", path("f.csv")},
                                                                 {"simulate", training, "--journal", path("j")}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("is for one training job"));
  }
}

TEST_F(Cli, AFileBesideThatIsMissingIsBadInput) {
  const Outcome outcome = run({"simulate", file("training.json", kTraining)});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error[no_such_file] at /run/concurrent_jobs/0"));
}

}  // namespace
}  // namespace stallcast
