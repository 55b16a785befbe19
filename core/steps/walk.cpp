#include "core/steps/walk.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "core/model/represented.h"
#include "core/model/training_model.h"
#include "core/scenario/data_path.h"
#include "core/steps/luck.h"

namespace stallcast {
namespace {

// When to stop. An outline goes to its end; a run that has none goes on until its utilization is known to the precision
// that was asked for.
class StoppingRule {
 public:
  StoppingRule(const Scenario& s, const Scenario& job, const Outline& outline, const Setup& setup,
               const TrainingModel& model)
      : s_(s),
        job_(job),
        outline_(outline),
        options_(setup.options),
        model_(model),
        tell_every_(std::clamp<std::int64_t>(4096 / s.ranks(), 1, 256)) {}

  bool keep_going(std::int64_t done) {
    steps_ = done;
    if ((done & 15) == 0 && options_.stop.stop_requested()) return false;
    if (!outline_.endless) {
      if (options_.progress && done % tell_every_ == 0) tell({0.0, 0.0, 1.0}, outline_.steps);
      // Epochs end by themselves; one that does not is as long as the outline.
      return outline_.course.epochs.front().batches < EpochCourse::kEndless || done < outline_.steps;
    }
    if (done < next_check_) return true;
    next_check_ = done + std::max<std::int64_t>(100, done / 4);
    drop_ = drop_of(done);
    const Account account = account_of({s_, job_, outline_, model_, static_cast<std::size_t>(done), drop_});
    const double half = account.half_width;
    if (options_.progress) {
      const double wide = std::min(1.0, half) / s_.run.precision;
      tell({account.au_steady, std::max(0.0, account.au_steady - half), std::min(1.0, account.au_steady + half)},
           static_cast<std::int64_t>(std::min(static_cast<double>(s_.run.max_steps),
                                              static_cast<double>(done) * std::max(1.0, wide * wide))));
    }
    converged_ = half <= s_.run.precision && done >= 20 * batches_ahead(s_) && account.settled;
    return !converged_;
  }

  std::int64_t steps() const { return steps_; }
  bool converged() const { return converged_; }

  std::size_t drop_of(std::int64_t done) const {
    return outline_.endless ? warm_up_steps(s_, model_.log(), static_cast<std::size_t>(done)) : 0;
  }

 private:
  void tell(const Estimate& utilization, std::int64_t wanted) const {
    Progress progress;
    progress.simulated_s = model_.log().end_s[static_cast<std::size_t>(steps_) - 1];
    progress.steps = steps_;
    progress.steps_wanted = wanted;
    progress.gpu_utilization = utilization;
    options_.progress(progress);
  }

  const Scenario& s_;
  const Scenario& job_;
  const Outline& outline_;
  const RunOptions& options_;
  const TrainingModel& model_;
  std::int64_t tell_every_;  // steps
  std::int64_t steps_ = 0, next_check_ = 200;
  std::size_t drop_ = 0;
  bool converged_ = false;
};

}  // namespace

Walk walk(const Scenario& job, const Outline& outline, const Setup& setup) {
  const auto began = std::chrono::steady_clock::now();
  const Representatives& group = setup.nodes;
  const Scenario s = represented(job, group);
  std::optional<ReadPlan> plan;
  if (!outline.plan.mixes.empty()) {
    plan = outline.plan;
    const double copied = s.storage.scope == TierScope::kShared ? group.share() : 1.0;  // else each node copies all
    for (double* const part : {&plan->copy_bytes, &plan->copy_requests, &plan->copy_files}) *part *= copied;
    for (const EpochCourse& epoch : outline.course.epochs)
      plan->copy_most_stands_for = std::max(plan->copy_most_stands_for, epoch.most_stands_for());
  }
  TrainingModel model(s, setup.seed, setup.replay, setup.trace, plan ? &*plan : nullptr, group.all() ? nullptr : &job,
                      &outline.course, grain_of(setup.options.exact, setup.options.coarse));
  StoppingRule rule(s, job, outline, setup, model);
  model.simulator().end_on(setup.options.stop);
  model.run(outline.endless ? s.run.max_steps : std::numeric_limits<std::int64_t>::max(),
            [&rule](std::int64_t done) { return rule.keep_going(done); });

  Walk out;
  out.steps = rule.steps();
  out.events = model.simulator().events();
  if (out.steps > 0) {
    const bool stopped = setup.options.stop.stop_requested() || model.simulator().out_of_time();
    out.complete = outline.endless ? rule.converged() : !stopped;
    const auto steps = static_cast<std::size_t>(out.steps);
    out.account = account_of({s, job, outline, model, steps, rule.drop_of(out.steps), !stopped});
    out.simulated_s = model.log().end_s[steps - 1] - model.log().epoch_start_s.front();
    out.waited_for_absent_s = model.waited_for_absent_s();
    const double nodes = 1.0 / group.share();
    out.samples = static_cast<double>(steps) *
                  static_cast<double>(job.workload.batch_size * job.workload.gradient_accumulation * job.ranks());
    out.read_bytes = model.tier().read_bytes() * nodes;
    out.written_bytes = model.tier().written_bytes() * nodes;
    out.time_to_first_batch_s = model.log().first_wait_s.front();
    out.copied_s = model.tier().copied_s();
  }
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

}  // namespace stallcast
