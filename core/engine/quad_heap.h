// A 4-ary heap of small values: half as deep as a binary one, and the four children sit in one or two cache lines.
//
// T has `bool before(const T&) const`, a strict weak order. A T with `void moved_to(std::size_t slot) const` is told
// where it sits, so that it can later be replaced or erased by its slot.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stallcast {

// Order by (first, then second) as one number, so that a heap chooses without a jump. **Range** first >= 0: the bits of
// such a double order as the double does.
__extension__ using HeapKey = unsigned __int128;
constexpr HeapKey heap_key(std::int64_t first, std::uint64_t second) {
  return static_cast<HeapKey>(static_cast<std::uint64_t>(first)) << 64 | second;
}
constexpr HeapKey heap_key(double first, std::uint64_t second) {
  return heap_key(std::bit_cast<std::int64_t>(first), second);
}

// **Cost** push, pop, replace, erase O(log4 n); no allocation once the high-water mark is reached.
template <class T>
class QuadHeap {
 public:
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  const T& top() const { return values_.front(); }
  const T& operator[](std::size_t slot) const { return values_[slot]; }
  void reserve(std::size_t n) { values_.reserve(n); }

  void push(const T& value) {
    values_.push_back(value);
    rise(values_.size() - 1, value);
  }

  T pop() {
    const T out = values_.front();
    const T last = values_.back();
    values_.pop_back();
    if (!values_.empty()) sink(0, last);
    return out;
  }

  // Puts `value` where the element at `slot` was.
  void replace(std::size_t slot, const T& value) {
    if (slot > 0 && value.before(values_[(slot - 1) / 4])) {
      rise(slot, value);
    } else {
      sink(slot, value);
    }
  }

  void erase(std::size_t slot) {
    const T last = values_.back();
    values_.pop_back();
    if (slot < values_.size()) replace(slot, last);
  }

  // Applies `change` to every element; it must keep their order.
  template <class Change>
  void for_each(Change change) {
    for (T& value : values_) change(value);
  }

 private:
  void place(std::size_t slot, const T& value) {
    values_[slot] = value;
    if constexpr (requires { value.moved_to(slot); }) value.moved_to(slot);
  }

  // The children of the four children that start at `first` lie together; large heaps are not in the cache.
  void prefetch_grandchildren([[maybe_unused]] std::size_t first) const {
#if defined(__GNUC__)
    const std::size_t from = 4 * first + 1;
    if (from + 16 > values_.size() || values_.size() < kLarge) return;
    const auto* bytes = reinterpret_cast<const char*>(values_.data() + from);
    for (std::size_t at = 0; at < 16 * sizeof(T); at += 64) __builtin_prefetch(bytes + at);
#endif
  }
  static constexpr std::size_t kLarge = 16384;

  void rise(std::size_t hole, const T& value) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!value.before(values_[parent])) break;
      place(hole, values_[parent]);
      hole = parent;
    }
    place(hole, value);
  }

  void sink(std::size_t hole, const T& value) {
    const std::size_t n = values_.size();
    const T* const heap = values_.data();
    for (;;) {
      const std::size_t first = 4 * hole + 1;
      if (first >= n) break;
      std::size_t best = first;
      prefetch_grandchildren(first);
      if (first + 4 <= n) {  // a tournament in arithmetic: of a choice of slots the compiler may make a jump
        const std::size_t left = first + static_cast<std::size_t>(heap[first + 1].before(heap[first]));
        const std::size_t right = first + 2 + static_cast<std::size_t>(heap[first + 3].before(heap[first + 2]));
        best = left + ((right - left) & -static_cast<std::size_t>(heap[right].before(heap[left])));
      } else {
        for (std::size_t i = first + 1; i < n; ++i) best = heap[i].before(heap[best]) ? i : best;
      }
      if (!heap[best].before(value)) break;
      place(hole, heap[best]);
      hole = best;
    }
    place(hole, value);
  }

  std::vector<T> values_;
};

}  // namespace stallcast
