#include "core/probe/write_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <thread>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/finding.h"
#include "core/probe/disk/allowance.h"
#include "core/probe/disk/file_system.h"
#include "core/probe/disk/huge_buffer.h"
#include "core/probe/disk/monotonic_clock.h"
#include "core/probe/disk/scratch_directory.h"
#include "core/probe/result/grade.h"
#include "core/probe/result/probing_machine.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kSmallFile = 4096;
constexpr double kGain = 1.05;            // another doubling of streams must give
constexpr double kPlannedPoints = 10.0;   // of which all are visited twice
constexpr double kShareOfStreams = 0.85;  // of the limits; small files have the rest
constexpr double kMostSmallFiles = 500.0;
constexpr double kSmallFileShare = 0.04;  // of the time, for each of three costs

// What no device compresses and no file system stores once.
void fill_with_noise(std::byte* to, std::size_t bytes, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  for (std::size_t i = 0; i + sizeof(state) <= bytes; i += sizeof(state)) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    std::memcpy(to + i, &state, sizeof(state));
  }
}

std::string mode_text(WriteMode mode) { return mode == WriteMode::kBuffered ? "buffered" : "direct"; }

// One stream of one visit.
struct Stream {
  int descriptor = -1;
  double bytes = 0.0;
  double written_at_s = 0.0, synced_at_s = 0.0;
  int error = 0;
};

class WriteProbe {
 public:
  WriteProbe(const std::filesystem::path& directory, const ProbeOptions& options)
      : options_(options), scratch_(directory), file_system_(file_system_of(directory)) {
    const ProbeResult blank = blank_result(options);
    out_.target = directory.string();
    out_.started = blank.started;
    out_.host = blank.host;
    out_.cores = blank.cores;
    out_.file_system = file_system_.name;
    out_.allowed_seconds = options.seconds;
    out_.allowed_bytes = options.bytes;
    begin_s_ = monotonic_s();
    require_room(directory);
  }

  const std::filesystem::path& scratch() const { return scratch_.path(); }

  WriteProbeResult run() {
    for (const WriteMode mode : {WriteMode::kBuffered, WriteMode::kDirect}) climb(mode);
    for (std::size_t i = out_.points.size(); i > 0 && goes_on(); --i) visit(out_.points[i - 1]);
    small_files();
    out_.interrupted = options_.stop.stop_requested();
    out_.seconds = monotonic_s() - begin_s_;
    out_.flaws = write_flaws(out_, file_system_.in_memory);
    std::erase_if(out_.points, [](const WritePoint& point) { return point.visits.empty(); });
    return std::move(out_);
  }

 private:
  double bytes_of_visit() const {
    const double each = kShareOfStreams * options_.bytes / (2.0 * kPlannedPoints);
    return std::max(static_cast<double>(kBlock), std::floor(each / kBlock) * kBlock);
  }

  // A visit's files exist at the same time, and nobody else's shall lack the room.
  void require_room(const std::filesystem::path& directory) const {
    struct statvfs now = {};
    if (::statvfs(directory.c_str(), &now) != 0) return;
    const double free = static_cast<double>(now.f_bavail) * static_cast<double>(now.f_frsize);
    if (free >= 2.0 * bytes_of_visit()) return;
    throw WorldError(
        fmt::format("{}: there is not enough room: {} are free and a measurement writes {}; nothing was written. "
                    "Free some space, or give a smaller --bytes",
                    directory.string(), size_text(free), size_text(bytes_of_visit())));
  }

  bool goes_on() const {
    return !options_.stop.stop_requested() && monotonic_s() - begin_s_ < kShareOfStreams * options_.seconds &&
           out_.bytes + static_cast<double>(kBlock) <= kShareOfStreams * options_.bytes;
  }

  // Twice as many streams as long as that gains something.
  void climb(WriteMode mode) {
    double before = 0.0;
    for (int streams = 1; streams <= std::min(options_.max_in_flight, 64) && goes_on(); streams *= 2) {
      out_.points.push_back({mode, streams, static_cast<double>(kBlock), {}});
      if (!visit(out_.points.back())) return;
      const double rate = out_.points.back().synced_rate();
      if (rate < kGain * before) return;
      before = rate;
    }
  }

  // False when the file system cannot do this.
  bool visit(WritePoint& point) {
    if (options_.progress)
      options_.progress({monotonic_s() - begin_s_, out_.bytes, options_.seconds, options_.bytes,
                         fmt::format("writing {}, {} streams", mode_text(point.mode), point.streams)});
    std::vector<Stream> streams(static_cast<std::size_t>(point.streams));
    const int flags = O_WRONLY | (point.mode == WriteMode::kDirect ? O_DIRECT : 0);
    int error = 0;
    for (std::size_t i = 0; i < streams.size() && error == 0; ++i) {
      streams[i].descriptor = scratch_.create(static_cast<std::uint32_t>(i), flags);
      error = streams[i].descriptor < 0 ? errno : 0;
    }
    const bool unable = error == EINVAL && point.mode == WriteMode::kDirect;
    const double begin = monotonic_s();
    const double limit = std::min(bytes_of_visit(), kShareOfStreams * options_.bytes - out_.bytes);
    if (error == 0) {
      Allowance allowance(static_cast<std::uint64_t>(limit), begin_s_ + kShareOfStreams * options_.seconds,
                          options_.stop);
      std::vector<std::jthread> writers;
      for (Stream& stream : streams) writers.emplace_back([&] { write_stream(stream, point.mode, allowance); });
    }
    WritePoint::Visit seen;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const Stream& stream = streams[i];
      if (stream.descriptor < 0) continue;
      close_file(stream.descriptor);
      scratch_.remove(static_cast<std::uint32_t>(i));
      if (stream.error != 0) error = stream.error;
      seen.bytes += stream.bytes;
      seen.write_s = std::max(seen.write_s, stream.written_at_s - begin);
      seen.synced_s = std::max(seen.synced_s, stream.synced_at_s - begin);
    }
    out_.bytes += seen.bytes;
    if (unable || (error == EINVAL && point.mode == WriteMode::kDirect)) {
      out_.notes.push_back(fmt::format("direct writes were left out: {} does not do them here", out_.file_system));
      return false;
    }
    if (error != 0) fail(error);
    if (seen.bytes > 0.0 && !options_.stop.stop_requested()) point.visits.push_back(seen);
    return true;
  }

  void write_stream(Stream& stream, WriteMode mode, Allowance& allowance) const {
    try {
      HugeBuffer buffer;
      std::byte* const data = buffer.at_least(kBlock);
      fill_with_noise(data, kBlock, options_.seed + static_cast<std::uint64_t>(stream.descriptor));
      const std::string_view block(reinterpret_cast<const char*>(data), kBlock);
      while (stream.error == 0 && allowance.take(kBlock, monotonic_s())) {
        stream.error = write_whole(stream.descriptor, block);
        if (stream.error == 0) stream.bytes += static_cast<double>(kBlock);
      }
    } catch (const WorldError&) {
      stream.error = ENOMEM;
    }
    stream.written_at_s = monotonic_s();
    if (const int error = sync_file(stream.descriptor); stream.error == 0 && mode == WriteMode::kBuffered)
      stream.error = error;
    stream.synced_at_s = monotonic_s();
  }

  void small_files() {
    if (options_.progress)
      options_.progress({monotonic_s() - begin_s_, out_.bytes, options_.seconds, options_.bytes, "small files"});
    out_.file = cost_of([&](std::uint32_t n) { small_file(n, false); });
    out_.synced_file = cost_of([&](std::uint32_t n) { small_file(n, true); });
    const int one = scratch_.create(0, O_WRONLY);
    if (one < 0) fail(errno);
    const std::string data(kSmallFile, 's');
    int error = 0;
    out_.sync = cost_of([&](std::uint32_t) {
      if (error == 0) error = write_whole(one, data);
      if (error == 0) error = sync_file(one);
    });
    close_file(one);
    scratch_.remove(0);
    if (error != 0) fail(error);
  }

  void small_file(std::uint32_t number, bool sync) const {
    const int file = scratch_.create(number, O_WRONLY);
    int error = file < 0 ? errno : write_whole(file, std::string(kSmallFile, 's'));
    if (error == 0 && sync) error = sync_file(file);
    if (file >= 0) close_file(file);
    if (error != 0) fail(error);
  }

  // The mean of `once`, called again and again for a small share of the time; what it made is removed afterwards.
  template <class Once>
  FileCost cost_of(const Once& once) {
    FileCost out;
    const double begin = monotonic_s();
    const double until = std::min(begin + kSmallFileShare * options_.seconds, begin_s_ + options_.seconds);
    double now = begin;
    while (out.count < kMostSmallFiles && now < until && !options_.stop.stop_requested() &&
           out_.bytes + static_cast<double>(kSmallFile) <= options_.bytes) {
      once(static_cast<std::uint32_t>(out.count));
      out.count += 1.0;
      out_.bytes += static_cast<double>(kSmallFile);
      now = monotonic_s();
    }
    out.mean_s = out.count > 0.0 ? (now - begin) / out.count : 0.0;
    for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(out.count); ++n) scratch_.remove(n);
    return out;
  }

  [[noreturn]] void fail(int error) const {
    throw WorldError(fmt::format("{}: {}, after {} were written; all of it is removed again", out_.target,
                                 write_trouble(error), size_text(out_.bytes)));
  }

  const ProbeOptions& options_;
  ScratchDirectory scratch_;
  FileSystem file_system_;
  WriteProbeResult out_;
  double begin_s_ = 0.0;
};

double over_visits(const std::vector<WritePoint::Visit>& visits, double WritePoint::Visit::*time) {
  double bytes = 0.0, seconds = 0.0;
  for (const WritePoint::Visit& visit : visits) {
    bytes += visit.bytes;
    seconds += visit.*time;
  }
  return seconds > 0.0 ? bytes / seconds : 0.0;
}

}  // namespace

double WritePoint::write_rate() const { return over_visits(visits, &Visit::write_s); }

double WritePoint::synced_rate() const { return over_visits(visits, &Visit::synced_s); }

double WritePoint::flush_rate() const {
  double bytes = 0.0, left_s = 0.0, all_s = 0.0;
  for (const Visit& visit : visits) {
    bytes += visit.bytes;
    left_s += visit.synced_s - visit.write_s;
    all_s += visit.synced_s;
  }
  return left_s > 0.02 * all_s ? bytes / left_s : 0.0;
}

bool WriteProbeResult::refused() const {
  return std::any_of(flaws.begin(), flaws.end(),
                     [](const ProbeFlaw& flaw) { return flaw.weight == ProbeFlaw::Weight::kRefuse; });
}

double WriteProbeResult::widen() const {
  double out = 1.0;
  for (const ProbeFlaw& flaw : flaws) out *= flaw.widen;
  return out;
}

const WritePoint* best_point(const WriteProbeResult& result, WriteMode mode) {
  const WritePoint* best = nullptr;
  for (const WritePoint& point : result.points)
    if (point.mode == mode && (best == nullptr || point.synced_rate() > best->synced_rate())) best = &point;
  return best;
}

const WritePoint* one_stream(const WriteProbeResult& result, WriteMode mode) {
  for (const WritePoint& point : result.points)
    if (point.mode == mode && point.streams == 1) return &point;
  return nullptr;
}

std::vector<ProbeFlaw> write_flaws(const WriteProbeResult& result, bool in_memory) {
  std::vector<ProbeFlaw> out;
  const auto widening = [](double relative) { return std::sqrt(1.0 + std::pow(relative / kReferenceScatter, 2.0)); };
  if (in_memory) {
    out.push_back({"in_memory", ProbeFlaw::Weight::kRefuse, 1.0,
                   fmt::format("{} keeps files in memory: there is no storage behind it", result.file_system)});
  }
  double worst = 0.0, shortest = std::numeric_limits<double>::infinity();
  bool twice = !result.points.empty();
  for (const WritePoint& point : result.points) {
    twice = twice && point.visits.size() > 1;
    for (const WritePoint::Visit& visit : point.visits) shortest = std::min(shortest, visit.synced_s);
    if (point.visits.size() < 2) continue;
    const auto rate = [](const WritePoint::Visit& visit) { return visit.bytes / visit.synced_s; };
    worst = std::max(worst, std::abs(std::log(rate(point.visits[0]) / rate(point.visits[1]))));
  }
  if (result.points.empty() || !(shortest >= kSteadySeconds)) {
    out.push_back({"too_few_bytes", ProbeFlaw::Weight::kRefuse, 1.0,
                   result.points.empty()
                       ? std::string("no stream was measured: give more --time or --bytes")
                       : fmt::format("the shortest measurement took {:.1f} ms: give more --bytes", 1e3 * shortest)});
  }
  if (!twice && !result.points.empty()) {
    out.push_back({"one_visit", ProbeFlaw::Weight::kWiden, widening(std::sqrt(3.0) * kReferenceScatter),
                   "not every point was measured twice: what changes meanwhile was not seen"});
  }
  // Of a difference d between two, each is off by d / 2 in the mean.
  if (worst > 4.0 * kReferenceScatter) {
    const bool refused = worst > std::log(2.0);
    out.push_back({"noisy", refused ? ProbeFlaw::Weight::kRefuse : ProbeFlaw::Weight::kWiden,
                   refused ? 1.0 : widening(worst / 2.0),
                   fmt::format("the same streams were {:.2f} times as fast the other time", std::exp(worst))});
  }
  return out;
}

WriteProbeResult probe_writes(const std::filesystem::path& directory, const ProbeOptions& options,
                              const std::function<void(const std::filesystem::path&)>& begins) {
  WriteProbe probe(directory, options);
  if (begins) begins(probe.scratch());
  return probe.run();
}

}  // namespace stallcast
