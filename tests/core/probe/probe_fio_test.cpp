// The same points by fio and by the probe, on one file, in turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/probe/probe_files.h"
#include "tests/core/probe/probe_folder.h"

namespace stallcast {
namespace {

constexpr int kRounds = 5;
constexpr double kRoundSeconds = 1.0;

struct CommonPoint {
  const char* name;
  AccessPattern pattern;
  std::uint64_t block_bytes;
  int in_flight;
  bool io_uring;
};

struct Round {
  double bytes_per_s = 0.0, median_s = 0.0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Half of the distance between the least and the most, over the median: how far a repeat may well be off.
double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return 0.5 * (*most - *least) / median(values);
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (char part[4096]; const std::size_t got = std::fread(part, 1, sizeof part, pipe);) text.append(part, got);
  ::pclose(pipe);
  return text;
}

class ProbeBesideFio : public ProbeFolder, public ::testing::WithParamInterface<CommonPoint> {
 protected:
  void SetUp() override {
    // Test names of parameters hold a slash.
    folder_ = std::filesystem::current_path() / ("probe_fio_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
};

// Large buffers are on huge pages, as the probe's: with glibc's tunable, since huge pages set aside need an
// administrator. Latency is from submission to completion, as the probe's.
Round fio_round(const std::filesystem::path& file, const CommonPoint& point) {
  const std::string concurrency = point.io_uring
                                      ? fmt::format("--ioengine=io_uring --iodepth={}", point.in_flight)
                                      : fmt::format("--ioengine=psync --numjobs={} --group_reporting", point.in_flight);
  const std::string text = output_of(
      fmt::format("GLIBC_TUNABLES=glibc.malloc.hugetlb=1 fio --name=x --filename={} --readonly --rw={} --bs={} {} "
                  "--thread --direct=1 "
                  "--mem=malloc --runtime={} --time_based --randrepeat=0 --lat_percentiles=1 --clat_percentiles=0 "
                  "--output-format=json 2>/dev/null",
                  file.string(), point.pattern == AccessPattern::kRandom ? "randread" : "read", point.block_bytes,
                  concurrency, kRoundSeconds));
  const auto json = nlohmann::json::parse(text.substr(std::min(text.find('{'), text.size())), nullptr, false);
  if (json.is_discarded()) return {};
  const auto& read = json["jobs"][0]["read"];
  return {read["bw_bytes"].get<double>(), 1e-9 * read["lat_ns"]["percentile"]["50.000000"].get<double>()};
}

Round probe_round(const std::filesystem::path& file, const CommonPoint& point, std::uint64_t seed) {
  FileReading reading;
  reading.io_uring = point.io_uring;
  const ReadPoint measured =
      measure_point(file, {point.pattern, point.block_bytes, point.in_flight, kRoundSeconds, seed}, reading);
  return {measured.bytes_per_s(), measured.latency.quantile(0.5)};
}

TEST_P(ProbeBesideFio, ThroughputAndMedianLatencyAgree) {
  if (output_of("fio --version 2>/dev/null").empty()) GTEST_SKIP() << "fio is not installed";
  const CommonPoint& point = GetParam();
  const std::filesystem::path path = file("f", 256 << 20);
  if (file_system_of(path).in_memory) GTEST_SKIP() << "the working directory is in memory";
  std::vector<double> fio_rates, fio_medians, rates, medians;
  for (int round = 0; round < kRounds; ++round) {
    const Round theirs = fio_round(path, point);
    if (theirs.bytes_per_s <= 0.0) GTEST_SKIP() << "fio cannot make this point here";
    fio_rates.push_back(theirs.bytes_per_s);
    fio_medians.push_back(theirs.median_s);
    const Round ours = probe_round(path, point, static_cast<std::uint64_t>(round) + 1);
    rates.push_back(ours.bytes_per_s);
    medians.push_back(ours.median_s);
  }
  const double rate_error = median(rates) / median(fio_rates) - 1.0;
  const double latency_error = median(medians) / median(fio_medians) - 1.0;
  fmt::print("{}: fio {:.3f} GB/s +- {:.1f} %, probe {:+.1f} %; fio median {:.1f} us +- {:.1f} %, probe {:+.1f} %\n",
             point.name, median(fio_rates) / 1e9, 100 * spread(fio_rates), 100 * rate_error, 1e6 * median(fio_medians),
             100 * spread(fio_medians), 100 * latency_error);
  EXPECT_LE(std::abs(rate_error), std::max(0.05, spread(fio_rates)));
  EXPECT_LE(std::abs(latency_error), std::max(0.10, spread(fio_medians)));
}

constexpr CommonPoint kCommon[] = {
    {"random_4k_1", AccessPattern::kRandom, 4096, 1, true},
    {"random_4k_16", AccessPattern::kRandom, 4096, 16, true},
    {"random_64k_1", AccessPattern::kRandom, 65536, 1, true},
    {"random_64k_8", AccessPattern::kRandom, 65536, 8, true},
    {"random_256k_4", AccessPattern::kRandom, 262144, 4, true},
    {"random_1m_1", AccessPattern::kRandom, 1048576, 1, true},
    {"random_1m_8", AccessPattern::kRandom, 1048576, 8, true},
    {"random_4m_4", AccessPattern::kRandom, 4194304, 4, true},
    {"sequential_64k_1", AccessPattern::kSequential, 65536, 1, true},
    {"sequential_1m_4", AccessPattern::kSequential, 1048576, 4, true},
    {"threads_random_4k_1", AccessPattern::kRandom, 4096, 1, false},
    {"threads_random_64k_8", AccessPattern::kRandom, 65536, 8, false},
    {"threads_random_1m_4", AccessPattern::kRandom, 1048576, 4, false},
};
INSTANTIATE_TEST_SUITE_P(Points, ProbeBesideFio, ::testing::ValuesIn(kCommon),
                         [](const auto& point) { return std::string(point.param.name); });

}  // namespace
}  // namespace stallcast
