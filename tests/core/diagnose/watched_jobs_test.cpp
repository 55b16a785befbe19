// Real PyTorch jobs, each from four numbers that it was seen with: tests/validation/attach, and `run.py diagnose` there
// for all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "core/answers/diagnosis.h"
#include "core/run/simulate.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, Json>& watched_jobs() {
  static const std::map<std::string, Json> jobs = [] {
    std::map<std::string, Json> out;
    std::ifstream in(STALLCAST_SOURCE_DIR "/tests/validation/attach/results.jsonl");
    for (std::string line; std::getline(in, line);) {
      const Json row = Json::parse(line);
      out[row["name"]] = row;
    }
    return out;
  }();
  return jobs;
}

// What whoever runs it would write without measuring: the machine, the loader, the size of a sample, the rate of the
// source as sold.
Json as_told(const Json& job, const Json& seen) {
  constexpr int kBatch = 16;
  const double rate = job.contains("rate") ? job["rate"].get<double>() : 1e9;
  return {{"format_version", 2},
          {"cluster",
           {{"nodes", 1}, {"gpus_per_node", 1}, {"cores_per_node", seen["cores"]}, {"memory_per_node", "25 GB"}}},
          {"workload", {{"batch_size", kBatch}}},
          {"dataset",
           {{"samples", 1'000'000},
            {"sample_size", fmt::format("{:.0f} B", seen["batch"]["read_bytes"].get<double>() / kBatch)}}},
          {"loader", {{"num_workers", job["workers"]}, {"prefetch_factor", 2}}},
          {"storage", {{"read_bandwidth", fmt::format("{} MB/s", rate / 1e6)}}},
          {"run", {{"epochs", 1}}}};
}

class WatchedJob : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// The slow ones are found only from far away: workers that prefetch hide a wait of a millisecond.
TEST_P(WatchedJob, HasItsCause) {
  const Json& row = watched_jobs().at(GetParam().first);
  const Json &job = row["job"], &seen = row["seen"];
  const double pace = row["before"], workers = job["workers"], cores = seen["cores"];
  const double waits = seen["trainer"]["waits_fraction"], trainer = seen["trainer"]["running_fraction"];
  const double busy = (workers * seen["loaders"]["running_fraction"].get<double>() + trainer) / cores;
  const auto observed =
      read_seen({{fmt::format("it_per_s={:.2f}", pace), fmt::format("data_time={:.1f} ms", 1000.0 * waits / pace),
                  fmt::format("cpu_busy={:.3f}", busy),
                  fmt::format("read_rate={:.1f} MB/s", seen["read_bytes_per_s"].get<double>() / 1e6)},
                 {}});
  ASSERT_TRUE(observed.ok()) << rendered(observed.findings);
  const auto question = read_diagnosis(as_told(job, seen), "watched.json", {}, *observed.value, shipped_catalogue());
  ASSERT_TRUE(question.ok()) << rendered(question.findings);
  const auto answer = answer_diagnose(*question.value, {}, shipped_catalogue(), {});
  ASSERT_TRUE(answer.ok()) << rendered(answer.findings);
  EXPECT_TRUE(answer.value->fit.explained);
  const RunResult now = simulate(answer.value->job.scenario);
  EXPECT_EQ(bottleneck_name(now), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Attach, WatchedJob,
                         ::testing::Values(std::pair{"jpeg_w1_cpu", "cpu_decode"},
                                           std::pair{"npz_w2_slow", "storage_latency"},
                                           std::pair{"onefile_w3_throttled", "tier_bandwidth"}),
                         [](const auto& each) { return std::string(each.param.first); });

}  // namespace
}  // namespace stallcast
