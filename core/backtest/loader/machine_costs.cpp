#include "core/backtest/loader/machine_costs.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "core/backtest/loader/decode_work.h"
#include "core/backtest/loader/ordered_loader.h"
#include "core/backtest/loader/real_loader.h"
#include "core/backtest/loader/thread_clock.h"
#include "core/backtest/loader/thread_start.h"
#include "core/units/stopwatch.h"

namespace stallcast {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// By how much each of a number of sleeps ends late.
std::vector<double> late_sleeps(const std::stop_token& stop) {
  constexpr int kSleeps = 100;
  constexpr double kSleep = 0.002;
  sharpen_sleeps();
  std::vector<double> late;
  for (int i = 0; i < kSleeps && !stop.stop_requested(); ++i) {
    const Clock::time_point begin = Clock::now();
    sleep_step(kSleep, stop);
    late.push_back(seconds_since(begin) - kSleep);
  }
  return late;
}

double measure_busy_wake(int cores, double idle_late_s, const std::stop_token& stop) {
  std::vector<std::jthread> busy;
  start_threads(busy, 2 * static_cast<std::size_t>(cores), [](std::size_t) {
    return std::jthread([](const std::stop_token& done) {
      const std::vector<std::byte> sample(65536);
      while (!done.stop_requested()) decode(sample, 1.0);
    });
  });
  const std::vector<double> late = late_sleeps(stop);
  if (late.empty()) return 0.0;
  double sum = 0.0;
  for (const double s : late) sum += s;
  return std::max(0.0, sum / static_cast<double>(late.size()) - idle_late_s);
}

double measure_next_ready(const std::stop_token& stop) {
  constexpr std::int64_t kBatches = 200;
  OrderedLoader loader(
      {1, 2, kBatches}, [](std::int64_t, std::int64_t) {}, stop);
  std::vector<double> times;
  for (;;) {
    while (!loader.has_arrivals() && loader.handed_out() < kBatches && !stop.stop_requested())
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    const Clock::time_point begin = Clock::now();
    if (!loader.next()) return median(times);
    times.push_back(seconds_since(begin));
  }
}

double measure_hand_off(const std::stop_token& stop) {
  constexpr std::int64_t kBatches = 5000;
  const Clock::time_point begin = Clock::now();
  OrderedLoader loader(
      {1, 2, kBatches}, [](std::int64_t, std::int64_t) {}, stop);
  while (loader.next()) continue;
  return seconds_since(begin) / static_cast<double>(kBatches);
}

double measure_worker_start(const std::stop_token& stop) {
  constexpr std::int64_t kWorkers = 8;
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    const Clock::time_point begin = Clock::now();
    OrderedLoader loader(
        {kWorkers, 1, kWorkers}, [](std::int64_t, std::int64_t) {}, stop);
    while (loader.next()) continue;
    times.push_back(seconds_since(begin) / static_cast<double>(kWorkers));
  }
  return median(times);
}

}  // namespace

MachineCosts measure_machine_costs(int cores, const std::stop_token& stop) {
  MachineCosts out;
  out.sleep_over_s = median(late_sleeps(stop));
  out.busy_wake_s = measure_busy_wake(cores, out.sleep_over_s, stop);
  out.next_ready_s = measure_next_ready(stop);
  out.hand_off_s = measure_hand_off(stop);
  out.worker_start_s = measure_worker_start(stop);
  return out;
}

// Least squares of CPU time over bytes, both parts kept >= 0.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): seconds, then bytes
ReadCpu measure_read_cpu(const SampleFiles& files, double seconds, double bytes, std::uint64_t seed,
                         const std::stop_token& stop) {
  constexpr std::size_t kMostReads = 100000;
  const std::vector<std::uint32_t> order = sample_order(files.files.size(), kMostReads, seed);
  SampleReaderBuffer buffer(files.largest);
  const Clock::time_point begin = Clock::now();
  ReadCpu out;
  double cpu = 0.0, squares = 0.0, products = 0.0;
  for (const std::uint32_t position : order) {
    const SampleFile& file = files.files[position];
    bytes -= read_bytes(file);
    if (bytes < 0.0 || seconds_since(begin) >= seconds || stop.stop_requested()) break;
    const double before = thread_cpu_s();
    buffer.read(file);
    const double took = thread_cpu_s() - before;
    out.files += 1.0;
    out.bytes += file.bytes;
    cpu += took;
    squares += file.bytes * file.bytes;
    products += file.bytes * took;
  }
  if (out.files == 0.0) return out;
  out.direct = buffer.direct();
  out.wall_s_per_file = seconds_since(begin) / out.files;
  const double mean = out.bytes / out.files;
  const double variance = squares / out.files - mean * mean;
  const double covariance = products / out.files - mean * cpu / out.files;
  const double mean_cpu = cpu / out.files;
  if (variance > 0.0) out.s_per_byte = std::clamp(covariance / variance, 0.0, mean_cpu / mean);
  out.s_per_file = mean_cpu - out.s_per_byte * mean;
  return out;
}

}  // namespace stallcast
