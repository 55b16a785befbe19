#include "core/observe/proc/activity.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace stallcast {
namespace {

BlockedIn blocked_in(long call, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0) {
  BlockedIn out;
  out.call = call;
  out.arguments = {a, b, c, d, 0, 0};
  return out;
}

#ifdef SYS_poll
// PyTorch's workers and trainers poll one pipe for at most 5 s; an HTTP client with a limit of 30 s polls its socket.
TEST(Activity, TellsAQueueFromASocketByTheLimitOfPoll) {
  EXPECT_EQ(activity_of(blocked_in(SYS_poll, 0x7f00, 1, 5000), ""), Activity::kQueue);
  EXPECT_EQ(activity_of(blocked_in(SYS_poll, 0x7f00, 1, 30000), ""), Activity::kNetwork);
  EXPECT_EQ(activity_of(blocked_in(SYS_poll, 0x7f00, 2, 5000), ""), Activity::kNetwork);
  EXPECT_EQ(activity_of(blocked_in(SYS_poll, 0x7f00, 1, 0xffffffffU), ""), Activity::kNetwork);  // -1: no limit
}
#endif

TEST(Activity, OfAReadIsOfWhatIsRead) {
  EXPECT_EQ(activity_of(blocked_in(SYS_read, 5), "/data/a.jpg"), Activity::kFiles);
  EXPECT_EQ(activity_of(blocked_in(SYS_read, 5), "pipe:[17]"), Activity::kQueue);
  EXPECT_EQ(activity_of(blocked_in(SYS_read, 5), "socket:[18]"), Activity::kNetwork);
  EXPECT_EQ(read_descriptor(blocked_in(SYS_pread64, 9)), 9);
  EXPECT_EQ(read_descriptor(blocked_in(SYS_futex, 9)), -1);
}

TEST(Activity, OfALockHangsOnItsLimit) {
  EXPECT_EQ(activity_of(blocked_in(SYS_futex, 1, 0x189, 0, 0x7ffe), ""), Activity::kQueue);  // queue.get(timeout)
  EXPECT_EQ(activity_of(blocked_in(SYS_futex, 1, 0x189, 0, 0), ""), Activity::kLock);
}

TEST(Activity, OutsideOfACallIsAPageOfAMappedFile) {
  EXPECT_EQ(activity_of(blocked_in(-1), ""), Activity::kFiles);
  EXPECT_EQ(activity_of(blocked_in(SYS_clock_nanosleep), ""), Activity::kSleep);
  EXPECT_EQ(activity_of(blocked_in(SYS_openat), ""), Activity::kFiles);
  EXPECT_EQ(activity_of(blocked_in(SYS_recvfrom), ""), Activity::kNetwork);
  BlockedIn running;
  running.running = true;
  EXPECT_EQ(activity_of(running, ""), Activity::kRunning);
}

TEST(Activity, FollowsFromStateAndChannelWhereCallsAreHidden) {
  EXPECT_EQ(activity_of('R', "0"), Activity::kRunning);
  EXPECT_EQ(activity_of('D', "folio_wait_bit_common"), Activity::kFiles);
  EXPECT_EQ(activity_of('S', "do_poll.constprop.0"), Activity::kQueue);
  EXPECT_EQ(activity_of('S', "sk_wait_data"), Activity::kNetwork);
  EXPECT_EQ(activity_of('S', "hrtimer_nanosleep"), Activity::kSleep);
  EXPECT_EQ(activity_of('S', "futex_wait_queue"), Activity::kLock);
  EXPECT_EQ(activity_of('S', "0"), Activity::kOther);
}

}  // namespace
}  // namespace stallcast
