#include "core/observe/proc/activity.h"

#include <sys/syscall.h>

#include <algorithm>
#include <initializer_list>

namespace stallcast {
namespace {

bool is_one_of(long call, std::initializer_list<long> calls) {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

// Not every machine has the old calls.
#ifdef SYS_poll
constexpr long kPoll = SYS_poll;
#else
constexpr long kPoll = -2;
#endif
#ifdef SYS_select
constexpr long kSelect = SYS_select, kEpollWait = SYS_epoll_wait;
constexpr long kOpen = SYS_open, kStat = SYS_stat, kLstat = SYS_lstat, kAccess = SYS_access, kGetdents = SYS_getdents;
#else
constexpr long kSelect = -2, kEpollWait = -2, kOpen = -2, kStat = -2, kLstat = -2, kAccess = -2, kGetdents = -2;
#endif

// PyTorch looks for dead workers every 5 s. Clients of storage wait for their sockets with longer limits.
constexpr int kQueueLimit_ms = 5000;

bool reads_descriptor(long call) {
  return is_one_of(call, {SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_preadv2});
}

Activity of_path(std::string_view path) {
  if (path.starts_with("pipe:")) return Activity::kQueue;
  if (path.starts_with("socket:")) return Activity::kNetwork;
  return Activity::kFiles;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

std::string_view activity_name(Activity activity) {
  switch (activity) {
    case Activity::kRunning:
      return "running";
    case Activity::kQueue:
      return "queue";
    case Activity::kFiles:
      return "files";
    case Activity::kNetwork:
      return "network";
    case Activity::kSleep:
      return "sleep";
    case Activity::kLock:
      return "lock";
    default:
      return "other";
  }
}

int read_descriptor(const BlockedIn& blocked) {
  return !blocked.running && reads_descriptor(blocked.call) ? static_cast<int>(blocked.arguments[0]) : -1;
}

Activity activity_of(const BlockedIn& blocked, std::string_view reads_from) {
  if (blocked.running) return Activity::kRunning;
  const long call = blocked.call;
  if (call == -1) return Activity::kFiles;  // a page fault
  if (reads_descriptor(call)) return of_path(reads_from);
  if (is_one_of(call, {SYS_openat,
                       SYS_newfstatat,
                       SYS_fstat,
                       SYS_statx,
                       SYS_getdents64,
                       SYS_lseek,
                       SYS_close,
                       SYS_faccessat,
                       SYS_readlinkat,
                       SYS_io_uring_enter,
                       SYS_io_getevents,
                       SYS_fadvise64,
                       SYS_mmap,
                       SYS_madvise,
                       SYS_readahead,
                       kOpen,
                       kStat,
                       kLstat,
                       kAccess,
                       kGetdents}))
    return Activity::kFiles;
  const bool one = blocked.arguments[1] == 1;
  if (call == kPoll) {
    const auto limit_ms = static_cast<int>(blocked.arguments[2]);
    return one && limit_ms > 0 && limit_ms <= kQueueLimit_ms ? Activity::kQueue : Activity::kNetwork;
  }
  if (call == SYS_ppoll) return one && blocked.arguments[2] != 0 ? Activity::kQueue : Activity::kNetwork;
  if (is_one_of(call, {SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_connect, SYS_accept4, SYS_epoll_pwait, SYS_pselect6,
                       kSelect, kEpollWait}))
    return Activity::kNetwork;
  if (is_one_of(call, {SYS_nanosleep, SYS_clock_nanosleep})) return Activity::kSleep;
  if (call == SYS_futex) return blocked.arguments[3] != 0 ? Activity::kQueue : Activity::kLock;
  return Activity::kOther;
}

Activity activity_of(char state, std::string_view wait_channel) {
  if (state == 'R') return Activity::kRunning;
  if (state == 'D') return Activity::kFiles;
  if (has_any(wait_channel, {"pipe_read", "do_poll", "poll_schedule", "do_sys_poll"})) return Activity::kQueue;
  if (has_any(wait_channel, {"folio_wait", "io_schedule", "page_bit", "request_wait_answer", "rpc_", "nfs"}))
    return Activity::kFiles;
  if (has_any(wait_channel, {"sk_wait", "wait_woken", "skb_recv", "inet_", "ep_poll", "do_select", "tcp_"}))
    return Activity::kNetwork;
  if (has_any(wait_channel, {"nanosleep", "hrtimer"})) return Activity::kSleep;
  if (has_any(wait_channel, {"futex"})) return Activity::kLock;
  return Activity::kOther;
}

}  // namespace stallcast
