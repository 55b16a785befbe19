#include "core/probe/result/probing_machine.h"

#include <gmock/gmock.h>

#include <ctime>

namespace stallcast {
namespace {

using ::testing::HasSubstr;

TEST(BusyNote, NothingOfAQuietMachine) {
  EXPECT_EQ(busy_note(0.0, 2, {}), "");
  EXPECT_EQ(busy_note(3.0, 2, {8.0, 2.0}), "");  // 1.5 for each core, and 2 of 10 s
}

TEST(BusyNote, NamesTheLoadAndTheWait) {
  EXPECT_EQ(busy_note(17.0, 2, {}),
            "this machine is busy: load average 17 on 2 cores; figures are of the storage and of the machine together");
  EXPECT_THAT(busy_note(1.0, 2, {3.0, 1.0}), HasSubstr("busy: the probe waited for a core 25 % of the time"));
  EXPECT_THAT(busy_note(17.0, 2, {3.0, 1.0}), HasSubstr("2 cores, the probe waited"));
}

TEST(BusyNote, AThreadThatHardlyRanSaysNothing) { EXPECT_EQ(busy_note(1.0, 2, {0.001, 0.002}), ""); }

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The same time by the kernel's other count. A tick is up to 10 ms.
TEST(ThreadTimes, CountWhatTheThreadRan) {
  const auto before = thread_times();
  if (!before) GTEST_SKIP() << "the kernel does not count";
  const double from_s = cpu_s();
  while (cpu_s() - from_s < 0.1) {
  }
  const auto after = thread_times();
  EXPECT_NEAR(after->ran_s - before->ran_s, cpu_s() - from_s, 0.02);
  EXPECT_GE(after->waited_s, before->waited_s);
}

}  // namespace
}  // namespace stallcast
