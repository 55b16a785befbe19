#include "core/backtest/loader/real_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/backtest/loader/decode_work.h"
#include "core/backtest/loader/ordered_loader.h"
#include "core/diagnostics/finding.h"
#include "core/units/stopwatch.h"

namespace stallcast {
namespace {

constexpr std::size_t kAlignment = 4096;  // of direct reads: pages, and sectors of any device

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const SampleFile& file, const char* what) {
  throw WorldError(fmt::format("{}: {}", file.path, what));
}

struct OpenFile {
  int descriptor = -1;
  OpenFile(const std::string& path, int flags)
      : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// Bytes read from the start of the file: `wanted`, or fewer where it ends.
std::size_t read_all(const SampleFile& file, int descriptor, std::byte* to, std::size_t wanted) {
  std::size_t done = 0;
  while (done < wanted) {
    const std::size_t next = std::min(static_cast<std::size_t>(kLargestRead), rounded_up(wanted - done, kAlignment));
    const ssize_t got = ::pread(descriptor, to + done, next, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    if (done % kAlignment != 0) break;  // the end of the file; a direct read could not go on from here
  }
  return std::min(done, wanted);
}

}  // namespace

SampleReaderBuffer::SampleReaderBuffer(double largest_bytes)
    : memory_(buffer_.at_least(rounded_up(static_cast<std::size_t>(largest_bytes), kAlignment) + kAlignment)) {}

std::span<const std::byte> SampleReaderBuffer::read(const SampleFile& file) {
  const auto wanted = static_cast<std::size_t>(file.bytes);
  std::size_t got = 0;
  if (direct_) {
    const OpenFile open(file.path, O_DIRECT);
    if (open.descriptor < 0 && errno != EINVAL) fail(file, std::strerror(errno));
    direct_ = open.descriptor >= 0;
    if (direct_) got = read_all(file, open.descriptor, memory_, wanted);
  }
  if (!direct_) {
    const OpenFile open(file.path, 0);
    if (open.descriptor < 0) fail(file, std::strerror(errno));
    ::posix_fadvise(open.descriptor, 0, 0, POSIX_FADV_DONTNEED);
    got = read_all(file, open.descriptor, memory_, wanted);
  }
  if (got < wanted)
    fail(file, fmt::format("{} bytes were read, it had {} when the backtest began", got, wanted).c_str());
  return {memory_, got};
}

void sharpen_sleeps() { ::prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); }  // ns

void sleep_step(double seconds, const std::stop_token& stop) {
  constexpr double kLongestSleep = 0.1;  // s without looking at `stop`
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const double begin = static_cast<double>(now.tv_nsec) * 1e-9;
  for (double slept = 0.0; slept < seconds && !stop.stop_requested();) {
    slept = std::min(seconds, slept + kLongestSleep);
    const double until = begin + slept;
    const double whole = std::floor(until);
    const timespec deadline{now.tv_sec + static_cast<time_t>(whole), static_cast<long>((until - whole) * 1e9)};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) continue;
  }
}

LoaderRun run_real_loader(const SampleFiles& files, const LoaderSetting& setting, const std::stop_token& stop) {
  const auto order = sample_order(files.files.size(), static_cast<std::size_t>(setting.samples()), setting.seed);
  std::vector<std::unique_ptr<SampleReaderBuffer>> buffers;
  std::vector<std::uint32_t> results(static_cast<std::size_t>(setting.batches));  // what a batch hands over
  for (std::int64_t w = 0; w < std::max<std::int64_t>(1, setting.workers); ++w)
    buffers.push_back(std::make_unique<SampleReaderBuffer>(files.largest));
  const auto load = [&](std::int64_t worker, std::int64_t batch) {
    std::uint32_t sum = 0;
    for (std::int64_t i = batch * setting.batch_size; i < (batch + 1) * setting.batch_size && !stop.stop_requested();
         ++i) {
      const SampleFile& file = files.files[order[static_cast<std::size_t>(i)]];
      sum ^= decode(buffers[static_cast<std::size_t>(worker)]->read(file), setting.decode_passes);
    }
    results[static_cast<std::size_t>(batch)] = sum;
  };
  sharpen_sleeps();
  LoaderRun run;
  run.started = utc_now();
  const HostState before = read_host_state();
  const Clock::time_point begin = Clock::now();
  {
    OrderedLoader loader({setting.workers, setting.prefetch_factor, setting.batches}, load, stop);
    while (const std::optional<std::int64_t> batch = loader.next()) {
      const Clock::time_point step = Clock::now();
      sleep_step(setting.step_s, stop);
      if (stop.stop_requested()) break;
      run.steps_s += seconds_since(step);
      run.samples += static_cast<double>(setting.batch_size);
      for (std::int64_t i = *batch * setting.batch_size; i < (*batch + 1) * setting.batch_size; ++i)
        run.bytes += files.files[order[static_cast<std::size_t>(i)]].bytes;
    }
    run.wall_s = seconds_since(begin);
  }
  const HostState after = read_host_state();
  run.use = host_use(before, after, usable_cores());
  run.device_bytes = after.device_bytes - before.device_bytes;
  run.finished = run.samples == static_cast<double>(setting.samples());
  return run;
}

}  // namespace stallcast
