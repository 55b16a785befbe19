// Pending events in order of (time, scheduling order): a 4-ary heap of small values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engine/sim_time.h"

namespace stallcast {

struct Event {
  SimTime time;
  std::uint64_t order;  // scheduling order breaks ties
  void* process;        // address of the coroutine to resume

  bool before(const Event& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

// **Cost** push and pop O(log4 n), no allocation once the high-water mark is reached.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Event& top() const { return heap_.front(); }
  void reserve(std::size_t n) { heap_.reserve(n); }

  void push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!event.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  Event pop() {
    const Event out = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    if (n > 0) {
      std::size_t hole = 0;
      for (;;) {
        const std::size_t first = 4 * hole + 1;
        if (first >= n) break;
        const std::size_t end = first + 4 < n ? first + 4 : n;
        std::size_t best = first;
        for (std::size_t i = first + 1; i < end; ++i)
          if (heap_[i].before(heap_[best])) best = i;
        if (!heap_[best].before(last)) break;
        heap_[hole] = heap_[best];
        hole = best;
      }
      heap_[hole] = last;
    }
    return out;
  }

 private:
  std::vector<Event> heap_;
};

}  // namespace stallcast
