// Pending events in order of (time, scheduling order).
//
// The next few wait in a short sorted array, the others in a heap: an event of the near future takes its place among a
// handful, however many wait for later, and taking the next one costs no comparison.
//
//   near_   latest first, so that the next event is the last; every one of them before every one of far_
//   far_    a heap; what is due at far_from_ or later goes there
//
// **Source** the bottom of Tang, Goh & Thng, "Ladder queue", ACM TOMACS 15(3), 2005, over a heap instead of rungs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/engine/event.h"
#include "core/engine/quad_heap.h"
#include "core/engine/sim_time.h"

namespace stallcast {

// **Range** each event pushed has a higher order than all before it.
// **Cost** push, pop O(1) among the near events, O(log4 n) among the far ones; no allocation once the high-water mark
// is reached.
class EventQueue {
 public:
  bool empty() const { return near_size_ == 0; }
  std::size_t size() const { return near_size_ + far_.size(); }
  const Event& top() const { return near_[near_size_ - 1]; }
  void reserve(std::size_t n) { far_.reserve(n); }

  void push(const Event& event) {
    if (near_size_ == kNear && event.time < far_from_) spill();
    if (event.time >= far_from_) {
      far_.push(event);
      if (near_size_ == 0) refill();
      return;
    }
    std::size_t slot = near_size_++;
    for (; slot > 0 && near_[slot - 1].time <= event.time; --slot) near_[slot] = near_[slot - 1];
    near_[slot] = event;
  }

  Event pop() {
    const Event out = near_[--near_size_];
    if (near_size_ == 0 && !far_.empty()) refill();
    return out;
  }

 private:
  static constexpr std::size_t kNear = 32;
  static constexpr std::size_t kRefill = 8;

  void refill() {
    near_size_ = std::min(kRefill, far_.size());
    for (std::size_t slot = near_size_; slot-- > 0;) near_[slot] = far_.pop();
    far_from_ = far_.empty() ? kNever : far_.top().time;
  }

  // Moves the later half of the near events to the far ones.
  void spill() {
    constexpr std::size_t kHalf = kNear / 2;
    for (std::size_t slot = 0; slot < kHalf; ++slot) far_.push(near_[slot]);
    far_from_ = near_[kHalf - 1].time;
    std::copy(near_.begin() + kHalf, near_.end(), near_.begin());
    near_size_ -= kHalf;
  }

  std::array<Event, kNear> near_;
  std::size_t near_size_ = 0;
  SimTime far_from_ = kNever;
  QuadHeap<Event> far_;
};

}  // namespace stallcast
