// Where a worker's time goes: cumulative nanoseconds per cause, so that a wait can be blamed on what was being done.
// While bytes move the clock says kTierBandwidth; which cap really limits them is asked when the blame is laid
// (StorageTier::read_limit).
#pragma once

#include <array>
#include <cstdint>

#include "core/engine/sim_time.h"
#include "core/result/run_result.h"

namespace stallcast {

using CauseTimes = std::array<SimTime, static_cast<std::size_t>(LostTime::kCount)>;

// The clocks of processes that are alike, added up as they run: reading it costs the same for any number of them.
class PoolClock {
 public:
  void join(LostTime cause, SimTime now) {
    Part& part = settled(cause, now);
    ++part.active;
  }
  void leave(LostTime cause, SimTime now) {
    Part& part = settled(cause, now);
    --part.active;
  }
  // From `now` on, time that members spend on `cause` counts or does not.
  void count(LostTime cause, bool counts, SimTime now) { settled(cause, now).counts = counts ? 1 : 0; }
  CauseTimes spent(SimTime now) const {
    CauseTimes out{};
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = parts_[c].spent_until(now);
    return out;
  }

 private:
  // What belongs to a cause lies together: with hundreds of ranks none of it is in the cache.
  struct Part {
    SimTime spent = 0;
    SimTime since = 0;
    std::int32_t active = 0;  // members at it
    std::int32_t counts = 1;  // or 0
    SimTime spent_until(SimTime now) const { return spent + SimTime{active} * counts * (now - since); }
  };

  Part& settled(LostTime cause, SimTime now) {
    Part& part = parts_[static_cast<std::size_t>(cause)];
    part.spent = part.spent_until(now);
    part.since = now;
    return part;
  }

  std::array<Part, static_cast<std::size_t>(LostTime::kCount)> parts_{};
};

class PhaseClock {
 public:
  // From `now` on, time counts as `cause`.
  void enter(LostTime cause, SimTime now) {
    if (cause == current_) return;
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
  LostTime current_ = LostTime::kStartup;
  SimTime since_ = 0;
  PoolClock* pool_ = nullptr;
  PhaseClock* echo_ = nullptr;
  CauseTimes spent_{};
};

}  // namespace stallcast
