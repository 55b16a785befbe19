// Command lines run as a function, in a folder of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/run_cli.h"

namespace stallcast {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

inline Outcome run(std::vector<std::string> words, std::stop_token stop = {}) {
  words.insert(words.begin(), "stallcast");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  Environment environment{.out = out, .err = err};
  environment.stop = stop;
  const int code = run_cli(static_cast<int>(argv.size()), argv.data(), environment);
  return {code, out.str(), err.str()};
}

// Half a second of a job that reads 100 kB samples with 2 ms latency: 20 steps, simulated whole.
inline constexpr const char* kSmallJob = R"({
  "name": "small job",
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 80},
  "loader": {"num_workers": 2},
  "storage": {"latency": "2 ms", "stream_bandwidth": "1 GB/s"},
  "run": {"whole_run": true}
})";

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("stallcast_cli_" + std::string(test_name()) + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static const char* test_name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string job() const { return file("job.json", kSmallJob); }
  static std::string content(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

}  // namespace stallcast
