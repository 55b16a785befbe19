#include "core/run/simulate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/engine/statistics.h"
#include "core/model/staging.h"
#include "core/run/epoch_walk.h"
#include "core/run/step_series.h"
#include "core/run/stretch.h"
#include "core/run/totals.h"
#include "core/run/weeks.h"
#include "core/scenario/data_path.h"
#include "core/scenario/host_memory.h"

namespace stallcast {
namespace {

RunResult simulate_training(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  if (s.run.whole_run) {
    const ReadPlan plan = plan_of_whole_run(s);
    return simulate_stretch(s, {seed, options, trace, nullptr, plan.epochs.empty() ? nullptr : &plan}).result;
  }
  const std::vector<Regime> regimes = regimes_of(s);
  if (regimes.empty()) return simulate_stretch(s, {seed, options, trace}).result;
  EpochWalk walk(s, seed, options, trace);
  for (const Regime& regime : regimes)
    if (!walk.pass(regime)) break;
  return walk.result();
}

// What precedes the first step: names are listed, a bulk copy is made. Nothing when the run's length is not known.
void add_preparation(RunResult& out, const Scenario& s) {
  if (out.time_to_train_s <= 0.0) return;
  const DatasetFiles data = dataset_files(s);
  const Listing listing = list_files(s.storage, data.files);
  out.totals.list_requests += listing.requests;
  out.totals.listing_s += listing.time_s;
  if (s.staging.method != StagingMethod::kNone) {
    const ImportTime import = bulk_import(s);
    out.staging.listing_s = import.listing.time_s;
    out.staging.bytes = data.bytes;
    out.staging.files = data.files;
    switch (s.staging.method) {
      case StagingMethod::kNone:
        break;
      case StagingMethod::kBulk:
        out.staging.method = "bulk";
        out.staging.copy_s = import.copy_s;
        out.staging.limit = import.limit;
        out.totals.staging_s += import.copy_s;
        break;
      case StagingMethod::kLazy:
        out.staging.method = "lazy";
        break;
      case StagingMethod::kPrefetch:
        out.staging.method = "prefetch";
        out.staging.limit = import.limit;
        break;
    }
    if (s.staging.method != StagingMethod::kLazy) {
      out.totals.listing_s += import.listing.time_s;
      out.totals.origin_list_requests += import.listing.requests;
      out.totals.origin_read_bytes += data.bytes;
      out.totals.origin_read_requests += import.read_requests;
      out.totals.written_bytes += data.bytes;
      out.totals.write_requests += import.write_requests;
    }
  }
  out.time_to_train_s += out.totals.listing_s + out.totals.staging_s;
}

RunResult simulate_once(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  const bool drawn_out = needs_calendar(s);
  Scenario undisturbed = s;
  if (drawn_out) undisturbed.checkpoint.mode = CheckpointMode::kNone;
  RunResult out = simulate_training(undisturbed, seed, options, trace);
  add_preparation(out, s);
  if (drawn_out && out.steps > 0) out = draw_out(s, std::move(out), seed, options);
  out.host_memory.loader = loader_host_memory(s).total().base();
  if (s.page_cache.policy != CachePolicy::kNone) out.host_memory.page_cache = s.page_cache.capacity.base();
  return out;
}

// Makes every mean of `pooled`, over n - 1 runs so far, one over n with `more`.
void pool(RunResult& pooled, const RunResult& more, double n) {
  const auto add = [n](double& mean, double value) { mean += (value - mean) / n; };
  add(pooled.au, more.au);
  add(pooled.au_steady, more.au_steady);
  add(pooled.au_mlperf, more.au_mlperf);
  add(pooled.goodput_fraction, more.goodput_fraction);
  add(pooled.samples_per_s, more.samples_per_s);
  add(pooled.samples_per_s_steady, more.samples_per_s_steady);
  add(pooled.samples_per_s_mlperf, more.samples_per_s_mlperf);
  add(pooled.step_time_s.mean, more.step_time_s.mean);
  add(pooled.step_time_s.p50, more.step_time_s.p50);
  add(pooled.step_time_s.p99, more.step_time_s.p99);
  add(pooled.time_to_first_batch_s, more.time_to_first_batch_s);
  add(pooled.time_to_train_s, more.time_to_train_s);
  for (std::size_t c = 0; c < pooled.lost_fraction.size(); ++c) add(pooled.lost_fraction[c], more.lost_fraction[c]);
  for (const auto member : kSums) add(pooled.totals.*member, more.totals.*member);
  add(pooled.totals.training_s, more.totals.training_s);
  add(pooled.totals.lost_gpu_s, more.totals.lost_gpu_s);
  for (std::size_t r = 0; r < std::min(pooled.regimes.size(), more.regimes.size()); ++r) {
    RegimeResult& regime = pooled.regimes[r];
    add(regime.gpu_utilization.mean, more.regimes[r].gpu_utilization.mean);
    add(regime.gpu_utilization.ci95_low, more.regimes[r].gpu_utilization.ci95_low);
    add(regime.gpu_utilization.ci95_high, more.regimes[r].gpu_utilization.ci95_high);
    add(regime.samples_per_s, more.regimes[r].samples_per_s);
    add(regime.time_s, more.regimes[r].time_s);
  }
}

// A run that ends by itself is one finite sample. When its own steps do not give the asked precision, replications do.
constexpr std::int64_t kMostReplications = 40;

}  // namespace

RunResult simulate(const Scenario& scenario, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed));
  RunResult first = simulate_once(scenario, seed, options, options.trace);
  const bool ended_early = !scenario.run.whole_run && first.gpu_utilization.half_width() > scenario.run.precision &&
                           first.steps < scenario.run.max_steps;
  // Replications of a run that is drawn out are its calendars.
  if (first.calendar.replications > 0) return first;
  const std::int64_t wanted = options.replications > 1 ? options.replications : ended_early ? kMostReplications : 1;
  if (wanted <= 1) return first;
  std::vector<double> utilization{first.gpu_utilization.mean};
  for (std::int64_t r = 1; r < wanted && !options.stop.stop_requested(); ++r) {
    const RunResult more = simulate_once(scenario, seed + static_cast<std::uint64_t>(r), options, nullptr);
    utilization.push_back(more.gpu_utilization.mean);
    pool(first, more, static_cast<double>(r + 1));
    first.events += more.events;
    first.wall_s += more.wall_s;
    first.gpu_utilization = to_estimate(mean_of_replications(utilization));
    first.converged = first.gpu_utilization.half_width() <= scenario.run.precision;
    if (options.replications <= 1 && r >= 2 && first.converged) break;
  }
  return first;
}

}  // namespace stallcast
