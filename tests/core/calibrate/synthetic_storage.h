// Storage systems drawn at random whose law is known, and the points that a probe of them would measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/calibrate/fit/storage_law.h"
#include "core/units/distribution.h"

namespace stallcast {

// How a probe's points scatter about the law, as standard deviations of the logarithm.
struct SyntheticNoise {
  double point = 0.0;   // of a whole point: the machine is in another mood
  double slice = 0.05;  // of one of its ten slices
};

struct SyntheticStorage {
  StorageLaw law;
  double latency_sigma = 0.3;
};

// Latency 20 us to 20 ms, bandwidth 0.2 to 20 GB/s, 2,000 to 500,000 requests/s but no slower than the latency; half of
// them with streams of 3 % to 50 % of the bandwidth; latency held not at all, wholly, or (half of them) in part.
inline SyntheticStorage random_storage(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto between = [&](double low, double high) { return low * std::pow(high / low, uniform(random)); };
  SyntheticStorage out;
  out.law.latency_s = between(20e-6, 20e-3);
  out.law.seconds_per_byte = 1.0 / between(0.2e9, 20e9);
  out.law.request_time_s = std::min(1.0 / between(2e3, 500e3), out.law.latency_s);
  if (uniform(random) < 0.5) out.law.stream_seconds_per_byte = out.law.seconds_per_byte / between(0.03, 0.5);
  const double kind = uniform(random);
  out.law.held_fraction = kind < 0.25 ? 0.0 : kind < 0.5 ? 1.0 : uniform(random);
  out.latency_sigma = 0.05 + 0.75 * uniform(random);
  return out;
}

// Mean and quantiles of `count` requests that are alone.
inline LatencySummary latency_of_requests(const SyntheticStorage& storage, double count, double constant_s,
                                          double noise_factor, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double sigma = storage.latency_sigma, mu = std::log(storage.law.latency_s) - sigma * sigma / 2.0;
  std::vector<double> times(static_cast<std::size_t>(std::max(2.0, count)));
  for (double& time : times) time = noise_factor * (constant_s + std::exp(mu + sigma * normal(random)));
  std::sort(times.begin(), times.end());
  LatencySummary out;
  for (const double p : {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99})
    out.quantiles.emplace_back(p, times[static_cast<std::size_t>(p * static_cast<double>(times.size() - 1) + 0.5)]);
  for (const double time : times) out.mean_s += time / static_cast<double>(times.size());
  return out;
}

inline ReadPoint measured_point(const SyntheticStorage& storage, AccessPattern pattern, double in_flight, double size,
                                SyntheticNoise noise, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double point_noise = noise.point * normal(random);
  const double rate = requests_per_s(storage.law, pattern, in_flight, size) * std::exp(point_noise);
  ReadPoint out;
  out.pattern = pattern;
  out.request_bytes = size;
  out.in_flight = in_flight;
  out.seconds = std::min(1.0, 2000.0 / rate);
  constexpr int kSlices = 10;
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < kSlices; ++i) {
    const double slice = rate * std::exp(noise.slice * normal(random));
    mean += slice / kSlices;
    squares += slice * slice / kSlices;
    out.slice_bytes_per_s.push_back(slice * size);
  }
  out.requests = mean * out.seconds;
  out.bytes = out.requests * size;
  out.relative_sd = std::sqrt(std::max(0.0, squares / (mean * mean) - 1.0) * kSlices / (kSlices - 1.0));
  if (in_flight <= 1.0) {
    StorageLaw constant = storage.law;
    constant.latency_s = 0.0;
    out.latency = latency_of_requests(storage, out.requests, 1.0 / requests_per_s(constant, pattern, 1.0, size),
                                      std::exp(-point_noise), random);
  }
  return out;
}

// Four sizes of requests, six numbers of them in flight.
inline std::vector<ReadPoint> probe_points(const SyntheticStorage& storage, SyntheticNoise noise,
                                           std::mt19937_64& random) {
  std::vector<ReadPoint> out;
  for (const double size : {4096.0, 65536.0, 1048576.0, 4194304.0})
    for (const double in_flight : {1.0, 2.0, 4.0, 8.0, 16.0, 64.0})
      out.push_back(measured_point(storage, AccessPattern::kRandom, in_flight, size, noise, random));
  return out;
}

}  // namespace stallcast
