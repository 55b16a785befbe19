#include "core/backtest/loader/decode_work.h"

#include <time.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "core/backtest/loader/real_loader.h"
#include "core/backtest/loader/thread_clock.h"
#include "core/backtest/loader/thread_start.h"

namespace stallcast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSlice = 0.02;  // s of CPU time

// What one thread measures with.
struct SliceTask {
  std::size_t sample_bytes = 0;
  DecodeRhythm rhythm;
  Clock::time_point end;
  std::stop_token stop;
};

// CPU seconds per byte, slice by slice, until the end of the task.
std::vector<double> measure_slices(const SliceTask& task) {
  const std::vector<std::byte> sample(task.sample_bytes, std::byte{0x5a});
  std::vector<double> slices;
  std::uint32_t sink = 0;
  sharpen_sleeps();
  while (Clock::now() < task.end && !task.stop.stop_requested()) {
    double bytes = 0.0, took = 0.0;
    while (took < kSlice && !task.stop.stop_requested()) {
      if (task.rhythm.wait_s > 0.0) sleep_step(task.rhythm.wait_s, task.stop);
      const double begin = thread_cpu_s();
      double now = begin;
      while (now - begin < std::min(task.rhythm.burst_s, kSlice)) {
        sink ^= decode(sample, 1.0);
        bytes += static_cast<double>(task.sample_bytes);
        now = thread_cpu_s();
      }
      took += now - begin;
    }
    if (bytes > 0.0) slices.push_back(took / bytes);
  }
  [[maybe_unused]] const volatile std::uint32_t kept = sink;  // or the compiler might leave the work out
  return slices;
}

}  // namespace

std::uint32_t decode(std::span<const std::byte> bytes, double passes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  uLong crc = ::crc32(0L, Z_NULL, 0);
  for (; passes >= 1.0; passes -= 1.0) crc = ::crc32_z(crc, data, bytes.size());
  return static_cast<std::uint32_t>(
      ::crc32_z(crc, data, static_cast<std::size_t>(passes * static_cast<double>(bytes.size()))));
}

DecodeCost measure_decode(int threads, std::size_t sample_bytes, double seconds, const DecodeRhythm& rhythm,
                          const std::stop_token& stop) {
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const SliceTask task{sample_bytes, rhythm, end, stop};
  std::vector<std::vector<double>> slices(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> workers;
    start_threads(workers, slices.size(), [&](std::size_t i) {
      return std::jthread([&mine = slices[i], &task] { mine = measure_slices(task); });
    });
  }
  DecodeCost out;
  double count = 0.0, sum = 0.0, squares = 0.0, bytes_per_s = 0.0;
  for (const auto& mine : slices)
    for (const double s : mine) {
      count += 1.0;
      sum += s;
      squares += s * s;
      bytes_per_s += 1.0 / s;
    }
  if (count == 0.0) return out;
  out.s_per_byte = count / bytes_per_s;  // all slices last alike
  const double mean = sum / count;
  out.relative_sd = std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean;
  out.slices = std::move(slices);
  out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return out;
}

}  // namespace stallcast
