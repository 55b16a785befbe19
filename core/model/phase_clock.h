// Where a worker's time goes: cumulative nanoseconds per cause, so that a wait can be blamed on what was being done.
// While bytes move the clock says kTierBandwidth; which cap really limits them is asked when the blame is laid
// (StorageTier::read_limit).
#pragma once

#include <array>

#include "core/engine/sim_time.h"
#include "core/result/run_result.h"

namespace stallcast {

using CauseTimes = std::array<SimTime, static_cast<std::size_t>(LostTime::kCount)>;

// The clocks of processes that are alike, added up as they run: reading it costs the same for any number of them.
class PoolClock {
 public:
  void join(LostTime cause, SimTime now) {
    settle(cause, now);
    ++active_[static_cast<std::size_t>(cause)];
  }
  void leave(LostTime cause, SimTime now) {
    settle(cause, now);
    --active_[static_cast<std::size_t>(cause)];
  }
  // From `now` on, time that members spend on `cause` counts or does not.
  void count(LostTime cause, bool counts, SimTime now) {
    settle(cause, now);
    counts_[static_cast<std::size_t>(cause)] = counts ? 1 : 0;
  }
  CauseTimes spent(SimTime now) const {
    CauseTimes out = spent_;
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += active_[c] * counts_[c] * (now - since_[c]);
    return out;
  }

 private:
  void settle(LostTime cause, SimTime now) {
    const auto c = static_cast<std::size_t>(cause);
    spent_[c] += active_[c] * counts_[c] * (now - since_[c]);
    since_[c] = now;
  }
  static CauseTimes ones() {
    CauseTimes out{};
    out.fill(1);
    return out;
  }
  CauseTimes spent_{};
  CauseTimes since_{};
  CauseTimes active_{};  // members at it
  CauseTimes counts_ = ones();
};

class PhaseClock {
 public:
  // From `now` on, time counts as `cause`.
  void enter(LostTime cause, SimTime now) {
    if (pool_ != nullptr) {
      pool_->leave(current_, now);
      pool_->join(cause, now);
    }
    if (echo_ != nullptr) echo_->enter(cause, now);
    spent_[static_cast<std::size_t>(current_)] += now - since_;
    current_ = cause;
    since_ = now;
  }
  CauseTimes spent(SimTime now) const {
    CauseTimes out = spent_;
    out[static_cast<std::size_t>(current_)] += now - since_;
    return out;
  }
  // From `now` on, `other` counts whatever this clock does: its process waits for this one. Null: no longer.
  void echo(PhaseClock* other, SimTime now) {
    echo_ = other;
    if (other != nullptr) other->enter(current_, now);
  }
  // Adds this clock to those of `pool`, which outlives it.
  void join(PoolClock& pool, SimTime now) {
    pool_ = &pool;
    pool.join(current_, now);
  }

 private:
  CauseTimes spent_{};
  LostTime current_ = LostTime::kStartup;
  SimTime since_ = 0;
  PoolClock* pool_ = nullptr;
  PhaseClock* echo_ = nullptr;
};

}  // namespace stallcast
