// A sweep that is killed with SIGKILL, again and again, ends with the bytes of one that was not.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

class SweepKill : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("stallcast_kill_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    // 2000 steps each: some milliseconds to simulate.
    std::ofstream(folder_ / "job.json") << R"({"workload": {"batch_size": 4, "step_time": "10 ms"},
      "dataset": {"sample_size": "100 kB", "samples": 8000},
      "storage": {"latency": "2 ms", "read_bandwidth": "50 MB/s"}, "run": {"whole_run": true}})";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Starts a sweep of 16 x 20 points into `directory`.
  ::pid_t start(const std::string& directory) const {
    const std::vector<std::string> words = {STALLCAST_PROGRAM,
                                            "sweep",
                                            (folder_ / "job.json").string(),
                                            "--vary",
                                            "loader.num_workers=1..16",
                                            "--vary",
                                            "loader.prefetch_factor=1..20",
                                            "--yes",
                                            "--threads",
                                            "2",
                                            "-o",
                                            (folder_ / directory).string()};
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const ::pid_t child = ::fork();
    if (child == 0) {
      (void)!::freopen("/dev/null", "w", stderr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    return child;
  }
  static int end_of(::pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  std::ptrdiff_t lines(const std::string& directory) const {
    const std::string text = content(directory + "/points-1-of-1.jsonl");
    return std::count(text.begin(), text.end(), '\n');
  }
  fs::path folder_;
};

TEST_F(SweepKill, EndsWithTheSameBytes) {
  constexpr std::ptrdiff_t kPoints = 320;
  ASSERT_EQ(end_of(start("whole")), 0);
  for (const std::ptrdiff_t wanted : {1, 80, 160, 240}) {
    const ::pid_t child = start("killed");
    while (lines("killed") < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(child, SIGKILL);
    const int status = end_of(child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended before it was killed";
    ASSERT_LT(lines("killed"), kPoints);
    ASSERT_FALSE(fs::exists(folder_ / "killed/results.csv"));
  }
  ASSERT_EQ(end_of(start("killed")), 0);
  EXPECT_EQ(content("killed/results.jsonl"), content("whole/results.jsonl"));
  EXPECT_EQ(content("killed/results.csv"), content("whole/results.csv"));
  EXPECT_EQ(lines("killed"), kPoints + 1);  // none was computed twice
}

}  // namespace
