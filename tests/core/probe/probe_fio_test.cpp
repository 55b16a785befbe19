// The same points by fio and by the probe, on one file, in turns; each round is compared with its neighbour, so that
// what the machine does meanwhile hits both.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/probe/probe_files.h"
#include "tests/core/probe/probe_folder.h"

namespace stallcast {
namespace {

// Rounds of one point: at least so many, and more while they leave open whether the tools agree.
constexpr int kRounds = 9, kMostRounds = 36;
constexpr double kRoundSeconds = 0.5;
// Where fio's own rounds are further apart than this, no agreement can be judged on this machine now.
constexpr double kQuietSpread = 0.10;
constexpr double kRateBar = 0.05, kLatencyBar = 0.10;

struct CommonPoint {
  const char* name;
  AccessPattern pattern;
  std::uint64_t block_bytes;
  int in_flight;
  bool io_uring;
};

struct Round {
  double bytes_per_s = 0.0, median_s = 0.0;
  double own_cpu = 0.0;  // fraction of its time that the tool's own code takes, outside the kernel; of fio only
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

// How far a ratio of the two tools surely is above one and below it: from the 95 % interval of its median, which is
// between two of the sorted values (the sign test); zero where the interval holds one.
struct LeastError {
  double above = 0.0, below = 0.0;
};

LeastError least_error(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto rounds = static_cast<double>(ratios.size());
  const auto beyond = static_cast<std::size_t>(0.5 * (rounds - 1.96 * std::sqrt(rounds)));
  return {std::max(0.0, ratios[beyond] - 1.0), std::max(0.0, 1.0 - ratios[ratios.size() - 1 - beyond])};
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (char part[4096]; const std::size_t got = std::fread(part, 1, sizeof part, pipe);) text.append(part, got);
  ::pclose(pipe);
  return text;
}

// The first processor that this process may use. Both tools read on it where they read from one thread: a lone request
// takes a fifth longer when its interrupt comes to another one, and where a thread starts is chance.
int first_processor() {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  int cpu = 0;
  while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &allowed)) ++cpu;
  return cpu;
}

// This thread on that processor while this lives.
class OneProcessor {
 public:
  explicit OneProcessor(bool wanted) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    if (!wanted) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first_processor(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

class ProbeBesideFio : public ProbeFolder, public ::testing::WithParamInterface<CommonPoint> {
 protected:
  void SetUp() override {
    // Test names of parameters hold a slash.
    folder_ = std::filesystem::current_path() / ("probe_fio_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
};

std::uint64_t free_huge_pages() {
  std::ifstream memory("/proc/meminfo");
  for (std::string line; std::getline(memory, line);)
    if (line.starts_with("HugePages_Free:")) return std::stoull(line.substr(line.find(':') + 1));
  return 0;
}

// Huge pages of 2 MiB that fio needs for buffers like the probe's; scattered small pages would halve large reads.
std::uint64_t huge_pages_needed(const CommonPoint& point) {
  if (point.block_bytes <= 4096) return 0;
  const auto jobs = static_cast<std::uint64_t>(point.io_uring ? 1 : point.in_flight);
  const std::uint64_t bytes = point.block_bytes * static_cast<std::uint64_t>(point.in_flight) / jobs;
  return jobs * (bytes / (2 << 20) + 2);
}

bool is_pinned(const CommonPoint& point) { return point.io_uring || point.in_flight == 1; }

// Latency is from submission to completion, as the probe's. Only the thread that reads is pinned: fio has others.
Round fio_round(const std::filesystem::path& file, const CommonPoint& point) {
  const std::string concurrency = point.io_uring
                                      ? fmt::format("--ioengine=io_uring --iodepth={}", point.in_flight)
                                      : fmt::format("--ioengine=psync --numjobs={} --group_reporting", point.in_flight);
  const std::string text = output_of(
      fmt::format("fio --name=x --filename={} --readonly --rw={} --bs={} {} --thread --direct=1 --mem={} "
                  "--runtime={:.0f}ms --time_based "
                  "--randrepeat=0 --lat_percentiles=1 --clat_percentiles=0 {} --output-format=json 2>/dev/null",
                  file.string(), point.pattern == AccessPattern::kRandom ? "randread" : "read", point.block_bytes,
                  concurrency, huge_pages_needed(point) > 0 ? "shmhuge" : "malloc", 1e3 * kRoundSeconds,
                  is_pinned(point) ? fmt::format("--cpus_allowed={}", first_processor()) : ""));
  const auto json = nlohmann::json::parse(text.substr(std::min(text.find('{'), text.size())), nullptr, false);
  if (json.is_discarded()) return {};
  const auto& read = json["jobs"][0]["read"];
  return {read["bw_bytes"].get<double>(), 1e-9 * read["lat_ns"]["percentile"]["50.000000"].get<double>(),
          1e-2 * json["jobs"][0]["usr_cpu"].get<double>()};
}

Round probe_round(const std::filesystem::path& file, const CommonPoint& point, std::uint64_t seed) {
  const OneProcessor pinned(is_pinned(point));
  FileReading reading;
  reading.io_uring = point.io_uring;
  const ReadPoint measured =
      measure_point(file, {point.pattern, point.block_bytes, point.in_flight, kRoundSeconds, seed}, reading);
  return {measured.bytes_per_s(), measured.latency.quantile(0.5)};
}

TEST_P(ProbeBesideFio, ThroughputAndMedianLatencyAgree) {
  if (output_of("fio --version 2>/dev/null").empty()) GTEST_SKIP() << "fio is not installed";
  const CommonPoint& point = GetParam();
  if (free_huge_pages() < huge_pages_needed(point)) {
    GTEST_SKIP()
        << "fio has no huge pages for its buffers; an administrator sets aside some: sysctl vm.nr_hugepages=64";
  }
  const std::filesystem::path path = file("f", 256 << 20);
  if (file_system_of(path).in_memory) GTEST_SKIP() << "the working directory is in memory";
  std::vector<double> fio_rates, fio_medians, fio_own_cpu, rate_ratios, latency_ratios;
  const auto is_open = [&] {
    return std::abs(median(rate_ratios) - 1.0) > kRateBar || std::abs(median(latency_ratios) - 1.0) > kLatencyBar;
  };
  for (int round = 0; round < kRounds || (round < kMostRounds && is_open()); ++round) {
    Round theirs, ours;
    for (const bool fio : {round % 2 == 0, round % 2 != 0}) {
      (fio ? theirs : ours) =
          fio ? fio_round(path, point) : probe_round(path, point, static_cast<std::uint64_t>(round));
    }
    if (theirs.bytes_per_s <= 0.0) GTEST_SKIP() << "fio cannot make this point here";
    fio_rates.push_back(theirs.bytes_per_s);
    fio_medians.push_back(theirs.median_s);
    fio_own_cpu.push_back(theirs.own_cpu);
    rate_ratios.push_back(ours.bytes_per_s / theirs.bytes_per_s);
    latency_ratios.push_back(ours.median_s / theirs.median_s);
  }
  fmt::print(
      "{}: {} rounds; fio {:.3f} GB/s +- {:.1f} %, probe {:+.1f} %; fio median {:.1f} us +- {:.1f} %, "
      "probe {:+.1f} %\n",
      point.name, fio_rates.size(), median(fio_rates) / 1e9, 100 * spread(fio_rates), 100 * (median(rate_ratios) - 1.0),
      1e6 * median(fio_medians), 100 * spread(fio_medians), 100 * (median(latency_ratios) - 1.0));
  const double noise = std::max(spread(fio_rates), spread(fio_medians));
  if (noise > kQuietSpread)
    GTEST_SKIP() << fmt::format("not quiet here: fio's own rounds differ by {:.0f} %", 100 * noise);
  // Where a processor is the limit, as for many small reads at a time from one thread, a tool whose own code takes less
  // of it is faster, by what fio's takes at most. It is never slower for that reason.
  const LeastError rate = least_error(rate_ratios), latency = least_error(latency_ratios);
  EXPECT_LE(rate.below, kRateBar);
  EXPECT_LE(rate.above, kRateBar + median(fio_own_cpu));
  EXPECT_LE(std::max(latency.above, latency.below), kLatencyBar);
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
