// An unbounded first-in first-out queue between processes: put() never waits, get() waits for a value.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/engine/simulator.h"

namespace stallcast {

// A ring that doubles when full; FIFO, no allocation once large enough.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
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

// Waiting processes are served in order of arrival; a value goes to exactly one of them.
template <class T>
class Mailbox {
 public:
  explicit Mailbox(Simulator& sim) : sim_(&sim) {}

  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }

  void put(T value) {
    if (first_) {
      Getter* getter = first_;
      first_ = getter->next;
      if (!first_) last_ = nullptr;
      getter->value = std::move(value);
      sim_->schedule_now(getter->process);
    } else {
      values_.push(std::move(value));
    }
  }

  auto get() { return Getter{*this}; }

 private:
  struct Getter {
    Mailbox& box;
    T value{};
    std::coroutine_handle<> process{};
    Getter* next = nullptr;

    bool await_ready() {
      if (box.values_.empty()) return false;
      value = box.values_.pop();
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      process = waiting;
      if (box.last_) {
        box.last_->next = this;
      } else {
        box.first_ = this;
      }
      box.last_ = this;
    }
    T await_resume() { return std::move(value); }
  };

  Simulator* sim_;
  Ring<T> values_;
  Getter* first_ = nullptr;
  Getter* last_ = nullptr;
};

}  // namespace stallcast
