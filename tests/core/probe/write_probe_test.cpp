// Writing probes: what they measure, how they judge themselves, and that nothing is left of them.
#include "core/probe/write_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/finding.h"
#include "core/probe/disk/scratch_directory.h"
#include "core/probe/result/grade.h"
#include "core/probe/write_probe_json.h"
#include "tests/core/rendered.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

// A directory of the test's own with a file of the user's in it.
class WriteProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    root_ = fs::path(testing::TempDir()) / fmt::format("write_probe_{}_{}", test, ::getpid());
    fs::create_directories(root_);
    std::ofstream(root_ / "mine.txt") << "of the user";
  }
  void TearDown() override {
    EXPECT_EQ(names(), std::vector<std::string>{"mine.txt"});
    std::ifstream mine(root_ / "mine.txt");
    std::string text;
    std::getline(mine, text);
    EXPECT_EQ(text, "of the user");
    fs::remove_all(root_);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(root_)) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  bool only_mine_within(double limit_s) const {
    for (double waited = 0.0; waited < limit_s; waited += 0.02) {
      if (names().size() == 1) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return names().size() == 1;
  }

  static ProbeOptions small() {
    ProbeOptions options;
    options.seconds = 3.0;
    options.bytes = 64.0 * 1048576.0;
    options.max_in_flight = 4;
    return options;
  }

  std::string trouble(const fs::path& directory, const ProbeOptions& options) {
    try {
      probe_writes(directory, options, {});
    } catch (const WorldError& error) {
      return error.what();
    }
    return "";
  }

  fs::path root_;
};

TEST_F(WriteProbeTest, MeasuresWithinItsLimitsAndRemovesWhatItWrote) {
  fs::path scratch;
  const WriteProbeResult result = probe_writes(root_, small(), [&](const fs::path& path) {
    scratch = path;
    EXPECT_TRUE(fs::is_directory(path));
  });
  EXPECT_EQ(scratch.parent_path(), root_);
  EXPECT_FALSE(fs::exists(scratch));
  EXPECT_LE(result.bytes, result.allowed_bytes);
  EXPECT_LE(result.seconds, result.allowed_seconds + 2.0);  // the last fsync ends when it ends
  const WritePoint* const one = one_stream(result, WriteMode::kBuffered);
  ASSERT_NE(one, nullptr);
  EXPECT_GT(one->write_rate(), 0.0);
  EXPECT_LE(one->synced_rate(), one->write_rate());
  EXPECT_GT(result.file.count, 0.0);
  EXPECT_GE(result.synced_file.mean_s, 0.0);
}

// A stop that was asked for before leaves at once, with nothing measured and nothing written.
TEST_F(WriteProbeTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  ProbeOptions options = small();
  options.stop = stop.get_token();
  const WriteProbeResult result = probe_writes(root_, options, {});
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.points.empty());
}

// The program is ended by each signal at moments by chance while it writes; what it wrote disappears.
TEST_F(WriteProbeTest, NothingIsLeftWhateverEndsTheProgram) {
  std::mt19937 random(1);
  for (const int number : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGKILL, SIGKILL, SIGKILL}) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe(ready.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      // Whoever runs this in the background has some of them ignored.
      for (const int fatal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) std::signal(fatal, SIG_DFL);
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      for (const int end : ready) ::close(end);
      for (;;) {
        try {
          probe_writes(root_, small(), {});
        } catch (const WorldError&) {
          ::_exit(1);
        }
      }
    }
    ASSERT_GT(child, 0);
    ::close(ready[1]);
    char none = 0;
    EXPECT_EQ(::read(ready[0], &none, 1), 0);  // once the child has closed its end
    ::close(ready[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<>(0, 120)(random)));
    ::kill(child, number);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(only_mine_within(10.0)) << "after signal " << number;
  }
}

TEST_F(WriteProbeTest, TroubleIsOneMessage) {
  EXPECT_NE(trouble(root_ / "nowhere", small()).find("not a directory to write into"), std::string::npos);
  EXPECT_NE(trouble(root_ / "mine.txt", small()).find("not a directory to write into"), std::string::npos);
  ProbeOptions huge = small();
  huge.bytes = 1e18;
  const std::string full = trouble(root_, huge);
  EXPECT_NE(full.find("there is not enough room"), std::string::npos) << full;
  EXPECT_NE(full.find("smaller --bytes"), std::string::npos) << full;
  EXPECT_STREQ(write_trouble(ENOSPC), "the disk is full");
  EXPECT_STREQ(write_trouble(EDQUOT), "the quota of this user is used up");
  EXPECT_STREQ(write_trouble(EROFS), "the file system is read-only");
}

// Files may grow to 1.5 MiB: the second block of the first stream does not fit.
TEST_F(WriteProbeTest, AFileThatMayNotGrowIsSaidAndRemoved) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3U << 19U, 3U << 19U};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string said = trouble(root_, small());
    ::_exit(said.find("ulimit -f") != std::string::npos && said.find("removed again") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(only_mine_within(10.0));
}

TEST_F(WriteProbeTest, AScratchDirectoryIsRemovedWithItsFiles) {
  fs::path path;
  {
    const ScratchDirectory scratch(root_);
    path = scratch.path();
    for (const std::uint32_t number : {0U, 9U, 10U, ScratchDirectory::kMostFiles - 1}) {
      const int file = scratch.create(number, O_WRONLY);
      ASSERT_GE(file, 0);
      close_file(file);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 4);
    scratch.remove(9);
    EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 3);
  }
  EXPECT_FALSE(fs::exists(path));
}

WriteProbeResult two_visits(double first_s, double second_s) {
  WriteProbeResult result;
  result.points.push_back({WriteMode::kBuffered, 1, 1e6, {{1e9, 0.25, first_s}, {1e9, 0.25, second_s}}});
  return result;
}

bool shows_flaw(const std::vector<ProbeFlaw>& flaws, const std::string& code, ProbeFlaw::Weight weight) {
  return std::any_of(flaws.begin(), flaws.end(),
                     [&](const ProbeFlaw& flaw) { return flaw.code == code && flaw.weight == weight; });
}

TEST(WriteProbeGrade, SaysWhatIsWrong) {
  EXPECT_TRUE(write_flaws(two_visits(1.0, 1.1), false).empty());  // ln 1.1 < 4 * 0.05
  EXPECT_TRUE(shows_flaw(write_flaws(two_visits(1.0, 1.5), false), "noisy", ProbeFlaw::Weight::kWiden));
  EXPECT_TRUE(shows_flaw(write_flaws(two_visits(1.0, 2.1), false), "noisy", ProbeFlaw::Weight::kRefuse));
  EXPECT_TRUE(shows_flaw(write_flaws(two_visits(1.0, 1.0), true), "in_memory", ProbeFlaw::Weight::kRefuse));
  EXPECT_TRUE(shows_flaw(write_flaws({}, false), "too_few_bytes", ProbeFlaw::Weight::kRefuse));
  WriteProbeResult once = two_visits(1.0, 1.0);
  once.points[0].visits.pop_back();
  EXPECT_TRUE(shows_flaw(write_flaws(once, false), "one_visit", ProbeFlaw::Weight::kWiden));
}

// 2 GB in 0.5 s to memory and 2 s to storage: 4 GB/s, 1 GB/s, and 2 GB in the 1.5 s of the two fsyncs.
TEST(WriteProbeRates, ComeFromAllVisits) {
  const WriteProbeResult result = two_visits(1.0, 1.0);
  EXPECT_DOUBLE_EQ(result.points[0].write_rate(), 4e9);
  EXPECT_DOUBLE_EQ(result.points[0].synced_rate(), 1e9);
  EXPECT_DOUBLE_EQ(result.points[0].flush_rate(), 2e9 / 1.5);
  const auto document = write_probe_to_json(result, "1");
  EXPECT_TRUE(is_write_probe(document));
  const auto rates = write_rates_from_json(document, "probe.json");
  ASSERT_TRUE(rates.ok()) << rendered(rates.findings);
  EXPECT_DOUBLE_EQ(rates.value->write_bandwidth, 2e9 / 1.5);
  EXPECT_DOUBLE_EQ(rates.value->buffer_bandwidth, 4e9);
}

TEST(WriteProbeRates, ADocumentThatIsWrongIsSaid) {
  auto document = write_probe_to_json(two_visits(1.0, 1.0), "1");
  document["rates"]["write_bytes_per_s"] = "fast";
  EXPECT_EQ(write_rates_from_json(document, "probe.json").findings.list().size(), 1U);
  document["format_version"] = 99;
  EXPECT_FALSE(write_rates_from_json(document, "probe.json").ok());
}

}  // namespace
}  // namespace stallcast
