#include "gui/timeline/span_lane.h"

#include <algorithm>

namespace stallcast::gui {

SpanLane::SpanLane(std::vector<LaneSpan> spans) : spans_(std::move(spans)) {
  std::stable_sort(spans_.begin(), spans_.end(),
                   [](const LaneSpan& a, const LaneSpan& b) { return a.begin_ns < b.begin_ns; });
  std::int64_t end_ns = spans_.empty() ? 0 : spans_.front().begin_ns;
  for (LaneSpan& span : spans_) {
    span.begin_ns = std::max(span.begin_ns, end_ns);
    end_ns = span.end_ns = std::max(span.end_ns, span.begin_ns);
    if (!has(span.kind)) kinds_.push_back(span.kind);
  }
  covered_.assign((spans_.size() + 1) * kinds_.size(), 0);
  for (std::size_t i = 0; i < spans_.size(); ++i)
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      covered_[(i + 1) * kinds_.size() + k] =
          covered_[i * kinds_.size() + k] + (spans_[i].kind == kinds_[k] ? spans_[i].end_ns - spans_[i].begin_ns : 0);
}

bool SpanLane::has(std::uint8_t kind) const { return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end(); }

// The first span from `from` on that ends after `time_ns`, looked for with growing steps: columns come in order.
std::size_t SpanLane::advance(std::size_t from, double time_ns) const {
  const auto ended = [&](std::size_t i) { return static_cast<double>(spans_[i].end_ns) <= time_ns; };
  std::size_t step = 1;
  while (from + step <= spans_.size() && ended(from + step - 1)) {
    from += step;
    step *= 2;
  }
  const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(std::min(spans_.size(), from + step));
  const auto found = std::partition_point(
      begin, end, [&](const LaneSpan& span) { return static_cast<double>(span.end_ns) <= time_ns; });
  return static_cast<std::size_t>(found - spans_.begin());
}

void SpanLane::columns(double from_ns, double column_ns, std::vector<LaneShares>& out) const {
  std::fill(out.begin(), out.end(), LaneShares{});
  std::size_t at = advance(0, from_ns);
  std::array<double, kLaneKinds> before{};
  const auto covered_until = [&](double time_ns, std::size_t k) {
    const auto whole = static_cast<double>(covered_[at * kinds_.size() + k]);
    if (at == spans_.size() || spans_[at].kind != kinds_[k]) return whole;
    return whole + std::max(0.0, time_ns - static_cast<double>(spans_[at].begin_ns));
  };
  for (std::size_t k = 0; k < kinds_.size(); ++k) before[k] = covered_until(from_ns, k);
  for (std::size_t c = 0; c < out.size(); ++c) {
    if (at == spans_.size()) return;
    const double end_ns = from_ns + static_cast<double>(c + 1) * column_ns;
    if (static_cast<double>(spans_[at].begin_ns) >= end_ns) continue;
    at = advance(at, end_ns);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const double now = covered_until(end_ns, k);
      out[c][kinds_[k]] = static_cast<float>((now - before[k]) / column_ns);
      before[k] = now;
    }
  }
}

const LaneSpan* SpanLane::at(std::int64_t time_ns) const {
  const std::size_t i = firstAfter(time_ns);
  return i < spans_.size() && spans_[i].begin_ns <= time_ns ? &spans_[i] : nullptr;
}

std::size_t SpanLane::firstAfter(std::int64_t time_ns) const { return advance(0, static_cast<double>(time_ns)); }

}  // namespace stallcast::gui
