// A trace as Chrome trace-event JSON, which Perfetto and chrome://tracing open.
#pragma once

#include <iosfwd>
#include <string_view>

#include "core/result/trace.h"

namespace stallcast {

// "compute", "wait for data", ...: what a span is called in timelines.
std::string_view trace_span_name(TraceSpanKind kind);

// Writes `trace` to `out` record by record, so that memory stays what the trace itself takes.
// One process per node, one thread per track; spans are complete ("X") events, counters "C" events.
// **Units** `ts` and `dur` are microseconds with three decimals: exactly the engine's nanoseconds.
// **Errors** none of its own; look at the state of `out` afterwards.
// **Source** Trace Event Format (Google, 2016), sections "Complete Events", "Counter Events", "Metadata Events"
// **Checked by** tests/core/report/trace_json_test.cpp
void write_trace_json(const Trace& trace, std::ostream& out);

}  // namespace stallcast
