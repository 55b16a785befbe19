#include "core/answers/timed_stop.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace stallcast {

TimedStop::TimedStop(const std::stop_token& asked, std::optional<double> limit_s)
    : forward_(asked, [this] { source_.request_stop(); }) {
  if (!limit_s) return;
  timer_ = std::jthread([this, limit_s](const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    wake.wait_for(lock, over, std::chrono::duration<double>(*limit_s), [] { return false; });
    if (!over.stop_requested()) source_.request_stop();
  });
}

}  // namespace stallcast
