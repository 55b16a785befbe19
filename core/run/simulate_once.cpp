#include "core/run/simulate_once.h"

#include <utility>

#include "core/model/staging.h"
#include "core/run/epoch_walk.h"
#include "core/run/stretch.h"
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
  out.goodput_fraction = out.totals.useful_gpu_s / (out.time_to_train_s * static_cast<double>(s.ranks()));
}

}  // namespace

RunResult simulate_pace(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  const bool saves = s.checkpoint.mode != CheckpointMode::kNone;
  Scenario undisturbed = s;
  if (saves && !saves_among_steps(s)) {
    // A timeline shows them where they fall among the steps.
    if (trace != nullptr) simulate_training(s, seed, options, std::exchange(trace, nullptr));
    undisturbed.checkpoint.mode = CheckpointMode::kNone;
  }
  RunResult out = simulate_training(undisturbed, seed, options, trace);
  add_preparation(out, s);
  out.host_memory.loader = loader_host_memory(s).total().base();
  if (s.page_cache.policy != CachePolicy::kNone) out.host_memory.page_cache = s.page_cache.capacity.base();
  return out;
}

RunResult with_interruptions(const Scenario& s, RunResult pace, std::uint64_t seed, const RunOptions& options) {
  if (pace.steps == 0) return pace;
  if (needs_calendar(s)) return draw_out(s, std::move(pace), seed, options);
  return saves_among_steps(s) ? pace : with_endless_checkpoints(s, std::move(pace), seed, options);
}

RunResult simulate_once(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  return with_interruptions(s, simulate_pace(s, seed, options, trace), seed, options);
}

}  // namespace stallcast
