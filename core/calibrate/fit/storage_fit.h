// A storage system's law (storage_law.h) fitted to measured operating points, with 90 % intervals.
//
// Sequential and random reads make the law together; opens of files have one of their own, without bytes. What the
// points do not determine the law does without (law_fit.h says when); a finding tells what kind of point is missing.
// Left out: whole files (their opens and reads cannot be told apart), attributes and names, points without requests or
// with more than 16384 in flight.
#pragma once

#include <vector>

#include "core/calibrate/fit/law_fit.h"
#include "core/diagnostics/finding.h"
#include "core/probe/disk/read_point.h"

namespace stallcast {

// A fitted parameter with its 90 % interval.
struct FittedNumber {
  double value = 0.0;
  double low = 0.0, high = 0.0;
  bool known = false;  // the points determine it; otherwise the law does without it
};

inline constexpr int kFittedDigits = 4;  // significant digits of a fitted value that is written

// 1 / number, its interval turned round.
inline FittedNumber inverse(const FittedNumber& number) {
  return number.known ? FittedNumber{1.0 / number.value, 1.0 / number.high, 1.0 / number.low, true} : FittedNumber{};
}

struct FitResidual {
  ReadPoint point;
  double predicted_requests_per_s = 0.0;
  double relative_error() const {
    return point.requests_per_s() > 0 ? predicted_requests_per_s / point.requests_per_s() - 1.0 : 0.0;
  }
};

struct StorageFit {
  FittedNumber latency_s;       // L, mean of a random request that is alone, without its bytes
  FittedNumber latency_sigma;   // lognormal, of the logarithm
  FittedNumber requests_per_s;  // 1 / s
  FittedNumber bytes_per_s;     // B
  FittedNumber stream_bytes_per_s;
  FittedNumber held_fraction;             // h; not known = the interval is 0 to 1, the law has the likeliest
  FittedNumber sequential_latency_ratio;  // of the latency of requests that follow one another; not known = the same
  FittedNumber open_latency_s;            // mean of an open that is alone
  FittedNumber opens_per_s;
  LawFit reads, opens;  // as fitted; `opens` without parameters where no point opens files
  double widen = 1.0;   // that the intervals have been widened by
  std::vector<FitResidual> residuals;
  double median_error = 0.0, p90_error = 0.0;  // of |relative_error|
};

struct FitOptions {
  double widen = 1.0;  // intervals grow by this (a probe's grade). **Range** >= 1
};

// **Errors** finding "too_few_points" when nothing can be fitted. Warnings beside a value: "one_request_at_a_time",
// "one_request_size", "one_concurrency": what such points cannot tell; "too_many_in_flight": points were left out.
Loaded<StorageFit> fit_storage(const std::vector<ReadPoint>& points, const FitOptions& options = {});

// Requests/s that the law gives. **Range** in_flight >= 1, request_bytes > 0.
double predicted_requests_per_s(const StorageFit& fit, double in_flight, double request_bytes,
                                AccessPattern pattern = AccessPattern::kRandom);

enum class PredictionOf {
  kLaw,          // the rate itself: uncertain as the parameters are
  kMeasurement,  // one more measured point: the law's own scatter as well
};

// Requests/s with the 90 % interval; all parameters vary together, as the points leave them uncertain.
FittedNumber predicted_rate(const StorageFit& fit, double in_flight, double request_bytes,
                            AccessPattern pattern = AccessPattern::kRandom, PredictionOf what = PredictionOf::kLaw);

}  // namespace stallcast
