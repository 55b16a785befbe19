// Fills a Trace while a run goes on; does nothing when there is none to fill.
#pragma once

#include <string>

#include "core/engine/sim_time.h"
#include "core/result/trace.h"

namespace stallcast {

class TraceRecorder {
 public:
  explicit TraceRecorder(Trace* trace) : trace_(trace) {}

  bool on() const { return trace_ != nullptr; }
  std::uint32_t add_track(std::int64_t node, std::string name) {
    if (!trace_) return 0;
    trace_->tracks.push_back({node, std::move(name)});
    return static_cast<std::uint32_t>(trace_->tracks.size() - 1);
  }
  void span(std::uint32_t track, TraceSpanKind kind, SimTime begin, SimTime end, std::int64_t batch = -1) {
    if (trace_ && end > begin && room()) trace_->spans.push_back({begin, end, track, kind, batch});
  }
  void counter(std::uint32_t track, SimTime time, double value) {
    if (trace_ && room()) trace_->counters.push_back({time, track, value});
  }

 private:
  bool room() {
    if (trace_->spans.size() + trace_->counters.size() < trace_->limit) return true;
    trace_->truncated = true;
    return false;
  }
  Trace* trace_;
};

}  // namespace stallcast
