#include "core/observe/watch_job.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>

#include "core/observe/open_files.h"
#include "core/observe/proc_file.h"

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

double tick_s() { return 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// Of all threads of a process, those that ended included: fields 14 and 15 of stat. Nothing of one that has ended and
// that its parent has not asked for yet.
std::optional<double> process_cpu_s(const fs::path& folder) {
  const auto text = proc_file_text(folder / "stat");
  const auto stat = text ? parse_proc_stat(*text) : std::nullopt;
  if (!stat || stat->state == 'Z' || stat->state == 'X') return std::nullopt;
  std::size_t at = text->rfind(')');
  double ticks = 0.0;
  for (int field = 2; field < 15; ++field) {
    if (at == std::string::npos) return std::nullopt;
    at = text->find(' ', at + 1);
    if (field >= 12 && at != std::string::npos) ticks += std::strtod(text->c_str() + at, nullptr);
  }
  return ticks * tick_s();
}

std::optional<ProcIo> process_io(const fs::path& folder) {
  const auto text = proc_file_text(folder / "io");
  return text ? parse_proc_io(*text) : std::nullopt;
}

std::vector<int> threads_of(const fs::path& folder) {
  std::vector<int> out;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder / "task", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int tid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc()) out.push_back(tid);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A thread that sends messages and receives none: Python's QueueFeederThread.
struct Sender {
  int tid;
  ProcFile io;
  ProcIo first;
};
std::vector<Sender> senders_of(const fs::path& folder) {
  std::vector<Sender> out;
  ProcFile::Buffer buffer;
  const std::vector<int> threads = threads_of(folder);
  for (const int tid : threads) {
    if (!threads.empty() && tid == std::atoi(folder.filename().c_str())) continue;
    ProcFile file(folder / "task" / std::to_string(tid) / "io");
    const auto text = file.read(buffer);
    const auto io = text ? parse_proc_io(*text) : std::nullopt;
    if (io && io->reads == 0.0 && io->writes > 0.0) out.push_back({tid, std::move(file), *io});
  }
  return out;
}

// Of a trainer's senders the `count` that send to its workers: indices are small, and alike in size.
void keep_index_senders(std::vector<Sender>& all, std::size_t count) {
  if (all.size() <= count || count == 0) return;
  std::sort(all.begin(), all.end(), [](const Sender& a, const Sender& b) {
    return a.first.written_bytes / a.first.writes < b.first.written_bytes / b.first.writes;
  });
  const auto size = [&](std::size_t i) { return all[i].first.written_bytes / all[i].first.writes; };
  std::size_t best = 0;
  for (std::size_t i = 0; i + count <= all.size(); ++i)
    if (size(i + count - 1) / size(i) < size(best + count - 1) / size(best)) best = i;
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(best), all.end());
  all.resize(count);
}

// The main thread of a process, looked at.
class MainThread {
 public:
  MainThread() = default;
  explicit MainThread(fs::path folder)
      : folder_(std::move(folder)),
        call_(folder_ / "syscall"),
        times_(folder_ / "schedstat"),
        stat_(folder_ / "stat"),
        channel_(folder_ / "wchan") {}

  // False once it is gone.
  bool look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) {
    const auto text = times_.read(buffer);
    const auto times = text ? parse_schedstat(*text) : std::nullopt;
    if (!times) return false;
    if (start_s_ < 0.0) {
      start_s_ = now_s;
      first_ = *times;
    }
    last_ = *times;
    total_.watched_s = now_s - start_s_;
    total_.ran_s = last_.ran_s - first_.ran_s;
    total_.queued_s = last_.queued_s - first_.queued_s;
    now_ = what_it_does(buffer, calls_seen);
    total_.looks[index(now_)] += 1.0;
    return true;
  }

  Activity now() const { return now_; }
  const CoreTimes& times() const { return last_; }
  const ThreadTime& total() const { return total_; }
  const std::string& reads_from() const { return reads_from_; }

 private:
  Activity what_it_does(ProcFile::Buffer& buffer, bool& calls_seen) {
    reads_from_.clear();
    if (calls_seen) {
      const auto text = call_.read(buffer);
      const auto blocked = text ? parse_blocked_in(*text) : std::nullopt;
      if (blocked) {
        const int descriptor = read_descriptor(*blocked);
        if (descriptor >= 0) reads_from_ = proc_link(folder_ / "fd" / std::to_string(descriptor));
        return activity_of(*blocked, reads_from_);
      }
      if (call_.error() == EPERM || call_.error() == EACCES || call_.error() == ENOENT) calls_seen = false;
    }
    const auto text = stat_.read(buffer);
    const auto stat = text ? parse_proc_stat(*text) : std::nullopt;
    if (!stat) return Activity::kOther;
    ProcFile::Buffer other;
    const auto channel = channel_.read(other);
    return activity_of(stat->state, channel.value_or(std::string_view()));
  }

  fs::path folder_;
  ProcFile call_, times_, stat_, channel_;
  double start_s_ = -1.0;
  CoreTimes first_, last_;
  ThreadTime total_;
  Activity now_ = Activity::kOther;
  std::string reads_from_;
};

bool is_reading(Activity activity) { return activity == Activity::kFiles || activity == Activity::kNetwork; }

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

class WorkerWatch {
 public:
  WorkerWatch(const JobProcess& process, const fs::path& proc, bool close, double now_s)
      : folder_(proc / std::to_string(process.pid)), start_s_(now_s), end_s_(now_s) {
    seen_.pid = process.pid;
    seen_.close = close;
    first_cpu_s_ = process_cpu_s(folder_).value_or(0.0);
    first_io_ = process_io(folder_).value_or(ProcIo{});
    find_sender();
    if (close) {
      main_ = MainThread(folder_);
      main_io_ = ProcFile(folder_ / "task" / std::to_string(process.pid) / "io");
    }
  }

  // The thread starts with its first batch.
  void find_sender() {
    if (sender_) return;
    std::vector<Sender> all = senders_of(folder_);
    if (all.empty()) return;
    sender_ = std::move(all.front());  // a thread that serves shared memory receives, too
    last_messages_ = sender_->first.writes;
  }

  bool look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) {
    if (!main_.look(now_s, buffer, calls_seen)) return false;
    const double since = now_s - end_s_;
    end_s_ = now_s;
    if (main_.now() == Activity::kQueue) queue_s_ += since;
    bytes_ = 0.0;
    const auto text = main_io_.read(buffer);
    if (const auto io = text ? parse_proc_io(*text) : std::nullopt) {
      if (last_bytes_ >= 0.0) bytes_ = io->read_bytes - last_bytes_;
      last_bytes_ = io->read_bytes;
    }
    if (sender_) note_messages(now_s, buffer);
    return true;
  }

  // What counters say, of processes that are not looked at each time as well. False once it is gone.
  bool count(double now_s) {
    const auto cpu = process_cpu_s(folder_);
    const auto io = process_io(folder_);
    if (!cpu || !io) return false;
    seen_.cpu_s = *cpu - first_cpu_s_;
    seen_.io = *io - first_io_;
    seen_.watched_s = now_s - start_s_;
    ProcFile::Buffer buffer;
    const auto text = sender_ ? sender_->io.read(buffer) : std::nullopt;
    if (const auto sent = text ? parse_proc_io(*text) : std::nullopt)
      seen_.messages = sent->writes - sender_->first.writes;
    return true;
  }

  SeenWorker result() const {
    SeenWorker out = seen_;
    out.main = main_.total();
    return out;
  }
  int pid() const { return seen_.pid; }
  bool is_close() const { return seen_.close; }
  bool reads_now() const { return is_reading(main_.now()); }
  double bytes_since() const { return bytes_; }
  const std::string& reads_from() const { return main_.reads_from(); }
  const fs::path& folder() const { return folder_; }

 private:
  // A batch is one message, sent at once with what shared memory its tensors take: writes at neighbouring looks are
  // one.
  void note_messages(double now_s, ProcFile::Buffer& buffer) {
    const auto text = sender_->io.read(buffer);
    const auto io = text ? parse_proc_io(*text) : std::nullopt;
    if (!io) return;
    const bool sent = io->writes > last_messages_;
    last_messages_ = io->writes;
    if (sent && !sent_before_) {
      const CoreTimes times = main_.times();
      if (batch_start_s_ >= 0.0) {
        const double ran = times.ran_s - batch_times_.ran_s, queued = times.queued_s - batch_times_.queued_s;
        const double waited = now_s - batch_start_s_ - ran - queued - queue_s_;
        seen_.batches.push_back({ran, std::max(0.0, waited)});
      }
      batch_start_s_ = now_s;
      batch_times_ = times;
      queue_s_ = 0.0;
    }
    sent_before_ = sent;
  }

  fs::path folder_;
  double start_s_, end_s_;
  SeenWorker seen_;
  double first_cpu_s_ = 0.0;
  ProcIo first_io_;
  std::optional<Sender> sender_;
  MainThread main_;
  ProcFile main_io_;
  double bytes_ = 0.0, last_bytes_ = -1.0, last_messages_ = 0.0;
  bool sent_before_ = false;
  double batch_start_s_ = -1.0, queue_s_ = 0.0;
  CoreTimes batch_times_;
};

class RankWatch {
 public:
  RankWatch(const JobRank& rank, const fs::path& proc, int close, double now_s)
      : proc_(proc), folder_(proc / std::to_string(rank.trainer.pid)), start_s_(now_s), most_close_(close) {
    seen_.trainer = rank.trainer;
    main_ = MainThread(folder_);
    first_cpu_s_ = process_cpu_s(folder_).value_or(0.0);
    first_io_ = process_io(folder_).value_or(ProcIo{});
    begin_workers(rank.workers, now_s);
  }

  // False once the trainer is gone.
  bool look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) { return main_.look(now_s, buffer, calls_seen); }

  void look_at_workers(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) {
    for (WorkerWatch& worker : workers_)
      if (worker.is_close() && !worker.look(now_s, buffer, calls_seen)) worker_gone_ = true;
  }

  bool count(double now_s) {
    const auto cpu = process_cpu_s(folder_);
    const auto io = process_io(folder_);
    if (!cpu || !io) return false;
    seen_.cpu_s = *cpu - first_cpu_s_;
    seen_.io = *io - first_io_;
    seen_.watched_s = now_s - start_s_;
    count_batches(now_s);
    for (WorkerWatch& worker : workers_)
      if (!worker.count(now_s)) worker_gone_ = true;
    return true;
  }

  // Each second: new workers after an epoch, threads that have begun to send.
  void keep_house(double now_s) {
    const bool none = workers_.empty();
    if (worker_gone_ || none) {
      std::vector<JobProcess> now = workers_of(seen_.trainer, proc_);
      const bool changed = now.empty() != none || std::any_of(now.begin(), now.end(), [&](const JobProcess& p) {
                             return std::none_of(workers_.begin(), workers_.end(),
                                                 [&](const WorkerWatch& w) { return w.pid() == p.pid; });
                           });
      if (changed || now.empty()) {
        end_workers();
        if (!now.empty() && had_workers_) ++seen_.turns;
        if (!now.empty()) begin_workers(now, now_s);
      }
      if (now.empty() && had_workers_) seen_.without_workers_s += kHousekeeping_s;
      worker_gone_ = false;
      return;
    }
    for (WorkerWatch& worker : workers_) worker.find_sender();
    if (senders_.size() < workers_.size()) find_index_senders(now_s);
  }

  // At the end of each tenth of the watch.
  void end_block(double now_s) {
    count_batches(now_s);
    if (!senders_.empty() && block_start_s_ >= 0.0 && now_s > block_start_s_)
      seen_.block_rates.push_back((batches_ - block_batches_) / (now_s - block_start_s_));
    block_start_s_ = now_s;
    block_batches_ = batches_;
  }

  SeenRank result() {
    end_workers();
    SeenRank out = std::move(seen_);
    out.main = main_.total();
    out.num_workers = most_workers_;
    if (batches_time_s_ > 0.0) out.batches = batches_ * out.watched_s / batches_time_s_;
    return out;
  }

  const std::vector<WorkerWatch>& workers() const { return workers_; }
  const MainThread& main() const { return main_; }
  const fs::path& folder() const { return folder_; }

 private:
  void begin_workers(const std::vector<JobProcess>& processes, double now_s) {
    had_workers_ = had_workers_ || !processes.empty();
    int close = most_close_;
    for (const JobProcess& process : processes) workers_.emplace_back(process, proc_, close-- > 0, now_s);
    most_workers_ = std::max(most_workers_, static_cast<int>(processes.size()));
    find_index_senders(now_s);
  }

  void end_workers() {
    count_batches(watch_clock_s());
    senders_.clear();
    for (const WorkerWatch& worker : workers_) seen_.workers.push_back(worker.result());
    workers_.clear();
  }

  void find_index_senders(double now_s) {
    if (workers_.empty()) return;
    std::vector<Sender> found = senders_of(folder_);
    if (found.size() <= senders_.size()) return;  // each starts with the first index for its worker
    keep_index_senders(found, workers_.size());
    count_batches(now_s);
    senders_ = std::move(found);
    counted_s_ = block_start_s_ = now_s;
    block_batches_ = batches_;
    counted_ = 0.0;
  }

  void count_batches(double now_s) {
    if (senders_.empty()) return;
    ProcFile::Buffer buffer;
    double sum = 0.0;
    for (Sender& sender : senders_) {
      const auto text = sender.io.read(buffer);
      const auto io = text ? parse_proc_io(*text) : std::nullopt;
      if (!io) return;  // the workers are gone: what was counted before stands
      // An index of more than 16 KiB is sent in two writes: its length, then itself.
      const double bytes = io->written_bytes - sender.first.written_bytes, writes = io->writes - sender.first.writes;
      sum += writes > 0.0 && bytes / writes > 8192.0 ? 0.5 * writes : writes;
    }
    batches_ += sum - counted_;
    batches_time_s_ += now_s - counted_s_;
    counted_ = sum;
    counted_s_ = now_s;
  }

  fs::path proc_, folder_;
  double start_s_;
  int most_close_;
  SeenRank seen_;
  MainThread main_;
  double first_cpu_s_ = 0.0;
  ProcIo first_io_;
  std::vector<WorkerWatch> workers_;
  std::vector<Sender> senders_;
  bool worker_gone_ = false, had_workers_ = false;
  int most_workers_ = 0;
  double batches_ = 0.0, batches_time_s_ = 0.0, counted_ = 0.0, counted_s_ = 0.0;
  double block_start_s_ = -1.0, block_batches_ = 0.0;
};

double machine_busy_s(const fs::path& proc) {
  const std::string text = proc_file_text(proc / "stat").value_or("");
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
  if (std::sscanf(text.c_str(), "cpu %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &iowait, &irq,
                  &softirq) < 7)
    return 0.0;
  return tick_s() * (user + nice + system + irq + softirq);
}

// Bytes received by all interfaces of the namespace of a process.
double received_bytes(const fs::path& folder) {
  const std::string text = proc_file_text(folder / "net/dev").value_or("");
  double sum = 0.0;
  for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1))
    sum += std::strtod(text.c_str() + at + 1, nullptr);
  return sum;
}

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
    for (RankWatch& rank : ranks_) out_.ranks.push_back(rank.result());
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

double ThreadTime::blocked_s() const { return std::max(0.0, watched_s - ran_s - queued_s); }

double ThreadTime::blocked_in_s(Activity activity) const {
  double blocked = 0.0;
  for (std::size_t a = 0; a < kActivities; ++a)
    if (a != index(Activity::kRunning)) blocked += looks[a];
  return blocked > 0.0 ? blocked_s() * looks[index(activity)] / blocked : 0.0;
}

JobWatch watch_job(const JobTree& job, const WatchOptions& options) { return JobWatcher(job, options).run(); }

}  // namespace stallcast
