#include "core/calibrate/fit/storage_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stallcast {
namespace {

// Times of one kind of request.
struct RequestTimes {
  double delay_s = 0.0;   // away from the device
  double held_s = 0.0;    // of the device, shared by those at it
  double shared_s = 0.0;  // of the device, for each
  double alone_s = 0.0;   // least transfer, at the rate of one stream, beyond `shared_s` of its own
  double bytes_s = 0.0;   // transfer at the device's bandwidth

  double rate(double at_device) const {
    const double transfer = std::max(at_device * bytes_s, alone_s);
    return at_device / (held_s + at_device * shared_s + transfer);
  }
};

// **Model** u(k), k requests in the delay and n - k at the device: u(k) = u(k-1) rate(n-k+1) delay / k. X(n) is the
// mean of rate(n - k). Only positive terms: nothing cancels.
double closed_network(const RequestTimes& times, int n) {
  constexpr double kBig = 1e200;
  double weight = 1.0, sum = 0.0, rates = 0.0;
  for (int k = 0; k < n; ++k) {
    const double rate = times.rate(static_cast<double>(n - k));
    sum += weight;
    rates += weight * rate;
    weight *= rate * times.delay_s / static_cast<double>(k + 1);
    if (weight > kBig) {
      sum /= kBig;
      rates /= kBig;
      weight /= kBig;
    }
  }
  return rates / (sum + weight);
}

}  // namespace

double requests_per_s(const StorageLaw& law, AccessPattern pattern, double in_flight, double request_bytes) {
  const double latency = law.latency_s * (pattern == AccessPattern::kSequential ? law.sequential_latency_ratio : 1.0);
  const RequestTimes times{(1.0 - law.held_fraction) * latency, law.held_fraction * latency, law.request_time_s,
                           request_bytes * law.stream_seconds_per_byte, request_bytes * law.seconds_per_byte};
  const double at_device = times.held_s + times.shared_s + std::max(times.alone_s, times.bytes_s);
  if (at_device <= 0.0) {
    return times.delay_s > 0.0 ? in_flight / times.delay_s : std::numeric_limits<double>::infinity();
  }
  const double below = std::floor(in_flight), part = in_flight - below;
  const double x = closed_network(times, static_cast<int>(below));
  return part > 0.0 ? x + part * (closed_network(times, static_cast<int>(below) + 1) - x) : x;
}

}  // namespace stallcast
