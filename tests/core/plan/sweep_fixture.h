// A small sweep in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "core/plan/sweep/merge.h"
#include "core/plan/sweep/point_runner.h"
#include "core/plan/sweep/points_file.h"
#include "core/plan/sweep/sweep.h"
#include "core/plan/sweep/sweep_identity.h"
#include "core/report/json/sweep_results.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {

// 20 steps of 4 samples of 100 kB on 4 workers at most: milliseconds to simulate.
inline constexpr const char* kSweptJob = R"({
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 80},
  "loader": {"num_workers": 2},
  "cluster": {"nodes": 1, "cores_per_node": 8},
  "storage": {"latency": "2 ms", "stream_bandwidth": "1 GB/s", "read_bandwidth": "50 MB/s"},
  "cost": {"node_price": "$10/h"},
  "run": {"whole_run": true}
})";

// Everything that a sweep is made from.
struct SmallSweep {
  ScenarioFile base;
  Space space;
  PointsHeader header;

  static SmallSweep of(const std::vector<std::string>& vary, const std::string& scenario = kSweptJob,
                       const DesignSpec& design = {}) {
    SmallSweep sweep;
    sweep.base = scenario_file(scenario);
    const std::vector<Variable> all = variables(sweep.base, vary);
    sweep.space = make_space(sweep.base, all, design, shipped_catalogue()).value.value();
    sweep.header.identity = to_json(sweep_identity(sweep.base, all, design, sweep.space, shipped_catalogue()));
    sweep.header.command = {"stallcast", "sweep", "my job.json"};
    return sweep;
  }
  PointsHeader header_of(const Shard& shard) const {
    PointsHeader one = header;
    one.shard = shard;
    return one;
  }
};

class SweepTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("stallcast_sweep_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
               std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  // Does one shard into `directory`; `simulations`, when given, is how many there were.
  static SweepProgress sweep(const SmallSweep& sweep, const std::filesystem::path& directory, const Shard& shard = {},
                             unsigned threads = 1, std::int64_t* simulations = nullptr) {
    PointRunner runner(sweep.base, sweep.space, shipped_catalogue());
    const Loaded<std::unique_ptr<PointsFile>> file = PointsFile::open(directory, sweep.header_of(shard));
    EXPECT_TRUE(file.ok()) << (file.findings.empty() ? "" : render_finding(file.findings.list()[0]));
    if (!file.ok()) return {};
    SweepOptions options;
    options.threads = threads;
    const SweepProgress progress = run_sweep(runner, shard, sweep.space.size(), **file.value, options);
    if (simulations != nullptr) *simulations = runner.simulations();
    return progress;
  }

  // Both files of results of what is in `directories`, one after the other; "" with findings.
  std::string results(const std::vector<std::filesystem::path>& directories) const {
    const Loaded<SweptPoints> points = merge_points(directories);
    if (!points.ok()) return "";
    write_sweep_results(*points.value, at("merged"));
    return content(at("merged") / kResultsJsonLines) + content(at("merged") / kResultsCsv);
  }

  std::filesystem::path folder_;
};

}  // namespace stallcast
