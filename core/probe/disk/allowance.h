// What part of a probe may still take of its limits: bytes are taken before a request is issued, never after.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <utility>

#include "core/probe/disk/monotonic_clock.h"

namespace stallcast {

// Shared by the threads of one visit of an operating point.
class Allowance {
 public:
  Allowance(std::uint64_t bytes, double until_s, std::stop_token stop)
      : left_(bytes), until_s_(until_s), stop_(std::move(stop)) {}

  // Takes `bytes` for a request that is about to be issued; false when they are not there any more, at `until_s`, and
  // when a stop was requested.
  bool take(std::uint64_t bytes, double now_s) {
    if (now_s >= until_s_ || stop_.stop_requested()) return false;
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      if (left < bytes) return false;
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
    return true;
  }

  std::uint64_t left() const { return left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> left_;
  double until_s_;
  std::stop_token stop_;
};

}  // namespace stallcast
