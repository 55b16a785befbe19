#include "core/timeline/exact_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/model/training_model.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/run_length.h"
#include "core/steps/outline.h"
#include "core/timeline/weeks.h"

namespace stallcast {
namespace {

class ExactTrainer : public Trainer {
 public:
  ExactTrainer(const Scenario& s, const TimelineInput& input, std::uint64_t seed, std::uint64_t replication,
               std::stop_token stop)
      : s_(s),
        in_(input),
        stop_(std::move(stop)),
        plan_(outline_of(s, {run_steps(s), true}, nullptr).plan),
        seed_(seed ^ (replication + 1) * 0x9E3779B97F4A7C15ULL) {
    s_.run.epochs = std::numeric_limits<std::int32_t>::max();
    s_.checkpoint.cadence = CheckpointCadence::kSteps;
    s_.checkpoint.interval_steps = std::llround(input.checkpoint.interval_steps);
  }

  void train(double step, double now, double until, TrainingSession& out) override {
    out = TrainingSession{.step = step, .saved = std::move(out.saved)};
    out.saved.clear();
    const auto left = static_cast<std::int64_t>(std::llround(in_.steps - step));
    if (left <= 0) return validate(until - now, out);
    ReadPlan plan = plan_;
    const double passed = std::floor(step / epoch_steps(s_));
    if (!plan.sweeps.empty()) {
      const auto gone = std::min(static_cast<std::size_t>(passed), plan.sweeps.size() - 1);
      plan.sweeps.erase(plan.sweeps.begin(), plan.sweeps.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    TrainingModel model(s_, seed_ + sessions_++, nullptr, nullptr, plan.mixes.empty() ? nullptr : &plan);
    model.resume_after(std::llround(step));
    const StepLog& log = model.log();
    model.simulator().end_on(stop_);
    model.run(left, [&](std::int64_t done) { return now + log.end_s[static_cast<std::size_t>(done) - 1] < until; });
    out.stopped = stop_.stop_requested();
    if (out.stopped) return;
    take(model, step, now, until, out);
    const double left_s = until - now - out.spent.wall_s();
    if (static_cast<std::int64_t>(std::llround(out.step - step)) == left && left_s >= 0.0) validate(left_s, out);
  }

 private:
  // The model stops with the last step, before the validation pass that ends the run; what interrupts that interrupts
  // the run.
  void validate(double left_s, TrainingSession& out) const {
    out.spent.training_s += std::min(validation_s(s_), left_s);
    out.finished = validation_s(s_) <= left_s;
  }

  void take(const TrainingModel& model, double step, double now, double until, TrainingSession& out) const {
    const StepLog& log = model.log();
    std::size_t whole = 0;
    while (whole < log.end_s.size() && now + log.end_s[whole] <= until) ++whole;
    TrainingLedger spent;
    double clock = 0.0;
    auto checkpoint = model.checkpointer().log().begin();
    const auto last = model.checkpointer().log().end();
    for (std::size_t k = 0; k < whole; ++k) {
      spent.computed_gpu_s += log.compute_s[k];
      double stop = 0.0;
      const bool saved =
          checkpoint != last && checkpoint->step == std::llround(step) + static_cast<std::int64_t>(k) + 1;
      if (saved) stop = checkpoint->resumed_s - checkpoint->due_s;
      train_for(log.end_s[k] - clock - stop, k, spent);
      clock = log.end_s[k];
      if (!saved) continue;
      spent.backlog_s += checkpoint->backlog_s;
      spent.checkpoint_s += stop - checkpoint->backlog_s;
      out.saved.push_back(state_of(*checkpoint, now, spent, out));
      ++checkpoint;
    }
    out.skipped = static_cast<double>(model.checkpointer().skipped());
    out.step = step + static_cast<double>(whole);
    // The step that the interruption cuts off: a part of it, by its time.
    if (whole < log.end_s.size() && until < kNotAtAll) {
      const double part = (until - now - clock) / (log.end_s[whole] - clock);
      out.step += std::clamp(part, 0.0, 1.0 - 1e-6);
      spent.computed_gpu_s += part * log.compute_s[whole];
      train_for(until - now - clock, whole, spent);
    }
    out.spent = spent;
  }

  // The first step of a session has its start in it.
  void train_for(double time_s, std::size_t step, TrainingLedger& spent) const {
    const double start_s = step == 0 ? std::min(in_.startup_s, time_s) : 0.0;
    spent.startup_s += start_s;
    spent.training_s += time_s - start_s;
  }

  SavedState state_of(const CheckpointLog& entry, double now, const TrainingLedger& spent, TrainingSession& out) const {
    const auto at = [&](double time) { return time >= 0.0 ? now + time : kNotAtAll; };
    SavedState state;
    state.step = static_cast<double>(entry.step);
    state.spent = spent;
    state.first_level_at = at(entry.first_level_s);
    state.storage_at = at(entry.storage_s);
    state.exported_at = at(entry.exported_s);
    const CheckpointSpec& c = s_.checkpoint;
    const std::int64_t number = entry.step / c.interval_steps;
    const bool exports = is_exported(c, number);
    // A copy that the storage makes goes on without the job.
    if (exports && state.exported_at == kNotAtAll && state.storage_at < kNotAtAll)
      state.exported_at = state.storage_at + in_.checkpoint.export_s;
    out.checkpoints += 1.0;
    if (goes_to_storage(c, number)) out.stored += 1.0;
    if (exports) out.exported += 1.0;
    return state;
  }

  Scenario s_;
  const TimelineInput& in_;
  std::stop_token stop_;
  ReadPlan plan_;
  std::uint64_t seed_;
  std::uint64_t sessions_ = 0;
};

}  // namespace

std::unique_ptr<Trainer> exact_trainer(const Scenario& scenario, const TimelineInput& input, std::uint64_t seed,
                                       std::uint64_t replication, std::stop_token stop) {
  return std::make_unique<ExactTrainer>(scenario, input, seed, replication, std::move(stop));
}

}  // namespace stallcast
