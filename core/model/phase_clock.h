// Where a worker's time goes: cumulative nanoseconds per cause, so that a wait can be blamed on what was being done.
// While bytes move the clock says kTierBandwidth; which cap really limits them is asked when the blame is laid
// (StorageTier::read_limit).
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
