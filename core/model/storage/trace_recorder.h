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
  // One read more (+1) or fewer (-1) on its way from storage.
  void flow(SimTime time, int change) {
    if (!trace_) return;
    if (flow_track_ == UINT32_MAX) flow_track_ = add_track(0, "storage reads in flight");
    counter(flow_track_, time, static_cast<double>(flows_ += change));
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
  std::uint32_t flow_track_ = UINT32_MAX;
  std::int64_t flows_ = 0;
};

}  // namespace stallcast
