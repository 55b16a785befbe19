#include "core/backtest/backtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/engine/random_stream.h"

namespace stallcast {
namespace {

constexpr double kDecodeSeconds = 0.6;  // measuring decoding, each time
constexpr double kReadSeconds = 1.0;

// Above these a machine is called noisy: a tenth of the error that a backtest is to stay under is 0.5 %.
constexpr double kQuietOthers = 0.01;  // of the cores' time
constexpr double kQuietDrift = 0.02;   // of the time of decoding, before and after
constexpr double kQuietRepeats = 0.03;

void report(const BacktestOptions& options, std::string doing, std::size_t done, std::size_t total) {
  if (options.progress) options.progress({std::move(doing), done, total});
}

// Every setting once in random order, then again in another: neighbours in time are never neighbours in a curve.
std::vector<std::size_t> run_order(std::size_t settings, const SweepOptions& options) {
  std::vector<std::size_t> order;
  for (int repeat = 0; repeat < options.repeats; ++repeat)
    for (const std::uint32_t setting :
         sample_order(settings, settings, options.seed + static_cast<std::uint64_t>(repeat) + 1))
      order.push_back(setting);
  return order;
}

std::vector<BacktestDoubt> doubts_of(const Backtest& backtest) {
  std::vector<BacktestDoubt> doubts;
  const double others = backtest.use.others_fraction + backtest.use.stolen_fraction;
  if (others > kQuietOthers)
    doubts.push_back({"noisy_machine",
                      fmt::format("Other processes took {:.1f} % of the cores' time during the runs, the hypervisor "
                                  "{:.1f} %; load average {:.1f} when they began.",
                                  100.0 * backtest.use.others_fraction, 100.0 * backtest.use.stolen_fraction,
                                  backtest.load_before)});
  const double before = backtest.inputs.decode_alone.s_per_byte, after = backtest.decode_after.s_per_byte;
  if (before > 0.0 && after > 0.0 && std::abs(after / before - 1.0) > kQuietDrift)
    doubts.push_back({"decode_drifts", fmt::format("Decoding alone took {:+.1f} % after the runs compared with before: "
                                                   "the cores' speed changed.",
                                                   100.0 * (after / before - 1.0))});
  if (backtest.score.repeat_difference > kQuietRepeats)
    doubts.push_back({"repeats_differ", fmt::format("Two runs of one setting differ by {:.1f} % on average: no "
                                                    "prediction can be nearer than that.",
                                                    100.0 * backtest.score.repeat_difference)});
  double wanted = 0.0, read = 0.0;
  for (const SettingOutcome& outcome : backtest.outcomes)
    for (const LoaderRun& run : outcome.runs) {
      wanted += run.bytes;
      read += run.device_bytes;
    }
  constexpr double kAllRead = 0.95;
  if (wanted > 0.0 && read < kAllRead * wanted)
    doubts.push_back({"page_cache", fmt::format("The kernel counted {:.0f} % of the bytes as read from a device: the "
                                                "rest came from memory, or this file system does not count.",
                                                100.0 * read / wanted)});
  return doubts;
}

}  // namespace

BacktestInputs measure_parts(const SampleFiles& files, const ProbeResult& probe, StorageFit storage,
                             const BacktestOptions& options) {
  BacktestInputs inputs;
  inputs.storage = std::move(storage);
  for (const ReadPoint& point : probe.points) {
    if (point.pattern != AccessPattern::kWholeFile || point.in_flight > 1.0 || point.requests <= 0.0) continue;
    inputs.whole_file_s = point.seconds / point.requests;
    inputs.whole_file_bytes = point.bytes / point.requests;
  }
  inputs.cores = usable_cores();
  const auto sample = static_cast<std::size_t>(std::max(4096.0, files.mean_bytes()));
  report(options, "decoding alone", 0, 4);
  inputs.decode_alone = measure_decode(1, sample, kDecodeSeconds, options.stop);
  report(options, "decoding on all cores", 1, 4);
  inputs.decode_together = measure_decode(inputs.cores, sample, kDecodeSeconds, options.stop);
  report(options, "sleeping and handing over", 2, 4);
  inputs.costs = measure_machine_costs(inputs.cores, options.stop);
  report(options, "processor time of reading", 3, 4);
  inputs.read_cpu = measure_read_cpu(files, kReadSeconds, options.parts_bytes, options.sweep.seed, options.stop);
  return inputs;
}

Backtest predict_backtest(std::string target, SampleFiles files, BacktestInputs inputs,
                          const BacktestOptions& options) {
  Backtest out;
  out.target = std::move(target);
  out.files = std::move(files);
  out.inputs = std::move(inputs);
  out.options = options.sweep;
  out.workloads = plan_sweep(out.inputs, out.files, out.options);
  std::size_t total = 0;
  for (const Workload& workload : out.workloads) total += workload.settings.size();
  for (const Workload& workload : out.workloads)
    for (const LoaderSetting& setting : workload.settings) {
      if (options.stop.stop_requested()) break;
      report(options, fmt::format("predicting {}, {} workers", setting.workload, setting.workers), out.outcomes.size(),
             total);
      out.outcomes.push_back({setting, predict(out.inputs, out.files, setting, out.options.seed), {}});
    }
  out.interrupted = options.stop.stop_requested();
  out.predicted_at = utc_now();
  return out;
}

void run_backtest(Backtest& backtest, const BacktestOptions& options) {
  backtest.load_before = load_average();
  backtest.started_at = utc_now();
  const HostState before = read_host_state();
  const std::vector<std::size_t> order = run_order(backtest.outcomes.size(), backtest.options);
  for (std::size_t i = 0; i < order.size() && !options.stop.stop_requested(); ++i) {
    SettingOutcome& outcome = backtest.outcomes[order[i]];
    report(options, fmt::format("{}, {} workers", outcome.setting.workload, outcome.setting.workers), i, order.size());
    LoaderRun run = run_real_loader(backtest.files, outcome.setting, options.stop);
    if (run.finished) outcome.runs.push_back(std::move(run));
  }
  backtest.use = host_use(before, read_host_state(), backtest.inputs.cores);
  backtest.ended_at = utc_now();
  backtest.interrupted = backtest.interrupted || options.stop.stop_requested();
  if (!backtest.interrupted) {
    const auto sample = static_cast<std::size_t>(std::max(4096.0, backtest.files.mean_bytes()));
    backtest.decode_after = measure_decode(1, sample, kDecodeSeconds, options.stop);
  }
  backtest.score = score_backtest(backtest.outcomes);
  for (BacktestDoubt& doubt : doubts_of(backtest)) backtest.doubts.push_back(std::move(doubt));
}

}  // namespace stallcast
