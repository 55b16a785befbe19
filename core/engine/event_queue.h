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

  // One comparison of 128 bits, so that the heap chooses without a jump.
  bool before(const Event& other) const { return key() < other.key(); }

 private:
  __extension__ using Key = unsigned __int128;
  Key key() const { return static_cast<Key>(static_cast<std::uint64_t>(time)) << 64 | order; }
};

using EventQueue = QuadHeap<Event>;

}  // namespace stallcast
