// Coroutines as simulated processes: Process runs on its own, Task<T> is a part of a process that one can co_await.
//
// Frames live in the simulator's arena, found through the coroutine's first argument: a Simulator&, or an object with
// a simulator() member. (Of a lambda or member function without one: the argument after the object.)
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <utility>

#include "core/engine/frame_arena.h"

namespace stallcast {

class Simulator;

namespace detail {

template <class T>
concept HasSimulator = requires(T& t) {
  t.simulator();
};

template <class First, class... Rest>
FrameArena& arena_of(First& first, Rest&... rest);  // defined in simulator.h

struct FramePromise {
  template <class First, class... Rest>
  static void* operator new(std::size_t size, First& first, Rest&... rest) {
    return arena_of(first, rest...).allocate(size);
  }
  // NOLINTNEXTLINE(misc-new-delete-overloads): the matching operator new is the template above
  static void operator delete(void* frame) { FrameArena::release(frame); }
};

// Live root processes, so that a simulator can take down those still waiting when it ends.
struct ProcessLinks {
  ProcessLinks* previous = nullptr;
  ProcessLinks* next = nullptr;
};

}  // namespace detail

class Process {
 public:
  struct promise_type : detail::FramePromise, detail::ProcessLinks {
    Simulator* simulator = nullptr;

    Process get_return_object() { return Process(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept;  // leaves the list of live processes, then frees the frame
    void return_void() {}
    void unhandled_exception() { throw; }
  };

  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (handle_) handle_.destroy();
  }
  std::coroutine_handle<promise_type> release() { return std::exchange(handle_, nullptr); }

 private:
  explicit Process(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

template <class T>
class Task;

namespace detail {

struct TaskPromiseBase : FramePromise {
  std::coroutine_handle<> caller;

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      return self.promise().caller;
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { throw; }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  T value{};
  Task<T> get_return_object();
  void return_value(T v) { value = std::move(v); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() {}
};

}  // namespace detail

// Starts when awaited, resumes its caller when done. A Task is awaited once.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() {
    if constexpr (!std::is_void_v<T>) return std::move(handle_.promise().value);
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {
template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}
}  // namespace detail

}  // namespace stallcast
