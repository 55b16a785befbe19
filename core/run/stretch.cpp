#include "core/run/stretch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/model/represented.h"
#include "core/model/training_model.h"
#include "core/run/epoch_turns.h"
#include "core/run/measure.h"
#include "core/run/step_series.h"
#include "core/run/totals.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

// How long a stretch is simulated, and over which of its steps it is measured.
class StoppingRule {
 public:
  // `sweep` > 0: over whole sweeps of so many steps.
  StoppingRule(const Scenario& s, const Setup& setup, const TrainingModel& model, std::int64_t sweep)
      : s_(s),
        options_(setup.options),
        model_(model),
        copying_(setup.regime != nullptr && setup.plan->copy_bytes > 0.0),
        epoch_(s.run.whole_run ? 0.0 : epoch_steps(s)),
        fill_(fill_steps(s)),
        sweep_(static_cast<std::size_t>(sweep)) {
    if (sweep > 0) next_check_ = static_cast<std::int64_t>(fill_) + sweep;
    if (s.run.whole_run && !options_.progress) next_check_ = kToTheEnd;
  }

  bool keep_going(std::int64_t done) {
    steps_ = static_cast<std::size_t>(done);
    if ((done & 15) == 0 && options_.stop.stop_requested()) return false;
    if (copying_) return steps_ < sweep_ && model_.tier().copied() < 1.0;
    if (done < next_check_ || !knows_sweep()) return true;
    const StepSeries series(model_.log(), steps_, static_cast<double>(s_.ranks()));
    const std::size_t sweeps = sweep_ > 0 ? (steps_ - fill_) / sweep_ : 0;
    next_check_ = done + (sweep_ > 0 ? static_cast<std::int64_t>(sweep_ * std::max<std::size_t>(1, sweeps / 2))
                                     : std::max<std::int64_t>(100, done / 4));
    const std::size_t drop =
        sweep_ > 0
            ? steps_ - sweeps * sweep_
            : std::max<std::size_t>(std::min<std::size_t>(steps_ / 2, static_cast<std::size_t>(batches_ahead(s_))),
                                    mser5_truncation(series.wall));
    const Estimate estimate =
        sweep_ > 0 ? sweep_utilization(s_, series, drop, sweep_) : steady_utilization(s_, series, drop);
    if (options_.progress) options_.progress({model_.log().end_s[steps_ - 1], done, estimate});
    if (s_.run.whole_run) return true;
    turns_missing_ = false;
    if (!has_turns() && turns_matter(s_, series, drop)) {
      if (sweep_ == 0 && sweep_epochs()) return true;
      turns_missing_ = true;
    }
    converged_ = estimate.half_width() <= s_.run.precision &&
                 (sweep_ > 0 || (done >= 20 * batches_ahead(s_) && settled(series, drop, s_.run.precision)));
    return !converged_;
  }

  std::size_t steps() const { return steps_; }
  bool converged() const { return converged_; }
  bool turns_missing() const { return turns_missing_; }  // turns matter and are not among what is measured

  // Once it has run: over the time that the copy takes, or that of whole sweeps; 0 = over what is left of the start.
  std::size_t sweep() const {
    if (copying_) return steps_ > 2 * fill_ ? steps_ - fill_ : 0;
    return sweeps_epochs_ && model_.log().epoch_first_step.size() < 2 ? 0 : sweep_;
  }

 private:
  static constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

  // A sweep of whole epochs is as long as the first turned out to be.
  bool knows_sweep() {
    if (!sweeps_epochs_) return true;
    if (model_.log().epoch_first_step.size() < 2) return false;
    sweep_ = static_cast<std::size_t>(model_.log().epoch_first_step[1]);
    return steps_ >= fill_ + sweep_;
  }

  bool has_turns() const { return sweeps_epochs_ || (sweep_ > 0 && static_cast<double>(sweep_) >= epoch_); }

  // Simulates whole epochs from here on, where they are not much longer than what is done and what a turn takes.
  bool sweep_epochs() {
    const auto longest = static_cast<double>(
        std::max(static_cast<std::int64_t>(steps_) + steps_on_their_way(s_), 2 * short_epoch_steps(s_)));
    if (epoch_ > longest || epoch_ + static_cast<double>(fill_) > static_cast<double>(s_.run.max_steps)) return false;
    if (s_.run.epochs > 1) {
      sweeps_epochs_ = true;
      next_check_ = static_cast<std::int64_t>(fill_) + static_cast<std::int64_t>(epoch_);
    } else {
      next_check_ = kToTheEnd;
    }
    return true;
  }

  const Scenario& s_;
  const RunOptions& options_;
  const TrainingModel& model_;
  bool copying_;
  double epoch_;  // steps; 0 = not known, or of no matter
  std::size_t fill_;
  std::size_t sweep_;  // steps; 0 = every step is like every other
  bool sweeps_epochs_ = false;
  std::size_t steps_ = 0;
  std::int64_t next_check_ = 200;
  bool converged_ = false;
  bool turns_missing_ = false;
};

// One run of the model, measured.
struct ModelRun {
  ModelRun(const Scenario& s, const Setup& setup, const Scenario& job, std::int64_t sweep_steps)
      : model(s, setup.seed, setup.replay, setup.trace, setup.plan, &job) {
    const auto began = std::chrono::steady_clock::now();
    StoppingRule rule(s, setup, model, sweep_steps);
    model.simulator().end_on(setup.options.stop);
    model.run(s.run.whole_run ? std::numeric_limits<std::int64_t>::max() : s.run.max_steps,
              [&rule](std::int64_t done) { return rule.keep_going(done); });
    // Of its own accord, when no steps were left.
    const bool finished = !model.simulator().stopped() && !model.simulator().out_of_time();
    sweep = rule.sweep();
    result = measure(s, model, rule.steps(), s.run.whole_run || finished, sweep);
    result.seed = setup.seed;
    result.converged =
        rule.converged() || (finished && (s.run.whole_run || result.gpu_utilization.half_width() <= s.run.precision));
    result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    turns_missing = rule.turns_missing() && !finished && !setup.options.stop.stop_requested();
  }

  TrainingModel model;
  std::size_t sweep = 0;
  RunResult result;
  bool turns_missing = false;
};

// The nodes of `s` through epochs that are short but for their turns, or one such epoch, and `pace` with what they
// show.
void add_simulated_turns(RunResult& pace, const Scenario& s, const Setup& setup, const Scenario& job, double total) {
  Scenario brief = with_short_epochs(s);
  const double epoch = epoch_steps(s), short_epoch = epoch_steps(brief);
  const bool one = s.run.epochs == 1;
  if (one) {
    brief.run.whole_run = true;
  } else {
    brief.run.epochs = std::numeric_limits<std::int32_t>::max();
  }
  brief.checkpoint.mode = CheckpointMode::kNone;
  std::optional<ReadPlan> plan;
  if (setup.plan != nullptr) {
    plan = *setup.plan;
    plan->samples_per_sweep =
        short_epoch * static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation);
  }
  const Setup part{setup.seed, setup.options, nullptr, nullptr, plan ? &*plan : nullptr, nullptr};
  const ModelRun turning(brief, part, job, one ? 0 : static_cast<std::int64_t>(short_epoch));
  const double fill = static_cast<double>(fill_steps(brief)), done = static_cast<double>(turning.result.steps);
  if (done < short_epoch + (one ? 0.0 : fill)) return;  // stopped
  const StepLog& log = turning.model.log();
  ShortEpochs turned{turning.result, std::min(short_epoch, epoch), 0.0, log.epoch_end_s[0] - log.epoch_start_s[0]};
  turned.measured_steps = one ? std::max(1.0, short_epoch - fill) : turned.steps;
  add_turns(pace, turned, epoch, total);
}

// The nodes of `s`, which are all of `job` or represent them.
Stretch simulate_nodes(const Scenario& s, const Setup& setup, const Scenario& job) {
  const Regime* const regime = setup.regime;
  ModelRun run(s, setup, job, regime != nullptr ? regime->sweep_steps : 0);
  Stretch out;
  RunResult& result = out.result = std::move(run.result);
  if (result.steps == 0) return out;
  const bool copying = setup.plan != nullptr && setup.plan->copy_bytes > 0.0;
  const ReadMix mix = regime != nullptr ? regime->mix.mean() : ReadMix();
  const double total = regime == nullptr ? epoch_steps(s) * static_cast<double>(s.run.epochs)
                       : copying         ? static_cast<double>(result.steps)
                                         : regime->steps;
  if (regime != nullptr) {
    result.totals = stretch_totals(s, run.model, result, total, copying ? nullptr : &mix);
    result.time_to_train_s = extrapolated_s(run.model.log(), total, result, run.sweep);
  }
  if (run.turns_missing) add_simulated_turns(result, s, setup, job, total);
  if (regime == nullptr) {
    result.staging.copy_s = run.model.tier().copied_s();
    if (total > 0.0) whole_run(result.totals, s, result.time_to_train_s, total);
    return out;
  }
  const auto steps = static_cast<std::size_t>(result.steps);
  const StepSeries series(run.model.log(), steps, static_cast<double>(s.ranks()));
  out.walls.assign(series.wall.begin() + static_cast<std::ptrdiff_t>(std::min(steps - 1, fill_steps(s))),
                   series.wall.end());
  out.copied = run.model.tier().copied();
  const StepLog& log = run.model.log();
  if (log.epoch_start_s.size() > 1) out.tail_s = log.epoch_start_s[1] - log.epoch_end_s[0];
  out.served = mix.served;
  if (copying) {
    out.served = run.model.tier().level_bytes();
    const double all = std::accumulate(out.served.begin(), out.served.end(), 0.0);
    for (double& share : out.served) share = all > 0.0 ? share / all : 0.0;
  }
  return out;
}

// What the representatives did, as all nodes of `job` did it.
void make_whole(RunResult& result, const Scenario& job, const Representatives& group) {
  const double times = 1.0 / group.share();
  result.samples = static_cast<std::int64_t>(std::llround(static_cast<double>(result.samples) * times));
  for (double* sum : {&result.samples_per_s, &result.samples_per_s_steady, &result.samples_per_s_mlperf,
                      &result.read_bytes, &result.wanted_bytes, &result.written_bytes})
    *sum *= times;
  for (const auto member : kSums) result.totals.*member *= times;
  if (result.totals.training_s > 0.0) {
    whole_run(result.totals, job, result.totals.training_s, epoch_steps(job) * static_cast<double>(job.run.epochs));
  }
}

}  // namespace

Stretch simulate_stretch(const Scenario& job, const Setup& setup) {
  const bool every_node = setup.options.exact || setup.replay != nullptr;
  const Representatives group =
      every_node ? Representatives{job.cluster.nodes, job.cluster.nodes} : representatives_of(job);
  if (group.all()) return simulate_nodes(job, setup, job);
  Setup part = setup;
  std::optional<ReadPlan> plan;
  if (setup.plan != nullptr) {
    plan = *setup.plan;
    plan->copy_bytes *= group.share();
    part.plan = &*plan;
  }
  Stretch out = simulate_nodes(represented(job, group), part, job);
  make_whole(out.result, job, group);
  return out;
}

RunResult simulate_replaying(const Scenario& scenario, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed) {
  return simulate_stretch(scenario, {seed, {}, nullptr, replay}).result;
}

}  // namespace stallcast
