// Reads that fail under a probe, and clocks that jump under it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/faults/program_run.h"

namespace stallcast::faults {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ProbeFaults : public testing::Test {
 protected:
  ProbeFaults() {
    std::filesystem::create_directory(folder_.path() / "data");
    for (const char* name : {"data/a", "data/b"})
      std::ofstream(folder_.path() / name) << std::string(std::size_t{1} << 20, 'x');
  }
  Invocation probe(const Fault& fault, const std::string& time = "1 s", const std::string& bytes = "16 MiB") const {
    Invocation invocation = {{"probe", "data", "--time", time, "--bytes", bytes, "-o", "out.json"}, folder_.path()};
    invocation.fault = fault;
    if (fault.calls == "read") invocation.environment["FAULT_NO_RING"] = "1";
    return invocation;
  }
  json result() const { return json::parse(content_of(folder_.path() / "out.json")); }
  std::string notes() const {
    std::string all;
    const json probed = result();
    for (const auto& note : probed.at("notes")) all += note.dump() + "\n";
    return all;
  }
  // Nothing that was kept took longer than the probe, or less than no time.
  void expect_sane_points() const {
    const json probed = result();
    EXPECT_FALSE(probed.at("points").empty());
    for (const json& point : probed.at("points")) {
      const json& latency = point.at("latency");
      EXPECT_GE(latency.at("min_s").get<double>(), 0.0) << point;
      EXPECT_LT(latency.at("max_s").get<double>(), 60.0) << point;
      EXPECT_LT(point.at("measured_s").get<double>(), 60.0) << point;
    }
    EXPECT_LT(probed.at("took_s").get<double>(), 60.0);
  }
  Folder folder_;
};

// The two ways to read: by io_uring, or where the kernel has none by threads with pread.
TEST_F(ProbeFaults, WithoutTheKernelsRingThreadsRead) {
  const Ended ended = run_program(probe({.calls = "read"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(notes(), testing::AnyOf(HasSubstr("no io_uring (Operation not permitted)"), HasSubstr("page cache"),
                                      HasSubstr("in memory"), HasSubstr("buffered")));
}

TEST_F(ProbeFaults, ReadsThatFailAreCounted) {
  for (const std::string calls : {"read", "uring_read"}) {
    const Ended ended = run_program(probe({.calls = calls, .at = 20, .error = EIO, .count = 5}));
    EXPECT_EQ(ended.code, 0) << ended.err;
    if (ended.met.empty()) continue;
    EXPECT_EQ(ended.met.size(), 5U);
    EXPECT_THAT(notes(), testing::ContainsRegex("[1-5] reads failed, the first with: (Input/output|Bad file)"));
  }
}

TEST_F(ProbeFaults, ADeviceThatIsGoneIsToldAndDoesNotHang) {
  for (const std::string calls : {"read", "uring_read", "open"}) {
    for (const int at : {1, 5, 40}) {
      const Ended ended = run_program(probe({.calls = calls, .at = at, .error = EIO, .count = 1L << 40}));
      EXPECT_EQ(ended.signal, 0) << calls << at;
      EXPECT_THAT(ended.code, testing::AnyOf(testing::Eq(0), testing::Eq(3))) << calls << at << ended.err;
      if (ended.code == 3) {
        EXPECT_THAT(ended.err, testing::ContainsRegex("Input/output error|Bad file|no file"));
      }
      if (ended.code == 0 && !ended.met.empty()) {
        EXPECT_FALSE(result().at("flaws").empty());
      }
    }
  }
}

TEST_F(ProbeFaults, ReadsThatCannotBeSubmittedAreTriedAgainOrTold) {
  for (const int error : {EINTR, EAGAIN, EBUSY}) {
    const Ended ended = run_program(probe({.calls = "uring_submit", .at = 10, .error = error, .count = 20}));
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(notes(), testing::Not(HasSubstr("failed")));
  }
  const Ended ended = run_program(probe({.calls = "uring_submit", .at = 10, .error = ENOMEM, .count = 1L << 40}));
  if (ended.met.empty()) GTEST_SKIP() << "this build or this file system has no io_uring";
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("stallcast: reads by io_uring cannot be made: Cannot allocate memory\n"));
}

TEST_F(ProbeFaults, ReadsThatEndEarlyAreTold) {
  const Ended ended = run_program(probe({.calls = "read", .at = 20, .shorten = true, .count = 3}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(notes(), HasSubstr("found less than their file held before"));
}

TEST_F(ProbeFaults, InterruptedReadsAreMadeAgain) {
  const Ended ended = run_program(probe({.calls = "read", .at = 1, .error = EINTR, .count = 50}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.met.size(), 50U);
  EXPECT_THAT(notes(), testing::Not(HasSubstr("failed")));
}

TEST_F(ProbeFaults, AClockThatIsSetDoesNotMatter) {
  for (const char* jump : {"100000000", "-100000000"}) {
    Invocation invocation = probe({.calls = "realtime", .at = 1, .count = 1L << 40});
    invocation.environment["FAULT_ADD_S"] = jump;
    const Ended ended = run_program(invocation);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(notes(), testing::Not(testing::AnyOf(HasSubstr("clock"), HasSubstr("stood still"))));
    expect_sane_points();
  }
}

// At many moments: while it looks through the files, while it measures, at its end.
TEST_F(ProbeFaults, AClockThatJumpsIsNoticed) {
  for (const char* jump : {"3600", "-3600"}) {
    for (const int at : {2500, 3500, 5000, 8000}) {
      Invocation invocation = probe({.calls = "monotonic", .at = at});
      invocation.environment["FAULT_ADD_S"] = jump;
      const Ended ended = run_program(invocation);
      ASSERT_EQ(ended.code, 0) << ended.err;
      if (ended.met.empty()) continue;
      EXPECT_THAT(notes(), HasSubstr(jump[0] == '-' ? "the clock went back by" : "this process stood still for"));
      EXPECT_THAT(notes(), HasSubstr("3.6e+03 s"));
      expect_sane_points();
    }
  }
}

// Ctrl-Z and fg; a suspended machine looks the same.
TEST_F(ProbeFaults, AStoppedProbeLeavesThatTimeOut) {
  const Folder aside;
  const Started started = start_program(probe({}, "3 s", "1 PiB"), aside.path());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ::kill(started.pid, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  ::kill(started.pid, SIGCONT);
  const Ended ended = end_of(started);
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_GT(result().at("took_s").get<double>(), 1.0) << "it ended before it was stopped";
  EXPECT_THAT(notes(), HasSubstr("this process stood still for 3"));
  const json probed = result();
  for (const json& point : probed.at("points")) EXPECT_LT(point.at("latency").at("max_s").get<double>(), 2.0);
}

}  // namespace
}  // namespace stallcast::faults
