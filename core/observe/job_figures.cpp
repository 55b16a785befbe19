#include "core/observe/job_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "core/observe/open_files.h"

namespace stallcast {
namespace {

constexpr double kOthersThatMatter = 0.1;  // cores
constexpr double kUncontended = 0.95;      // of the time that a thread wants a core
constexpr double kLimitInUse = 0.7;
constexpr double kSlowEnough = 0.8;  // how well looks have to follow the number of readers
constexpr double kSeldomOpen = 0.5;  // of the looks at descriptors

std::optional<double> logged(const std::vector<Observation>& log, std::string_view quantity) {
  for (const Observation& one : log)
    if (one.quantity == quantity && one.value > 0.0) return one.value;
  return std::nullopt;
}

struct Spread {
  double mean = 0.0, variation = 0.0;
};
Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  double sum = 0.0, squares = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (values.size() < 2 || mean <= 0.0) return {mean, 0.0};
  return {mean, std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean};
}

void add_thread(ThreadTime& to, const ThreadTime& one) {
  // Looks of a thread that was watched longer weigh more, as its times do.
  to.watched_s += one.watched_s;
  to.ran_s += one.ran_s;
  to.queued_s += one.queued_s;
  to.turns += one.turns;
  for (std::size_t a = 0; a < kActivities; ++a) to.looks[a] += one.looks[a];
}

double source_wait(const ThreadTime& thread) {
  return thread.blocked_in_s(Activity::kFiles) + thread.blocked_in_s(Activity::kNetwork) +
         thread.blocked_in_s(Activity::kSleep);
}

// What other programs leave: those that they do not keep busy; where the job's threads wait for cores beside them, what
// these got. Of n threads that want a core and have one for the share s of that time, that is s n cores.
double cores_left(double all, double others, const ThreadTime& trainers, const ThreadTime& workers,
                  double worker_count) {
  const double watched_s = std::max(1e-9, workers.watched_s > 0.0 ? workers.watched_s : trainers.watched_s);
  const ThreadTime& loaders = workers.watched_s > 0.0 ? workers : trainers;
  const double wanted_s = loaders.ran_s + loaders.queued_s;
  const double share = wanted_s > 0.0 ? loaders.ran_s / wanted_s : 1.0;
  if (share > kUncontended) return std::max(0.5, all - others);
  const double wanting = wanted_s / watched_s * std::max(1.0, worker_count);
  return std::clamp(share * std::max(1.0, wanting), 0.1, all);
}

void set_shares(JobFigures& f, const ThreadTime& thread, bool inline_loading) {
  if (thread.watched_s <= 0.0) return;
  const auto share = [&](double time_s) { return time_s / thread.watched_s; };
  f.running = share(thread.ran_s);
  f.waiting_for_core = share(thread.queued_s);
  // A trainer that loads by itself sleeps in its steps; a worker in its reads, as between tries.
  const double source_s = inline_loading
                              ? thread.blocked_in_s(Activity::kFiles) + thread.blocked_in_s(Activity::kNetwork)
                              : source_wait(thread);
  f.waiting_for_source = share(source_s);
  f.waiting_for_index = inline_loading ? 0.0 : share(thread.blocked_in_s(Activity::kQueue));
  f.other = std::max(0.0, 1.0 - f.running - f.waiting_for_core - f.waiting_for_source - f.waiting_for_index);
  double most = 0.0;
  for (const Activity activity : {Activity::kFiles, Activity::kNetwork, Activity::kSleep}) {
    if (inline_loading && activity == Activity::kSleep) continue;
    if (thread.blocked_in_s(activity) > most) most = thread.blocked_in_s(activity), f.source = activity;
  }
}

// Batches whose times are long enough to be timed by looks.
void set_variation(JobFigures& f, const JobWatch& watch, double pause_s) {
  std::vector<double> cpu, wait;
  for (const SeenRank& rank : watch.ranks) {
    for (const SeenWorker& worker : rank.workers) {
      for (const BatchTime& batch : worker.batches) {
        cpu.push_back(batch.ran_s);
        wait.push_back(batch.waited_s);
      }
    }
  }
  constexpr std::size_t kFewest = 20;
  constexpr double kLooksPerBatch = 3.0;
  const Spread of_cpu = spread_of(cpu), of_wait = spread_of(wait);
  if (cpu.size() < kFewest || of_cpu.mean + of_wait.mean < kLooksPerBatch * pause_s) return;
  f.timed_batches = static_cast<int>(cpu.size());
  // Each end is seen up to a pause late: a uniform error, twice. A core's time is counted at ticks of up to 4 ms.
  const auto without = [](const Spread& seen, double error_s) {
    const double variance = std::pow(seen.variation * seen.mean, 2) - error_s * error_s / 6.0;
    return seen.mean > 0.0 ? std::sqrt(std::max(0.0, variance)) / seen.mean : 0.0;
  };
  f.cpu_variation = without(of_cpu, std::min(pause_s, of_cpu.mean));
  f.wait_variation = without(of_wait, pause_s);
}

struct Slope {
  double exponent = 0.0, error = 0.0;
  bool known = false;
};

// Weighted least squares of log(bytes a second) over log(readers).
Slope slope_of(const std::map<int, ReadersAtATime>& readers, double time_s) {
  struct Point {
    double x, y, weight;
  };
  std::vector<Point> points;
  for (const auto& [twice, at] : readers) {
    if (twice == 0 || at.time_s < time_s / 50.0 || at.bytes <= 0.0 || at.looks < 20) continue;
    points.push_back({std::log(0.5 * twice), std::log(at.bytes / at.time_s), at.time_s});
  }
  Slope out;
  if (points.size() < 3) return out;
  double w = 0.0, x = 0.0, y = 0.0;
  for (const Point& p : points) w += p.weight, x += p.weight * p.x, y += p.weight * p.y;
  x /= w, y /= w;
  double xx = 0.0, xy = 0.0;
  for (const Point& p : points) xx += p.weight * (p.x - x) * (p.x - x), xy += p.weight * (p.x - x) * (p.y - y);
  if (xx <= 0.0) return out;
  out.exponent = xy / xx;
  double off = 0.0;
  for (const Point& p : points) off += p.weight * std::pow(p.y - y - out.exponent * (p.x - x), 2);
  const double degrees = static_cast<double>(points.size()) - 2.0;
  out.error =
      std::sqrt(off / w * static_cast<double>(points.size()) / degrees / (xx / w) / static_cast<double>(points.size()));
  out.known = true;
  return out;
}

const SeenFile* main_file(const JobWatch& watch) { return watch.files.empty() ? nullptr : &watch.files.front(); }

void set_sharing(JobFigures& f, const JobWatch& watch, const JobLimits& limits) {
  const double fetched_per_s = f.read_bytes_per_s * f.fetched_share;
  const SeenFile* const file = main_file(watch);
  for (const ReadLimit& limit : limits.reads) {
    if (file != nullptr && file->device != limit.device) {
      // A partition's limit is its disk's.
      const auto major_of = [](const std::string& device) { return device.substr(0, device.find(':')); };
      if (major_of(file->device) != major_of(limit.device)) continue;
    }
    if (limit.bytes_per_s > 0.0 && fetched_per_s >= kLimitInUse * limit.bytes_per_s) {
      f.sharing = SourceSharing::kShared;
      f.shared_bytes_per_s = limit.bytes_per_s;
      f.sharing_from =
          fmt::format("its control group may read {:.1f} MB/s from device {}", 1e-6 * limit.bytes_per_s, limit.device);
      return;
    }
  }
  if (f.workers == 0 || f.waiting_for_source < 0.05) return;
  const Slope slope = slope_of(watch.readers, watch.time_s);
  if (!slope.known) {
    f.sharing_from = "as many workers wait for it at all times";
    return;
  }
  if (watch.readers_kept < kSlowEnough) {
    f.sharing_from = "reads are too short to be counted by looks";
    return;
  }
  f.sharing_exponent = slope.exponent;
  f.sharing_error = slope.error;
  f.sharing_from = fmt::format("with twice as many readers {:.2f} times the rate", std::pow(2.0, slope.exponent));
  if (slope.exponent + 2.0 * slope.error < 0.5) {
    f.sharing = SourceSharing::kShared;
    double time_s = 0.0, bytes = 0.0;
    for (const auto& [twice, at] : watch.readers)
      if (twice > 0) time_s += at.time_s, bytes += at.bytes;
    f.shared_bytes_per_s = time_s > 0.0 ? bytes / time_s : 0.0;
  } else if (slope.exponent - 2.0 * slope.error > 0.5) {
    f.sharing = SourceSharing::kPerReader;
  }
}

void set_files(JobFigures& f, const JobWatch& watch, const std::filesystem::path& proc) {
  // The kind of file that was met most: others are read once, as a list of names.
  std::map<std::string, int> by_kind;
  std::map<std::string, int> distinct;
  const auto kind_of = [](const SeenFile& file) {
    const std::filesystem::path path(file.path);
    return path.parent_path().parent_path().string() + "\n" + path.extension().string();
  };
  for (const SeenFile& file : watch.files) {
    by_kind[kind_of(file)] += file.seen;
    ++distinct[kind_of(file)];
  }
  if (by_kind.empty()) return;
  const auto most = std::max_element(by_kind.begin(), by_kind.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const SeenFile* first = nullptr;
  std::vector<double> sizes;
  int forward = 0, backward = 0;
  for (const SeenFile& file : watch.files) {
    if (kind_of(file) != most->first) continue;
    if (first == nullptr) first = &file;
    sizes.push_back(file.bytes);
    for (std::size_t i = 1; i < file.places.size(); ++i)
      (file.places[i] >= file.places[i - 1] ? forward : backward) += file.places[i] != file.places[i - 1] ? 1 : 0;
  }
  f.files_seen = static_cast<int>(sizes.size());
  f.folder = std::filesystem::path(first->path).parent_path().string();
  f.extension = std::filesystem::path(first->path).extension().string();
  f.mount_type = first->mount_type;
  const double seen_mean = spread_of(sizes).mean;
  f.in_order = forward >= 4 && forward > 4 * backward;
  // A file of one sample is open for a moment; a shard, or a list of names, at every look. Where some were met and
  // others not, few were met at all.
  const int most_seen = std::max_element(watch.files.begin(), watch.files.end(), [](const auto& a, const auto& b) {
                          return a.seen < b.seen;
                        })->seen;
  const bool for_moments = f.files_seen >= 3 || most_seen <= kSeldomOpen * std::max(1, watch.house_calls);
  f.file_per_sample = for_moments && (f.read_bytes <= 0.0 || seen_mean <= f.read_bytes);
  if (f.file_per_sample) {
    // Large files are open longer, so that they are met more often: the folder's own sizes are the better sample.
    std::vector<double> beside =
        sizes_beside(proc / std::to_string(watch.ranks.front().trainer.pid), first->path, 1000);
    if (beside.size() >= 10) sizes = std::move(beside);
  }
  const Spread size = spread_of(sizes);
  f.file_bytes = size.mean;
  f.file_variation = size.variation;
}

}  // namespace

bool JobFigures::loads_data() const { return workers > 0 || read_bytes_per_s > 1e4 || waiting_for_source > 0.01; }

JobFigures job_figures(const JobWatch& watch, const JobLimits& limits, const std::vector<Observation>& log,
                       const std::filesystem::path& proc) {
  JobFigures f;
  f.ranks = static_cast<int>(watch.ranks.size());
  f.time_s = watch.time_s;
  ThreadTime workers, trainers;
  double worker_cpu_s = 0.0, job_cpu_s = 0.0, batches = 0.0, rank_s = 0.0, worker_s = 0.0;
  bool counted = true;
  ProcIo worker_io, trainer_io;
  std::vector<double> block_rates;
  for (const SeenRank& rank : watch.ranks) {
    add_thread(trainers, rank.main);
    trainer_io += rank.io;
    job_cpu_s += rank.cpu_s;
    rank_s += rank.watched_s;
    f.workers = std::max(f.workers, rank.num_workers);
    counted = counted && rank.batches.has_value();
    batches += rank.batches.value_or(0.0);
    if (block_rates.empty()) block_rates = rank.block_rates;
    for (const SeenWorker& worker : rank.workers) {
      if (worker.close) add_thread(workers, worker.main);
      worker_io += worker.io;
      worker_cpu_s += worker.cpu_s;
      job_cpu_s += worker.cpu_s;
      worker_s += worker.watched_s;
    }
  }
  const bool inline_loading = f.workers == 0;
  const double time_s = std::max(watch.time_s, 1e-9);
  f.others_cores = std::max(0.0, (watch.machine_busy_s - job_cpu_s - watch.own_cpu_s) / time_s);
  f.cores = limits.cores;
  if (f.others_cores > kOthersThatMatter && limits.cores_from.starts_with("all"))
    f.cores = cores_left(limits.cores, f.others_cores, trainers, workers, worker_s / time_s);

  set_shares(f, inline_loading ? trainers : workers, inline_loading);
  if (trainers.watched_s > 0.0) {
    f.trainer_waits = inline_loading ? 0.0 : trainers.blocked_in_s(Activity::kQueue) / trainers.watched_s;
    f.trainer_running = trainers.ran_s / trainers.watched_s;
    f.trainer_queued = trainers.queued_s / trainers.watched_s;
    f.trainer_blocked = trainers.blocked_s() / trainers.watched_s - f.trainer_waits;
    if (inline_loading) f.trainer_blocked -= f.waiting_for_source;
  }
  const ProcIo& io = inline_loading ? trainer_io : worker_io;
  const double workers_s = f.workers > 0 ? worker_s / f.workers / f.ranks : 0.0;
  f.read_bytes_per_s = io.read_bytes / (workers_s > 0.0 ? workers_s : time_s);
  f.fetched_share = io.read_bytes > 0.0 ? std::min(1.0, io.fetched_bytes / io.read_bytes) : 0.0;
  // What clients of object stores receive is in no account of a process: that of its network stands for it.
  if (f.source == Activity::kNetwork && f.waiting_for_source > 0.02 && watch.network_bytes > io.read_bytes)
    f.read_bytes_per_s = watch.network_bytes / time_s;

  if (counted && !inline_loading && batches > 0.0) {
    f.batches_per_s = batches / std::max(rank_s, 1e-9);
    f.batches_from = fmt::format("{:.0f} indices sent to workers", batches);
    const Spread blocks = spread_of(block_rates);
    f.batch_spread = blocks.variation / std::sqrt(std::max<double>(1.0, static_cast<double>(block_rates.size())));
  } else if (const auto rate = logged(log, "it_per_s")) {
    f.batches_per_s = *rate;
    f.batches_from = "it_per_s";
  } else if (const auto step = logged(log, "step_time")) {
    f.batches_per_s = 1.0 / *step;
    f.batches_from = "step_time";
  }
  if (f.batches_per_s) {
    const double rate = *f.batches_per_s;
    // A worker's totals over the time that workers were watched: they may have come while the watch went on.
    const double loaders = inline_loading ? 1.0 : static_cast<double>(f.workers);
    const double loaded_s = std::max(1e-9, (inline_loading ? trainers.watched_s : worker_s) / loaders);
    f.load_cpu_s = (inline_loading ? trainers.ran_s : worker_cpu_s) / loaded_s / rate;
    f.source_wait_s = f.waiting_for_source * loaders / rate;
    f.trainer_cpu_s = f.trainer_running / rate;
    f.trainer_blocked_s = std::max(0.0, f.trainer_blocked) / rate;
    f.read_bytes = f.read_bytes_per_s / rate / static_cast<double>(f.ranks);
    f.read_calls = io.reads / loaded_s / rate;
    const ThreadTime& loader = inline_loading ? trainers : workers;
    f.source_waits = loader.turns * loaders / std::max(1e-9, loader.watched_s) / rate;
    if (f.source == Activity::kFiles && f.read_calls > 0.0) f.source_waits = std::min(f.source_waits, f.read_calls);
  }
  if (!inline_loading && watch.worker_looks > 0) set_variation(f, watch, watch.time_s / watch.worker_looks);
  f.gpu_busy = gpu_busy_share(watch.gpus, static_cast<std::size_t>(std::max(1, f.ranks)));
  set_sharing(f, watch, limits);
  set_files(f, watch, proc);
  return f;
}

}  // namespace stallcast
