// Independent pieces of work on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stallcast {

// Calls work(i) for i in [0, count), each once, on up to `threads` threads (0 = one per core; fewer where the system
// gives no more), in no stated order. What one throws is thrown here after all have ended; no further ones are begun
// then.
template <class Work>
void parallel_for(std::int64_t count, unsigned threads, const Work& work) {
  const unsigned cores = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  const auto workers = static_cast<unsigned>(std::min<std::int64_t>(cores, count));
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto loop = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> pool;
  try {
    for (unsigned w = 1; w < workers; ++w) pool.emplace_back(loop);
  } catch (const std::system_error&) {  // those that could be started do it all
  }
  loop();
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace stallcast
