#include "core/observe/watch_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <set>

#include "core/diagnostics/finding.h"
#include "core/observe/open_files.h"
#include "core/observe/proc/proc_counters.h"
#include "core/observe/proc/proc_file.h"
#include "core/observe/watch_rank.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr double kShortestPause_s = 0.01, kLongestPause_s = 0.5;
constexpr double kFirstWorkersPause_s = 0.04;  // until it is known what looks take
constexpr int kBlocks = 10;
constexpr double kHousekeeping_s = 1.0;
constexpr double kLeastWatch_s = 1.0;

double watch_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double own_cpu_clock_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Correlation of a series with itself one step later.
class StepCorrelation {
 public:
  void add(double value) {
    if (count_ > 0.0) products_ += value * last_;
    ++count_;
    sum_ += value;
    squares_ += value * value;
    last_ = value;
  }
  double value() const {
    if (count_ < 3.0) return 0.0;
    const double mean = sum_ / count_, variance = squares_ / count_ - mean * mean;
    return variance > 1e-12 ? (products_ / (count_ - 1.0) - mean * mean) / variance : 0.0;
  }

 private:
  double count_ = 0.0, sum_ = 0.0, squares_ = 0.0, products_ = 0.0, last_ = 0.0;
};

class JobWatcher {
 public:
  JobWatcher(const JobTree& job, const WatchOptions& options) : options_(options), files_(options.proc) {
    const double now_s = watch_clock_s();
    const int ranks = static_cast<int>(std::min<std::size_t>(job.ranks.size(), kMostClose));
    std::size_t workers = 0;
    for (int r = 0; r < ranks; ++r) {
      const JobRank& rank = job.ranks[static_cast<std::size_t>(r)];
      workers += rank.workers.size();
      pids_.insert(rank.trainer.pid);
      ranks_.emplace_back(rank, options.proc, std::max(1, kMostClose / ranks), now_s);
    }
    all_close_ = workers <= kMostClose && static_cast<std::size_t>(ranks) == job.ranks.size();
  }

  JobWatch run() {
    const double start_s = watch_clock_s(), start_cpu_s = own_cpu_clock_s();
    const double busy_s = machine_busy_s(options_.proc), received = received_bytes(ranks_.front().folder());
    double next_block_s = options_.time_s / kBlocks, next_house_s = 0.3;
    double now_s = start_s;
    for (auto& rank : ranks_) rank.count(now_s);
    while (!out_.job_ended) {
      if (!look(now_s)) break;
      const double elapsed = now_s - start_s;
      if (elapsed >= next_block_s) {
        for (RankWatch& rank : ranks_) rank.end_block(now_s);
        next_block_s += options_.time_s / kBlocks;
        if (options_.progress) options_.progress(std::min(1.0, elapsed / options_.time_s));
      }
      if (elapsed >= next_house_s) {
        const double before_s = own_cpu_clock_s();
        keep_house(now_s);
        const double took_s = own_cpu_clock_s() - before_s;
        house_cpu_s_ += took_s;
        // Of many workers it takes long, and comes less often.
        next_house_s = elapsed + std::max(kHousekeeping_s, 2.0 * took_s / allowed_s());
        set_pauses(own_cpu_clock_s() - start_cpu_s, took_s / (next_house_s - elapsed));
      }
      if (elapsed >= options_.time_s || options_.stop.stop_requested()) break;
      wait();
      now_s = watch_clock_s();
    }
    // Counters to the same end as the clock; of a job that ended, as they were when they were last read.
    for (RankWatch& rank : ranks_)
      if (!out_.job_ended) rank.count(now_s);
    out_.time_s = now_s - start_s;
    if (out_.job_ended && out_.time_s < kLeastWatch_s)
      throw WorldError(fmt::format("the process ended after {:.1f} s: nothing was learned", out_.time_s));
    out_.machine_busy_s = machine_busy_s(options_.proc) - busy_s;
    out_.network_bytes = out_.job_ended ? 0.0 : std::max(0.0, received_bytes(ranks_.front().folder()) - received);
    out_.own_cpu_s = own_cpu_clock_s() - start_cpu_s;
    out_.calls_seen = calls_seen_;
    for (RankWatch& rank : ranks_) out_.ranks.push_back(rank.result(now_s));
    if (!all_close_) out_.readers.clear();
    out_.readers_kept = kept_.value();
    out_.files = files_.take();
    out_.gpus = gpus_.seen();
    return std::move(out_);
  }

 private:
  bool look(double now_s) {
    for (RankWatch& rank : ranks_) {
      if (!rank.look(now_s, buffer_, calls_seen_)) {
        out_.job_ended = true;
        return false;
      }
    }
    ++out_.looks;
    if (now_s < next_workers_s_) return true;
    const double before_s = own_cpu_clock_s();
    for (RankWatch& rank : ranks_) rank.look_at_workers(now_s, buffer_, calls_seen_);
    note_readers(now_s);
    ++out_.worker_looks;
    next_workers_s_ = now_s + workers_pause_s_;
    workers_cpu_s_ += own_cpu_clock_s() - before_s;
    return true;
  }

  // How many workers read now, and what was read since the last look: with as many on average as at its ends.
  void note_readers(double now_s) {
    int readers = 0;
    double bytes = 0.0;
    for (const RankWatch& rank : ranks_) {
      for (const WorkerWatch& worker : rank.workers()) {
        if (!worker.is_close()) continue;
        readers += worker.reads_now() ? 1 : 0;
        bytes += worker.bytes_since();
        if (!worker.reads_from().empty()) files_.add(worker.folder(), worker.reads_from());
      }
      if (!rank.main().reads_from().empty()) files_.add(rank.folder(), rank.main().reads_from());
    }
    if (last_look_s_ > 0.0) {
      ReadersAtATime& at = out_.readers[readers + last_readers_];
      at.time_s += now_s - last_look_s_;
      at.bytes += bytes;
      ++at.looks;
    }
    last_look_s_ = now_s;
    last_readers_ = readers;
    kept_.add(readers);
  }

  void keep_house(double now_s) {
    ++out_.house_calls;
    for (RankWatch& rank : ranks_) {
      if (!rank.count(now_s)) {
        out_.job_ended = true;
        return;
      }
      rank.keep_house(now_s);
      int looked = 0;
      for (const WorkerWatch& worker : rank.workers())
        if (worker.is_close() && looked++ < 4) files_.look_at(worker.folder());
      files_.look_at(rank.folder());
    }
    gpus_.look(pids_);
    out_.shared_memory_bytes = std::max(out_.shared_memory_bytes, files_.shared_memory_bytes());
  }

  // Those that keep to the share: what a look has taken so far, over what it may take in a second. To wake up counts
  // with the look at trainers.
  void set_pauses(double own_cpu_s, double house_per_s) {
    const double trainers_s = (own_cpu_s - workers_cpu_s_ - house_cpu_s_) / std::max(1, out_.looks);
    const double workers_s = workers_cpu_s_ / std::max(1, out_.worker_looks);
    pause_s_ = std::clamp(2.0 * trainers_s / allowed_s(), kShortestPause_s, kLongestPause_s);
    const double left = std::max(0.2 * allowed_s(), allowed_s() - trainers_s / pause_s_ - house_per_s);
    workers_pause_s_ = std::clamp(workers_s / left - 0.5 * pause_s_, 0.0, kLongestPause_s);
  }

  // CPU that watching may take in a second.
  double allowed_s() const { return options_.most_cpu_share * std::max(1.0, options_.cores); }

  // Not quite regular, so that looks do not keep step with the job.
  void wait() {
    jitter_ = jitter_ * 1664525U + 1013904223U;
    const double factor = 0.75 + 0.5 * static_cast<double>(jitter_ >> 8U) / static_cast<double>(1U << 24U);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, options_.stop, std::chrono::duration<double>(pause_s_ * factor), [] { return false; });
  }

  WatchOptions options_;
  JobWatch out_;
  std::vector<RankWatch> ranks_;
  OpenFiles files_;
  GpuMonitor gpus_;
  std::set<int> pids_;
  ProcFile::Buffer buffer_{};
  bool calls_seen_ = true, all_close_ = false;
  double pause_s_ = kShortestPause_s, workers_pause_s_ = kFirstWorkersPause_s, next_workers_s_ = 0.0,
         last_look_s_ = 0.0;
  double workers_cpu_s_ = 0.0, house_cpu_s_ = 0.0;
  int last_readers_ = 0;
  StepCorrelation kept_;
  unsigned jitter_ = 1;
  std::mutex mutex_;
  std::condition_variable_any wake_;
};

}  // namespace

JobWatch watch_job(const JobTree& job, const WatchOptions& options) { return JobWatcher(job, options).run(); }

}  // namespace stallcast
