// How long a probe may take and how much it may read, and what disturbed it.
#pragma once

#include <algorithm>
#include <optional>
#include <stop_token>
#include <string>

#include "core/probe/disk/monotonic_clock.h"
#include "core/probe/pause_watch.h"
#include "core/probe/result/probe_options.h"

namespace stallcast {

// Begins when it is made. 97 % of the time and 98 % of the bytes are planned with.
// **Checked by** tests/core/probe, as probe_reads.h
class ProbeLimits {
 public:
  explicit ProbeLimits(const ProbeOptions& options);

  // Time in which this process did not stand still, from the same origin as monotonic_s.
  double now_s() { return monotonic_s() - watch_.pauses().lost_s; }
  double began_s() const { return began_s_; }
  double seconds_left() { return std::max(0.0, end_s_ - now_s()); }
  double bytes_left() const;
  // Somebody stopped it, or time or bytes are used up.
  bool is_over();
  bool interrupted() const { return interrupted_; }

  void take(double bytes) { taken_bytes_ += bytes; }
  double taken_bytes() const { return taken_bytes_; }
  // By the kernel's count; nothing where it does not count.
  std::optional<double> fetched_bytes() const;

  // Says what is done now, and how much of the limits is used.
  void tell(std::string doing);

  // Calls `measure` again when this process stood still meanwhile, or its clock jumped; false when time is up then.
  template <class Measure>
  bool undisturbed(const Measure& measure) {
    while (true) {
      const int pauses = watch_.pauses().count;
      std::stop_source stop = watch_.until_next();
      const std::stop_callback forward(options_.stop, [&stop] { stop.request_stop(); });
      measure(stop.get_token());
      if (watch_.pauses().count == pauses) return true;
      ++dropped_;
      if (is_over()) return false;
    }
  }

  Pauses pauses() { return watch_.pauses(); }
  int dropped() const { return dropped_; }  // measurements in which it saw a pause

 private:
  double used_bytes() const { return std::max(taken_bytes_, fetched_bytes().value_or(0.0)); }

  const ProbeOptions& options_;
  PauseWatch watch_;
  double began_s_, end_s_;
  std::optional<double> fetched_before_;
  double taken_bytes_ = 0.0;
  int dropped_ = 0;
  bool interrupted_ = false;
};

}  // namespace stallcast
