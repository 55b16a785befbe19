// The clock and the event loop.
//
//   loop: next = earliest of (event queue, timers) by (time, scheduling order), then the ready list
//         now = next.time; resume its process, or call its timer
//
// Whatever is scheduled for the present instant goes to the ready list and runs after every event that was already
// pending for that instant, in scheduling order. A process that delays to before every pending event is not suspended
// at all: the clock moves and it goes on, which is the same order with less work. A timer set for the present instant
// is a completion found late and runs before the ready list.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/engine/event_queue.h"
#include "core/engine/frame_arena.h"
#include "core/engine/process.h"
#include "core/engine/sim_time.h"

namespace stallcast {

// A moment that can be moved: each shared resource keeps one for its next completion.
struct Timer {
  using Action = void (*)(void* owner);
  SimTime time = kNever;
  std::size_t slot = SIZE_MAX;  // position among the set timers
  Action action = nullptr;
  void* owner = nullptr;
};

// Asks for the memory of a process that will soon be resumed: with thousands of processes frames are not in the cache.
inline void prefetch_frame([[maybe_unused]] const void* process) {
#if defined(__GNUC__)
  const auto* bytes = static_cast<const char*>(process);
  __builtin_prefetch(bytes);
  __builtin_prefetch(bytes + 64);
  __builtin_prefetch(bytes + 128);
#endif
}

class Simulator {
 public:
  Simulator() { queue_.reserve(1024); }
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  SimTime now() const { return now_; }
  std::uint64_t events() const { return events_; }
  FrameArena& arena() { return arena_; }
  Simulator& simulator() { return *this; }

  // Starts a process at the present instant.
  void spawn(Process process);

  // Resumes `process` at `time` >= now().
  void schedule(SimTime time, std::coroutine_handle<> process) {
    if (time == now_) {
      ready_.push_back(process.address());
    } else {
      queue_.push({time, order_++, process.address()});
    }
  }
  void schedule_now(std::coroutine_handle<> process) { ready_.push_back(process.address()); }

  // co_await delay(d): d >= 0 nanoseconds pass. A process whose time would be beyond the clock is never resumed.
  auto delay(SimTime duration) {
    struct Awaiter {
      Simulator& sim;
      SimTime duration;
      bool await_ready() const noexcept { return duration > 0 && sim.advance_to(after(sim.now_, duration)); }
      void await_suspend(std::coroutine_handle<> process) { sim.schedule(after(sim.now_, duration), process); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, duration};
  }
  auto delay(Seconds duration) { return delay(to_ns(duration)); }

  // Moves `timer` to `time` (kNever unsets it). Its action runs once when the time comes; it may be set again then.
  // **Errors** the timer must outlive its action.
  void set_timer(Timer& timer, SimTime time);

  // Runs until nothing is left, stop() was called, or the next event is later than `until`.
  void run(SimTime until = kNever);
  void stop() { ends_.fetch_or(kStopped, std::memory_order_relaxed); }
  bool stopped() const { return (ends_.load(std::memory_order_relaxed) & kStopped) != 0; }

  // Once `stop` is requested, by any thread, run() is stopped before long: after kLateEvents more events, in which the
  // processes may come to an end that suits them.
  void end_on(std::stop_token stop) { asking_.emplace(std::move(stop), Ask{ends_}); }
  static constexpr std::int64_t kLateEvents = 1'000'000;  // a tenth of a second
  // After run(): some process delays beyond the end of the clock.
  bool out_of_time() const { return !queue_.empty() && queue_.top().time == kNever; }

 private:
  friend struct Process::promise_type;

  // Why run() is to end.
  using Ends = std::atomic<std::uint8_t>;
  static constexpr std::uint8_t kStopped = 1, kAsked = 2;
  struct Ask {
    Ends& ends;
    void operator()() const noexcept { ends.fetch_or(kAsked, std::memory_order_relaxed); }
  };

  bool is_ending() const { return ends_.load(std::memory_order_relaxed) != 0; }
  bool has_ended();
  void fire_first_timer();
  bool advance_to(SimTime time) noexcept {
    if (ready_head_ != ready_.size() || is_ending() || time > until_) return false;
    if (!queue_.empty() && queue_.top().time <= time) return false;
    if (!timers_.empty() && timers_.top().time <= time) return false;
    now_ = time;
    ++events_;
    return true;
  }
  struct SetTimer {
    SimTime time;
    std::uint64_t order;
    Timer* timer;
    HeapKey key() const { return heap_key(time, order); }
    bool before(const SetTimer& other) const { return key() < other.key(); }
    void moved_to(std::size_t slot) const { timer->slot = slot; }
  };

  SimTime now_ = 0;
  SimTime until_ = kNever;
  std::uint64_t order_ = 0;
  std::uint64_t events_ = 0;
  Ends ends_ = 0;
  std::int64_t late_events_ = 0;
  std::optional<std::stop_callback<Ask>> asking_;
  EventQueue queue_;
  std::vector<void*> ready_;
  std::size_t ready_head_ = 0;
  QuadHeap<SetTimer> timers_;
  FrameArena arena_;
  detail::ProcessLinks live_;
};

namespace detail {
template <class First, class... Rest>
FrameArena& arena_of(First& first, Rest&... rest) {
  if constexpr (HasSimulator<First>) {
    return first.simulator().arena();
  } else {
    static_assert(sizeof...(Rest) > 0, "a coroutine's first argument must be a Simulator& or have simulator()");
    return arena_of(rest...);
  }
}
}  // namespace detail

inline auto Process::promise_type::final_suspend() noexcept {
  struct Final {
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<promise_type> self) noexcept {
      detail::ProcessLinks& links = self.promise();
      links.previous->next = links.next;
      if (links.next) links.next->previous = links.previous;
      self.destroy();
    }
    void await_resume() noexcept {}
  };
  return Final{};
}

}  // namespace stallcast
