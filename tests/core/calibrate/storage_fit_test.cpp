// The fit on points whose law is known, on too few of them, and on the fio runs of a real virtual disk.
#include "core/calibrate/fit/storage_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/core/calibrate/fio_jobs.h"
#include "tests/core/calibrate/synthetic_storage.h"

namespace stallcast {
namespace {

using testing::ElementsAre;

SyntheticStorage disk(double held) {
  SyntheticStorage out;
  out.law.latency_s = 80e-6;
  out.law.request_time_s = 8e-6;
  out.law.seconds_per_byte = 1.0 / 2.7e9;
  out.law.held_fraction = held;
  return out;
}

ReadPoint exact_point(const SyntheticStorage& storage, double in_flight, double size,
                      AccessPattern pattern = AccessPattern::kRandom) {
  std::mt19937_64 random(1);
  return measured_point(storage, pattern, in_flight, size, {0.0, 0.0}, random);
}

std::vector<std::string> codes(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings.list()) out.push_back(finding.code);
  return out;
}

TEST(StorageFit, PointsWithoutNoiseGiveTheirLawBack) {
  for (const double held : {0.0, 0.35, 1.0}) {
    std::mt19937_64 random(1);
    const auto fit = fit_storage(probe_points(disk(held), {0.0, 0.0}, random));
    ASSERT_TRUE(fit.ok());
    EXPECT_NEAR(fit.value->latency_s.value, 80e-6, 80e-6 * 1e-3);
    EXPECT_NEAR(fit.value->requests_per_s.value, 125e3, 125e3 * 1e-3);
    EXPECT_NEAR(fit.value->bytes_per_s.value, 2.7e9, 2.7e9 * 1e-3);
    EXPECT_NEAR(fit.value->held_fraction.value, held, 2e-3);
    EXPECT_FALSE(fit.value->stream_bytes_per_s.known);
    EXPECT_LT(fit.value->p90_error, 1e-3);
  }
}

TEST(StorageFit, AStreamSlowerThanTheSystemIsFound) {
  SyntheticStorage store;
  store.law.latency_s = 20e-3;
  store.law.seconds_per_byte = 1.0 / 5e9;
  store.law.stream_seconds_per_byte = 1.0 / 100e6;
  std::mt19937_64 random(1);
  const auto fit = fit_storage(probe_points(store, {0.02, 0.02}, random));
  ASSERT_TRUE(fit.ok());
  EXPECT_LE(fit.value->stream_bytes_per_s.low, 100e6);
  EXPECT_GE(fit.value->stream_bytes_per_s.high, 100e6);
}

// Seeks of 8 ms that sequential reads do without.
TEST(StorageFit, SequentialReadsMayHaveAnotherLatency) {
  SyntheticStorage spindle;
  spindle.law.latency_s = 8e-3;
  spindle.law.seconds_per_byte = 1.0 / 200e6;
  spindle.law.sequential_latency_ratio = 0.05;
  std::mt19937_64 random(1);
  std::vector<ReadPoint> points = probe_points(spindle, {0.02, 0.02}, random);
  for (const double n : {1.0, 4.0, 16.0})
    for (const double b : {4096.0, 65536.0})
      points.push_back(measured_point(spindle, AccessPattern::kSequential, n, b, {0.02, 0.02}, random));
  const auto fit = fit_storage(points);
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit.value->sequential_latency_ratio.value, 0.05, 0.01);
  EXPECT_NEAR(fit.value->latency_s.value, 8e-3, 0.8e-3);
}

// Alone, 1 MB of a store with 20 ms and 50 MB/s takes 40 ms; the first byte says which part of it is which.
TEST(StorageFit, TheFirstByteTellsLatencyFromTheRateOfAStream) {
  SyntheticStorage store;
  store.law.latency_s = 20e-3;
  store.law.stream_seconds_per_byte = 1.0 / 50e6;
  std::vector<ReadPoint> points;
  for (int pass = 0; pass < 3; ++pass) {
    points.push_back(exact_point(store, 1.0, 1e6));
    points.back().first_byte.mean_s = 20e-3;
  }
  const auto fit = fit_storage(points);
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit.value->latency_s.value, 20e-3, 20e-6);
  EXPECT_NEAR(fit.value->stream_bytes_per_s.value, 50e6, 50e3);
  EXPECT_THAT(codes(fit.findings), ElementsAre("one_request_at_a_time", "one_request_size"));
}

TEST(StorageFit, OneRequestAtATimeLeavesTheWholeSystemUnknown) {
  const auto fit = fit_storage({exact_point(disk(0.0), 1.0, 4096.0), exact_point(disk(0.0), 1.0, 65536.0),
                                exact_point(disk(0.0), 1.0, 1048576.0)});
  ASSERT_TRUE(fit.ok());
  EXPECT_THAT(codes(fit.findings), ElementsAre("one_request_at_a_time"));
  EXPECT_FALSE(fit.value->bytes_per_s.known);
  EXPECT_FALSE(fit.value->requests_per_s.known);
  EXPECT_NEAR(fit.value->latency_s.value, 88e-6, 88e-9);  // what the device takes for each cannot be told apart
  EXPECT_NEAR(fit.value->stream_bytes_per_s.value, 2.7e9, 2.7e6);
}

TEST(StorageFit, OneSizeLeavesRequestsPerSecondUnknown) {
  std::vector<ReadPoint> points;
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) points.push_back(exact_point(disk(1.0), n, 65536.0));
  const auto fit = fit_storage(points);
  ASSERT_TRUE(fit.ok());
  EXPECT_THAT(codes(fit.findings), ElementsAre("one_request_size"));
  EXPECT_FALSE(fit.value->requests_per_s.known);
  EXPECT_NEAR(fit.value->bytes_per_s.value, 65536.0 / (8e-6 + 65536.0 / 2.7e9), 2e6);  // at that size
}

// Two points and one parameter: the interval is that of one degree of freedom.
TEST(StorageFit, TwoPointsGiveOneParameter) {
  const auto fit = fit_storage({exact_point(disk(0.0), 1.0, 4096.0), exact_point(disk(0.0), 1.0, 4096.0)});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit.value->reads.parameters, std::vector<LawParameter>{LawParameter::kLatency});
}

TEST(StorageFit, TooFewPointsAreRefused) {
  const auto none = fit_storage({});
  EXPECT_FALSE(none.ok());
  EXPECT_THAT(codes(none.findings), ElementsAre("too_few_points"));
  ReadPoint whole_file = exact_point(disk(0.0), 1.0, 1e5, AccessPattern::kWholeFile);
  EXPECT_FALSE(fit_storage({whole_file, whole_file, exact_point(disk(0.0), 1.0, 4096.0)}).ok());
}

// A fit takes time in proportion to the requests in flight: with this many it would take hours.
TEST(StorageFit, AnAbsurdNumberInFlightIsLeftOut) {
  ReadPoint absurd = exact_point(disk(0.0), 16.0, 4096.0);
  absurd.in_flight = 1e9;
  const auto fit = fit_storage({exact_point(disk(0.0), 1.0, 4096.0), exact_point(disk(0.0), 4.0, 1048576.0), absurd});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit.value->residuals.size(), 2U);
  EXPECT_THAT(codes(fit.findings), testing::Contains("too_many_in_flight"));
}

// One of 24 points is three times too slow; without weights it would pull the law by a tenth.
TEST(StorageFit, OneOutlierMovesNothing) {
  std::mt19937_64 random(3);
  std::vector<ReadPoint> points = probe_points(disk(0.0), {0.02, 0.02}, random);
  const auto before = fit_storage(points);
  points[9].requests /= 3.0;
  points[9].bytes /= 3.0;
  const auto after = fit_storage(points);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NEAR(after.value->bytes_per_s.value / before.value->bytes_per_s.value, 1.0, 0.04);
  EXPECT_NEAR(after.value->latency_s.value / before.value->latency_s.value, 1.0, 0.04);
}

// Intervals are twice as wide in logarithms.
TEST(StorageFit, AProbesGradeWidensTheIntervals) {
  std::mt19937_64 random(5);
  const std::vector<ReadPoint> points = probe_points(disk(0.0), {0.05, 0.02}, random);
  const auto plain = fit_storage(points), wide = fit_storage(points, {2.0});
  ASSERT_TRUE(plain.ok() && wide.ok());
  const auto width = [](const FittedNumber& number) { return std::log(number.high / number.low); };
  EXPECT_NEAR(width(wide.value->bytes_per_s), 2.0 * width(plain.value->bytes_per_s), 1e-9);
  EXPECT_NEAR(width(predicted_rate(*wide.value, 8.0, 1e5)), 2.0 * width(predicted_rate(*plain.value, 8.0, 1e5)), 1e-9);
}

// 200 us alone and no more than 20,000/s: X = MVA of a delay of 150 us and a service of 50 us.
TEST(StorageFit, OpensHaveALawOfTheirOwn) {
  SyntheticStorage metadata;
  metadata.law.latency_s = 150e-6;
  metadata.law.request_time_s = 50e-6;
  std::mt19937_64 random(1);
  std::vector<ReadPoint> points = probe_points(disk(0.0), {0.01, 0.01}, random);
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0})
    points.push_back(exact_point(metadata, n, 0.0, AccessPattern::kOpen));
  const auto fit = fit_storage(points);
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit.value->open_latency_s.value, 150e-6, 1e-6);
  EXPECT_NEAR(fit.value->opens_per_s.value, 20e3, 100.0);
}

double error_of(const StorageFit& fit, const ReadPoint& point) {
  const double predicted = predicted_requests_per_s(fit, point.in_flight, point.request_bytes, point.pattern);
  return std::abs(predicted / point.requests_per_s() - 1.0);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

// Half of the jobs of every engine and pattern, drawn; what is odd goes to either half in turn.
struct Halves {
  std::vector<ReadPoint> fitted, predicted;

  Halves(const std::vector<ReadPoint>& jobs, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::map<std::string, std::vector<ReadPoint>> strata;
    for (const ReadPoint& job : jobs) strata[job.engine + access_pattern_name(job.pattern)].push_back(job);
    bool more = seed % 2 == 1;
    for (auto& [name, stratum] : strata) {
      for (std::size_t i = stratum.size(); i > 1; --i) std::swap(stratum[i - 1], stratum[random() % i]);
      std::size_t half = stratum.size() / 2;
      if (stratum.size() % 2 == 1 && std::exchange(more, !more)) ++half;
      const auto middle = stratum.begin() + static_cast<std::ptrdiff_t>(half);
      fitted.insert(fitted.end(), stratum.begin(), middle);
      predicted.insert(predicted.end(), middle, stratum.end());
    }
  }
};

// The disk's own repeats of one job (4 MiB, 8 in flight) are up to 7 % apart, those of 128 KiB with 8 processes 7 %.
TEST(StorageFit, HalfOfTheFioJobsPredictTheOthers) {
  const std::vector<ReadPoint> jobs = fio_jobs();
  ASSERT_EQ(jobs.size(), 43U);
  std::vector<double> medians, all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Halves halves(jobs, seed);
    const auto fit = fit_storage(halves.fitted);
    ASSERT_TRUE(fit.ok());
    std::vector<double> errors;
    for (const ReadPoint& job : halves.predicted) errors.push_back(error_of(*fit.value, job));
    medians.push_back(median_of(errors));
    all.insert(all.end(), errors.begin(), errors.end());
    std::printf("half %2d: median error %.1f %%\n", static_cast<int>(seed), 100.0 * medians.back());
  }
  std::printf("median of all %.1f %%, largest median %.1f %%, largest error %.1f %%\n", 100.0 * median_of(all),
              100.0 * *std::max_element(medians.begin(), medians.end()),
              100.0 * *std::max_element(all.begin(), all.end()));
  EXPECT_LE(median_of(medians), 0.08);
  EXPECT_LE(*std::max_element(medians.begin(), medians.end()), 0.08);
}

// Its latency holds the device: an overlapping one would give a third more at 64 KiB, 2 in flight.
TEST(StorageFit, TheLatencyOfTheFioDiskIsHeld) {
  const auto fit = fit_storage(fio_jobs());
  ASSERT_TRUE(fit.ok());
  EXPECT_GT(fit.value->held_fraction.low, 0.3);
  EXPECT_EQ(fit.value->held_fraction.high, 1.0);
  EXPECT_FALSE(fit.value->stream_bytes_per_s.known);
  EXPECT_LE(fit.value->median_error, 0.06);
}

}  // namespace
}  // namespace stallcast
