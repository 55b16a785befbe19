// What a thread was doing at one look.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/observe/proc/proc_text.h"

namespace stallcast {

enum class Activity : std::size_t {
  kRunning,  // on a core or ready for one
  kQueue,    // waits for a message of its own job: a worker for the next index, a trainer for the next batch
  kFiles,    // waits for a file: read, open, stat, a page of a mapped file
  kNetwork,  // waits for a socket
  kSleep,    // sleeps by the clock
  kLock,     // waits for another thread, without a limit of time
  kOther,
  kCount
};
inline constexpr std::size_t kActivities = static_cast<std::size_t>(Activity::kCount);
using ActivityCounts = std::array<double, kActivities>;
constexpr std::size_t index(Activity activity) { return static_cast<std::size_t>(activity); }
std::string_view activity_name(Activity activity);

// Descriptor that a blocked call reads from; -1 for calls that read from none.
int read_descriptor(const BlockedIn& blocked);

// **Model** from the call that the thread is blocked in. Python's queues, multiprocessing's and those of threads, wait
// with a limit of time so that they can look for workers that died: poll() of one descriptor for at most 5 s, or a
// futex with a limit. `reads_from` is where the descriptor of a read leads ("pipe:[1]", "socket:[2]", "/data/a"), "" if
// unknown.
// **Source** torch/utils/data/dataloader.py and _utils/worker.py (MP_STATUS_CHECK_INTERVAL); Lib/multiprocessing,
// Lib/queue.py of CPython 3.
// **Checked by** tests/core/observe/activity_test.cpp
Activity activity_of(const BlockedIn& blocked, std::string_view reads_from);

// The same where the kernel does not tell the call (other processes of one's own under kernel.yama.ptrace_scope 1):
// from the state of the thread and the kernel's function that it sleeps in (/proc/PID/wchan), "0" or "" if unknown. A
// queue's wait cannot be told from a socket's by poll there and counts as kQueue.
Activity activity_of(char state, std::string_view wait_channel);

}  // namespace stallcast
