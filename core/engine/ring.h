// First in, first out, in one block of memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stallcast {

// A ring that doubles when full; FIFO, no allocation once large enough.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& front() const { return slots_[head_]; }
  const T& back() const { return slots_[(head_ + size_ - 1) & (slots_.size() - 1)]; }
  void push(T value) {
    if (size_ == slots_.size()) grow();
    slots_[(head_ + size_++) & (slots_.size() - 1)] = std::move(value);
  }
  T pop() {
    T out = std::move(slots_[head_]);
    head_ = (head_ + 1) & (slots_.size() - 1);
    --size_;
    return out;
  }

  // Applies `change` to every element, first to last.
  template <class Change>
  void for_each(Change change) {
    for (std::size_t i = 0; i < size_; ++i) change(slots_[(head_ + i) & (slots_.size() - 1)]);
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 8 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(slots_[(head_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(larger);
    head_ = 0;
  }
  std::vector<T> slots_;  // size a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace stallcast
