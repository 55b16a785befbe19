// Pending events in order of (time, scheduling order).
#pragma once

#include <cstdint>

#include "core/engine/quad_heap.h"
#include "core/engine/sim_time.h"

namespace stallcast {

// **Range** time >= 0.
struct Event {
  SimTime time;
  std::uint64_t order;  // scheduling order breaks ties
  void* process;        // address of the coroutine to resume

  bool before(const Event& other) const { return heap_key(time, order) < heap_key(other.time, other.order); }
};

using EventQueue = QuadHeap<Event>;

}  // namespace stallcast
