#include "core/validate/validation.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "core/model/loader/draws.h"
#include "core/run/simulate_once.h"

namespace stallcast {

namespace {

// Mechanisms without processor contention or real devices: there a right model leaves almost nothing.
constexpr std::array kQuiet = {"bandwidth_bound", "checkpoint",    "epochs",    "gpu_bound",
                               "iterable",        "latency_bound", "no_workers"};

bool is_quiet(const std::string& mechanism) {
  return std::find(kQuiet.begin(), kQuiet.end(), mechanism) != kQuiet.end();
}

RunOutputs predict(const MeasuredRun& run, DrawSource source) {
  // A fresh seed per repeat, so that repeats of one configuration are independent predictions too.
  const auto seed = static_cast<std::uint64_t>(run.repeat) + 1;
  const RunResult result =
      simulate_replaying(run.scenario, source == DrawSource::kRecorded ? run.draws : nullptr, seed);
  // Runs are measured to their last step.
  const double samples = result.samples_per_s * result.time_to_train_s;
  return {result.au, result.au_steady, samples / (result.time_to_train_s - result.after_last_step_s)};
}

double percentile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (sorted[below + 1] - sorted[below]) * (at - static_cast<double>(below));
}

struct Errors {
  std::vector<double> au_steady, au, samples_per_s;
  void add(const RunOutputs& predicted, const RunOutputs& measured) {
    if (std::isfinite(measured.au_steady)) au_steady.push_back(100.0 * (predicted.au_steady - measured.au_steady));
    au.push_back(100.0 * (predicted.au - measured.au));
    samples_per_s.push_back(100.0 * (predicted.samples_per_s / measured.samples_per_s - 1.0));
  }
  PredictorScore score() const {
    return {summarise_errors(au_steady), summarise_errors(au), summarise_errors(samples_per_s)};
  }
};

// Every pair of repeats of a configuration, one as the prediction of the other.
Errors differences_of_repeats(const std::vector<const ValidationCase*>& cases) {
  Errors out;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t j = i + 1; j < cases.size(); ++j)
      if (cases[i]->id == cases[j]->id) out.add(*cases[i]->measured, *cases[j]->measured);
  return out;
}

MechanismScore score(std::string name, const std::vector<const ValidationCase*>& cases) {
  Errors model, bound;
  for (const ValidationCase* c : cases) {
    model.add(c->predicted, *c->measured);
    bound.add(c->bound, *c->measured);
  }
  return {std::move(name), model.score(), bound.score(), differences_of_repeats(cases).score()};
}

}  // namespace

ErrorSummary summarise_errors(const std::vector<double>& errors) {
  ErrorSummary out;
  out.count = errors.size();
  if (errors.empty()) return out;
  std::vector<double> size;
  for (double e : errors) {
    out.bias += e / static_cast<double>(errors.size());
    size.push_back(std::abs(e));
    out.mean += std::abs(e) / static_cast<double>(errors.size());
  }
  std::sort(size.begin(), size.end());
  out.median = percentile(size, 0.5);
  out.p90 = percentile(size, 0.9);
  out.worst = size.back();
  return out;
}

RunOutputs min_of_rates(const Scenario& s) {
  const auto batch = static_cast<double>(s.workload.batch_size), ranks = static_cast<double>(s.ranks());
  const double step = mean_of(micro_step_time(s)), decode = mean_of(s.dataset.decode_time),
               size = mean_of(s.dataset.sample_size);
  const double device = s.storage.read_bandwidth.base(), stream = s.storage.stream_bandwidth.base();
  double read = mean_of(s.storage.latency);
  if (device > 0) read += size / device;
  if (stream > 0) read += size / stream;
  if (s.loader.style == LoaderStyle::kIterable)
    read += mean_of(s.storage.open_latency) / static_cast<double>(s.dataset.samples_per_shard);
  const double load = batch * (read + decode);
  double wall =
      s.loader.num_workers == 0 ? step + load : std::max(step, load / static_cast<double>(s.loader.num_workers));
  wall = std::max(wall, ranks * batch * decode / s.cluster.cores_per_node);
  if (device > 0) wall = std::max(wall, ranks * batch * size / device);
  const CheckpointSpec& c = s.checkpoint;
  if (c.mode != CheckpointMode::kNone && c.interval_steps > 0) {
    const double rate = c.to_storage && device > 0 ? device : c.write_bandwidth.base();
    const double pause =
        c.mode == CheckpointMode::kSync ? (rate > 0 ? c.size.base() / rate : 0.0) : c.snapshot_time.base();
    wall += pause / static_cast<double>(c.interval_steps);
  }
  const double au = step / wall;
  return {au, au, ranks * batch / wall};
}

Validation validate_runs(const MeasuredRuns& runs, const ValidationOptions& options) {
  Validation out;
  out.draws = options.draws;
  out.unknown = runs.unknown;
  out.cases.resize(runs.runs.size());
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex reporting;
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.runs.size() && !options.stop.stop_requested(); i = next++) {
      const MeasuredRun& run = runs.runs[i];
      out.cases[i] = {
          run.id, run.repeat, run.mechanism, predict(run, options.draws), run.measured, min_of_rates(run.scenario)};
      const std::lock_guard lock(reporting);
      ++done;
      if (options.progress) options.progress(done, runs.runs.size());
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned t = 1; t < std::max(1U, std::thread::hardware_concurrency()); ++t) helpers.emplace_back(work);
    work();
  }
  std::erase_if(out.cases, [](const ValidationCase& c) { return c.id.empty(); });  // not reached before a stop

  std::map<std::string, std::vector<const ValidationCase*>> groups;
  std::vector<const ValidationCase*> quiet, all;
  for (const ValidationCase& c : out.cases) {
    if (!c.measured) continue;
    groups[c.mechanism].push_back(&c);
    if (is_quiet(c.mechanism)) quiet.push_back(&c);
    all.push_back(&c);
  }
  for (const auto& [name, cases] : groups) out.scores.push_back(score(name, cases));
  out.scores.push_back(score("quiet", quiet));
  out.scores.push_back(score("all", all));
  return out;
}

}  // namespace stallcast
