#include "core/plan/search/assessor.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/cost/cost_breakdown.h"
#include "core/cost/money/exact_number.h"
#include "core/cost/money/money.h"
#include "core/cost/price_run.h"
#include "core/diagnostics/invariant.h"
#include "core/model/storage/staging.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/undisturbed.h"
#include "core/plan/search/best_case.h"
#include "core/result/estimate.h"
#include "core/run/simulate.h"
#include "core/scenario/data_path.h"
#include "core/scenario/fields/simulation_key.h"
#include "core/scenario/host_memory.h"
#include "core/scenario/run_length.h"
#include "core/steps/parallel.h"
#include "core/units/quantity.h"

namespace stallcast {
namespace {

// A run that is as precise as this takes no longer than a coarser one.
constexpr double kCoarseEnough = 0.02;

bool may_be_coarse(const Scenario& s) { return !s.run.whole_run && s.run.precision < kCoarseEnough; }

// Of the time of a run: what more of something may cost it elsewhere, for more to be called no worse.
constexpr double kNotMissed = 0.0025;

// What the workers of a rank add to the run by being started, and ended, one after the other, and by what each computes
// for on the cores of its machine before it is ready.
double start_time_s(const Scenario& s) {
  const LoaderSpec& l = s.loader;
  const double on_cores =
      l.start_cpu.base() * static_cast<double>(s.cluster.gpus_per_node) / std::max(1.0, s.cluster.cores_per_node);
  const double started = on_cores + std::max({l.start_call.per_worker.base(), l.start_ready.per_worker.base(),
                                              l.start_first.per_worker.base(), 0.0});
  const double again = l.persistent_workers ? l.reset.per_worker.base() : started + l.shutdown.per_worker.base();
  const auto epochs = static_cast<double>(s.run.epochs);
  return static_cast<double>(l.num_workers) * (started + std::max(0.0, again) * epochs);
}

bool page_cache_not_missed(const Scenario& top, const Scenario& bottom) {
  if (top.page_cache.policy == CachePolicy::kNone) return true;
  const double dataset = dataset_files(top).bytes;
  const double taken = loader_host_memory(top).total().base() - loader_host_memory(bottom).total().base();
  return taken <= kNotMissed * dataset || top.page_cache.capacity.base() >= dataset;
}

// Whether more workers and more batches ahead, up to those of `top`, do not hurt. They do where
// - the workers of a rank, its trainer and a pinning thread have no core each;
// - starting them takes a share of the run;
// - an epoch is not much longer than the batches ahead: at its start all are asked for at once, and the first waits for
//   its share of the bandwidth;
// - a page cache is short of the memory that they take;
// - workers of an iterable loader each drop a last batch.
bool more_loading_helps(const Scenario& top, const Scenario& bottom, const std::optional<Estimate>& time) {
  const LoaderSpec& l = top.loader;
  if (l.num_workers == 0 || l.style == LoaderStyle::kIterable) return false;
  const auto processes = static_cast<double>((l.num_workers + 2) * top.cluster.gpus_per_node);
  if (processes > top.cluster.cores_per_node) return false;
  if (time && start_time_s(top) > kNotMissed * time->mean) return false;
  const double steps = epoch_steps(top);
  if (steps > 0.0 && static_cast<double>(batches_ahead(top)) > kNotMissed * steps) return false;
  return page_cache_not_missed(top, bottom);
}

// A larger scratch tier is lost sooner: whether that is of no matter within the run.
bool more_capacity_helps(const Scenario& top, const std::optional<Estimate>& time) {
  const double between_losses = top.storage.mean_time_to_data_loss.base();
  return between_losses <= 0.0 || !time || time->mean <= 2.0 * kNotMissed * between_losses;
}

// What the hours of `top` cost more than those of `bottom`, as a fraction; 0 where a price is not known.
double price_range(const ResolvedScenario& top, const ResolvedScenario& bottom) {
  const auto hourly = [](const ResolvedScenario& resolved) {
    return price_run(resolved, RunResult()).per_hour.total();
  };
  const auto most = hourly(top), least = hourly(bottom);
  return most && least && *least > Money() ? (*most / *least).to_double() - 1.0 : 0.0;
}

std::optional<Finding> first_error(const Findings& findings) {
  for (const Finding& finding : findings.list())
    if (finding.severity == Severity::kError) return finding;
  return std::nullopt;
}

}  // namespace

double coarse_precision(const Scenario& s) { return std::min(4.0 * s.run.precision, 0.04); }

std::int64_t coarse_steps(const Scenario& s) {
  constexpr std::int64_t kLeast = 500, kTimesAhead = 5;
  constexpr double kEpochs = 3.0;
  const std::int64_t steps = std::min(s.run.max_steps, kLeast + kTimesAhead * batches_ahead(s));
  // Batches ahead do not outlast an epoch.
  const auto of_epochs = static_cast<std::int64_t>(std::min(kEpochs * epoch_steps(s), 1e9));
  return of_epochs > 0 ? std::min(steps, std::max(kLeast, of_epochs)) : steps;
}

Assessor::Assessor(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, RunOptions options)
    : base_(base), space_(space), catalogue_(catalogue), options_(std::move(options)) {}

Loaded<ResolvedScenario> Assessor::resolved_at(std::int64_t index) const {
  return resolve_at(base_, space_.point(index), catalogue_);
}

const Looked& Assessor::look(std::int64_t top, std::int64_t bottom) {
  {
    const std::lock_guard lock(looks_mutex_);
    const auto found = looks_.find({top, bottom});
    if (found != looks_.end()) return found->second;
  }
  Looked out;
  const Loaded<ResolvedScenario> best = resolved_at(top);
  const Loaded<ResolvedScenario> least = top == bottom ? best : resolved_at(bottom);
  out.problem = first_error(best.findings);
  out.bottom_problem = first_error(least.findings);
  if (!out.problem) {
    const Scenario& s = best.value->scenario;
    set_known_figures(out.most, s);
    out.may_be_coarse = may_be_coarse(s);
    out.is_disturbed = undisturbed_part(s).has_value();
    if (!out.bottom_problem) {
      out.best = best_case(*best.value, *least.value);
      const std::optional<Estimate>& time = out.best.of(Figure::kTime);
      out.more_loading_helps = more_loading_helps(s, least.value->scenario, time);
      out.more_capacity_helps = more_capacity_helps(s, time);
      out.price_range = price_range(*best.value, *least.value);
    }
  }
  if (!out.bottom_problem) set_known_figures(out.least, least.value->scenario);
  const std::lock_guard lock(looks_mutex_);
  return looks_.try_emplace({top, bottom}, std::move(out)).first->second;
}

void Assessor::simulate_all(const std::vector<Job>& jobs) {
  struct Waiting {
    Job job;
    std::optional<ResolvedScenario> resolved;
    Scenario simulated;
    std::string key;
    bool uncertain = false;
  };
  std::vector<Waiting> waiting;
  for (const Job& job : jobs)
    if (find(job.index, job.level) == nullptr) waiting.push_back({job, std::nullopt, {}, {}, false});
  parallel_for(std::ssize(waiting), options_.threads, [&](std::int64_t i) {
    Waiting& one = waiting[static_cast<std::size_t>(i)];
    one.resolved = resolved_at(one.job.index).value;
    if (!one.resolved) return;
    Scenario& s = one.resolved->scenario;
    one.uncertain = !s.run.uncertain.empty();
    if (one.job.level != Level::kUncertain) one.resolved = with_inputs_as_given(std::move(*one.resolved));
    if (one.job.level == Level::kCoarse) {
      s.run.precision = coarse_precision(s);
      s.run.max_steps = coarse_steps(s);
    }
    one.simulated = s;
    if (one.job.level == Level::kCoarse || one.job.level == Level::kUndisturbed) {
      if (std::optional<Scenario> part = undisturbed_part(s)) {
        one.simulated = std::move(*part);
      }
    }
    one.key = simulation_key(one.simulated);
  });
  std::erase_if(waiting, [](const Waiting& one) { return !one.resolved; });

  std::map<std::string, PendingRun> pending;
  for (const Waiting& one : waiting) {
    if (runs_.contains(one.key) ||
        !pending.try_emplace(one.key, PendingRun{one.simulated, one.job.level, nullptr}).second)
      ++counts_.shared;
  }
  make_runs(pending);

  std::vector<std::optional<Assessed>> found(waiting.size());
  parallel_for(std::ssize(waiting), options_.threads, [&](std::int64_t i) {
    const Waiting& one = waiting[static_cast<std::size_t>(i)];
    const auto run = runs_.find(one.key);
    if (run == runs_.end()) return;
    const Evaluation evaluation = evaluate(*one.resolved, *run->second);
    Assessed& out = found[static_cast<std::size_t>(i)].emplace();
    out.figures = simulated_figures(evaluation);
    set_known_figures(out.figures, one.resolved->scenario);
    out.bottleneck = bottleneck_name(evaluation.result);
    out.run = run->second;
    out.uncertain = one.uncertain;
    if (one.job.level == Level::kCoarse) {
      out.margin = std::max(one.resolved->scenario.run.precision, evaluation.result.gpu_utilization.half_width());
    }
  });
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (found[i]) assessed_[{waiting[i].job.index, waiting[i].job.level}] = std::move(*found[i]);
  }
}

void Assessor::make_runs(std::map<std::string, PendingRun>& pending) {
  std::vector<PendingRun*> runs;
  for (auto& [key, run] : pending) runs.push_back(&run);
  parallel_for(std::ssize(runs), options_.threads, [&](std::int64_t i) {
    PendingRun& run = *runs[static_cast<std::size_t>(i)];
    if (stopped()) return;
    RunOptions one = options_;
    if (runs.size() > 1) one.threads = 1;
    one.coarse = one.coarse || run.level == Level::kCoarse;
    RunResult result = simulate(run.scenario, one);
    if (!stopped()) run.result = std::make_shared<const RunResult>(std::move(result));
  });
  for (auto& [key, run] : pending) {
    if (run.result == nullptr) continue;
    ++(run.level == Level::kCoarse        ? counts_.coarse
       : run.level == Level::kUndisturbed ? counts_.undisturbed
       : run.level == Level::kAsGiven     ? counts_.as_given
                                          : counts_.uncertain);
    runs_[key] = run.result;
  }
}

const Assessed* Assessor::find(std::int64_t index, Level level) const {
  const auto found = assessed_.find({index, level});
  return found == assessed_.end() ? nullptr : &found->second;
}

const Assessed* Assessor::best_known(std::int64_t index) const {
  for (const Level level : {Level::kUncertain, Level::kAsGiven, Level::kUndisturbed, Level::kCoarse})
    if (const Assessed* known = find(index, level)) return known;
  return nullptr;
}

std::optional<Figures> Assessor::priced_as(const Assessed& known, std::int64_t index) const {
  const Loaded<ResolvedScenario> resolved = resolved_at(index);
  if (!resolved.ok()) return std::nullopt;
  Evaluation evaluation;
  evaluation.result = *known.run;
  evaluation.cost = price_run(*resolved.value, evaluation.result);
  return simulated_figures(evaluation);
}

Evaluation Assessor::evaluation(std::int64_t index, Level level) const {
  const Assessed* known = find(index, level);
  const Loaded<ResolvedScenario> resolved = resolved_at(index);
  invariant(known != nullptr && resolved.ok(), "Assessor: the point was simulated");
  return evaluate(level == Level::kUncertain ? *resolved.value : with_inputs_as_given(*resolved.value), *known->run);
}

std::vector<std::int64_t> Assessor::points_at(Level level) const {
  std::vector<std::int64_t> points;
  for (const auto& [key, assessed] : assessed_)
    if (key.second == level) points.push_back(key.first);
  return points;
}

std::int64_t Assessor::simulated_points() const {
  std::set<std::int64_t> points;
  for (const auto& [key, assessed] : assessed_) points.insert(key.first);
  return std::ssize(points);
}

}  // namespace stallcast
