// Quantiles of a lognormal behind a constant give its sigma back.
#include "core/calibrate/fit/latency_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/units/distribution.h"

namespace stallcast {
namespace {

constexpr double kSigma = 0.4, kMedian = 1e-3;

ReadPoint point(double constant_s, double bytes) {
  ReadPoint out;
  out.request_bytes = bytes;
  out.requests = 1000.0;
  out.seconds = 1.0;
  for (const double p : {0.01, 0.25, 0.5, 0.75, 0.9, 0.99})
    out.latency.quantiles.emplace_back(p, constant_s + kMedian * std::exp(kSigma * normal_quantile(p)));
  return out;
}

StorageLaw law() {
  StorageLaw out;
  out.latency_s = 1e-3;
  out.request_time_s = 50e-6;
  out.seconds_per_byte = 1e-9;
  return out;
}

// 50 us of the device and 4 us of bytes are no part of the latency.
TEST(LatencySpread, TheConstantPartIsTakenOff) {
  const LatencySpread spread = latency_spread({point(54e-6, 4000.0)}, law());
  EXPECT_TRUE(spread.known);
  EXPECT_NEAR(spread.sigma, kSigma, 1e-12);
}

// The line is exact, so what is left is the error of 1000 draws. The best estimate of sigma from all of them has the
// relative error 1 / sqrt(2 * 1000) = 2.2 %; five quantiles cannot do better, and hardly twice as badly.
TEST(LatencySpread, ItsErrorIsThatOfTheRequestsMeasured) {
  const LatencySpread spread = latency_spread({point(54e-6, 4000.0)}, law());
  EXPECT_GT(spread.standard_error, kSigma / std::sqrt(2000.0));
  EXPECT_LT(spread.standard_error, 2.0 * kSigma / std::sqrt(2000.0));
}

TEST(LatencySpread, TheFirstByteCountsWhereItIsSeenApart) {
  ReadPoint seen = point(50e-6, 4e6);
  seen.first_byte = seen.latency;
  seen.latency = {};
  EXPECT_NEAR(latency_spread({seen}, law()).sigma, kSigma, 1e-12);
}

TEST(LatencySpread, PointsWithCompanyOrWithoutQuantilesSayNothing) {
  ReadPoint together = point(54e-6, 4000.0);
  together.in_flight = 2.0;
  ReadPoint without = point(54e-6, 4000.0);
  without.latency.quantiles = {{0.5, 1e-3}};
  EXPECT_FALSE(latency_spread({together, without}, law()).known);
}

}  // namespace
}  // namespace stallcast
