#include "core/probe/result/point_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace stallcast {
namespace {

constexpr std::size_t kFewest = 4;             // completions that make a rate
constexpr std::size_t kRequestsPerSlice = 32;  // so that their number says little about its own noise
constexpr std::size_t kSlicesPerVisit = 8;
constexpr std::array<double, 11> kProbabilities = {0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

double relative_sd_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0.0 ? std::sqrt(squares / (count - 1.0)) / mean : 0.0;
}

// Equal parts of the visit. A stream comes in bursts of what was read ahead, so that only whole visits compare. Bytes
// count as having come at an even rate since the completion before, so that the number of completions that fall into a
// slice adds no noise of its own. `completions` end where the span does.
std::vector<double> bytes_of_slices(const std::vector<Completion>& completions, std::size_t first, double began_s,
                                    std::size_t most_slices) {
  const std::size_t slices = std::clamp((completions.size() - first) / kRequestsPerSlice, std::size_t{1}, most_slices);
  const double length_s = (completions.back().at_s - began_s) / static_cast<double>(slices);
  std::size_t next = first;
  double bytes_until_next = 0.0, at_last_edge = 0.0;
  double from_s = began_s;
  std::vector<double> bytes;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const double edge_s = began_s + length_s * static_cast<double>(slice + 1);
    for (; next < completions.size() && completions[next].at_s <= edge_s; ++next) {
      bytes_until_next += completions[next].bytes;
      from_s = completions[next].at_s;
    }
    double at_edge = bytes_until_next;
    if (next < completions.size())
      at_edge += completions[next].bytes * (edge_s - from_s) / (completions[next].at_s - from_s);
    bytes.push_back(at_edge - at_last_edge);
    at_last_edge = at_edge;
  }
  return bytes;
}

MeasuredSpan span_of(const VisitTally& tally, const ReadPoint& point) {
  const auto in_flight = static_cast<std::size_t>(point.in_flight);
  const std::vector<Completion>& all = tally.completions;
  const auto end = std::upper_bound(all.begin(), all.end(), tally.full_until_s,
                                    [](double at_s, const Completion& done) { return at_s < done.at_s; });
  auto kept = static_cast<std::size_t>(end - all.begin());
  std::size_t first = 0;
  MeasuredSpan span;
  span.from_s = tally.began_s;
  if (kept >= in_flight + kFewest) {
    span.from_s = all[in_flight - 1].at_s;
    while (first < kept && all[first].at_s <= span.from_s) ++first;
  }
  if (kept < first + kFewest) {
    first = 0;
    kept = all.size();
    span.from_s = tally.began_s;
  }
  if (kept == 0) return {};
  span.to_s = all[kept - 1].at_s;
  span.requests = static_cast<double>(kept - first);
  for (std::size_t i = first; i < kept; ++i) {
    span.bytes += all[i].bytes;
    span.latency_s.push_back(all[i].latency_s);
  }
  span.slice_bytes = bytes_of_slices({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)}, first, span.from_s,
                                     point.pattern == AccessPattern::kStream ? 1 : kSlicesPerVisit);
  return span;
}

}  // namespace

LatencySummary summarise(std::vector<float> latency_s) {
  LatencySummary summary;
  if (latency_s.empty()) return summary;
  std::sort(latency_s.begin(), latency_s.end());
  const double last = static_cast<double>(latency_s.size()) - 1.0;
  summary.mean_s = std::accumulate(latency_s.begin(), latency_s.end(), 0.0) / (last + 1.0);
  summary.min_s = latency_s.front();
  summary.max_s = latency_s.back();
  for (const double probability : kProbabilities)
    summary.quantiles.emplace_back(probability, latency_s[static_cast<std::size_t>(std::lround(probability * last))]);
  return summary;
}

void PointRecord::add(const VisitTally& tally) {
  add_errors(static_cast<double>(tally.errors), 0.0);
  add(span_of(tally, point_));
}

void PointRecord::add(const MeasuredSpan& span) {
  last_requests_per_s_ = span.requests_per_s();
  if (span.requests <= 0.0 || span.seconds() <= 0.0) return;
  point_.seconds += span.seconds();
  point_.requests += span.requests;
  point_.bytes += span.bytes;
  latency_s_.insert(latency_s_.end(), span.latency_s.begin(), span.latency_s.end());
  first_byte_s_.insert(first_byte_s_.end(), span.first_byte_s.begin(), span.first_byte_s.end());
  const double length_s = span.seconds() / static_cast<double>(span.slice_bytes.size());
  for (std::size_t i = 0; i < span.slice_bytes.size(); ++i) {
    point_.slice_bytes_per_s.push_back(span.slice_bytes[i] / length_s);
    point_.slice_at_s.push_back(span.from_s + (static_cast<double>(i) + 0.5) * length_s - origin_s_);
    point_.slice_visit.push_back(visits_);
  }
  ++visits_;
}

void PointRecord::add_errors(double errors, double throttled) {
  point_.errors += errors;
  point_.throttled += throttled;
}

ReadPoint PointRecord::point() const {
  ReadPoint point = point_;
  point.latency = summarise(latency_s_);
  point.first_byte = summarise(first_byte_s_);
  point.relative_sd = relative_sd_of(point.slice_bytes_per_s);
  return point;
}

}  // namespace stallcast
