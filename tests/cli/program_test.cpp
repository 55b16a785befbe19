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

// Its file, as $file.
const std::string kLongRun = R"sh(
    file=$(mktemp); echo "{\"workload\": {\"step_time\": \"10 ms\", \"batch_size\": 64}, \"dataset\": {\"sample_size\": \"1 kB\"},
      \"run\": {\"whole_run\": true, \"steps_per_epoch\": 10000000}}" > $file)sh";

// A run of ten million steps cannot end by itself in time; an interrupt ends it with a result.
TEST(Program, AnInterruptEndsTheRunWithAResult) {
  EXPECT_EQ(shell_status(kLongRun + R"sh(
    exec_stallcast simulate $file --format json > $file.out 2>/dev/null & pid=$!
    sleep 1; kill -INT $pid; wait $pid; code=$?
    grep -q "\"converged\": false" $file.out && grep -q "\"stopped\": true" $file.out || code=99
    rm -f $file $file.out; exit $code)sh"),
            0);
}

// timeout of GNU coreutils sends its signal to the process and to its group.
TEST(Program, TwoSignalsAtOnceAreOneInterrupt) {
  EXPECT_EQ(shell_status(kLongRun + R"sh(
    exec_stallcast simulate $file > $file.out 2>/dev/null & pid=$!
    sleep 1; kill -TERM $pid; sleep 0.01; kill -TERM $pid; wait $pid; code=$?
    grep -q "STOPPED before the end" $file.out || code=99
    rm -f $file $file.out; exit $code)sh"),
            0);
}

TEST(Program, WhatWasStoppedIsNotJudged) {
  EXPECT_EQ(shell_status(kLongRun + R"sh(
    exec_stallcast simulate $file --fail-if "gpu_utilization<0.1" > /dev/null 2>$file.err & pid=$!
    sleep 1; kill -TERM $pid; wait $pid; code=$?
    grep -q "was not judged" $file.err || code=99
    rm -f $file $file.err; exit $code)sh"),
            3);
}

}  // namespace
