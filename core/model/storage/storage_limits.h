// What limits a storage system beside the fair sharing of its bandwidth: requests per second, credit for bursts, turns.
#pragma once

#include <algorithm>

#include "core/engine/simulator.h"
#include "core/units/quantity.h"

namespace stallcast {

// Requests served one after the other at a fixed rate: the n-th waits for those before it.
class RateLimiter {
 public:
  explicit RateLimiter(PerSecond rate) : interval_s_(rate.base() > 0 ? 1.0 / rate.base() : 0.0) {}

  // When `count` requests that arrive at `now` have been admitted. **Range** >= now.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a time in ns and a number of requests
  SimTime admit(SimTime now, double count) {
    if (interval_s_ == 0.0) return now;
    const double start = std::max(to_seconds(now), free_at_s_);
    free_at_s_ = start + interval_s_ * count;
    return std::max(now, to_ns(start));
  }

  // When the last of them has been.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a time in ns and a number of requests
  SimTime admit_all(SimTime now, double count) {
    const SimTime first = admit(now, count);
    return interval_s_ == 0.0 ? first : std::max(first, to_ns(free_at_s_ - interval_s_));
  }

 private:
  double interval_s_;
  double free_at_s_ = 0.0;
};

// Requests that are refused above a rate: tokens come at the rate, up to a second's worth of them.
// One second is an assumption: services state a rate per second and not over which time they take it.
class RefusingLimiter {
 public:
  explicit RefusingLimiter(PerSecond rate) : rate_(rate.base()), tokens_(rate.base()) {}

  // Whether `count` requests at `now` are taken. More than a second's worth are once the tokens are full.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a time in ns and a number of requests
  bool takes(SimTime now, double count) {
    const double at = to_seconds(now);
    tokens_ = std::min(rate_, tokens_ + (at - at_) * rate_);
    at_ = at;
    if (tokens_ < std::min(count, rate_)) return false;
    tokens_ -= count;
    return true;
  }

 private:
  double rate_, tokens_;
  double at_ = 0.0;
};

// Bytes that may move faster than a base rate while credit lasts: a read that overdraws it waits until it is repaid.
class BurstCredit {
 public:
  BurstCredit(BytesPerSecond base, Bytes credit) : base_(base.base()), most_(credit.base()), credit_(credit.base()) {}

  // When a read of `size` bytes at `now` may start. **Range** >= now; reads start in the order they come.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a time in ns and a number of bytes
  SimTime admit(SimTime now, double size) {
    const double at = to_seconds(now);
    credit_ = std::min(most_, credit_ + (at - at_) * base_ * stands_for_) - size * stands_for_;
    at_ = at;
    return credit_ >= 0.0 ? now : after(now, to_ns(-credit_ / (base_ * stands_for_)));
  }

  // A second, and a byte, stand for so many.
  void stand_for(double times) { stands_for_ = times; }

 private:
  double base_, most_, credit_;
  double at_ = 0.0;
  double stands_for_ = 1.0;
};

// A device that serves its users in turns at its full rate: each books its next turn when its last one ends.
class TurnServer {
 public:
  TurnServer(Simulator& sim, double rate, Seconds quantum) : sim_(&sim), rate_(rate), turn_(rate * quantum.base()) {}
  Simulator& simulator() { return *sim_; }
  Task<void> transfer(double size);

 private:
  Simulator* sim_;
  double rate_;  // bytes/s
  double turn_;  // bytes
  SimTime free_at_ = 0;
};

}  // namespace stallcast
