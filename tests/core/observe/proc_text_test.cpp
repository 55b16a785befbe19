#include "core/observe/proc/proc_text.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

// A name may hold what else parts the fields: proc(5) says to look for the last bracket.
TEST(ProcStat, ReadsANameWithBracketsAndSpaces) {
  const auto stat = parse_proc_stat(
      "71 (a) (b c) S 12 71 1 0 -1 4194304 10 0 0 0 5 6 0 0 20 0 3 0 123456 1000 50 18446744073709551615 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) (b c");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 12);
  EXPECT_EQ(stat->start_ticks, 123456.0);
}

TEST(ProcStat, IsNothingForWhatIsCutOff) {
  EXPECT_FALSE(parse_proc_stat(""));
  EXPECT_FALSE(parse_proc_stat("71 (python3"));
  EXPECT_FALSE(parse_proc_stat("71 (python3) S 12 71"));
}

TEST(ProcIo, ReadsFiveCounters) {
  const auto io = parse_proc_io(
      "rchar: 100\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 0\ncancelled_write_bytes: 0\n");
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_bytes, 100.0);
  EXPECT_EQ(io->written_bytes, 20.0);
  EXPECT_EQ(io->reads, 3.0);
  EXPECT_EQ(io->writes, 4.0);
  EXPECT_EQ(io->fetched_bytes, 4096.0);
  EXPECT_FALSE(parse_proc_io("rchar: 100\nwchar: 20\n"));
}

TEST(Schedstat, IsInNanoseconds) {
  const auto times = parse_schedstat("1500000000 250000000 17\n");
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->ran_s, 1.5);
  EXPECT_DOUBLE_EQ(times->turns, 17.0);
  EXPECT_DOUBLE_EQ(parse_schedstat("1500000000 250000000")->turns, 0.0);
  EXPECT_DOUBLE_EQ(times->queued_s, 0.25);
}

TEST(BlockedIn, ReadsTheCallItsArgumentsAndWhatIsNoCall) {
  const auto call = parse_blocked_in("7 0x7f10 0x1 0x1388 0x8 0x0 0x0 0x7ffd 0x7fcc\n");
  ASSERT_TRUE(call);
  EXPECT_FALSE(call->running);
  EXPECT_EQ(call->call, 7);
  EXPECT_EQ(call->arguments[1], 1U);
  EXPECT_EQ(call->arguments[2], 5000U);
  EXPECT_TRUE(parse_blocked_in("running\n")->running);
  EXPECT_EQ(parse_blocked_in("-1 0x7ffd 0x7fcc\n")->call, -1);
  EXPECT_FALSE(parse_blocked_in(""));
}

TEST(StatusValue, TakesTheWholeKeyAndTrims) {
  const char* const text = "Name:\tpython3\nNSpid:\t4000\t17\nCpus_allowed:\tff\nCpus_allowed_list:\t0-2,7\n";
  EXPECT_EQ(status_value(text, "Cpus_allowed_list"), "0-2,7");
  EXPECT_EQ(status_value(text, "NSpid"), "4000\t17");
  EXPECT_EQ(status_value(text, "Cpus"), "");
}

TEST(CountOfList, CountsRangesAndSingles) {
  EXPECT_EQ(count_of_list("0-2,7"), 4);
  EXPECT_EQ(count_of_list("5"), 1);
  EXPECT_EQ(count_of_list(""), 0);
  EXPECT_EQ(count_of_list("3-1"), 0);
  EXPECT_EQ(count_of_list("all"), 0);
}

}  // namespace
}  // namespace stallcast
