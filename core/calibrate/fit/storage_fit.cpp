#include "core/calibrate/fit/storage_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/calibrate/fit/latency_spread.h"
#include "core/units/student_t.h"

namespace stallcast {
namespace {

// Of a point: 64 jobs with a queue of 256. The law is computed request by request, so an absurd number never ends.
constexpr double kMostInFlight = 16384.0;

bool is_read(const ReadPoint& point) {
  return point.pattern == AccessPattern::kSequential || point.pattern == AccessPattern::kRandom;
}

bool is_usable(const ReadPoint& point) {
  return point.requests_per_s() > 0.0 && point.in_flight >= 1.0 && point.in_flight <= kMostInFlight &&
         (point.pattern == AccessPattern::kOpen || point.request_bytes > 0.0);
}

// A rate over slices is known as well as their mean is; where the slices are not kept, as one of them.
LawObservation rate_of(const ReadPoint& point) {
  LawObservation out;
  out.pattern = point.pattern;
  out.in_flight = point.in_flight;
  out.request_bytes = is_read(point) ? point.request_bytes : 0.0;
  out.log_rate = std::log(point.requests_per_s());
  const auto slices = static_cast<double>(std::max<std::size_t>(1, point.slice_bytes_per_s.size()));
  out.variance = point.relative_sd * point.relative_sd / slices;
  return out;
}

std::vector<LawObservation> observations_of(const std::vector<ReadPoint>& points) {
  std::vector<LawObservation> out;
  for (const ReadPoint& point : points) {
    out.push_back(rate_of(point));
    if (point.in_flight > 1.0 || point.first_byte.mean_s <= 0.0) continue;
    out.push_back(out.back());
    out.back().first_byte = true;
    out.back().log_rate = -std::log(point.first_byte.mean_s);
  }
  return out;
}

// What the points differ in.
struct Variety {
  std::set<double> in_flight, sizes;
  std::size_t sequential = 0, random = 0;
  bool first_byte = false;

  explicit Variety(const std::vector<ReadPoint>& points) {
    for (const ReadPoint& point : points) {
      in_flight.insert(point.in_flight);
      sizes.insert(point.request_bytes);
      (point.pattern == AccessPattern::kSequential ? sequential : random) += 1;
      first_byte = first_byte || (point.in_flight <= 1.0 && point.first_byte.mean_s > 0.0);
    }
  }
  bool alone() const { return *in_flight.rbegin() <= 1.0; }
};

// Parameters that points of such a variety can tell apart at all.
std::vector<LawParameter> candidates_of(const Variety& variety) {
  constexpr std::size_t kEnough = 3;  // points of each pattern
  const bool sizes = variety.sizes.size() > 1, concurrency = variety.in_flight.size() > 1;
  std::vector<LawParameter> out = {LawParameter::kLatency};
  if (!variety.alone()) out.push_back(LawParameter::kBandwidth);
  if (concurrency && sizes) out.push_back(LawParameter::kRequestTime);
  if ((sizes && (variety.alone() || concurrency)) || variety.first_byte) out.push_back(LawParameter::kStream);
  if (variety.in_flight.size() > 2) out.push_back(LawParameter::kHeld);
  if (variety.sequential >= kEnough && variety.random >= kEnough) out.push_back(LawParameter::kSequential);
  return out;
}

void warn(Findings& findings, const char* code, std::string got, std::string fix, std::string why) {
  findings.add({Severity::kWarning, code, "", "", std::move(got), "", std::move(fix), std::move(why)});
}

void warn_of(const Variety& variety, Findings& findings) {
  if (variety.alone()) {
    warn(findings, "one_request_at_a_time", "1 request in flight at every point",
         "measure 4, 16 and 64 in flight as well", "bandwidth and requests/s of the whole system stay unknown");
  } else if (variety.in_flight.size() == 1) {
    warn(findings, "one_concurrency", fmt::format("{:g} in flight at every point", *variety.in_flight.begin()),
         "measure 1 in flight as well", "latency cannot be told from requests/s");
  }
  if (variety.sizes.size() == 1) {
    warn(findings, "one_request_size", fmt::format("requests of {:g} B at every point", *variety.sizes.begin()),
         "measure 4 KiB and 1 MiB as well", "requests/s cannot be told from bandwidth: other sizes are extrapolated");
  }
}

FittedNumber number(double value, double low, double high) { return {value, low, high, true}; }

// Half an interval, in the logarithm, beyond which the points say nothing: a factor of ten either way.
const double kUndetermined = std::log(10.0);

// A parameter's value and interval; those that are logarithms are raised.
FittedNumber fitted(const LawFit& fit, LawParameter parameter, double widen) {
  const auto found = std::find(fit.parameters.begin(), fit.parameters.end(), parameter);
  if (found == fit.parameters.end()) return {};
  const auto at = static_cast<Eigen::Index>(found - fit.parameters.begin());
  const double value = fit.values[static_cast<std::size_t>(parameter)];
  const double half = fit.t90 * widen * std::sqrt(fit.covariance(at, at));
  if (parameter == LawParameter::kHeld) {
    FittedNumber held = number(value, std::max(0.0, value - half), std::min(1.0, value + half));
    held.known = held.low > 0.0 || held.high < 1.0;
    return held;
  }
  FittedNumber out = number(std::exp(value), std::exp(value - half), std::exp(value + half));
  out.known = half < kUndetermined;
  return out;
}

FittedNumber fitted(const LatencySpread& spread, double widen) {
  if (!spread.known) return {};
  const double t = student_t_quantile(spread.degrees_of_freedom, 0.95);
  const double half = t * widen * spread.standard_error;
  return number(spread.sigma, std::max(0.0, spread.sigma - half), spread.sigma + half);
}

void fit_opens(const std::vector<ReadPoint>& points, StorageFit& fit) {
  if (points.empty()) return;
  if (points.size() == 1) {  // nothing to tell its error from
    if (points.front().in_flight <= 1.0) {
      const double time = 1.0 / points.front().requests_per_s();
      fit.open_latency_s = number(time, time, time);
    }
    return;
  }
  std::vector<LawParameter> candidates = {LawParameter::kLatency};
  const Variety variety(points);
  if (!variety.alone()) candidates.push_back(LawParameter::kRequestTime);
  if (variety.in_flight.size() > 2) candidates.push_back(LawParameter::kHeld);
  fit.opens = fit_law(observations_of(points), candidates);
  fit.open_latency_s = fitted(fit.opens, LawParameter::kLatency, fit.widen);
  fit.opens_per_s = inverse(fitted(fit.opens, LawParameter::kRequestTime, fit.widen));
}

void judge(const std::vector<ReadPoint>& points, StorageFit& fit) {
  std::vector<double> errors;
  for (const ReadPoint& point : points) {
    fit.residuals.push_back(
        {point, predicted_requests_per_s(fit, point.in_flight, point.request_bytes, point.pattern)});
    errors.push_back(std::abs(fit.residuals.back().relative_error()));
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double part) {
    return errors[static_cast<std::size_t>(std::ceil(part * static_cast<double>(errors.size()))) - 1];
  };
  const std::size_t half = errors.size() / 2;
  fit.median_error = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2.0;
  fit.p90_error = at(0.9);
}

}  // namespace

Loaded<StorageFit> fit_storage(const std::vector<ReadPoint>& points, const FitOptions& options) {
  Loaded<StorageFit> out;
  std::vector<ReadPoint> reads, opens;
  for (const ReadPoint& point : points) {
    if (!is_usable(point)) continue;
    if (is_read(point)) reads.push_back(point);
    if (point.pattern == AccessPattern::kOpen) opens.push_back(point);
  }
  const auto too_few = [&](std::string got, std::string why) {
    out.findings.add({Severity::kError, "too_few_points", "", "", std::move(got),
                      "2 or more points of sequential or random reads",
                      "measure 1, 4, 16 and 64 requests in flight of "
                      "4 KiB and of 1 MiB",
                      std::move(why)});
    return out;
  };
  if (reads.size() < 2) {
    return too_few(fmt::format("{} of {} points", reads.size(), points.size()),
                   "from one point nobody can tell how far the law is off");
  }
  const auto crowded = std::count_if(points.begin(), points.end(),
                                     [](const ReadPoint& point) { return point.in_flight > kMostInFlight; });
  if (crowded > 0) {
    warn(out.findings, "too_many_in_flight",
         fmt::format("{} points with more than {:g} in flight", crowded, kMostInFlight), "measure fewer in flight",
         "such points are left out");
  }
  const Variety variety(reads);
  StorageFit fit;
  fit.widen = std::max(1.0, options.widen);
  fit.reads = fit_law(observations_of(reads), candidates_of(variety));
  if (fit.reads.parameters.empty())
    return too_few(fmt::format("{} points that scatter widely", reads.size()), "no parameter is determined by them");
  warn_of(variety, out.findings);
  fit.latency_s = fitted(fit.reads, LawParameter::kLatency, fit.widen);
  fit.bytes_per_s = fitted(fit.reads, LawParameter::kBandwidth, fit.widen);
  fit.requests_per_s = inverse(fitted(fit.reads, LawParameter::kRequestTime, fit.widen));
  fit.stream_bytes_per_s = fitted(fit.reads, LawParameter::kStream, fit.widen);
  fit.held_fraction = fitted(fit.reads, LawParameter::kHeld, fit.widen);
  fit.sequential_latency_ratio = fitted(fit.reads, LawParameter::kSequential, fit.widen);
  if (fit.latency_s.known) fit.latency_sigma = fitted(latency_spread(reads, fit.reads.law), fit.widen);
  fit_opens(opens, fit);
  judge(reads, fit);
  out.value = std::move(fit);
  return out;
}

double predicted_requests_per_s(const StorageFit& fit, double in_flight, double request_bytes, AccessPattern pattern) {
  return requests_per_s(fit.reads.law, pattern, in_flight, request_bytes);
}

FittedNumber predicted_rate(const StorageFit& fit, double in_flight, double request_bytes, AccessPattern pattern,
                            PredictionOf what) {
  const LawObservation at{pattern, in_flight, request_bytes};
  const Eigen::VectorXd gradient = log_rate_gradient(fit.reads.parameters, fit.reads.values, at);
  const double scatter = what == PredictionOf::kMeasurement ? fit.reads.scatter : 0.0;
  const double variance = gradient.dot(fit.reads.covariance * gradient) + scatter * scatter;
  const double factor = std::exp(fit.reads.t90 * fit.widen * std::sqrt(variance));
  const double value = predicted_requests_per_s(fit, in_flight, request_bytes, pattern);
  return number(value, value / factor, value * factor);
}

}  // namespace stallcast
