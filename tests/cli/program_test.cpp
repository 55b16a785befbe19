// What only a process has: closed and broken pipes. Signals: tests/faults/signals_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace {

// Exit status of a shell command line; `stallcast` in it is the program.
int shell_status(std::string command) {
  command = "stallcast() { \"" STALLCAST_PROGRAM "\" \"$@\"; }; " + command;
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

}  // namespace
