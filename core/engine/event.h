// What waits in the event queue: when, in which order among equals, and whom to resume.
#pragma once

#include <cstdint>

#include "core/engine/quad_heap.h"
#include "core/engine/sim_time.h"

namespace stallcast {

// Copied word by word: one load of two words just stored apart waits until both have left for the cache.
// **Range** time >= 0.
struct Event {
  SimTime time = 0;
  std::uint64_t order = 0;  // scheduling order breaks ties
  void* process = nullptr;  // address of the coroutine to resume

  Event() = default;
  Event(SimTime at, std::uint64_t nth, void* whose) : time(at), order(nth), process(whose) {}
  // NOLINTBEGIN(modernize-use-equals-default,bugprone-unhandled-self-assignment,cert-oop54-cpp): see above
  Event(const Event& other) : time(other.time), order(other.order), process(other.process) {}
  Event& operator=(const Event& other) {
    time = other.time;
    order = other.order;
    process = other.process;
    return *this;
  }
  // NOLINTEND(modernize-use-equals-default,bugprone-unhandled-self-assignment,cert-oop54-cpp)
  ~Event() = default;

  HeapKey key() const { return heap_key(time, order); }
  bool before(const Event& other) const { return key() < other.key(); }
};

}  // namespace stallcast
