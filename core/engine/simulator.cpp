#include "core/engine/simulator.h"

#include "core/diagnostics/invariant.h"

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

void Simulator::run(SimTime until) {
  until_ = until;
  stopped_ = false;
  while (!stopped_) {
    // Events of this instant that were pending before anything became ready come first.
    const bool timer_first =
        !timers_.empty() && (queue_.empty() || timers_.front()->time < queue_.top().time ||
                             (timers_.front()->time == queue_.top().time && timers_.front()->order < queue_.top().order));
    const SimTime next = timer_first ? timers_.front()->time : queue_.empty() ? kNever : queue_.top().time;
    if (ready_head_ != ready_.size() && next > now_) {
      void* process = ready_[ready_head_++];
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
    if (next == kNever || next > until) break;
    now_ = next;
    ++events_;
    if (timer_first) {
      Timer& timer = *timers_.front();
      remove_timer(timer);
      timer.action(timer.owner);
    } else {
      const Event event = queue_.pop();
      std::coroutine_handle<>::from_address(event.process).resume();
    }
  }
  if (!stopped_ && until != kNever && now_ < until) now_ = until;
}

void Simulator::set_timer(Timer& timer, SimTime time) {
  if (timer.time == time && timer.slot != SIZE_MAX) return;
  if (time == kNever) {
    if (timer.slot != SIZE_MAX) remove_timer(timer);
    return;
  }
  timer.time = time;
  timer.order = order_++;
  if (timer.slot == SIZE_MAX) {
    timer.slot = timers_.size();
    timers_.push_back(&timer);
  }
  sift_up(timer.slot);
  sift_down(timer.slot);
}

void Simulator::remove_timer(Timer& timer) {
  const std::size_t slot = timer.slot;
  Timer* last = timers_.back();
  timers_.pop_back();
  timer.slot = SIZE_MAX;
  timer.time = kNever;
  if (last == &timer) return;
  timers_[slot] = last;
  last->slot = slot;
  sift_up(slot);
  sift_down(last->slot);
}

void Simulator::sift_up(std::size_t slot) {
  Timer* timer = timers_[slot];
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / 2;
    if (!before(timer, timers_[parent])) break;
    timers_[slot] = timers_[parent];
    timers_[slot]->slot = slot;
    slot = parent;
  }
  timers_[slot] = timer;
  timer->slot = slot;
}

void Simulator::sift_down(std::size_t slot) {
  Timer* timer = timers_[slot];
  for (;;) {
    std::size_t child = 2 * slot + 1;
    if (child >= timers_.size()) break;
    if (child + 1 < timers_.size() && before(timers_[child + 1], timers_[child])) ++child;
    if (!before(timers_[child], timer)) break;
    timers_[slot] = timers_[child];
    timers_[slot]->slot = slot;
    slot = child;
  }
  timers_[slot] = timer;
  timer->slot = slot;
}

}  // namespace stallcast
