// Stands in for the engine's event queue where streams are recorded: in the include path of the recorder, it comes
// before the engine's own. A plain heap that notes what is asked of it; results are the same, for events have one
// order.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "core/engine/event.h"
#include "core/engine/quad_heap.h"
#include "tests/benchmarks/event_stream.h"

namespace stallcast {

// The longest stream of all simulators that have ended; taking it starts anew.
class LongestStream {
 public:
  void offer(benchmarks::EventStream&& stream) {
    const std::lock_guard lock(mutex_);
    if (stream.size() > stream_.size()) stream_ = std::move(stream);
  }
  benchmarks::EventStream take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(stream_, {});
  }

 private:
  std::mutex mutex_;
  benchmarks::EventStream stream_;
};
inline LongestStream longest_stream;

class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue() { longest_stream.offer(std::move(stream_)); }

  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.top(); }
  void reserve(std::size_t n) { heap_.reserve(n); }
  void push(const Event& event) {
    note(event.time);
    heap_.push(event);
  }
  Event pop() {
    note(benchmarks::kPopped);
    return heap_.pop();
  }

 private:
  void note(SimTime operation) {
    if (stream_.size() < benchmarks::kLongestStream) stream_.push_back(operation);
  }

  QuadHeap<Event> heap_;
  benchmarks::EventStream stream_;
};

}  // namespace stallcast
