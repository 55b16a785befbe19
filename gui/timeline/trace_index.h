// A trace laid out on lanes for drawing.
#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/result/trace.h"
#include "gui/timeline/counter_lane.h"
#include "gui/timeline/span_lane.h"

namespace stallcast::gui {

struct TimelineLane {
  QString name;  // "rank 3 worker 1", "node 2: rank 17"
  SpanLane spans;
  CounterLane counter;
  bool isCounter() const { return !counter.steps().empty(); }
};

struct TraceIndex {
  std::vector<TimelineLane> lanes;  // ranks with what belongs to them, by node
  std::vector<std::uint8_t> kinds;  // TraceSpanKinds that there are
  std::int64_t end_ns = 0;
  std::size_t spans = 0;
  bool truncated = false;
};

// **Cost** proportional to the trace: a second for two million spans, so off the GUI thread.
std::shared_ptr<const TraceIndex> makeTraceIndex(const Trace& trace);

QString spanKindName(TraceSpanKind kind);
int spanKindColour(TraceSpanKind kind);   // index of chart_colours()
QString spanKindKey(TraceSpanKind kind);  // lost_time_name() that it is part of; "" = none in particular

}  // namespace stallcast::gui
