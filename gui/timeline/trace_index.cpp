#include "gui/timeline/trace_index.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/result/run_result.h"

namespace stallcast::gui {
namespace {

struct KindLook {
  const char* name;
  int colour;
  LostTime cause;  // kCount = none in particular
};

// By TraceSpanKind. Colours of chart_colours(): what belongs to one lane is told apart.
constexpr std::array<KindLook, 12> kLooks = {{{"computing", 0, LostTime::kCount},
                                              {"waiting for data", 3, LostTime::kCount},
                                              {"next()", 1, LostTime::kLoaderOverhead},
                                              {"barrier and all-reduce", 4, LostTime::kBarrier},
                                              {"checkpoint", 1, LostTime::kCheckpoint},
                                              {"start-up", 7, LostTime::kStartup},
                                              {"reading", 5, LostTime::kCount},
                                              {"decoding", 2, LostTime::kCpuDecode},
                                              {"hand-over", 1, LostTime::kLoaderOverhead},
                                              {"copy to GPU", 6, LostTime::kHostToDevice},
                                              {"decoding on GPU", 2, LostTime::kGpuDecode},
                                              {"validation", 5, LostTime::kValidation}}};

const KindLook& lookOf(TraceSpanKind kind) { return kLooks.at(static_cast<std::size_t>(kind)); }

QString laneName(const TraceTrack& track, bool many_nodes) {
  const QString name = QString::fromStdString(track.name);
  return many_nodes && track.node >= 0 ? QStringLiteral("node %1: %2").arg(track.node).arg(name) : name;
}

}  // namespace

std::shared_ptr<const TraceIndex> makeTraceIndex(const Trace& trace) {
  std::vector<std::vector<LaneSpan>> spans(trace.tracks.size());
  std::vector<std::vector<CounterStep>> steps(trace.tracks.size());
  auto index = std::make_shared<TraceIndex>();
  std::array<bool, kLooks.size()> met{};
  for (const TraceSpan& span : trace.spans) {
    const auto kind = static_cast<std::uint8_t>(span.kind);
    spans[span.track].push_back({span.begin_ns, span.end_ns, kind, span.batch});
    met.at(kind) = true;
    index->end_ns = std::max(index->end_ns, span.end_ns);
  }
  for (const TraceCounter& counter : trace.counters) {
    steps[counter.track].push_back({counter.time_ns, counter.value});
    index->end_ns = std::max(index->end_ns, counter.time_ns);
  }
  for (std::size_t k = 0; k < met.size(); ++k)
    if (met[k]) index->kinds.push_back(static_cast<std::uint8_t>(k));
  index->spans = trace.spans.size();
  index->truncated = trace.truncated;

  const bool many_nodes =
      std::any_of(trace.tracks.begin(), trace.tracks.end(), [](const TraceTrack& t) { return t.node > 0; });
  std::vector<std::size_t> order(trace.tracks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return trace.tracks[a].node < trace.tracks[b].node; });
  for (const std::size_t t : order) {
    if (spans[t].empty() && steps[t].empty()) continue;
    index->lanes.push_back(
        {laneName(trace.tracks[t], many_nodes), SpanLane(std::move(spans[t])), CounterLane(std::move(steps[t]))});
  }
  return index;
}

QString spanKindName(TraceSpanKind kind) { return QString::fromUtf8(lookOf(kind).name); }

int spanKindColour(TraceSpanKind kind) { return lookOf(kind).colour; }

QString spanKindKey(TraceSpanKind kind) {
  const LostTime cause = lookOf(kind).cause;
  if (cause == LostTime::kCount) return {};
  const std::string_view name = lost_time_name(cause);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace stallcast::gui
