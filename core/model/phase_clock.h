// Where a worker's time goes: cumulative nanoseconds per cause, so that a wait can be blamed on what was being done.
#pragma once

#include <array>

#include "core/engine/sim_time.h"
#include "core/result/run_result.h"

namespace stallcast {

using CauseTimes = std::array<SimTime, static_cast<std::size_t>(LostTime::kCount)>;

class PhaseClock {
 public:
  // From `now` on, time counts as `cause`.
  void enter(LostTime cause, SimTime now) {
    spent_[static_cast<std::size_t>(current_)] += now - since_;
    current_ = cause;
    since_ = now;
  }
  // Moves `duration` of what was counted as `from` to `to`: used when the limit of a transfer is known at its end.
  void reassign(LostTime from, LostTime to, SimTime duration) {
    spent_[static_cast<std::size_t>(from)] -= duration;
    spent_[static_cast<std::size_t>(to)] += duration;
  }
  CauseTimes spent(SimTime now) const {
    CauseTimes out = spent_;
    out[static_cast<std::size_t>(current_)] += now - since_;
    return out;
  }

 private:
  CauseTimes spent_{};
  LostTime current_ = LostTime::kStartup;
  SimTime since_ = 0;
};

}  // namespace stallcast
