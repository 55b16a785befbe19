#include "core/calibrate/fit/stream_fit.h"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>

namespace stallcast {
namespace {

constexpr double kLeast = 4096.0, kMost = 8.0 * 1024.0 * 1024.0;
constexpr double kMostOfInterval = 9.0;  // a factor; calibrate() takes none beyond ten
constexpr double kLastingGain = 1.25;    // of twice as many readers, below which they share one limit

// The request with which one reader gets so much; the nearest that is allowed where none does. The rate grows with it.
double request_for(const StreamFit& streams, double bytes_per_s) {
  const auto off = [&](double log_request) { return streams.alone_bytes_per_s(std::exp(log_request)) - bytes_per_s; };
  const double least = std::log(kLeast), most = std::log(kMost);
  if (off(least) >= 0.0) return kLeast;
  if (off(most) <= 0.0) return kMost;
  std::uintmax_t steps = 60;
  const auto tolerance = boost::math::tools::eps_tolerance<double>(30);
  const auto found = boost::math::tools::toms748_solve(off, least, most, tolerance, steps);
  return std::exp(0.5 * (found.first + found.second));
}

// Half a 90 % interval of the logarithm of a point's rate.
double half_interval(const ReadPoint& point, const StorageFit& fit) {
  const auto slices = static_cast<double>(std::max<std::size_t>(1, point.slice_bytes_per_s.size()));
  return fit.reads.t90 * fit.widen * std::hypot(point.relative_sd / std::sqrt(slices), fit.reads.scatter);
}

FittedNumber bandwidth_of(const std::vector<ReadPoint>& by_readers, const StorageFit& fit) {
  if (by_readers.size() < 2) return {};
  const double last = by_readers.back().bytes_per_s(), before = by_readers[by_readers.size() - 2].bytes_per_s();
  if (last >= kLastingGain * before) return {};
  const ReadPoint& most =
      *std::max_element(by_readers.begin(), by_readers.end(),
                        [](const ReadPoint& a, const ReadPoint& b) { return a.bytes_per_s() < b.bytes_per_s(); });
  const double factor = std::exp(half_interval(most, fit)), rate = most.bytes_per_s();
  return {rate, rate / factor, rate * factor, true};
}

}  // namespace

double StreamFit::alone_bytes_per_s(double request) const {
  return request * requests_per_s(law, AccessPattern::kSequential, 1.0, request);
}

StreamFit fit_streams(const std::vector<ReadPoint>& points, const StorageLaw& law, const StorageFit& fit) {
  std::vector<ReadPoint> by_readers;
  for (const ReadPoint& point : points)
    if (point.pattern == AccessPattern::kStream && point.bytes_per_s() > 0.0) by_readers.push_back(point);
  std::stable_sort(by_readers.begin(), by_readers.end(),
                   [](const ReadPoint& a, const ReadPoint& b) { return a.in_flight < b.in_flight; });
  StreamFit out;
  out.points = by_readers.size();
  out.law = law;
  out.law.stream_seconds_per_byte = 0.0;
  if (by_readers.empty() || by_readers.front().in_flight > 1.0) return out;
  out.bytes_per_s = bandwidth_of(by_readers, fit);
  if (out.bytes_per_s.known) out.law.seconds_per_byte = std::max(out.law.seconds_per_byte, 1.0 / out.bytes_per_s.value);
  const ReadPoint& alone = by_readers.front();
  const double request = request_for(out, alone.bytes_per_s()), factor = std::exp(half_interval(alone, fit));
  out.request_bytes = {
      request, std::clamp(request_for(out, alone.bytes_per_s() / factor), request / kMostOfInterval, request),
      std::clamp(request_for(out, alone.bytes_per_s() * factor), request, request * kMostOfInterval), true};
  return out;
}

}  // namespace stallcast
