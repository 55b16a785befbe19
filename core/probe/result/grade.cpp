#include "core/probe/result/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/units/quantity_text.h"
#include "core/units/rounded.h"
#include "core/units/size_text.h"
#include "core/units/student_t.h"

namespace stallcast {
namespace {

using Weight = ProbeFlaw::Weight;

constexpr double kEnoughRequests = 8.0;  // of a point that a law can be fitted to
constexpr double kFewestPoints = 4.0;    // as many as the law has parameters without the held fraction
constexpr double kNoticeable = 0.02;     // relative; smaller flaws are lost in the scatter
constexpr double kLastingGain = 0.05;
const double kUniform = std::sqrt(12.0);  // width of a uniform distribution over its standard deviation

double widen_by(double relative) { return std::hypot(1.0, relative / kReferenceScatter); }

std::string percent_text(double fraction) { return fmt::format("{:.3g} %", 100.0 * fraction); }

std::string time_text(double seconds) { return format_quantity(Dimension::kTime, rounded(seconds)); }

bool is_read(const ReadPoint& point) {
  return point.pattern == AccessPattern::kRandom || point.pattern == AccessPattern::kSequential ||
         point.pattern == AccessPattern::kWholeFile;
}

// Standard deviation of latencies over their mean, from the middle 80 %: those beyond would decide it otherwise.
double latency_variation(const ReadPoint& point) {
  constexpr double kDeviations = 2.563;  // between the 10 % and 90 % quantiles of a normal distribution
  if (point.latency.mean_s <= 0.0 || point.latency.quantiles.empty()) return 1.0;
  return (point.latency.quantile(0.9) - point.latency.quantile(0.1)) / kDeviations / point.latency.mean_s;
}

int visits_of(const ReadPoint& point) { return point.slice_visit.empty() ? 0 : point.slice_visit.back() + 1; }

// --- page cache -----------------------------------------------------------------------------------------------------

// Share of a point's requests that were shorter than any device with a bus between takes; the memory's copy of 64 KiB
// is less than half of the limit.
double fast_share(const ReadPoint& point) {
  constexpr double kShortest = 5e-6, kCopyBytesPerS = 8e9;
  const double limit_s = kShortest + point.request_bytes / kCopyBytesPerS;
  double share = 0.0;
  for (const auto& [probability, latency_s] : point.latency.quantiles)
    if (latency_s < limit_s) share = probability;
  return share;
}

// Small random reads alone: of others, read-ahead and copying decide.
double fast_share(const std::vector<ReadPoint>& points) {
  double fast = 0.0, all = 0.0;
  for (const ReadPoint& point : points) {
    if (point.direct || point.pattern != AccessPattern::kRandom || point.request_bytes > 65536.0) continue;
    fast += point.requests * fast_share(point);
    all += point.requests;
  }
  return all > 0.0 ? fast / all : 0.0;
}

void grade_page_cache(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  const bool buffered = std::any_of(result.points.begin(), result.points.end(), [](const ReadPoint& point) {
    return is_read(point) && !point.direct && point.first_byte.mean_s == 0.0;
  });
  const double not_fetched =
      result.fetched_bytes >= 0.0 && result.bytes > 0.0 ? 1.0 - result.fetched_bytes / result.bytes : 0.0;
  const double fast = buffered ? fast_share(result.points) : 0.0;
  const double cached = std::clamp(std::max({not_fetched, result.cached_share, fast}), 0.0, 1.0);
  if (cached <= kNoticeable) return;
  std::string text = fmt::format("the page cache answered {} of the reads, not the storage:", percent_text(cached));
  if (not_fetched > kNoticeable) {
    text +=
        fmt::format(" the kernel fetched {} of the {} read,", size_text(result.fetched_bytes), size_text(result.bytes));
  }
  if (result.cached_share > kNoticeable)
    text += fmt::format(" {} of the pages looked at were there before,", percent_text(result.cached_share));
  if (fast > kNoticeable) text += fmt::format(" {} of small reads took less than a device takes,", percent_text(fast));
  text.back() = '.';
  const bool refused = cached > 0.5;
  flaws.push_back({"page_cache", refused ? Weight::kRefuse : Weight::kWiden,
                   widen_by(-std::log(std::max(1.0 - cached, 0.01))), std::move(text)});
}

// --- drift and noise ------------------------------------------------------------------------------------------------

void grade_trend(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  const std::optional<VisitTrend> trend = visit_trend(visit_rates(result.points));
  if (!trend) return;
  if (trend->significance < kSignificance && std::abs(trend->change) > kReferenceScatter) {
    const bool down = trend->change < 0.0;
    const double change = std::abs(std::expm1(trend->change));
    flaws.push_back({"rate_drifts", std::abs(trend->change) > std::log(2.0) ? Weight::kRefuse : Weight::kWiden,
                     widen_by(trend->change / kUniform),
                     fmt::format("rates {} by {} while the probe ran (chance would do so in {:.2g} % of probes): {}.",
                                 down ? "fell" : "rose", percent_text(change), 100.0 * trend->significance,
                                 down ? "burst credits that run out, throttling, or others who began to use the storage"
                                      : "a cache that fills, or others who stopped using the storage")});
  }
  if (trend->excess_significance < kSignificance) {
    flaws.push_back({"noisy", trend->scatter > 0.5 ? Weight::kRefuse : Weight::kWiden, std::sqrt(trend->excess),
                     fmt::format("visits of one point differ by {} (standard deviation), {:.2g} times what is assumed: "
                                 "others use the storage, the network or this machine.",
                                 percent_text(trend->scatter), std::sqrt(trend->excess))});
  }
}

void grade_visits(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  double known = 0.0, once = 0.0;
  for (const ReadPoint& point : result.points) {
    if (!is_read(point) || point.slice_visit.empty()) continue;
    known += 1.0;
    if (visits_of(point) == 1) once += 1.0;
  }
  if (once <= 0.5 * known) return;
  flaws.push_back({"one_visit", Weight::kWiden, widen_by(std::sqrt(3.0) * kReferenceScatter),
                   fmt::format("{:.0f} of {:.0f} points were visited once: drift and noise are not known{}.", once,
                               known, result.interrupted ? ", the probe was interrupted" : "")});
}

// --- amounts --------------------------------------------------------------------------------------------------------

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void grade_amount(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  std::vector<double> errors, measured_s;
  double usable = 0.0;
  for (const ReadPoint& point : result.points) {
    if (!is_read(point) || point.requests <= 0.0) continue;
    errors.push_back(latency_variation(point) / std::sqrt(point.requests));
    measured_s.push_back(point.seconds);
    if (point.requests >= kEnoughRequests) usable += 1.0;
  }
  const std::string read = fmt::format("{} in {}", size_text(result.bytes), time_text(result.seconds));
  if (usable < kFewestPoints) {
    flaws.push_back({"too_few_bytes", Weight::kRefuse, widen_by(1.0),
                     fmt::format("{}: {:.0f} points have at least {:.0f} requests, a law needs {:.0f}; allow more.",
                                 read, usable, kEnoughRequests, kFewestPoints)});
    return;
  }
  const double error = median_of(errors);
  const double steady_s = median_of(measured_s);
  const double unsteady = steady_s < kSteadySeconds ? kReferenceScatter * std::sqrt(kSteadySeconds / steady_s) : 0.0;
  if (error <= kNoticeable && unsteady == 0.0) return;
  flaws.push_back({"too_few_bytes", error > 0.2 ? Weight::kRefuse : Weight::kWiden, widen_by(std::max(error, unsteady)),
                   fmt::format("{} is little: in the median a point was measured for {} and its latency is known to {} "
                               "(standard error); allow more.",
                               read, time_text(steady_s), percent_text(error))});
}

void grade_sizes(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (const ReadPoint& point : result.points) {
    if (!is_read(point) || point.requests < kEnoughRequests) continue;
    smallest = std::min(smallest, point.request_bytes);
    largest = std::max(largest, point.request_bytes);
  }
  if (largest == 0.0 || largest > 2.0 * smallest) return;
  flaws.push_back({"one_request_size", Weight::kWiden, widen_by(std::log(2.0) / kUniform),
                   fmt::format("all requests are of about {}: what a byte costs is not told from what a request costs; "
                               "allow more bytes or name larger files.",
                               size_text(smallest))});
}

// What `best` gained over the next shallower point with the same requests; 1, a doubling, where there is none, so that
// nobody knows; 0 where deeper ones did not do better.
struct LastGain {
  const ReadPoint* best = nullptr;
  double gain = 0.0;
};

template <class Rate>
LastGain last_gain(const std::vector<ReadPoint>& points, const Rate& rate) {
  LastGain last;
  for (const ReadPoint& point : points) {
    // Sequential reads are not made at every depth.
    if (!is_read(point) || point.pattern == AccessPattern::kSequential || point.requests <= 0.0) continue;
    if (last.best == nullptr || rate(point) > rate(*last.best)) last.best = &point;
  }
  if (last.best == nullptr) return last;
  const ReadPoint* below = nullptr;
  for (const ReadPoint& point : points) {
    if (point.pattern != last.best->pattern || point.request_bytes != last.best->request_bytes) continue;
    if (point.in_flight > last.best->in_flight) return last;
    if (point.in_flight < last.best->in_flight && (below == nullptr || point.in_flight > below->in_flight))
      below = &point;
  }
  last.gain = below == nullptr || rate(*below) <= 0.0 ? 1.0 : rate(*last.best) / rate(*below) - 1.0;
  return last;
}

void grade_knee(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  const LastGain bytes = last_gain(result.points, [](const ReadPoint& point) { return point.bytes_per_s(); });
  const LastGain requests = last_gain(result.points, [](const ReadPoint& point) { return point.requests_per_s(); });
  const LastGain& last = bytes.gain >= requests.gain ? bytes : requests;
  if (last.gain <= kLastingGain) return;
  const std::string size = size_text(last.best->request_bytes);
  const std::string seen =
      last.gain == 1.0 ? fmt::format("{:.0f} in flight was all that was tried with {}", last.best->in_flight, size)
                       : fmt::format(
                             "{:.0f} requests of {} in flight still moved {} more than "
                             "half as many",
                             last.best->in_flight, size, percent_text(last.gain));
  flaws.push_back({"knee_not_reached", Weight::kWiden, widen_by(std::log1p(last.gain) / kUniform),
                   fmt::format("{}: the storage does more than what was seen; allow more bytes, more time or more in "
                               "flight.",
                               seen)});
}

void grade_timer(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  double shortest_s = std::numeric_limits<double>::infinity();
  for (const ReadPoint& point : result.points) {
    const double median_s = point.latency.quantile(0.5);
    if (is_read(point) && median_s > 0.0) shortest_s = std::min(shortest_s, median_s);
  }
  const double ratio = result.timer_s / shortest_s;
  if (!(ratio > kReferenceScatter)) return;
  flaws.push_back({"timer", ratio > 1.0 ? Weight::kRefuse : Weight::kWiden, widen_by(ratio / kUniform),
                   fmt::format("the clock goes in steps of {}, {} of the shortest median latency.",
                               time_text(result.timer_s), percent_text(ratio))});
}

void grade_errors(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  double requests = 0.0, errors = 0.0, throttled = 0.0;
  for (const ReadPoint& point : result.points) {
    requests += point.requests + point.errors;
    errors += point.errors - point.throttled;
    throttled += point.throttled;
  }
  if (errors > 0.0) {
    const double share = errors / requests;
    flaws.push_back({"errors", share > 0.1 ? Weight::kRefuse : Weight::kWiden, widen_by(share),
                     fmt::format("{:.0f} of {:.0f} requests failed.", errors, requests)});
  }
  if (throttled > 0.0) {
    const double share = throttled / requests;
    flaws.push_back({"throttled", share > 0.5 ? Weight::kRefuse : Weight::kWiden, widen_by(share),
                     fmt::format("{:.0f} of {:.0f} requests were refused for their rate.", throttled, requests)});
  }
}

// Widening that says nothing any more refuses.
void grade_widening(const ProbeResult& result, std::vector<ProbeFlaw>& flaws) {
  const double widen = result.widen();
  if (result.refused() || widen <= kWidest) return;
  const double factor = std::exp(k90Percent * kReferenceScatter * widen);
  flaws.push_back({"too_wide", Weight::kRefuse, 1.0,
                   fmt::format("with intervals {:.2g} times as wide a rate is known to a factor of {:.2g} either way: "
                               "no calibration.",
                               widen, factor)});
}

}  // namespace

std::vector<VisitRate> visit_rates(const std::vector<ReadPoint>& points) {
  std::vector<VisitRate> rates;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ReadPoint& point = points[i];
    const std::size_t slices = point.slice_visit.size();
    if (!is_read(point) || visits_of(point) < 2) continue;
    if (point.slice_at_s.size() != slices || point.slice_bytes_per_s.size() != slices) continue;
    const double variation = latency_variation(point);
    const double variance = kReferenceScatter * kReferenceScatter +
                            variation * variation * visits_of(point) / std::max(point.requests, 1.0);
    for (std::size_t from = 0; from < slices;) {
      std::size_t to = from;
      double rate = 0.0, at_s = 0.0;
      for (; to < slices && point.slice_visit[to] == point.slice_visit[from]; ++to) {
        rate += point.slice_bytes_per_s[to];
        at_s += point.slice_at_s[to];
      }
      const auto count = static_cast<double>(to - from);
      if (rate > 0.0) rates.push_back({i, at_s / count, std::log(rate / count), variance});
      from = to;
    }
  }
  return rates;
}

std::optional<VisitTrend> visit_trend(const std::vector<VisitRate>& rates) {
  // Least squares on what is left of time and ln rate when each point's own means are taken away.
  std::vector<std::pair<double, double>> rest;
  double freedom = -1.0;  // of the slope
  double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s;
  for (std::size_t from = 0; from < rates.size();) {
    std::size_t to = from;
    double at_s = 0.0, log_rate = 0.0;
    for (; to < rates.size() && rates[to].point == rates[from].point; ++to) {
      at_s += rates[to].at_s;
      log_rate += rates[to].log_rate;
      first_s = std::min(first_s, rates[to].at_s);
      last_s = std::max(last_s, rates[to].at_s);
    }
    const auto count = static_cast<double>(to - from);
    for (std::size_t i = from; i < to; ++i)
      rest.emplace_back(rates[i].at_s - at_s / count, rates[i].log_rate - log_rate / count);
    freedom += count - 1.0;
    from = to;
  }
  if (freedom < 3.0) return std::nullopt;
  double xx = 0.0, xy = 0.0;
  for (const auto& [x, y] : rest) {
    xx += x * x;
    xy += x * y;
  }
  if (xx <= 0.0) return std::nullopt;
  const double slope = xy / xx;
  double squares = 0.0, relative_squares = 0.0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double left = rest[i].second - slope * rest[i].first;
    squares += left * left;
    relative_squares += left * left / rates[i].assumed_variance;
  }
  VisitTrend trend;
  trend.change = slope * (last_s - first_s);
  trend.scatter = std::sqrt(squares / freedom);
  trend.excess = relative_squares / freedom;
  const double error = trend.scatter / std::sqrt(xx);
  trend.significance = error > 0.0 ? 2.0 * student_t_tail(freedom, std::abs(slope) / error) : slope != 0.0 ? 0.0 : 1.0;
  trend.excess_significance =
      boost::math::cdf(boost::math::complement(boost::math::chi_squared(freedom), relative_squares));
  return trend;
}

void grade(ProbeResult& result, const std::vector<ProbeFlaw>& others) {
  result.flaws.clear();
  grade_page_cache(result, result.flaws);
  grade_trend(result, result.flaws);
  grade_visits(result, result.flaws);
  grade_amount(result, result.flaws);
  grade_sizes(result, result.flaws);
  grade_knee(result, result.flaws);
  grade_timer(result, result.flaws);
  grade_errors(result, result.flaws);
  result.flaws.insert(result.flaws.end(), others.begin(), others.end());
  grade_widening(result, result.flaws);
}

}  // namespace stallcast
