#include "core/backtest/backtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/backtest/loader/file_times.h"

namespace stallcast {
namespace {

constexpr double kReadSeconds = 1.0;
constexpr double kReadCpuShare = 0.05;  // of parts_bytes, for the processor time of reads
constexpr double kLongestRest = 0.005;  // s, to which the delay after a rest is known to be linear
constexpr double kQuietOthers = 0.01;   // of the cores' time: more is worth a word
constexpr double kQuietRepeats = 0.03;  // likewise, relative

void report(const BacktestOptions& options, std::string doing, std::size_t done, std::size_t total) {
  if (options.progress) options.progress({std::move(doing), done, total});
}

// A bracket of this backtest, the `number`-th.
Bracket next_bracket(const SampleFiles& files, const BacktestInputs& inputs, const BacktestOptions& options,
                     std::size_t number) {
  constexpr int kAll = kFirstBrackets + kBlocks;
  BracketPlan plan;
  plan.cores = inputs.cores;
  plan.readers = 2L * inputs.cores;
  plan.sample_bytes = files.mean_bytes();
  plan.rest_s = inputs.rest_s;
  if (options.sweep.decode_s > 0.0)
    plan.rhythm = {options.sweep.decode_s, std::min(kLongestRest, file_alone_s(inputs.storage.reads.law,
                                                                               open_s_of(inputs), files.mean_bytes()))};
  plan.seconds = options.parts_seconds / kAll;
  plan.bytes = (1.0 - kReadCpuShare) * options.parts_bytes / kAll;
  plan.seed = options.sweep.seed + 1000003 * (number + 1);  // other files than the runs begin with
  return measure_bracket(files, inputs.storage, open_s_of(inputs), plan, options.stop);
}

// Whether a bracket comes before the i-th of `runs`.
bool ends_block(std::size_t i, std::size_t runs) {
  constexpr std::size_t kMany = kBlocks;
  const std::size_t blocks = std::min(kMany, runs);
  return i > 0 && i * blocks / runs != (i - 1) * blocks / runs;
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

std::vector<std::size_t> run_order(std::size_t settings, const BacktestSweepOptions& options) {
  std::vector<std::size_t> order;
  for (int repeat = 0; repeat < options.repeats; ++repeat)
    for (const std::uint32_t setting :
         sample_order(settings, settings, options.seed + static_cast<std::uint64_t>(repeat) + 1))
      order.push_back(setting);
  return order;
}

MeasuredParts measure_parts(const SampleFiles& files, const ProbeResult& probe, StorageFit storage,
                            const BacktestOptions& options) {
  MeasuredParts out;
  BacktestInputs& inputs = out.inputs;
  inputs.storage = std::move(storage);
  for (const ReadPoint& point : probe.points) {
    if (point.pattern != AccessPattern::kWholeFile || point.in_flight > 1.0 || point.requests <= 0.0) continue;
    inputs.whole_file_s = point.seconds / point.requests;
    inputs.whole_file_bytes = point.bytes / point.requests;
  }
  inputs.cores = usable_cores();
  inputs.rest_s = std::min(kLongestRest, options.sweep.decode_s);
  constexpr std::size_t kParts = kFirstBrackets + 2;
  report(options, "sleeping and handing over", 0, kParts);
  inputs.costs = measure_machine_costs(inputs.cores, options.stop);
  report(options, "processor time of reading", 1, kParts);
  inputs.read_cpu =
      measure_read_cpu(files, kReadSeconds, kReadCpuShare * options.parts_bytes, options.sweep.seed, options.stop);
  if (inputs.whole_file_s <= 0.0) {  // the probe read no file whole: the brackets tell what one takes
    inputs.whole_file_bytes = files.mean_bytes();
    inputs.whole_file_s = file_alone_s(inputs.storage.reads.law, open_s_of(inputs), inputs.whole_file_bytes);
  }
  for (std::size_t i = 0; i < kFirstBrackets; ++i) {
    report(options, "decoding and reading alone", 2 + i, kParts);
    Bracket bracket = next_bracket(files, inputs, options, i);
    if (!bracket.whole()) return out;  // stopped
    out.brackets.push_back(std::move(bracket));
  }
  inputs = with_brackets(std::move(inputs), out.brackets);
  return out;
}

Backtest predict_backtest(std::string target, SampleFiles files, MeasuredParts parts, const BacktestOptions& options) {
  Backtest out;
  out.target = std::move(target);
  out.files = std::move(files);
  out.inputs = std::move(parts.inputs);
  out.brackets = std::move(parts.brackets);
  out.options = options.sweep;
  out.workloads = plan_sweep(out.inputs, out.files, out.options);
  std::size_t total = 0;
  for (const Workload& workload : out.workloads) total += workload.settings.size();
  for (const Workload& workload : out.workloads)
    for (const LoaderSetting& setting : workload.settings) {
      if (options.stop.stop_requested()) break;
      report(options, fmt::format("predicting {}, {} workers", setting.workload, setting.workers), out.outcomes.size(),
             total);
      out.outcomes.push_back({setting, predict(out.inputs, out.files, setting, out.options.seed), {}, {}});
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
  BacktestInputs known = backtest.inputs;
  const auto add_bracket = [&](std::size_t done) {
    report(options, "decoding and reading alone", done, order.size());
    Bracket bracket = next_bracket(backtest.files, backtest.inputs, options, backtest.brackets.size());
    if (!bracket.whole()) return;
    backtest.brackets.push_back(std::move(bracket));
    known = with_brackets(std::move(known), backtest.brackets);
  };
  for (std::size_t i = 0; i < order.size() && !options.stop.stop_requested(); ++i) {
    if (ends_block(i, order.size())) add_bracket(i);
    SettingOutcome& outcome = backtest.outcomes[order[i]];
    report(options, fmt::format("{}, {} workers", outcome.setting.workload, outcome.setting.workers), i, order.size());
    Prediction foreseen = predict(known, backtest.files, outcome.setting, backtest.options.seed);
    LoaderRun run = run_real_loader(backtest.files, outcome.setting, options.stop);
    if (!run.finished) continue;
    outcome.runs.push_back(std::move(run));
    outcome.foreseen.push_back(foreseen);
  }
  if (!options.stop.stop_requested()) add_bracket(order.size() - 1);
  backtest.use = host_use(before, read_host_state(), backtest.inputs.cores);
  backtest.ended_at = utc_now();
  backtest.interrupted = backtest.interrupted || options.stop.stop_requested();
  backtest.score = score_backtest(backtest.outcomes);
  MachineRest rest;
  rest.drift = rate_drift(backtest.inputs, backtest.brackets, backtest.files, backtest.outcomes, backtest.options.seed);
  rest.repeat_difference = backtest.score.repeat_difference;
  rest.others_fraction = backtest.use.others_fraction;
  rest.stolen_fraction = backtest.use.stolen_fraction;
  backtest.verdict = judge(backtest.score, rest);
  for (BacktestDoubt& doubt : doubts_of(backtest)) backtest.doubts.push_back(std::move(doubt));
}

}  // namespace stallcast
