#include "core/plan/search/best_case.h"

#include <algorithm>
#include <cmath>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/model/storage/cache_play.h"
#include "core/model/storage/staging.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

double batch_per_step(const Scenario& s) { return count(s.workload.batch_size * s.workload.gradient_accumulation); }

// Samples of all ranks that the run trains at the least. Where the steps of an epoch are stated, the workers of an
// iterable loader may run out of shards before: each may drop a last batch, and have a shard more or less than others.
double least_samples(const Scenario& s) {
  const double all = count(s.run.epochs) * epoch_steps(s) * batch_per_step(s) * count(s.ranks());
  if (s.loader.style != LoaderStyle::kIterable || s.run.steps_per_epoch == 0) return all;
  const double shard = count(std::max<std::int64_t>(1, s.dataset.samples_per_shard));
  const double given = count(s.dataset.shards_per_rank) * shard * count(s.run.epochs * s.ranks());
  const double dealt = given > 0.0 ? std::min(all, given) : all;
  const double dropped = count(std::max<std::int64_t>(1, s.loader.num_workers)) * (batch_per_step(s) + shard);
  return std::max(0.0, dealt - dropped * count(s.run.epochs * s.ranks()));
}

double variation(const Distribution& d) {
  const double mean = mean_of(d);
  return mean > 0.0 ? standard_deviation_of(d) / mean : 0.0;
}

void add_preparation(RunResult& run, const Scenario& s) {
  const Listing listing = list_files(s.storage, dataset_files(s).files);
  run.totals.list_requests = listing.requests;
  run.totals.listing_s = listing.time_s;
  if (s.staging.method == StagingMethod::kNone || s.staging.method == StagingMethod::kLazy) return;
  const ImportTime import = bulk_import(s);
  run.totals.listing_s += import.listing.time_s;
  if (s.staging.method == StagingMethod::kBulk) run.totals.staging_s = import.copy_s;
}

}  // namespace

LuckAllowance luck_allowance(const Scenario& s) {
  if (!s.run.whole_run) return {2.0 * s.run.precision, 2.0 * s.run.precision};
  const double steps = std::max(1.0, count(s.run.epochs) * epoch_steps(s));
  const double batches = steps * count(s.workload.gradient_accumulation * s.ranks());
  const double samples = batches * count(s.workload.batch_size);
  const double by_sample = std::pow(variation(s.dataset.sample_size), 2) +
                           std::pow(variation(s.dataset.decode_time), 2) +
                           std::pow(variation(s.loader.gpu_decode_time), 2) + std::pow(variation(s.storage.latency), 2);
  const double variance = std::pow(variation(s.workload.step_time), 2) / batches + by_sample / samples;
  const double ahead = std::min(count(batches_ahead(s)), 0.5 * steps);
  const double luck = 0.01 + 3.0 * std::sqrt(variance);
  return {luck, luck + ahead / (steps - ahead)};
}

Figures best_case(const ResolvedScenario& resolved, const ResolvedScenario& cheapest) {
  Scenario s = resolved.scenario;
  // Loaders that take less memory leave more to the page cache.
  s.page_cache.capacity = std::max(s.page_cache.capacity, cheapest.scenario.page_cache.capacity);
  const LuckAllowance allowed = luck_allowance(s);
  const double luck = allowed.time;
  Evaluation best;
  best.bound = utilization_bound(s);
  best.result.gpu_utilization = exact_estimate(std::min(1.0, best.bound.gpu_utilization * (1.0 + allowed.utilization)));
  const double steps = count(s.run.epochs) * epoch_steps(s);
  if (steps > 0.0) {
    RunTotals& t = best.result.totals;
    const double least = least_samples(s);
    const double compute = run_compute_s(s) * count(s.ranks());
    // A run of any length at all, so that it has a bill.
    t.training_s = std::max(1e-6, least / best.bound.samples_per_s / (1.0 + luck));
    t.samples = steps * batch_per_step(s) * count(s.ranks());
    t.useful_gpu_s = compute * (1.0 + luck);
    if (!has_levels(s) && s.staging.method == StagingMethod::kNone) {
      const SampleDemand demand = sample_demand(s);
      t.read_bytes = least * demand.read_bytes / (1.0 + luck);
      t.read_requests = least * demand.requests / (1.0 + luck);
    }
    add_preparation(best.result, s);
    best.result.time_to_train_s = t.listing_s + t.staging_s + t.training_s;
  }
  best.cost = price_run(cheapest, best.result);
  return simulated_figures(best);
}

}  // namespace stallcast
