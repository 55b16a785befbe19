#include "core/probe/pause_watch.h"

#include <fmt/format.h>
#include <time.h>

#include <chrono>

#include "core/probe/disk/monotonic_clock.h"

namespace stallcast {

PauseWatch::PauseWatch() : last_(read_clocks()) {
  watcher_ = std::jthread([this](const std::stop_token& over) {
    while (!over.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::duration<double>(kMoment_s));
      const std::scoped_lock lock(mutex_);
      look();
    }
  });
}

PauseWatch::Clocks PauseWatch::read_clocks() {
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  return {monotonic_s(), static_cast<double>(boot.tv_sec) + 1e-9 * static_cast<double>(boot.tv_nsec)};
}

// Whoever is first after a pause sees it, the watcher or one who asks.
void PauseWatch::look() {
  const Clocks now = read_clocks();
  const double passed_s = now.monotonic_s - last_.monotonic_s;
  const double really_s = now.boot_s - last_.boot_s;
  last_ = now;
  if (passed_s >= 0.0 && passed_s < kLong_s && really_s < kLong_s) return;
  ++seen_.count;
  seen_.lost_s += passed_s;
  if (passed_s < 0.0) {
    seen_.went_back_s -= passed_s;
  } else {
    seen_.stood_still_s += really_s;
  }
  if (next_.stop_possible()) next_.request_stop();
}

Pauses PauseWatch::pauses() {
  const std::scoped_lock lock(mutex_);
  look();
  return seen_;
}

std::stop_source PauseWatch::until_next() {
  const std::scoped_lock lock(mutex_);
  look();
  next_ = std::stop_source();
  return next_;
}

std::string pause_note(const Pauses& pauses, int dropped) {
  if (pauses.count == 0) return {};
  std::string what;
  if (pauses.stood_still_s > 0.0)
    what = fmt::format("this process stood still for {:.3g} s (stopped, suspended, or the machine did not run it)",
                       pauses.stood_still_s);
  if (pauses.went_back_s > 0.0)
    what += fmt::format("{}the clock went back by {:.3g} s", what.empty() ? "" : ", and ", pauses.went_back_s);
  if (dropped == 0) return what;
  return fmt::format("{}; {} it fell into {} left out", what,
                     dropped == 1 ? "the measurement" : fmt::format("{} measurements", dropped),
                     dropped == 1 ? "is" : "are");
}

}  // namespace stallcast
