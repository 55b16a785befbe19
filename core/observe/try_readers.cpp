#include "core/observe/try_readers.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/diagnostics/file_calls.h"
#include "core/observe/proc/proc_file.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr double kBlock = 4096.0;  // that direct reads are multiples of

double try_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double workers_read(const JobTree& job, const fs::path& proc) {
  double sum = 0.0;
  for (const JobRank& rank : job.ranks) {
    for (const JobProcess& worker : rank.workers) {
      const auto text = proc_file_text(proc / std::to_string(worker.pid) / "io");
      if (const auto io = text ? parse_proc_io(*text) : std::nullopt) sum += io->read_bytes;
    }
  }
  return sum;
}

struct TriedFile {
  fs::path path;
  double bytes;
};

// One more reader.
class OneReader {
 public:
  OneReader(const std::vector<TriedFile>& files, double request, unsigned seed)
      : files_(files), request_(request), luck_(seed) {}

  void read_until(double end_s, std::atomic<double>& total, const std::stop_token& stop) {
    const auto bytes = static_cast<std::size_t>(request_);
    const std::unique_ptr<char, decltype(&std::free)> buffer(
        static_cast<char*>(std::aligned_alloc(static_cast<std::size_t>(kBlock), bytes)), &std::free);
    if (!buffer) return;
    while (try_clock_s() < end_s && !stop.stop_requested() && total < kTryBytes) {
      const TriedFile& file = files_[std::uniform_int_distribution<std::size_t>(0, files_.size() - 1)(luck_)];
      const int descriptor = open_file(file.path, O_RDONLY | O_CLOEXEC | (direct_ ? O_DIRECT : 0));
      if (descriptor < 0 && !std::exchange(direct_, false)) return;
      if (descriptor < 0) continue;
      // A large file at one place, a small one as a whole: a request of the job's size each.
      const double places = std::floor(std::max(0.0, file.bytes - request_) / kBlock);
      const double at = kBlock * std::floor(std::uniform_real_distribution<double>(0.0, places + 1.0)(luck_));
      const ssize_t got = read_at(descriptor, buffer.get(), bytes, static_cast<std::uint64_t>(std::max(0.0, at)));
      close_file(descriptor);
      // Not every file system reads past the page cache.
      if (got <= 0 && !std::exchange(direct_, false)) return;
      if (got <= 0) continue;
      total = total + static_cast<double>(got);
    }
  }

 private:
  const std::vector<TriedFile>& files_;
  double request_;
  std::mt19937 luck_;
  bool direct_ = true;
};

}  // namespace

std::optional<ReadersTried> try_readers(const JobTree& job, const JobWatch& watch, const JobFigures& figures,
                                        const std::stop_token& stop, const fs::path& proc) {
  const fs::path root = proc / std::to_string(job.ranks.front().trainer.pid) / "root";
  std::vector<TriedFile> files;
  for (const SeenFile& file : watch.files) {
    if (fs::path(file.path).extension() != figures.extension || file.bytes < 1.0 || files.size() >= 64) continue;
    files.push_back({root.string() + file.path, file.bytes});
  }
  if (files.empty() || figures.read_calls <= 0.0 || figures.workers == 0) return std::nullopt;
  ReadersTried out;
  const double at_a_time = std::max(0.5, figures.waiting_for_source * figures.workers * figures.ranks);
  out.readers = std::clamp(static_cast<int>(std::lround(at_a_time)), 1, kMostTriers);
  const double call = figures.read_bytes / figures.read_calls;
  const double request = kBlock * std::clamp(std::ceil(call / kBlock), 1.0, 4096.0);
  const double start_s = try_clock_s(), read = workers_read(job, proc);
  std::vector<std::atomic<double>> totals(static_cast<std::size_t>(out.readers));
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < totals.size(); ++r) {
      threads.emplace_back([&, r] {
        OneReader(files, request, static_cast<unsigned>(r + 1)).read_until(start_s + kTryTime_s, totals[r], stop);
      });
    }
  }
  const double time_s = try_clock_s() - start_s;
  for (const auto& total : totals) out.own_bytes += total;
  out.job_bytes_per_s = (workers_read(job, proc) - read) / time_s;
  out.own_bytes_per_s = out.own_bytes / time_s;
  const double before = figures.read_bytes_per_s;
  if (out.own_bytes < 20.0 * std::min(request, call) || before <= 0.0) return std::nullopt;
  // From memory: nothing is learned of the source.
  if (out.own_bytes_per_s > 20.0 * before) return std::nullopt;
  const double scale = std::log((at_a_time + out.readers) / at_a_time);
  // Requests come one by one: their number is uncertain by its root, and the pace of the job by what it was before.
  const auto exponent_of = [&](double bytes_per_s) { return std::log(std::max(1.0, bytes_per_s) / before) / scale; };
  const auto error_of = [&](double bytes_per_s) {
    const double requests = bytes_per_s * time_s / std::max(1.0, call);
    return std::sqrt(1.0 / std::max(1.0, requests) + figures.batch_spread * figures.batch_spread) / scale;
  };
  out.exponent = exponent_of(out.job_bytes_per_s + out.own_bytes_per_s);
  out.error = error_of(out.job_bytes_per_s + out.own_bytes_per_s);
  out.job_exponent = 1.0 + exponent_of(out.job_bytes_per_s);
  out.job_error = error_of(out.job_bytes_per_s);
  return out;
}

JobFigures with_readers_tried(JobFigures figures, const ReadersTried& tried) {
  figures.sharing_exponent = tried.exponent;
  figures.sharing_error = tried.error;
  const double before = std::max(1.0, figures.read_bytes_per_s), all = tried.job_bytes_per_s + tried.own_bytes_per_s;
  figures.sharing_from = fmt::format(
      "with {} more reader{} for {:.0f} s, all together read {:.2f} times as much, the job {:.2f} times", tried.readers,
      tried.readers == 1 ? "" : "s", kTryTime_s, all / before, tried.job_bytes_per_s / before);
  if (tried.exponent + 2.0 * tried.error < 0.5) {
    figures.sharing = SourceSharing::kShared;
  } else if (tried.job_exponent + 2.0 * tried.job_error < 1.0) {
    figures.sharing = SourceSharing::kLimited;
  } else if (2.0 * tried.job_error < 0.5) {
    figures.sharing = SourceSharing::kPerReader;
  }
  if (figures.sharing == SourceSharing::kShared || figures.sharing == SourceSharing::kLimited)
    figures.shared_bytes_per_s = std::max(figures.read_bytes_per_s, all);
  return figures;
}

}  // namespace stallcast
