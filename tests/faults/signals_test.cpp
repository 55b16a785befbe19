// Commands that are interrupted, terminated and killed: what they had done is kept, and they go on from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/faults/program_run.h"

namespace stallcast::faults {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Two billion steps, which none of these tests waits for.
constexpr const char* kEndless = R"({
  "workload": {"step_time": "10 ms", "batch_size": 64}, "dataset": {"sample_size": "1 kB"},
  "run": {"whole_run": true, "steps_per_epoch": 10000000}})";

constexpr const char* kBesideEndless = R"({
  "workload": {"step_time": "10 ms", "batch_size": 64}, "dataset": {"sample_size": "1 kB"},
  "run": {"whole_run": true, "steps_per_epoch": 10000000, "concurrent_jobs": ["endless.json"]}})";

// 2000 steps: some milliseconds.
constexpr const char* kShort = R"({
  "workload": {"batch_size": 4, "step_time": "10 ms"}, "dataset": {"sample_size": "100 kB", "samples": 8000},
  "storage": {"latency": "2 ms", "read_bandwidth": "50 MB/s"}, "run": {"whole_run": true}})";

class Signals : public testing::TestWithParam<int> {
 protected:
  Signals() {
    std::ofstream(folder_.path() / "endless.json") << kEndless;
    std::ofstream(folder_.path() / "job.json") << kShort;
  }

  std::vector<std::string> sweep(const std::string& to, const std::string& shard = "1/1") const {
    return {"sweep",  "job.json",
            "--vary", "loader.num_workers=1..16",
            "--vary", "loader.prefetch_factor=1..10",
            "--yes",  "--threads",
            "2",      "--shard",
            shard,    "-o",
            to};
  }
  std::ptrdiff_t lines_of(const std::string& points) const {
    const std::string text = content_of(folder_.path() / points);
    return std::count(text.begin(), text.end(), '\n');
  }
  // Gets `signal` as soon as it can deal with it and `is_time` says so.
  Ended run_until(const std::vector<std::string>& words, int signal, const std::function<bool()>& is_time) {
    const Folder aside;
    const Started started = start_program({words, folder_.path()}, aside.path());
    wait_until_it_watches_for_signals(started);
    wait_until(started, is_time);
    ::kill(started.pid, signal);
    return end_of(started);
  }
  static bool at_once() { return true; }
  std::string content(const std::string& name) const { return content_of(folder_.path() / name); }

  Folder folder_;
};

TEST_P(Signals, EndASimulationWithWhatItHas) {
  const Ended ended =
      run_until({"simulate", "endless.json", "--format", "json", "-o", "out.json"}, GetParam(), at_once);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto result = nlohmann::json::parse(content("out.json"));
  EXPECT_FALSE(result.at("converged").get<bool>());
  EXPECT_TRUE(result.at("stopped").get<bool>());
}

TEST_P(Signals, EndSeveralJobsWithWhatTheyHave) {
  std::ofstream(folder_.path() / "both.json") << kBesideEndless;
  const Ended ended = run_until({"simulate", "both.json", "--inputs", "point"}, GetParam(), at_once);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("STOPPED before the end"));
}

TEST_P(Signals, LeaveNothingForAConditionToJudge) {
  const Ended ended = run_until({"simulate", "endless.json", "--fail-if", "gpu_utilization>=0"}, GetParam(), at_once);
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("stallcast: stopped before the end: --fail-if judges no part of a run\n"));
}

TEST_P(Signals, StopASweepThatThenGoesOn) {
  ASSERT_EQ(run_program({sweep("whole"), folder_.path()}).code, 0);
  const Ended stopped =
      run_until(sweep("stopped"), GetParam(), [&] { return lines_of("stopped/points-1-of-1.jsonl") > 10; });
  ASSERT_EQ(stopped.code, 3) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stallcast: stopped; the same command again goes on from here\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "stopped/results.csv"));
  const auto kept = lines_of("stopped/points-1-of-1.jsonl");
  EXPECT_EQ(run_program({sweep("stopped"), folder_.path()}).code, 0);
  EXPECT_EQ(content("stopped/results.csv"), content("whole/results.csv"));
  EXPECT_EQ(content("stopped/results.jsonl"), content("whole/results.jsonl"));
  EXPECT_GT(kept, 10);
  EXPECT_EQ(lines_of("stopped/points-1-of-1.jsonl"), 161);  // 16 x 10 and the header: none was computed twice
}

TEST_P(Signals, StopASearchWithTheBestSoFar) {
  const Ended ended = run_until({"size", "endless.json", "--vary", "loader.num_workers=1..64", "--min-utilization",
                                 "0.5", "--format", "json", "-o", "out.json"},
                                GetParam(), at_once);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(nlohmann::json::accept(content("out.json")));
}

TEST_P(Signals, StopAReportBeforeItIsWritten) {
  const Ended ended = run_until({"report", "endless.json", "-o", "report.html"}, GetParam(), at_once);
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("stallcast: stopped; report.html was not written\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "report.html"));
}

TEST_P(Signals, StopAProbeWithWhatItMeasured) {
  std::filesystem::create_directory(folder_.path() / "data");
  std::ofstream(folder_.path() / "data/a") << std::string(std::size_t{1} << 22, 'x');
  const Ended ended =
      run_until({"probe", "data", "--time", "50 s", "--bytes", "1 PiB", "-o", "probe.json"}, GetParam(), at_once);
  EXPECT_EQ(ended.signal, 0);
  if (ended.code == 3) {
    EXPECT_THAT(ended.err, HasSubstr("interrupted before anything was measured"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "probe.json"));
  } else {
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("interrupted; what was measured until then is kept"));
    EXPECT_TRUE(nlohmann::json::parse(content("probe.json")).at("interrupted").get<bool>());
  }
}

std::string name_of_signal(const testing::TestParamInfo<int>& info) {
  return info.param == SIGINT ? "SIGINT" : info.param == SIGTERM ? "SIGTERM" : "SIGHUP";
}
INSTANTIATE_TEST_SUITE_P(By, Signals, testing::Values(SIGINT, SIGTERM, SIGHUP), name_of_signal);

// A task of a job array that the kernel kills for its memory (SIGKILL), at many moments.
TEST_F(Signals, AKilledShardGoesOnToTheSameBytes) {
  ASSERT_EQ(run_program({sweep("whole"), folder_.path()}).code, 0);
  ASSERT_EQ(run_program({sweep("killed", "1/2"), folder_.path()}).code, 0);
  for (const std::ptrdiff_t points : {1, 13, 29, 47, 66}) {
    const Ended killed =
        run_until(sweep("killed", "2/2"), SIGKILL, [&] { return lines_of("killed/points-2-of-2.jsonl") > points; });
    ASSERT_EQ(killed.signal, SIGKILL) << "it ended before it was killed";
  }
  ASSERT_EQ(run_program({{"merge", "killed"}, folder_.path()}).code, 2);  // points are missing
  ASSERT_EQ(run_program({sweep("killed", "2/2"), folder_.path()}).code, 0);
  ASSERT_EQ(run_program({{"merge", "killed"}, folder_.path()}).code, 0);
  EXPECT_EQ(content("killed/results.csv"), content("whole/results.csv"));
  EXPECT_EQ(content("killed/results.jsonl"), content("whole/results.jsonl"));
  EXPECT_EQ(lines_of("killed/points-2-of-2.jsonl"), 81);
}

TEST_F(Signals, ASecondSweepOfTheSameShardIsTurnedAway) {
  const Folder aside;
  const Started first = start_program({sweep("shared"), folder_.path()}, aside.path());
  wait_until(first, [&] { return lines_of("shared/points-1-of-1.jsonl") > 1; });
  ::kill(first.pid, SIGSTOP);  // so that it is still there
  const Ended second = run_program({sweep("shared"), folder_.path()});
  ::kill(first.pid, SIGCONT);
  EXPECT_EQ(second.code, 3);
  EXPECT_THAT(second.err, HasSubstr("another stallcast is writing them"));
  const Ended ended = end_of(first);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(lines_of("shared/points-1-of-1.jsonl"), 161);
}

// timeout(1) of GNU coreutils signals the process, then its group. What is pending twice counts once, so two kinds are
// sent here.
TEST_F(Signals, TwoAtOnceAreOneInterrupt) {
  const Folder aside;
  const Started started = start_program({{"simulate", "endless.json", "-o", "out.txt"}, folder_.path()}, aside.path());
  wait_until_it_watches_for_signals(started);
  ::kill(started.pid, SIGINT);
  ::kill(started.pid, SIGTERM);
  const Ended ended = end_of(started);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(content("out.txt"), HasSubstr("STOPPED before the end"));
}

TEST_F(Signals, ASecondInterruptEndsAtOnceAndLeavesNothing) {
  const Folder aside;
  const Started started = start_program({{"simulate", "endless.json", "-o", "out.txt"}, folder_.path()}, aside.path());
  wait_until_it_watches_for_signals(started);
  ::kill(started.pid, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // sooner, and both are one
  ::kill(started.pid, SIGTERM);
  const Ended ended = end_of(started);
  EXPECT_TRUE(ended.code == 128 + SIGTERM || ended.code == 128 + SIGINT || ended.code == 0) << ended.code;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::StartsWith(".stallcast")));
}

// nohup(1) starts programs with SIGHUP ignored.
TEST_F(Signals, AnIgnoredHangUpStaysIgnored) {
  ASSERT_NE(::signal(SIGHUP, SIG_IGN), SIG_ERR);
  const Folder aside;
  const Started started = start_program({sweep("nohup"), folder_.path()}, aside.path());
  ::signal(SIGHUP, SIG_DFL);
  wait_until_it_watches_for_signals(started);
  ::kill(started.pid, SIGHUP);
  const Ended ended = end_of(started);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(lines_of("nohup/points-1-of-1.jsonl"), 161);
}

}  // namespace
}  // namespace stallcast::faults
