#include "core/backtest/sweep.h"

#include <algorithm>
#include <cmath>

namespace stallcast {
namespace {

// Fewer say little: the start and the last batches weigh too much. Taken though there be too little time, not bytes.
constexpr std::int64_t kFewestBatches = 12;

struct Capacity {
  double one = 0.0, most = 0.0;  // samples/s of one worker, of the best number
};

LoaderSetting setting_of(const Workload& workload, std::int64_t workers, const BacktestInputs& inputs,
                         const SampleFiles& files, const BacktestSweepOptions& options) {
  LoaderSetting setting;
  setting.workload = workload.name;
  setting.workers = workers;
  setting.prefetch_factor = options.prefetch_factor;
  setting.batch_size = options.batch_size;
  setting.decode_passes = workload.decode_s / (files.mean_bytes() * inputs.decode_s_per_byte);
  setting.step_s = workload.step_s;
  return setting;
}

Capacity capacity_of(const Workload& workload, const std::vector<std::int64_t>& workers, const BacktestInputs& inputs,
                     const SampleFiles& files, const BacktestSweepOptions& options) {
  Capacity out;
  out.one = loader_capacity(inputs, files, setting_of(workload, 1, inputs, files, options));
  for (const std::int64_t count : workers)
    out.most = std::max(out.most, loader_capacity(inputs, files, setting_of(workload, count, inputs, files, options)));
  out.most = std::max(out.most, out.one);
  return out;
}

std::vector<Workload> chosen_workloads(const std::vector<std::int64_t>& workers, const BacktestInputs& inputs,
                                       const SampleFiles& files, const BacktestSweepOptions& options) {
  Workload decode{"decode", "decoding, a step that a middle number of workers can feed", options.decode_s, 0.0, {}};
  Workload read{"read", "no decoding, a step that a middle number of workers can feed", 0.0, 0.0, {}};
  if (options.step_s) {
    decode.about = "decoding, the step time given";
    read.about = "no decoding, the step time given";
    decode.step_s = read.step_s = *options.step_s;
    return {decode, read};
  }
  const auto batch = static_cast<double>(options.batch_size);
  const Capacity decoding = capacity_of(decode, workers, inputs, files, options);
  const Capacity reading = capacity_of(read, workers, inputs, files, options);
  decode.step_s = batch / std::sqrt(decoding.one * decoding.most);
  read.step_s = batch / std::sqrt(reading.one * reading.most);
  const Workload starved{"starved",
                         "decoding, a step too short for any number of workers",
                         options.decode_s,
                         0.25 * batch / decoding.most,
                         {}};
  const Workload step{
      "step", "decoding, a step that one worker can feed twice over", options.decode_s, 2.0 * batch / decoding.one, {}};
  return {decode, read, starved, step};
}

// The largest limit under which runs of `wanted` bytes, each cut to it, read `allowed` bytes together.
double limit_per_run(std::vector<double> wanted, double allowed) {
  std::sort(wanted.begin(), wanted.end());
  auto left = static_cast<double>(wanted.size());
  for (const double bytes : wanted) {
    if (bytes * left > allowed) return allowed / left;
    allowed -= bytes;
    left -= 1.0;
  }
  return wanted.back();
}

// Bytes of each batch of a run, in their order.
std::vector<double> batch_bytes(const SampleFiles& files, const LoaderSetting& setting) {
  const auto order = sample_order(files.files.size(), static_cast<std::size_t>(setting.samples()), setting.seed);
  std::vector<double> bytes(static_cast<std::size_t>(setting.batches));
  for (std::size_t i = 0; i < order.size(); ++i)
    bytes[i / static_cast<std::size_t>(setting.batch_size)] += read_bytes(files.files[order[i]]);
  return bytes;
}

double run_bytes(const SampleFiles& files, const LoaderSetting& setting) {
  double sum = 0.0;
  for (const double bytes : batch_bytes(files, setting)) sum += bytes;
  return sum;
}

// The most batches of `setting` that read no more than `limit`, but one.
std::int64_t batches_within(const SampleFiles& files, const LoaderSetting& setting, double limit) {
  std::int64_t batches = 0;
  for (const double bytes : batch_bytes(files, setting)) {
    limit -= bytes;
    if (limit < 0.0) break;
    ++batches;
  }
  return std::max<std::int64_t>(1, batches);
}

}  // namespace

std::vector<std::int64_t> worker_counts(int cores, double largest_sample, double memory_bytes) {
  constexpr double kMemoryShare = 0.25;  // of what is free
  std::int64_t most = std::max<std::int64_t>(4, 2 * static_cast<std::int64_t>(cores));
  if (memory_bytes > 0.0)
    most = std::min(most, static_cast<std::int64_t>(kMemoryShare * memory_bytes / largest_sample));
  std::vector<std::int64_t> counts{0};
  for (std::int64_t count = 1; count <= std::max<std::int64_t>(1, most); count += std::max<std::int64_t>(1, count / 2))
    counts.push_back(count);
  return counts;
}

std::vector<Workload> plan_sweep(const BacktestInputs& inputs, const SampleFiles& files,
                                 const BacktestSweepOptions& options) {
  std::vector<std::int64_t> workers =
      options.workers.empty() ? worker_counts(inputs.cores, files.largest, available_memory_bytes()) : options.workers;
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  std::vector<Workload> out = chosen_workloads(workers, inputs, files, options);
  const double runs = static_cast<double>(out.size() * workers.size()) * options.repeats;
  std::vector<double> wanted;
  std::uint64_t number = 0;
  for (Workload& workload : out) {
    for (const std::int64_t count : workers) {
      LoaderSetting setting = setting_of(workload, count, inputs, files, options);
      setting.seed = options.seed + 1000 * ++number;  // no two settings begin with the same files
      const double rate = loader_capacity(inputs, files, setting);
      const double step = static_cast<double>(options.batch_size) / rate;
      constexpr double kShortest = 1e-5;  // s; nobody hands over batches faster
      const double per_batch = std::max(kShortest, count == 0 ? step + setting.step_s : std::max(step, setting.step_s));
      setting.batches = std::max(kFewestBatches, static_cast<std::int64_t>(options.seconds / runs / per_batch));
      wanted.push_back(run_bytes(files, setting));
      workload.settings.push_back(setting);
    }
  }
  const double limit = limit_per_run(wanted, options.bytes / options.repeats);
  for (Workload& workload : out)
    for (LoaderSetting& setting : workload.settings) setting.batches = batches_within(files, setting, limit);
  return out;
}

double sweep_bytes(const std::vector<Workload>& workloads, const SampleFiles& files, int repeats) {
  double bytes = 0.0;
  for (const Workload& workload : workloads)
    for (const LoaderSetting& setting : workload.settings) bytes += run_bytes(files, setting);
  return bytes * repeats;
}

}  // namespace stallcast
