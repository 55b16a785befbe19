#include "core/probe/point_record.h"

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
  const std::vector<Completion>& all = tally.completions;
  point_.errors += static_cast<double>(tally.errors);
  last_requests_per_s_ = 0.0;
  const auto end = std::upper_bound(all.begin(), all.end(), tally.full_until_s,
                                    [](double at_s, const Completion& done) { return at_s < done.at_s; });
  auto kept = static_cast<std::size_t>(end - all.begin());
  std::size_t first = 0;
  double began_s = tally.began_s;
  const auto ramp = static_cast<std::size_t>(point_.in_flight);
  if (kept >= ramp + kFewest) {
    began_s = all[ramp - 1].at_s;
    while (first < kept && all[first].at_s <= began_s) ++first;
  }
  if (kept < first + kFewest) {
    first = 0;
    kept = all.size();
    began_s = tally.began_s;
  }
  if (kept == 0) return;
  const double seconds = all[kept - 1].at_s - began_s;
  if (seconds <= 0.0) return;
  const auto requests = static_cast<double>(kept - first);
  for (std::size_t i = first; i < kept; ++i) {
    point_.bytes += all[i].bytes;
    latency_s_.push_back(all[i].latency_s);
  }
  point_.seconds += seconds;
  point_.requests += requests;
  last_requests_per_s_ = requests / seconds;
  add_slices({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)}, first, began_s);
  ++visits_;
}

// Equal parts of the visit. Bytes count as having come at an even rate since the completion before, so that the number
// of completions that fall into a slice adds no noise of its own.
void PointRecord::add_slices(const std::vector<Completion>& completions, std::size_t first, double began_s) {
  const std::size_t slices =
      std::clamp((completions.size() - first) / kRequestsPerSlice, std::size_t{1}, kSlicesPerVisit);
  const double length_s = (completions.back().at_s - began_s) / static_cast<double>(slices);
  std::size_t next = first;
  double bytes_until_next = 0.0, at_last_edge = 0.0;
  double from_s = began_s;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const double edge_s = began_s + length_s * static_cast<double>(slice + 1);
    for (; next < completions.size() && completions[next].at_s <= edge_s; ++next) {
      bytes_until_next += completions[next].bytes;
      from_s = completions[next].at_s;
    }
    double at_edge = bytes_until_next;
    if (next < completions.size())
      at_edge += completions[next].bytes * (edge_s - from_s) / (completions[next].at_s - from_s);
    point_.slice_bytes_per_s.push_back((at_edge - at_last_edge) / length_s);
    point_.slice_at_s.push_back(edge_s - 0.5 * length_s - origin_s_);
    point_.slice_visit.push_back(visits_);
    at_last_edge = at_edge;
  }
}

ReadPoint PointRecord::point() const {
  ReadPoint point = point_;
  point.latency = summarise(latency_s_);
  point.relative_sd = relative_sd_of(point.slice_bytes_per_s);
  return point;
}

}  // namespace stallcast
