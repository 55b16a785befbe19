// A probe's opinion of itself.
//
// **Model** An interval fitted to a probe's points assumes that a visit of a point repeats to kReferenceScatter. A flaw
// that moves rates by the relative amount d, which the points themselves cannot show, adds to that in quadrature, so
// the interval grows by sqrt(1 + (d / kReferenceScatter)^2); flaws multiply, which is at least their sum in quadrature.
// Flaws of which chance could be the cause are tested at kSignificance.
//
// page_cache        d = -ln(1 - c), c the share of bytes that no device gave; refused over 1/2
// rate_drifts       d = D / sqrt(12), D the change of ln rate over the probe, a ramp; refused over ln 2
// noisy             the factor is observed over assumed deviation between visits; refused when they differ by half
// too_few_bytes     d = median over points of the standard error of the mean latency, refused over 1/5 and with fewer
//                   than 4 points; or kReferenceScatter sqrt(kSteadySeconds / t) if larger, t the median time measured
//                   at a point, as noise without memory averages out
// one_request_size  d = ln 2 / sqrt(12): what a byte costs is not told from what a request costs, so at twice the size
//                   rates lie anywhere between the same and double
// one_visit         d = sqrt(3) kReferenceScatter: noise that nobody saw, assumed three times the variance
// knee_not_reached  d = G / sqrt(12), G the ln of the gain of the last doubling, of bytes or requests, ln 2 when
// nothing
//                   was doubled: the limit lies anywhere between what was seen and another such gain
// timer             d = r / sqrt(12), r the clock's step over the shortest median latency; refused over 1
// errors, throttled d = their share of requests; refused over 1/10 and 1/2
// too_wide          refuses when the flaws together widen by more than kWidest: a rate's 90 % interval, 1.645
//                   kReferenceScatter either way without flaws, would reach to half and to double
#pragma once

#include <optional>
#include <vector>

#include "core/probe/result/probe_result.h"

namespace stallcast {

inline constexpr double kReferenceScatter = 0.05;
inline constexpr double kSignificance = 0.01;
inline constexpr double kSteadySeconds = 0.01;  // a rate measured for so long has kReferenceScatter, assumed

inline constexpr double k90Percent = 1.645;  // half of a 90 % interval over the standard deviation, normal
inline constexpr double kWidest = 0.693147 / (k90Percent * kReferenceScatter);  // 8.43

// Replaces `result.flaws` by what its other members show, and `others`, which only who made it knows.
void grade(ProbeResult& result, const std::vector<ProbeFlaw>& others = {});

// The rate of one visit of one point.
struct VisitRate {
  std::size_t point = 0;  // index
  double at_s = 0.0;
  double log_rate = 0.0;
  double assumed_variance = 0.0;  // kReferenceScatter squared, and what its number of requests adds
};

// Of the points that were visited more than once, in their order.
std::vector<VisitRate> visit_rates(const std::vector<ReadPoint>& points);

// A common slope of ln rate over time, each point with a level of its own, and what is left of the visits beside it.
struct VisitTrend {
  double change = 0.0;        // of ln rate, over the time from the first visit to the last
  double significance = 1.0;  // probability of so large a slope, either way, by chance alone
  double excess = 1.0;        // variance of the rest over the variance assumed
  double excess_significance = 1.0;
  double scatter = 0.0;  // standard deviation of the rest, ln rate
};

// Nothing when there are fewer than 3 degrees of freedom.
std::optional<VisitTrend> visit_trend(const std::vector<VisitRate>& rates);

}  // namespace stallcast
