// The law of a storage system as one client sees it, fitted to measured operating points.
//
// **Model** n requests of b bytes in flight complete at the rate
//   X(n, b) = n / (L_s + R(n, b))
// where a request takes the latency L, spends s + b / B of the device (s = 1 / IOPS, B = bandwidth), b / b_s of its own
// stream, and a share h of L keeps the device from others' requests (h = 0: latencies overlap freely, the closed
// network of a delay and a processor-sharing server; h = 1: X = n / (L + b / b_s + n (s + b / B))). See
// storage_fit.cpp.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/probe/read_point.h"

namespace stallcast {

// A fitted parameter with its 90 % interval.
struct FittedNumber {
  double value = 0.0;
  double low = 0.0, high = 0.0;
  bool known = false;  // the points determine it; otherwise the law does without it
};

struct FitResidual {
  ReadPoint point;
  double predicted_requests_per_s = 0.0;
  double relative_error() const {
    return point.requests_per_s() > 0 ? predicted_requests_per_s / point.requests_per_s() - 1.0 : 0.0;
  }
};

struct StorageFit {
  FittedNumber latency_s;       // L, mean of a request that is alone, without its bytes
  FittedNumber latency_sigma;   // lognormal, of the logarithm
  FittedNumber requests_per_s;  // 1 / s
  FittedNumber bytes_per_s;     // B
  FittedNumber stream_bytes_per_s;
  FittedNumber held_fraction;  // h
  FittedNumber open_latency_s;
  FittedNumber opens_per_s;
  std::vector<FitResidual> residuals;
  double median_error = 0.0, p90_error = 0.0;  // of |relative_error|
  double scatter = 0.0;        // standard deviation of the logarithm of a point, what the law leaves unexplained
  Eigen::MatrixXd covariance;  // of the logarithms of those known, in the order above
};

struct FitOptions {
  double widen = 1.0;  // intervals grow by this (a probe's grade)
};

// **Errors** findings "too_few_points" (with what is missing) when nothing can be fitted.
Loaded<StorageFit> fit_storage(const std::vector<ReadPoint>& points, const FitOptions& options = {});

// Requests/s that the law gives. **Range** in_flight >= 1, request_bytes > 0.
double predicted_requests_per_s(const StorageFit& fit, double in_flight, double request_bytes);

}  // namespace stallcast
