// An unbounded first-in first-out queue between processes: put() never waits, get() waits for a value.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include "core/engine/ring.h"
#include "core/engine/simulator.h"

namespace stallcast {

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
