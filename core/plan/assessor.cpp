#include "core/plan/assessor.h"

#include <algorithm>
#include <set>

#include "core/plan/best_case.h"
#include "core/plan/evaluation.h"
#include "core/run/parallel.h"
#include "core/run/weeks.h"
#include "core/model/staging.h"
#include "core/scenario/host_memory.h"

namespace stallcast {
namespace {

// Of the dataset: a page cache that is smaller by no more than this has practically the same hits.
constexpr double kCacheNotMissed = 0.005;
// A run that is as precise as this takes no longer than a coarser one.
constexpr double kCoarseEnough = 0.02;

// Coarse runs may end before the first checkpoint, unless those are drawn out over the calendar.
bool may_be_coarse(const Scenario& s) {
  if (s.run.whole_run || s.run.precision >= kCoarseEnough) return false;
  return s.checkpoint.mode == CheckpointMode::kNone || needs_calendar(s);
}

// A core for each worker, a trainer and a pinning thread of every rank.
bool more_workers_help(const Scenario& s) {
  return s.loader.num_workers > 0 &&
         static_cast<double>((s.loader.num_workers + 2) * s.cluster.gpus_per_node) <= s.cluster.cores_per_node;
}

bool memory_is_free(const Scenario& top, const Scenario& bottom) {
  if (top.page_cache.policy == CachePolicy::kNone) return true;
  const double dataset = dataset_files(top).bytes;
  const double taken = loader_host_memory(top).total().base() - loader_host_memory(bottom).total().base();
  return taken <= kCacheNotMissed * dataset || top.page_cache.capacity.base() >= dataset;
}

std::optional<Finding> first_error(const Findings& findings) {
  for (const Finding& finding : findings.list())
    if (finding.severity == Severity::kError) return finding;
  return std::nullopt;
}

// A run to be made, and the points that wait for it.
struct PendingRun {
  Scenario scenario;
  Level level = Level::kAsGiven;
  std::shared_ptr<const RunResult> result;
};

}  // namespace

double coarse_precision(const Scenario& s) { return std::min(4.0 * s.run.precision, 0.04); }

Assessor::Assessor(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, const RunOptions& options)
    : base_(base), space_(space), catalogue_(catalogue), options_(options) {}

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
    out.best = best_case(*best.value);
    set_known_figures(out.best, s);
    out.may_be_coarse = may_be_coarse(s);
    out.more_workers_help = more_workers_help(s);
    out.more_capacity_helps = s.storage.mean_time_to_data_loss.base() <= 0.0;
    out.memory_is_free = !out.bottom_problem && memory_is_free(s, least.value->scenario);
  }
  if (!out.bottom_problem) set_known_figures(out.least, least.value->scenario);
  const std::lock_guard lock(looks_mutex_);
  return looks_.try_emplace({top, bottom}, std::move(out)).first->second;
}

void Assessor::simulate_all(const std::vector<Job>& jobs) {
  struct Waiting {
    Job job;
    std::optional<ResolvedScenario> resolved;
    std::string key;
    bool uncertain = false;
  };
  std::vector<Waiting> waiting;
  for (const Job& job : jobs)
    if (find(job.index, job.level) == nullptr) waiting.push_back({job, std::nullopt, {}, false});
  parallel_for(std::ssize(waiting), options_.threads, [&](std::int64_t i) {
    Waiting& one = waiting[static_cast<std::size_t>(i)];
    one.resolved = resolved_at(one.job.index).value;
    if (!one.resolved) return;
    Scenario& s = one.resolved->scenario;
    one.uncertain = !s.run.uncertain.empty();
    if (one.job.level != Level::kUncertain) one.resolved = with_inputs_as_given(std::move(*one.resolved));
    if (one.job.level == Level::kCoarse) s.run.precision = coarse_precision(s);
    one.key = simulation_key(s);
  });
  std::erase_if(waiting, [](const Waiting& one) { return !one.resolved; });

  std::map<std::string, PendingRun> pending;
  for (const Waiting& one : waiting) {
    if (runs_.contains(one.key) || !pending.try_emplace(one.key, one.resolved->scenario, one.job.level).second)
      ++counts_.shared;
  }
  std::vector<PendingRun*> runs;
  for (auto& [key, run] : pending) runs.push_back(&run);
  parallel_for(std::ssize(runs), options_.threads, [&](std::int64_t i) {
    PendingRun& run = *runs[static_cast<std::size_t>(i)];
    if (stopped()) return;
    RunOptions one = options_;
    if (runs.size() > 1) one.threads = 1;
    RunResult result = simulate(run.scenario, one);
    if (!stopped()) run.result = std::make_shared<const RunResult>(std::move(result));
  });
  for (auto& [key, run] : pending) {
    if (run.result == nullptr) continue;
    ++(run.level == Level::kCoarse    ? counts_.coarse
       : run.level == Level::kAsGiven ? counts_.as_given
                                      : counts_.uncertain);
    runs_[key] = run.result;
  }

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
    out.uncertain = one.uncertain;
    if (one.job.level == Level::kCoarse) {
      out.margin = std::max(one.resolved->scenario.run.precision, evaluation.result.gpu_utilization.half_width());
    }
  });
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (found[i]) assessed_[{waiting[i].job.index, waiting[i].job.level}] = std::move(*found[i]);
  }
}

const Assessed* Assessor::find(std::int64_t index, Level level) const {
  const auto found = assessed_.find({index, level});
  return found == assessed_.end() ? nullptr : &found->second;
}

const Assessed* Assessor::best_known(std::int64_t index) const {
  for (const Level level : {Level::kUncertain, Level::kAsGiven, Level::kCoarse})
    if (const Assessed* known = find(index, level)) return known;
  return nullptr;
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
