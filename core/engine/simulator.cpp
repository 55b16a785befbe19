#include "core/engine/simulator.h"

#include <algorithm>

namespace stallcast {

Simulator::~Simulator() {
  while (live_.next) {
    detail::ProcessLinks* links = live_.next;
    live_.next = links->next;
    if (links->next) links->next->previous = &live_;
    auto& promise = static_cast<Process::promise_type&>(*links);
    std::coroutine_handle<Process::promise_type>::from_promise(promise).destroy();
  }
}

void Simulator::spawn(Process process) {
  auto handle = process.release();
  detail::ProcessLinks& links = handle.promise();
  handle.promise().simulator = this;
  links.previous = &live_;
  links.next = live_.next;
  if (live_.next) live_.next->previous = &links;
  live_.next = &links;
  schedule_now(handle);
}

// Most actions set their timer again: it keeps its place until then, for nothing pending comes before it.
void Simulator::fire_first_timer() {
  Timer& timer = *timers_.top().timer;
  timer.time = kNever;
  timer.action(timer.owner);
  if (timer.time != kNever) return;
  timers_.erase(timer.slot);
  timer.slot = SIZE_MAX;
}

bool Simulator::has_ended() {
  if (!stopped() && late_events_++ == kLateEvents) stop();
  return stopped();
}

void Simulator::run(SimTime until) {
  constexpr HeapKey kNothing = heap_key(kNever, UINT64_MAX);
  until_ = std::min(until, kNever - 1);  // the clock never gets to kNever
  ends_.fetch_and(static_cast<std::uint8_t>(~kStopped), std::memory_order_relaxed);
  while (!is_ending() || !has_ended()) {
    // Events of this instant that were pending before anything became ready come first.
    const HeapKey event = queue_.empty() ? kNothing : queue_.top().key();
    const HeapKey timer = timers_.empty() ? kNothing : timers_.top().key();
    const bool timer_first = timer < event;
    const auto next = static_cast<SimTime>((timer_first ? timer : event) >> 64);
    if (ready_head_ != ready_.size() && next > now_) {
      void* process = ready_[ready_head_++];
      if (ready_head_ != ready_.size()) prefetch_frame(ready_[ready_head_]);
      if (ready_head_ == ready_.size()) {
        ready_.clear();
        ready_head_ = 0;
      } else if (ready_head_ >= 4096 && 2 * ready_head_ >= ready_.size()) {
        ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_head_));
        ready_head_ = 0;
      }
      ++events_;
      std::coroutine_handle<>::from_address(process).resume();
      continue;
    }
    if (next > until_) break;
    now_ = next;
    ++events_;
    if (timer_first) {
      fire_first_timer();
    } else {
      void* const process = queue_.pop().process;
      if (!queue_.empty()) prefetch_frame(queue_.top().process);
      std::coroutine_handle<>::from_address(process).resume();
    }
  }
  if (!stopped() && until != kNever && now_ < until) now_ = until;
}

void Simulator::set_timer(Timer& timer, SimTime time) {
  if (timer.time == time) return;
  timer.time = time;
  if (time == kNever) {
    timers_.erase(timer.slot);
    timer.slot = SIZE_MAX;
  } else if (timer.slot == SIZE_MAX) {
    timers_.push({time, order_++, &timer});
  } else {
    timers_.replace(timer.slot, {time, order_++, &timer});
  }
}

}  // namespace stallcast
