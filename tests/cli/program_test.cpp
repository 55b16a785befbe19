// What only a process has: closed and broken pipes, signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace {

// Exit status of a shell command line; `stallcast` in it is the program.
int shell_status(std::string command) {
  // exec_stallcast replaces the (background) shell, so that a signal reaches the program itself.
  command = "stallcast() { \"" STALLCAST_PROGRAM "\" \"$@\"; }; exec_stallcast() { exec \"" STALLCAST_PROGRAM
            "\" \"$@\"; }; " +
            command;
  const std::string quoted = "bash -c '" + command + "'";
  const int status = std::system(quoted.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Program, AReaderThatGoesAwayIsNoError) {
  EXPECT_EQ(shell_status("set -o pipefail; stallcast schema 2>&1 >/dev/null | grep -q bug; [ $? -eq 1 ]"), 0);
  EXPECT_EQ(shell_status("stallcast schema | true; exit ${PIPESTATUS[0]}"), 0);
}

TEST(Program, AClosedStandardOutputIsTrouble) { EXPECT_EQ(shell_status("stallcast schema >&- 2>/dev/null"), 3); }

TEST(Program, AFullDeviceIsTrouble) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP();
  EXPECT_EQ(shell_status("stallcast schema >/dev/full 2>/dev/null"), 3);
}

// A run of two billion steps cannot end by itself in time; an interrupt ends it with a result.
TEST(Program, AnInterruptEndsTheRunWithAResult) {
  EXPECT_EQ(shell_status(R"sh(
    file=$(mktemp); echo "{\"workload\": {\"step_time\": \"10 ms\", \"batch_size\": 64}, \"dataset\": {\"sample_size\": \"1 kB\"},
      \"run\": {\"whole_run\": true, \"steps_per_epoch\": 10000000}}" > $file
    exec_stallcast simulate $file --format json > $file.out 2>/dev/null & pid=$!
    sleep 1; kill -INT $pid; wait $pid; code=$?
    grep -q "\"converged\": false" $file.out || code=99
    rm -f $file $file.out; exit $code)sh"),
            0);
}

}  // namespace
