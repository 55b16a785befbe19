// The law against closed forms worked out by hand and against mean-value analysis.
#include "core/calibrate/fit/storage_law.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace stallcast {
namespace {

constexpr auto kRandom = AccessPattern::kRandom;

// 100 us, 10 us a request, 1 GB/s.
StorageLaw law(double held) {
  StorageLaw out;
  out.latency_s = 100e-6;
  out.request_time_s = 10e-6;
  out.seconds_per_byte = 1e-9;
  out.held_fraction = held;
  return out;
}

// Exact mean-value analysis of a delay and a queue in which nobody waits in turn (Reiser & Lavenberg): a request that
// comes finds the queue of a network with one request fewer.
double mean_value_analysis(double delay_s, double service_s, int n) {
  double queue = 0.0, rate = 0.0;
  for (int k = 1; k <= n; ++k) {
    const double time = service_s * (1.0 + queue);
    rate = k / (delay_s + time);
    queue = rate * time;
  }
  return rate;
}

// X = n / (L + n (s + b / B)).
TEST(StorageLaw, AWhollyHeldLatencyIsSharedByThoseInFlight) {
  for (const double n : {1.0, 2.0, 16.0, 200.0})
    for (const double b : {4096.0, 1e6})
      EXPECT_NEAR(requests_per_s(law(1.0), kRandom, n, b) * (100e-6 + n * (10e-6 + b * 1e-9)) / n, 1.0, 1e-12);
}

TEST(StorageLaw, AnOverlappingLatencyGivesTheDelayAndSharedServerOfMeanValueAnalysis) {
  for (const int n : {1, 2, 3, 16, 64, 500})
    for (const double b : {4096.0, 1e5, 1e6}) {
      const double expected = mean_value_analysis(100e-6, 10e-6 + b * 1e-9, n);
      EXPECT_NEAR(requests_per_s(law(0.0), kRandom, n, b) / expected, 1.0, 1e-11) << n << " of " << b;
    }
}

// Two requests, L = 1, s = 1, h = 1/2, by hand. Delay 1/2; device alone: rate 1 / (1/2 + 1) = 2/3; with two: 2 / (1/2 +
// 2) = 4/5. Weights of 0, 1, 2 in the delay: 1, (4/5)(1/2) = 2/5, (2/5)(2/3)(1/2)/2 = 1/15. X = (4/5 + (2/5)(2/3)) /
// (22/15) = (16/15) / (22/15) = 8/11.
TEST(StorageLaw, AHalfHeldLatencyByHand) {
  StorageLaw half;
  half.latency_s = 1.0;
  half.request_time_s = 1.0;
  half.held_fraction = 0.5;
  EXPECT_NEAR(requests_per_s(half, kRandom, 2.0, 0.0), 8.0 / 11.0, 1e-12);
}

// One request alone waits as long, whatever part of its latency is held.
TEST(StorageLaw, OneRequestAloneDoesNotFeelWhatIsHeld) {
  for (const double held : {0.0, 0.3, 1.0})
    EXPECT_NEAR(requests_per_s(law(held), kRandom, 1.0, 1e5), 1.0 / 210e-6, 1e-6);
}

// 1 MB at 100 MB/s a stream takes 10 ms alone; twenty of them are held by the device's 1 GB/s.
TEST(StorageLaw, AStreamIsNoFasterThanItsRate) {
  StorageLaw streams;
  streams.seconds_per_byte = 1e-9;
  streams.stream_seconds_per_byte = 1e-8;
  EXPECT_NEAR(requests_per_s(streams, kRandom, 1.0, 1e6), 100.0, 1e-9);
  EXPECT_NEAR(requests_per_s(streams, kRandom, 5.0, 1e6), 500.0, 1e-9);
  EXPECT_NEAR(requests_per_s(streams, kRandom, 20.0, 1e6), 1000.0, 1e-9);
}

TEST(StorageLaw, BetweenWholeNumbersOfRequestsItIsLinear) {
  const double two = requests_per_s(law(0.4), kRandom, 2.0, 1e5), three = requests_per_s(law(0.4), kRandom, 3.0, 1e5);
  EXPECT_NEAR(requests_per_s(law(0.4), kRandom, 2.25, 1e5), 0.75 * two + 0.25 * three, 1e-9 * three);
}

// 0.2 * 100 us + 10 us + 100 us.
TEST(StorageLaw, SequentialRequestsHaveTheirOwnLatency) {
  StorageLaw disk = law(0.0);
  disk.sequential_latency_ratio = 0.2;
  EXPECT_NEAR(requests_per_s(disk, AccessPattern::kSequential, 1.0, 1e5), 1.0 / 130e-6, 1e-6);
  EXPECT_NEAR(requests_per_s(disk, kRandom, 1.0, 1e5), 1.0 / 210e-6, 1e-6);
}

// Latencies 10^8 times the service: the weights of the product form span more than a double holds.
TEST(StorageLaw, ManyRequestsInALongDelayDoNotOverflow) {
  StorageLaw far;
  far.latency_s = 100.0;
  far.request_time_s = 1e-6;
  EXPECT_NEAR(requests_per_s(far, kRandom, 1000.0, 0.0), mean_value_analysis(100.0, 1e-6, 1000), 1e-9);
}

TEST(StorageLaw, WithoutAnyTimeItIsUnlimited) {
  EXPECT_EQ(requests_per_s({}, kRandom, 4.0, 1e6), std::numeric_limits<double>::infinity());
  StorageLaw only_latency;
  only_latency.latency_s = 0.01;
  EXPECT_NEAR(requests_per_s(only_latency, kRandom, 4.0, 1e6), 400.0, 1e-9);
}

}  // namespace
}  // namespace stallcast
