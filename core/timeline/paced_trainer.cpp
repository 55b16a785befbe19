// Training by the numbers that the inner simulation has measured.
#include <algorithm>
#include <cmath>

#include "core/engine/random_stream.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {
namespace {

class PacedTrainer : public Trainer {
 public:
  PacedTrainer(const Scenario& s, const TimelineInput& input, std::uint64_t seed, std::uint64_t replication)
      : c_(s.checkpoint),
        storage_(s.storage),
        in_(input),
        checkpoints_(c_.mode != CheckpointMode::kNone && input.checkpoint.interval_steps > 0.0),
        tiered_(c_.first_level != CheckpointLevel::kStorage),
        slow_(seed, DrawPurpose::kSlowServer, replication),
        meets_slow_(chance_of_slow_server(s.storage)) {}

  void train(double step, double now, double until, TrainingSession& out) override {
    out = TrainingSession{.step = step, .saved = std::move(out.saved)};
    out.saved.clear();
    begin_ = now;
    until_ = until;
    writing_until_ = draining_until_ = exporting_until_ = now;
    const auto from = std::upper_bound(in_.paces.begin(), in_.paces.end(), step,
                                       [](double at, const Pace& pace) { return at < pace.until_step; });
    pace_ = static_cast<std::size_t>(from - in_.paces.begin());
    if (!pass(in_.startup_s, out.spent.startup_s, out)) return;
    const double interval = in_.checkpoint.interval_steps;
    double next = checkpoints_ ? (std::floor(step / interval) + 1.0) * interval : kNotAtAll;
    for (;;) {
      if (!steps_to(std::min(next, in_.steps), out)) return;
      if (out.step >= next) {
        if (!checkpoint(out)) return;
        next += interval;
      }
      if (out.step >= in_.steps) break;
    }
    out.finished = true;
  }

 private:
  double now(const TrainingSession& out) const { return begin_ + out.spent.wall_s(); }

  // Spends `time` on `what`; false when the session ends before.
  bool pass(double time, double& what, const TrainingSession& out) const {
    const double left = until_ - now(out);
    what += std::max(0.0, std::min(time, left));
    return time <= left;
  }

  bool steps_to(double goal, TrainingSession& out) {
    while (out.step < goal) {
      const Pace& pace = in_.paces[pace_];
      const bool last = pace_ + 1 == in_.paces.size();
      const double to = last ? goal : std::min(goal, pace.until_step);
      const double time = (to - out.step) * pace.step_s;
      const double before = out.spent.training_s;
      const bool whole = pass(time, out.spent.training_s, out);
      const double done = whole ? to - out.step : (out.spent.training_s - before) / pace.step_s;
      out.spent.computed_gpu_s += done * pace.compute_gpu_s;
      out.step = whole ? to : out.step + done;
      if (!whole) return false;
      if (!last && to >= pace.until_step) ++pace_;
    }
    return true;
  }

  bool checkpoint(TrainingSession& out) {
    const CheckpointBehaviour& b = in_.checkpoint;
    const std::int64_t number = std::llround(out.step / b.interval_steps);
    const bool stores = goes_to_storage(c_, number);
    const double free_at = tiered_ && stores ? std::max(writing_until_, draining_until_) : writing_until_;
    const double wait = free_at - now(out);
    if (wait > 0.0) {
      if (c_.when_busy == WhenBusy::kSkip) {
        out.skipped += 1.0;
        return true;
      }
      if (!pass(wait, out.spent.backlog_s, out)) return false;
    }
    const double slow = meets_slow_ > 0.0 && slow_.uniform() < meets_slow_ ? storage_.slow_server_factor : 1.0;
    const double write = b.write_s * (tiered_ ? 1.0 : slow);
    const bool sync = c_.mode == CheckpointMode::kSync;
    const double stop = std::max(0.0, b.stop_s + b.slowdown_s + (sync ? write - b.write_s : 0.0));
    SavedState state;
    state.step = out.step;
    const double due = now(out);
    if (!pass(stop, out.spent.checkpoint_s, out)) return false;
    state.spent = out.spent;
    state.first_level_at = sync ? std::max(now(out), due + write) : due + b.stop_s + write;
    writing_until_ = state.first_level_at;
    state.storage_at = state.exported_at = kNotAtAll;
    out.checkpoints += 1.0;
    if (stores) {
      if (tiered_) {
        state.storage_at = std::max(state.first_level_at, draining_until_) + b.storage_s * slow;
        draining_until_ = state.storage_at;
      } else {
        state.storage_at = state.first_level_at;
      }
      out.stored += 1.0;
      if (is_exported(c_, number)) {
        state.exported_at = std::max(state.storage_at, exporting_until_) + b.export_s;
        exporting_until_ = state.exported_at;
        out.exported += 1.0;
      }
    }
    forget_old(out, now(out));
    out.saved.push_back(state);
    return true;
  }

  // Of many states only the latest of each kind that is already safe can matter, and those that are on their way.
  void forget_old(TrainingSession& out, double at) const {
    constexpr std::size_t kMany = 512;
    if (out.saved.size() < kMany) return;
    std::size_t first = 0, storage = 0, exported = 0;
    for (std::size_t i = 0; i < out.saved.size(); ++i) {
      if (out.saved[i].first_level_at <= at) first = i;
      if (out.saved[i].storage_at <= at) storage = i;
      if (out.saved[i].exported_at <= at) exported = i;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out.saved.size(); ++i) {
      const SavedState& state = out.saved[i];
      const bool coming = state.first_level_at > at || (state.storage_at > at && state.storage_at < kNotAtAll) ||
                          (state.exported_at > at && state.exported_at < kNotAtAll);
      if (i == first || i == storage || i == exported || coming) out.saved[kept++] = state;
    }
    out.saved.resize(kept);
  }

  const CheckpointSpec& c_;
  const StorageSpec& storage_;
  const TimelineInput& in_;
  bool checkpoints_, tiered_;
  RandomStream slow_;
  double meets_slow_;  // chance that a checkpoint meets a slow server
  double begin_ = 0.0, until_ = 0.0;
  double writing_until_ = 0.0, draining_until_ = 0.0, exporting_until_ = 0.0;
  std::size_t pace_ = 0;
};

}  // namespace

std::unique_ptr<Trainer> paced_trainer(const Scenario& scenario, const TimelineInput& input, std::uint64_t seed,
                                       std::uint64_t replication) {
  return std::make_unique<PacedTrainer>(scenario, input, seed, replication);
}

}  // namespace stallcast
