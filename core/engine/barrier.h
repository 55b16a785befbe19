// Points where processes meet: a barrier of n parties, and a signal that wakes all who wait.
#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "core/engine/simulator.h"

namespace stallcast {

// Wakes every waiting process, in order of waiting, at the instant of notify_all().
class Signal {
 public:
  explicit Signal(Simulator& sim) : sim_(&sim) {}

  auto wait() {
    struct Awaiter {
      Signal& signal;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> process) { signal.waiting_.push_back(process); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void notify_all() {
    for (auto process : waiting_) sim_->schedule_now(process);
    waiting_.clear();
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  Simulator* sim_;
  std::vector<std::coroutine_handle<>> waiting_;
};

// Holds processes until `parties` of them have arrived; then all go on at that instant. Reusable.
class Barrier {
 public:
  Barrier(Simulator& sim, std::int64_t parties) : signal_(sim), parties_(parties) {}

  // Result of co_await: true for the process that arrived last.
  auto arrive() {
    struct Awaiter {
      Barrier& barrier;
      bool last = false;
      bool await_ready() noexcept {
        if (++barrier.arrived_ < barrier.parties_) return false;
        barrier.arrived_ = 0;
        barrier.signal_.notify_all();
        last = true;
        return true;
      }
      void await_suspend(std::coroutine_handle<> process) { barrier.signal_.wait().await_suspend(process); }
      bool await_resume() const noexcept { return last; }
    };
    return Awaiter{*this};
  }

 private:
  Signal signal_;
  std::int64_t parties_;
  std::int64_t arrived_ = 0;
};

}  // namespace stallcast
