#include "core/report/json/trace_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

namespace stallcast {
std::string_view trace_span_name(TraceSpanKind kind) {
  switch (kind) {
    case TraceSpanKind::kCompute:
      return "compute";
    case TraceSpanKind::kWaitData:
      return "wait for data";
    case TraceSpanKind::kNext:
      return "next()";
    case TraceSpanKind::kBarrier:
      return "barrier";
    case TraceSpanKind::kCheckpoint:
      return "checkpoint";
    case TraceSpanKind::kStartup:
      return "startup";
    case TraceSpanKind::kRead:
      return "read";
    case TraceSpanKind::kDecode:
      return "decode";
    case TraceSpanKind::kHandOff:
      return "hand off";
    case TraceSpanKind::kHostToDevice:
      return "host to device";
    case TraceSpanKind::kGpuDecode:
      return "gpu decode";
    case TraceSpanKind::kValidation:
      return "validation";
  }
  return "unknown";
}

namespace {

// A JSON string with quotes; bytes that are not UTF-8 are replaced, so the document stays valid.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "12.345" for 12345 ns. Integer arithmetic: a double would round after 52 days.
std::string microseconds_text(std::int64_t ns) {
  const std::string_view sign = ns < 0 ? "-" : "";
  const std::uint64_t size = ns < 0 ? -static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", sign, size / 1000, size % 1000);
}

class EventList {
 public:
  explicit EventList(std::ostream& out) : out_(out) {}
  // Writes one event given as the inside of its braces.
  void add(const std::string& members) {
    out_ << (first_ ? "\n{" : ",\n{") << members << '}';
    first_ = false;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

void write_trace_json(const Trace& trace, std::ostream& out) {
  out << R"({"displayTimeUnit":"ms","otherData":{"truncated":)" << (trace.truncated ? "true" : "false")
      << R"(},"traceEvents":[)";
  EventList events(out);
  std::set<std::int64_t> named_nodes;
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const TraceTrack& track = trace.tracks[i];
    if (named_nodes.insert(track.node).second) {
      const std::string name = track.node < 0 ? "shared" : fmt::format("node {}", track.node);
      events.add(
          fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", track.node, quoted(name)));
    }
    events.add(fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", track.node, i,
                           quoted(track.name)));
    events.add(fmt::format(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})",
                           track.node, i, i));
  }
  for (const TraceSpan& span : trace.spans) {
    const std::string batch = span.batch < 0 ? "" : fmt::format(R"(,"args":{{"batch":{}}})", span.batch);
    events.add(fmt::format(R"("ph":"X","name":"{}","ts":{},"dur":{},"pid":{},"tid":{}{})", trace_span_name(span.kind),
                           microseconds_text(span.begin_ns), microseconds_text(span.end_ns - span.begin_ns),
                           trace.tracks.at(span.track).node, span.track, batch));
  }
  for (const TraceCounter& counter : trace.counters) {
    const TraceTrack& track = trace.tracks.at(counter.track);
    events.add(fmt::format(R"("ph":"C","name":{},"ts":{},"pid":{},"args":{{"value":{}}})", quoted(track.name),
                           microseconds_text(counter.time_ns), track.node, counter.value));
  }
  out << "\n]}\n";
}

}  // namespace stallcast
