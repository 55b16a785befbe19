#include "core/run/simulate_once.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/model/represented.h"
#include "core/model/storage/staging.h"
#include "core/result/estimate.h"
#include "core/result/ledger.h"
#include "core/result/lost_time.h"
#include "core/result/read_level.h"
#include "core/result/run_totals.h"
#include "core/scenario/host_memory.h"
#include "core/scenario/representatives.h"
#include "core/steps/account.h"
#include "core/steps/figures.h"
#include "core/steps/known_walks.h"
#include "core/steps/outline.h"
#include "core/steps/places.h"
#include "core/steps/regimes.h"
#include "core/steps/walk.h"
#include "core/timeline/optimal_interval.h"
#include "core/timeline/weeks.h"
#include "core/units/quantity.h"

namespace stallcast {
namespace {

// The run without an end, for its checkpoints: so many of them, and no fewer steps.
constexpr double kEndlessSaves = 100.0;
constexpr double kEndlessSteps = 20000.0;

constexpr double kMostEventsOnAllNodes = 8.0;  // of each affordable sample
constexpr double kFirst = 0.25;                // of what is affordable, simulated before more is

double step_of(const Account& account) { return account.step_time_s.mean; }

class Run {
 public:
  Run(const Scenario& job, const Setup& setup, bool without_start = false)
      : job_(job),
        setup_(setup),
        without_start_(without_start || run_steps(job) <= 0.0),
        saves_(job.checkpoint.mode != CheckpointMode::kNone),
        interrupted_(needs_timeline(job)),
        whole_(job.run.whole_run || setup.options.exact || setup.replay != nullptr) {}

  Undisturbed run() {
    const Representatives fewest = representatives_of(job_, setup_.options.coarse);
    setup_.nodes = nodes(fewest);
    if (run_steps(job_) <= 0.0) return run_endless();
    double affordable = affordable_on(setup_.nodes);
    if (!setup_.nodes.all() && all_are_few(fewest)) {
      affordable = affordable_on(fewest);
      setup_.nodes = {fewest.of, fewest.of};
    }
    if (whole_ || run_steps(job_) <= affordable) return run_whole();
    return run_in_parts(affordable);
  }

 private:
  Scenario without_saves() const {
    Scenario clear = job_;
    clear.checkpoint.mode = CheckpointMode::kNone;
    return clear;
  }

  Outline outlined(const Scenario& s, double steps, bool whole, const SavePlan* saves) const {
    return outline_of(s, {steps, whole, setup_.options.coarse, without_start_}, saves);
  }

  bool stopped() const { return setup_.options.stop.stop_requested(); }

  double affordable_on(const Representatives& nodes) const {
    return static_cast<double>(affordable_steps(represented(job_, nodes), setup_.options.affordable_samples));
  }

  // All where nothing is to stand for others or all of the job is affordable, else as many as leave what is simulated
  // at first to the fewest steps that stand for the run.
  Representatives nodes(const Representatives& fewest) const {
    const Representatives all{fewest.of, fewest.of};
    const double steps = run_steps(job_);
    if (setup_.options.exact || setup_.replay != nullptr || (steps > 0.0 && steps <= affordable_on(all))) return all;
    if (fewest.all() || steps <= 0.0 || setup_.options.coarse) return fewest;
    const double shortest = static_cast<double>(outlined(without_saves(), 1.0, false, nullptr).steps);
    const double walked = std::min(steps, shortest) * (saves_ ? 2.0 : 1.0);
    const auto paid = static_cast<std::int64_t>(kFirst * affordable_on({1, fewest.of}) / walked);
    return {std::clamp(paid, fewest.nodes, fewest.of), fewest.of};
  }

  // Whether all nodes stand for themselves, in as many steps as their representatives would be simulated: up to twice
  // as many as these, where that is affordable. One node in the fewest steps that stand for the run says what it takes.
  bool all_are_few(const Representatives& fewest) {
    if (fewest.of > 2 * fewest.nodes || setup_.options.coarse) return false;
    const Scenario clear = without_saves();
    Setup one = setup_;
    one.nodes = {1, fewest.of};
    one.trace = nullptr;
    const Walk told = known_or_new(clear, outlined(clear, 1.0, false, nullptr), one);
    events_ += told.events;
    wall_s_ += told.wall_s;
    const bool whole = whole_ || run_steps(job_) <= affordable_on(fewest);
    const double runs = (whole ? needs_both() : saves_) ? 2.0 : 1.0;
    const double steps = runs * (whole ? run_steps(job_) : affordable_on(fewest));
    const double each = static_cast<double>(told.events) / static_cast<double>(std::max<std::int64_t>(1, told.steps));
    return !stopped() && is_affordable(each * static_cast<double>(fewest.of) * steps, kMostEventsOnAllNodes);
  }

  // --- every step ---

  // Cadences that no step or clock of the run sets, but how fast it is.
  static bool needs_pace(CheckpointCadence cadence) {
    return cadence == CheckpointCadence::kOptimal || cadence == CheckpointCadence::kContinuous;
  }

  // Whether the run with its checkpoints needs the one without them first: to place them, or as what is interrupted.
  bool needs_both() const { return saves_ && (interrupted_ || needs_pace(job_.checkpoint.cadence)); }

  Undisturbed run_whole() {
    const Scenario clear = needs_both() ? without_saves() : job_;
    const Outline outline = outlined(clear, run_steps(job_), true, nullptr);
    const Walk base = step(clear, outline);
    if (wants_all_nodes(base)) return on_all_nodes();
    return needs_both() ? with_saves(base, outline, run_steps(job_), true) : finish(base, nullptr, outline);
  }

  // --- a part of them ---

  Undisturbed run_in_parts(double affordable) {
    const Scenario clear = saves_ ? without_saves() : job_;
    const double most = std::min(static_cast<double>(job_.run.max_steps), affordable);
    double steps = std::min(most, kFirst * affordable);
    for (;;) {
      const Outline outline = outlined(clear, steps, false, nullptr);
      const double walked = static_cast<double>(outline.steps) * (saves_ ? 2.0 : 1.0);
      if (walked >= run_steps(job_) * (needs_both() ? 2.0 : 1.0)) return run_whole();
      Walk base = step(clear, outline);
      if (whole_is_affordable(base)) return on_all_nodes();
      if (wants_all_nodes(base)) {
        setup_.nodes = {setup_.nodes.of, setup_.nodes.of};
        continue;
      }
      const bool enough = base.account.half_width <= job_.run.precision && base.account.settled;
      const double wanted = setup_.options.coarse ? job_.run.precision : precision_of_time(base.account);
      const bool fine = enough && base.account.half_width <= wanted;
      const double more = base.steps == 0 || stopped() || fine ? 0.0 : more_steps(base, outline, most, wanted);
      if (more <= 0.0) {
        base.complete = base.complete && enough;
        return saves_ ? with_saves(base, outline, steps, false) : finish(base, nullptr, outline);
      }
      steps = more;
    }
  }

  // Whether every step of all nodes takes no more events than what is simulated whole from the outset: samples of some
  // jobs take few, as where a request brings hundreds of them.
  bool whole_is_affordable(const Walk& base) const {
    constexpr double kUsualEventsOfASample = 1.5;
    if (base.steps == 0 || stopped() || setup_.options.coarse) return false;
    const double all_nodes = 1.0 / setup_.nodes.share(), runs = needs_both() ? 2.0 : 1.0;
    const double events = static_cast<double>(base.events) / static_cast<double>(base.steps) * run_steps(job_);
    return events * all_nodes * runs <= kUsualEventsOfASample * setup_.options.affordable_samples;
  }

  Undisturbed on_all_nodes() {
    setup_.nodes = {setup_.nodes.of, setup_.nodes.of};
    return run_whole();
  }

  // Whether the same steps of all nodes are to be simulated, as is affordable: how long those wait that are simulated
  // for those that are not is extrapolated, which is not good enough where it is much of the time.
  bool wants_all_nodes(const Walk& base) const {
    constexpr double kMuch = 0.01;
    if (setup_.nodes.all() || base.steps == 0 || stopped() || setup_.options.coarse) return false;
    const double runs = saves_ ? 2.0 : 1.0, events = static_cast<double>(base.events) / setup_.nodes.share();
    return base.waited_for_absent_s > kMuch * base.simulated_s && is_affordable(runs * events, kMostEventsOnAllNodes);
  }

  // Whether so many events more are, where `most` of each affordable sample are.
  bool is_affordable(double events, double most) const {
    return static_cast<double>(events_) + events <= most * setup_.options.affordable_samples;
  }

  // Half-width of the interval of utilization at which the run is known well enough. Where GPUs compute for less than
  // half of the time it is smaller than what was asked for: half a point of 20 % is 2.5 % of the time and of the bill.
  double precision_of_time(const Account& account) const {
    const LedgerPhase trained = sum_of(account.phases, is_training);
    const double gpu_s = trained.wall_s * static_cast<double>(job_.ranks());
    return job_.run.precision * (gpu_s > 0.0 ? std::min(1.0, 2.0 * trained.compute_gpu_s / gpu_s) : 1.0);
  }

  // How many steps are to be simulated after `base` did not give the `precision`; 0 = more are not affordable.
  double more_steps(const Walk& base, const Outline& outline, double most, double precision) const {
    constexpr double kWorthIt = 1.5, kMostEventsOfASample = 5.0;
    const double wide = precision > 0.0 ? std::min(4.0, base.account.half_width / precision) : 4.0;
    const double next = std::min(most, static_cast<double>(outline.steps) * std::max(2.0, wide * wide));
    // Samples of some jobs take many events each: requests that are refused, cores that are shared.
    const double each = static_cast<double>(base.events) / static_cast<double>(base.steps);
    const bool affordable = is_affordable(next * each, kMostEventsOfASample);
    return affordable && next >= kWorthIt * static_cast<double>(outline.steps) ? next : 0.0;
  }

  // `base` is the run without checkpoints: their places and weights depend on its pace.
  Undisturbed with_saves(const Walk& base, const Outline& outline, double steps, bool whole) {
    if (base.steps == 0 || stopped()) return finish(base, nullptr, outline);
    SavePlan plan;
    for (const double step_s : base.account.regime_step_s) plan.step_s.push_back(std::max(1e-9, step_s));
    plan.step_s.resize(outline.regimes.size(), plan.step_s.back());
    plan.place_step_s = base.account.place_step_s;
    plan.head = outline.head;
    if (job_.checkpoint.cadence == CheckpointCadence::kOptimal)
      plan.interval_steps = first_interval(step_of(base.account));
    if (job_.checkpoint.cadence == CheckpointCadence::kContinuous)
      plan.interval_steps = interval_steps(job_, step_of(base.account));
    // Those by the clock come in a run that is simulated whole when the clock says.
    const bool by_clock = job_.checkpoint.cadence == CheckpointCadence::kTime;
    const Outline with =
        whole && by_clock ? outlined(job_, steps, whole, nullptr) : outlined(job_, steps, whole, &plan);
    const Walk saving = step(job_, with);
    Undisturbed out = finish(interrupted_ ? base : saving, &saving, interrupted_ ? outline : with, &plan);
    // Both simulated whole, with the same luck: what checkpoints cost is the difference.
    const SaveStatistics& saves = saving.account.saves;
    if (!outline.weighted && !with.weighted && saves.count > 0.0) {
      const auto wall_s = [](const Walk& w) { return sum_of(w.account.phases, is_training).wall_s; };
      out.checkpoint.slowdown_s =
          (wall_s(saving) - wall_s(base)) / saves.count - saves.stop_s + (interrupted_ ? 0.0 : saves.backlog_s);
    }
    return out;
  }

  // Where the interval is to be searched for: about where it will be. Where nothing is lost, one at the end is enough.
  double first_interval(double step_s) const {
    const double all = run_steps(job_), interval_s = interrupted_ ? estimated_interval(job_, 1e-3 * step_s) : 0.0;
    return interval_s > 0.0 ? std::clamp(std::round(interval_s / step_s), 1.0, all) : all;
  }

  // --- a run without an end ---

  static Scenario long_one_start(Scenario clear) {
    clear.run.epochs = 1;
    clear.run.steps_per_epoch = std::llround(kEndlessSteps);
    return clear;
  }

  Undisturbed run_endless() {
    Scenario clear = without_saves();
    clear.storage.burst_bandwidth = {};  // credit is spent
    const Outline outline = outlined(clear, 0.0, false, nullptr);
    const Walk base = step(clear, outline);
    const double interval = saves_ ? interval_steps(job_, step_of(base.account)) : 0.0;
    if (interval <= 0.0 || base.steps == 0) return finish(base, nullptr, outline);
    Scenario long_one = job_;
    long_one.storage.burst_bandwidth = {};
    long_one.failures = FailureSpec();
    long_one.run.epochs = 1;
    long_one.workload.validation_steps = 0;  // it has no end
    const Outline start = outlined(long_one_start(clear), 1.0, false, nullptr);
    long_one.run.steps_per_epoch =
        std::llround(std::max(kEndlessSaves, std::ceil(kEndlessSteps / interval)) * interval) + start.head;
    long_one.dataset.shards_per_rank = 0;
    Undisturbed out = Run(long_one, setup_, true).run();
    RunResult& result = out.result;
    result.ledger.erase(result.ledger.begin(),
                        std::find_if(result.ledger.begin(), result.ledger.end(), [](const LedgerPhase& phase) {
                          return is_training(phase.kind) && phase.kind != PhaseKind::kStart;
                        }));
    result.totals = RunTotals();
    result.time_to_train_s = result.useful_gpu_fraction = 0.0;
    result.regimes.clear();
    set_figures(result, job_, out.half_width, true);
    return out;
  }

  // --- the result ---

  Walk step(const Scenario& s, const Outline& outline) {
    Setup setup = setup_;
    setup.trace = std::exchange(setup_.trace, nullptr);
    if (setup.trace != nullptr && saves_ && s.checkpoint.mode == CheckpointMode::kNone) {
      // A timeline shows checkpoints where they fall among the steps.
      const Outline with =
          outlined(job_, static_cast<double>(std::max<std::int64_t>(1, outline.steps)), outline.whole, nullptr);
      walk(job_, with, setup);
      setup.trace = nullptr;
    }
    Walk out = known_or_new(s, outline, setup);
    events_ += out.events;
    wall_s_ += out.wall_s;
    return out;
  }

  // A walk that another run of the same question has gone is not gone again.
  static Walk known_or_new(const Scenario& s, const Outline& outline, const Setup& setup) {
    KnownWalks* const known = setup.options.known.get();
    if (known == nullptr || setup.trace != nullptr || setup.replay != nullptr) return walk(s, outline, setup);
    const std::string key = walk_key(s, outline, setup);
    if (std::optional<Walk> found = known->find(key)) return *std::move(found);
    Walk out = walk(s, outline, setup);
    if (!setup.options.stop.stop_requested()) known->keep(key, out);
    return out;
  }

  Undisturbed finish(const Walk& main, const Walk* saving, const Outline& outline, const SavePlan* plan = nullptr) {
    Undisturbed out;
    RunResult& r = out.result;
    r.seed = setup_.seed;
    r.events = events_;
    r.wall_s = wall_s_;
    r.steps = main.steps;
    if (main.steps == 0) return out;
    const Account& account = main.account;
    r.samples = std::llround(main.samples);
    r.simulated_s = main.simulated_s;
    r.read_bytes = main.read_bytes;
    r.wanted_bytes =
        r.read_bytes * (job_.dataset.layout == DatasetLayout::kColumnar ? job_.dataset.wanted_fraction : 1.0);
    r.written_bytes = main.written_bytes;
    r.time_to_first_batch_s = main.time_to_first_batch_s;
    r.step_time_s = account.step_time_s;
    r.after_last_step_s = account.after_last_step_s;
    r.au_steady = account.au_steady;
    r.au_mlperf = account.au_mlperf;
    r.samples_per_s_mlperf = account.samples_per_s_mlperf;
    r.whole = outline.whole && main.complete;
    r.converged = main.complete && (outline.endless || outline.whole || account.half_width <= job_.run.precision);
    r.ledger = account.phases;
    if (has_kinds_of_reads(outline.regimes) || outline.regimes.size() > 1) r.regimes = account.regimes;
    out.half_width = account.half_width;
    if (outline.endless && job_.storage.read_bandwidth.base() > 0.0 && r.simulated_s > 0.0) {
      const double devices = job_.storage.scope == TierScope::kPerNode ? static_cast<double>(job_.cluster.nodes) : 1.0;
      r.storage_busy_fraction =
          std::min(1.0, r.read_bytes / (job_.storage.read_bandwidth.base() * devices * r.simulated_s));
    }
    if (!outline.endless) add_preparation(r, main.copied_s);
    if (saves_) add_saves(out, saving == nullptr ? main : *saving, plan, outline);
    set_figures(r, job_, out.half_width, outline.endless);
    r.host_memory.loader = loader_host_memory(job_).total().base();
    if (job_.page_cache.policy != CachePolicy::kNone) r.host_memory.page_cache = job_.page_cache.capacity.base();
    return out;
  }

  void add_saves(Undisturbed& out, const Walk& saving, const SavePlan* plan, const Outline& outline) const {
    RunResult& r = out.result;
    const SaveStatistics& saves = saving.account.saves;
    const double step_s = plan != nullptr && !plan->step_s.empty() ? plan->step_s.back() : step_of(saving.account);
    const double steps =
        plan != nullptr && plan->interval_steps > 0.0 ? plan->interval_steps : interval_steps(job_, step_s);
    out.checkpoint = behaviour_of(job_, saves, steps, step_s);
    if (interrupted_ || outline.endless) return;
    r.checkpoints = std::llround(saves.count);
    r.checkpoint_stop_s = saves.stop_s;
    r.timeline.checkpoint = out.checkpoint;
    add_writes(r.ledger, job_, saves.stored);
  }

  // What precedes the first step: names are listed, a bulk copy is made.
  void add_preparation(RunResult& out, double copied_s) const {
    const Scenario& s = job_;
    const DatasetFiles data = dataset_files(s);
    const Listing listing = list_files(s.storage, data.files);
    LedgerPhase names, copy;
    names.kind = PhaseKind::kListing;
    copy.kind = PhaseKind::kStaging;
    names.list_requests = listing.requests;
    names.wall_s = listing.time_s;
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
          copy.wall_s = import.copy_s;
          break;
        case StagingMethod::kLazy:
          out.staging.method = "lazy";
          break;
        case StagingMethod::kPrefetch:
          out.staging.method = "prefetch";
          out.staging.copy_s = copied_s;
          out.staging.limit = import.limit;
          break;
      }
      if (s.staging.method != StagingMethod::kLazy) {
        names.wall_s += import.listing.time_s;
        names.origin_list_requests = import.listing.requests;
        copy.read_bytes[index_of(ReadLevel::kOrigin)] = copy.written_bytes = copies_of_dataset(s) * data.bytes;
        copy.read_requests[index_of(ReadLevel::kOrigin)] = import.read_requests;
        copy.write_requests = import.write_requests;
      }
    }
    for (LedgerPhase* const phase : {&copy, &names}) {
      phase->times = 1.0;
      phase->lost_gpu_s[index(LostTime::kStaging)] = phase->wall_s * static_cast<double>(s.ranks());
      if (phase->wall_s > 0.0 || phase->list_requests > 0.0 || phase->written_bytes > 0.0)
        out.ledger.insert(out.ledger.begin(), *phase);
    }
  }

  const Scenario& job_;
  Setup setup_;
  bool without_start_;  // it is left out of all figures
  bool saves_, interrupted_, whole_;
  std::uint64_t events_ = 0;
  double wall_s_ = 0.0;
};

}  // namespace

Undisturbed simulate_undisturbed(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  return Run(s, {seed, options, trace}).run();
}

RunResult with_interruptions(const Scenario& s, const Undisturbed& undisturbed, const RunOptions& options) {
  if (undisturbed.result.steps == 0 || !needs_timeline(s)) return undisturbed.result;
  RunResult out = extrapolate(s, undisturbed.result, undisturbed.checkpoint, options);
  const double of_timelines = out.timeline.replications > 1 ? out.timeline.goodput_fraction.half_width() : 0.0;
  // Of what ends the last epoch as much is kept as of training.
  const double undisturbed_s = sum_of(undisturbed.result.ledger, is_training).wall_s;
  if (undisturbed_s > 0.0) out.after_last_step_s *= sum_of(out.ledger, is_training).wall_s / undisturbed_s;
  set_figures(out, s, undisturbed.half_width, false);
  out.timeline.wall_s.mean = out.time_to_train_s;  // the same but for rounding
  const double half = std::hypot(out.gpu_utilization.half_width(), of_timelines);
  const double mean = out.gpu_utilization.mean;
  out.gpu_utilization = {mean, std::max(0.0, mean - half), std::min(1.0, mean + half)};
  return out;
}

RunResult simulate_once(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  return with_interruptions(s, simulate_undisturbed(s, seed, options, trace), options);
}

RunResult simulate_replaying(const Scenario& s, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed) {
  const RunOptions options;
  return Run(s, {seed, options, nullptr, replay}).run().result;
}

}  // namespace stallcast
