// How often the 90 % intervals of the fit contain a truth that is known.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>
#include <string>

#include "core/calibrate/fit/storage_fit.h"
#include "tests/core/calibrate/synthetic_storage.h"

namespace stallcast {
namespace {

struct Coverage {
  int covered = 0, all = 0;
  void count(const FittedNumber& number, double truth) {
    if (!number.known) return;
    ++all;
    if (number.low <= truth && truth <= number.high) ++covered;
  }
  double fraction() const { return static_cast<double>(covered) / all; }
};

double inverse_of(double time) { return time > 0.0 ? 1.0 / time : 1e300; }

// 200 systems, noise of 1 to 10 % between points and between slices. A false stream counts as not covered. Of n
// intervals that cover with probability 0.9, the share that does has the standard deviation sqrt(0.09 / n): 2.1 points
// for the 200 of one parameter, so single parameters are held to 0.9 +- 3 of these, and all together to 0.85 to 0.95.
TEST(StorageFit, IntervalsCoverTheTruth) {
  std::map<std::string, Coverage> parameters;
  Coverage known, rates, measurements;
  for (std::uint64_t truth = 0; truth < 200; ++truth) {
    std::mt19937_64 random(1000 + truth);
    const SyntheticStorage storage = random_storage(random);
    std::uniform_real_distribution<double> noise(0.01, 0.10);
    const SyntheticNoise scatter{noise(random), noise(random)};
    const auto fit = fit_storage(probe_points(storage, scatter, random));
    ASSERT_TRUE(fit.ok()) << truth;
    const auto check = [&](const char* name, const FittedNumber& number, double value) {
      parameters[name].count(number, value);
      known.count(number, value);
    };
    check("latency", fit.value->latency_s, storage.law.latency_s);
    check("latency sigma", fit.value->latency_sigma, storage.latency_sigma);
    check("requests/s", fit.value->requests_per_s, inverse_of(storage.law.request_time_s));
    check("bytes/s", fit.value->bytes_per_s, inverse_of(storage.law.seconds_per_byte));
    check("stream", fit.value->stream_bytes_per_s, inverse_of(storage.law.stream_seconds_per_byte));
    check("held fraction", fit.value->held_fraction, storage.law.held_fraction);
    for (const double n : {1.0, 3.0, 12.0, 32.0}) {
      for (const double b : {16384.0, 262144.0, 2097152.0}) {
        rates.count(predicted_rate(*fit.value, n, b), requests_per_s(storage.law, AccessPattern::kRandom, n, b));
        const ReadPoint again = measured_point(storage, AccessPattern::kRandom, n, b, scatter, random);
        measurements.count(predicted_rate(*fit.value, n, b, AccessPattern::kRandom, PredictionOf::kMeasurement),
                           again.requests_per_s());
      }
    }
  }
  for (const auto& [name, coverage] : parameters) {
    std::printf("%-14s %.3f of %d\n", name.c_str(), coverage.fraction(), coverage.all);
    EXPECT_NEAR(coverage.fraction(), 0.9, 3.0 * std::sqrt(0.09 / coverage.all)) << name;
  }
  std::printf("parameters %.3f of %d, rates at other points %.3f, measured again %.3f\n", known.fraction(), known.all,
              rates.fraction(), measurements.fraction());
  for (const Coverage& coverage : {known, rates, measurements}) {
    EXPECT_GE(coverage.fraction(), 0.85);
    EXPECT_LE(coverage.fraction(), 0.95);
  }
}

}  // namespace
}  // namespace stallcast
