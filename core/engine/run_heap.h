// A heap beside a run: what is pushed in order waits in a ring, where push and pop cost the same however many wait.
//
// Flows that move equal amounts end in the order they began, so a class of them never uses the heap. Where amounts
// vary, the run holds a few of the last and the heap the rest.
#pragma once

#include <cstddef>

#include "core/engine/quad_heap.h"
#include "core/engine/ring.h"

namespace stallcast {

// **Cost** push, pop O(1) for what comes in order, O(log4 n) for the rest; no allocation once the high-water mark is
// reached.
template <class T>
class RunHeap {
 public:
  bool empty() const { return run_.empty() && heap_.empty(); }
  std::size_t size() const { return run_.size() + heap_.size(); }
  const T& top() const { return run_first_ ? run_.front() : heap_.top(); }

  void push(const T& value) {
    if (run_.empty()) {
      run_first_ = heap_.empty() || value.before(heap_.top());
      run_.push(value);
    } else if (!value.before(run_.back())) {
      run_.push(value);
    } else {
      run_first_ = run_first_ && !value.before(run_.front());
      heap_.push(value);
    }
  }

  T pop() {
    const T out = run_first_ ? run_.pop() : heap_.pop();
    run_first_ = heap_.empty() || (!run_.empty() && run_.front().before(heap_.top()));
    return out;
  }

  // Applies `change` to every element; it must keep their order.
  template <class Change>
  void for_each(Change change) {
    run_.for_each(change);
    heap_.for_each(change);
  }

 private:
  Ring<T> run_;
  QuadHeap<T> heap_;
  bool run_first_ = true;  // the first of all is in the run
};

}  // namespace stallcast
