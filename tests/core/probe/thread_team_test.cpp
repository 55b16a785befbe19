// Threads that make requests together.
#include "core/probe/disk/thread_team.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "core/diagnostics/finding.h"
#include "tests/sanitized.h"

namespace stallcast {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 28;

// From here on there is address space for 4 threads, and half a stack for everything else.
void leave_room_for_four_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + 4 * kStackBytes + kStackBytes / 2;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

// 0 when a WorldError was thrown. In a process of its own, which ends should it hang.
[[noreturn]] void start_too_many_threads() {
  ::alarm(20);
  leave_room_for_four_threads();
  try {
    run_on_threads(64, [](int, double, RequestOutcome&) { return false; });
  } catch (const WorldError&) {
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(ThreadTeam, ThreadsThatCannotBeHadAreAnErrorAndNoHang) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want address space of their own for each thread";
  EXPECT_EXIT(start_too_many_threads(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stallcast
