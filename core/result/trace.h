// What happened when, for a timeline: spans and counters of ranks, workers, flows. Plain data; report writes it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stallcast {

// One lane of the timeline: a process of the simulation inside a node.
struct TraceTrack {
  std::int64_t node = 0;
  std::string name;  // "rank 3", "rank 3 worker 1", "storage"
};

enum class TraceSpanKind : std::uint8_t {
  kCompute,
  kWaitData,
  kNext,
  kBarrier,
  kCheckpoint,
  kStartup,
  kRead,
  kDecode,
  kHandOff,
  kHostToDevice,
  kGpuDecode,
  kValidation
};

struct TraceSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t track = 0;  // index into Trace::tracks
  TraceSpanKind kind = TraceSpanKind::kCompute;
  std::int64_t batch = -1;  // batch or step number, -1 when none
};

struct TraceCounter {
  std::int64_t time_ns = 0;
  std::uint32_t track = 0;
  double value = 0.0;  // batches ready, flows active
};

// Collected up to `limit` records, then `truncated` is set and the rest dropped: a trace never outgrows memory.
struct Trace {
  std::vector<TraceTrack> tracks;
  std::vector<TraceSpan> spans;
  std::vector<TraceCounter> counters;
  std::size_t limit = 2'000'000;
  bool truncated = false;
};

}  // namespace stallcast
