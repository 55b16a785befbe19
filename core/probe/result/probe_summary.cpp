#include "core/probe/result/probe_summary.h"

namespace stallcast {
namespace {

constexpr double kKneeShare = 0.95;

// The point of `pattern` that `better` puts before all others.
template <class Better>
const ReadPoint* best_of(const std::vector<ReadPoint>& points, AccessPattern pattern, const Better& better) {
  const ReadPoint* best = nullptr;
  for (const ReadPoint& point : points) {
    if (point.pattern == pattern && point.requests > 0.0 && (best == nullptr || better(point, *best))) best = &point;
  }
  return best;
}

const ReadPoint* knee_before(const std::vector<ReadPoint>& points, const ReadPoint& most) {
  const ReadPoint* knee = &most;
  for (const ReadPoint& point : points) {
    if (point.pattern == most.pattern && point.request_bytes == most.request_bytes &&
        point.in_flight < knee->in_flight && point.bytes_per_s() >= kKneeShare * most.bytes_per_s())
      knee = &point;
  }
  return knee;
}

bool fewer_in_flight(const ReadPoint& a, const ReadPoint& b) { return a.in_flight < b.in_flight; }

}  // namespace

ProbeSummary summarise(const ProbeResult& result) {
  const std::vector<ReadPoint>& points = result.points;
  ProbeSummary summary;
  summary.alone = best_of(points, AccessPattern::kRandom, [](const ReadPoint& a, const ReadPoint& b) {
    return a.in_flight != b.in_flight ? a.in_flight < b.in_flight : a.request_bytes < b.request_bytes;
  });
  summary.most_requests = best_of(points, AccessPattern::kRandom, [](const ReadPoint& a, const ReadPoint& b) {
    return a.requests_per_s() > b.requests_per_s();
  });
  summary.one_stream = best_of(points, AccessPattern::kStream, fewer_in_flight);
  if (summary.one_stream == nullptr)
    summary.one_stream = best_of(points, AccessPattern::kSequential, [](const ReadPoint& a, const ReadPoint& b) {
      return a.in_flight != b.in_flight ? a.in_flight < b.in_flight : a.request_bytes > b.request_bytes;
    });
  summary.whole_files = best_of(points, AccessPattern::kWholeFile, [](const ReadPoint& a, const ReadPoint& b) {
    return a.requests_per_s() > b.requests_per_s();
  });
  summary.open = best_of(points, AccessPattern::kOpen, fewer_in_flight);
  summary.stat = best_of(points, AccessPattern::kStat, fewer_in_flight);
  summary.list = best_of(points, AccessPattern::kList, fewer_in_flight);
  for (const ReadPoint& point : points) {
    // Reads in order are not made at every depth.
    if (point.pattern == AccessPattern::kSequential || point.pattern == AccessPattern::kStream || point.bytes <= 0.0)
      continue;
    if (summary.most_bytes == nullptr || point.bytes_per_s() > summary.most_bytes->bytes_per_s())
      summary.most_bytes = &point;
  }
  if (summary.most_bytes != nullptr) summary.knee = knee_before(points, *summary.most_bytes);
  return summary;
}

}  // namespace stallcast
