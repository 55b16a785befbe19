#include "core/timeline/run_timeline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "core/engine/random_stream.h"
#include "core/timeline/interruptions.h"

namespace stallcast {

TrainingLedger& TrainingLedger::operator+=(const TrainingLedger& o) {
  training_s += o.training_s;
  checkpoint_s += o.checkpoint_s;
  backlog_s += o.backlog_s;
  startup_s += o.startup_s;
  computed_gpu_s += o.computed_gpu_s;
  return *this;
}

TrainingLedger& TrainingLedger::operator-=(const TrainingLedger& o) {
  training_s -= o.training_s;
  checkpoint_s -= o.checkpoint_s;
  backlog_s -= o.backlog_s;
  startup_s -= o.startup_s;
  computed_gpu_s -= o.computed_gpu_s;
  return *this;
}

namespace {

// Machines kept ready, and those in repair that come back to them. As many machines as at the start are in the job, in
// the pool or in repair: who takes one over leaves the failed one to be repaired, and a machine that is bought comes
// instead of the failed one.
class SparePool {
 public:
  explicit SparePool(const FailureSpec& f) : f_(f), free_(f.spares) {}

  // The time at which machines have taken over from the `nodes` that failed at `failed_at`, which was noticed at
  // `noticed_at`. Each that no spare is left for waits for the machine that is back from repair first, of those that no
  // other waits for, or for a new one, whichever is sooner. Without spares at the start there are only new ones.
  // **Model** machines that take over at once, repaired side by side: the failed ones are an M/G/infinity queue
  // **Checked by** RunTimeline.AJobWithSparesStandsWhileMoreMachinesAreInRepair
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a count and two times in their order
  double replace(std::int64_t nodes, double failed_at, double noticed_at) {
    while (!back_at_.empty() && back_at_.top() <= noticed_at) {
      back_at_.pop();
      ++free_;
    }
    const double bought_at = noticed_at + f_.replacement_time.base();
    const double repaired_at = failed_at + f_.repair_time.base();
    double there_at = noticed_at;
    for (std::int64_t node = 0; node < nodes; ++node) {
      if (free_ > 0) {
        --free_;
        back_at_.push(repaired_at);
        there_at = std::max(there_at, noticed_at + f_.swap_time.base());
        continue;
      }
      const double back_at = back_at_.empty() ? repaired_at : std::min(back_at_.top(), repaired_at);
      const double swapped_at = std::max(back_at, noticed_at) + f_.swap_time.base();
      if (f_.spares == 0 || bought_at < swapped_at) {
        there_at = std::max(there_at, bought_at);
        continue;
      }
      back_at_.push(repaired_at);
      back_at_.pop();
      there_at = std::max(there_at, swapped_at);
    }
    return there_at;
  }

 private:
  const FailureSpec& f_;
  std::int64_t free_;
  std::priority_queue<double, std::vector<double>, std::greater<>> back_at_;  // those that nobody waits for
};

class Timeline {
 public:
  Timeline(const Scenario& s, const TimelineInput& input, Trainer& trainer, std::uint64_t seed,
           std::uint64_t replication, TimelineLog* log)
      : s_(s),
        f_(s.failures),
        in_(input),
        trainer_(trainer),
        log_(log),
        interruptions_(s, seed, replication),
        node_loss_(seed, DrawPurpose::kNodeLoss, replication),
        peer_loss_(seed, DrawPurpose::kPeerLoss, replication),
        spares_(s.failures),
        tiered_(s.checkpoint.first_level != CheckpointLevel::kStorage) {
    double from = 0.0;
    for (const Pace& pace : in_.paces) {
      ideal_s_ += pace.step_s * (std::min(pace.until_step, in_.steps) - from);
      from = pace.until_step;
    }
  }

  SimulatedRun run() {
    spend(WallTime::kPreparation, in_.preparation_s);
    SavedState start;
    start.first_level_at = start.exported_at = kNotAtAll;
    states_.push_back(start);
    while (interruptions_.next().at_s < now_) interruptions_.pass(interruptions_.next().kind);
    for (;;) {
      const Interruptions::Next next = interruptions_.next();
      trainer_.train(step_, now_, next.at_s, session_);
      if (session_.stopped) return never_ends();
      take_session();
      if (session_.finished) break;
      now_ = next.at_s;  // the trainer came as near as rounding allows
      if (!interrupt(next.kind)) return never_ends();
    }
    out_.time_s[index(WallTime::kTraining)] = done_.training_s;
    out_.time_s[index(WallTime::kCheckpoint)] += done_.checkpoint_s;
    out_.time_s[index(WallTime::kBacklog)] += done_.backlog_s;
    out_.useful_gpu_s = done_.computed_gpu_s;
    out_.wall_s = now_;
    return out_;
  }

 private:
  static constexpr std::size_t index(WallTime what) { return static_cast<std::size_t>(what); }

  SimulatedRun never_ends() {
    out_.wall_s = kNotAtAll;
    return out_;
  }

  void spend(WallTime what, double time) {
    out_.time_s[index(what)] += time;
    now_ += time;
    note(what);
  }

  // What the time up to now went into.
  void note(WallTime what) {
    if (log_) log_->add(what, now_);
  }

  void note_session() {
    if (!log_) return;
    log_->add(WallTime::kRestart, now_ + session_.spent.startup_s);
    log_->add(WallTime::kTraining, now_ + session_.spent.wall_s());
    for (const SavedState& state : session_.saved) log_->checkpoints_s.push_back(now_ + state.spent.wall_s());
  }

  void take_session() {
    note_session();
    for (SavedState& state : session_.saved) {
      TrainingLedger total = done_;
      total += state.spent;
      state.spent = total;
      states_.push_back(state);
    }
    done_ += session_.spent;
    now_ += session_.spent.wall_s();
    out_.time_s[index(WallTime::kRestart)] += session_.spent.startup_s;
    out_.computed_gpu_s += session_.spent.computed_gpu_s;
    out_.checkpoints += session_.checkpoints;
    out_.stored_checkpoints += session_.stored;
    out_.exported_checkpoints += session_.exported;
    out_.skipped_checkpoints += session_.skipped;
    step_ = session_.step;
  }

  // From an interruption at now_ until training can go on. False when the run has taken too long to be going anywhere.
  bool interrupt(Interruption kind) {
    for (;;) {
      if (now_ > kLongestRun * ideal_s_ || ++met_ > kMostInterruptions) return false;
      interruptions_.pass(kind);
      const bool machines_are_away = now_ < machines_paid_from_;
      const bool of_machines =
          kind == Interruption::kFailure || kind == Interruption::kOutage || kind == Interruption::kPreemption;
      if (!machines_are_away || !of_machines) {
        out_.interruptions[static_cast<std::size_t>(kind)] += 1.0;
        if (log_) log_->interruptions.push_back({kind, now_});
        meet(kind);
        fall_back();
      }
      if (recover()) return true;
      kind = interruptions_.next().kind;
    }
  }

  // What `kind` does to machines, saved states and the time they are back.
  void meet(Interruption kind) {
    detected_at_ = now_;
    switch (kind) {
      case Interruption::kFailure: {
        detected_at_ = now_ + f_.detection_time.base();
        const bool lost = node_loss_.uniform() < f_.node_loss_fraction;
        const std::int64_t nodes = f_.nodes_per_failure;
        if (lost) machines_at_ = std::max(machines_at_, spares_.replace(nodes, now_, detected_at_));
        keep_states(!lost || survives(static_cast<double>(nodes)), true);
        break;
      }
      case Interruption::kOutage:
        detected_at_ = now_ + f_.detection_time.base();
        machines_at_ = std::max(machines_at_, now_ + f_.outage_time.base());
        keep_states(survives(static_cast<double>(f_.outage_nodes)), true);
        break;
      case Interruption::kDataLoss:
        detected_at_ = now_ + f_.detection_time.base();
        dataset_is_there_ = false;
        keep_states(true, false);
        break;
      case Interruption::kPreemption:
        // Hosts that have their notice get no other, nor hosts that are gone.
        interruptions_.pass_before(kind, now_ + f_.preemption_notice.base() + f_.preemption_wait.base());
        last_checkpoint(f_.preemption_notice.base());
        machines_at_ = machines_paid_from_ = now_ + f_.preemption_wait.base();
        detected_at_ = now_;
        keep_states(false, true);
        break;
      case Interruption::kMaintenance:
        last_checkpoint(kNotAtAll);
        detected_at_ = now_;
        maintained_until_ = now_ + f_.maintenance_time.base();
        keep_states(false, true);
        break;
      case Interruption::kCount:
        break;
    }
  }

  // Whether copies in the memory of other machines outlive the loss of `nodes`; local disks never do.
  // **Model** a machine's copy is on the next one: n random machines of N hold a pair with probability
  // 1 - exp(-n (n - 1) / (N - 1))
  bool survives(double nodes) {
    if (s_.checkpoint.first_level != CheckpointLevel::kPeerMemory || s_.cluster.nodes < 2) return false;
    const double pairs = nodes * (nodes - 1.0) / static_cast<double>(s_.cluster.nodes - 1);
    return peer_loss_.uniform() >= 1.0 - std::exp(-pairs);
  }

  // States on their way stop where they are, but for copies that the storage makes by itself.
  void keep_states(bool first_level, bool storage) {
    for (SavedState& state : states_) {
      if (tiered_ && (!first_level || state.first_level_at > now_)) state.first_level_at = kNotAtAll;
      if (state.storage_at > now_ && state.storage_at < kNotAtAll) state.storage_at = state.exported_at = kNotAtAll;
      if (storage) continue;
      if (state.step > 0.0) state.storage_at = kNotAtAll;
      if (state.exported_at > now_) state.exported_at = kNotAtAll;
    }
  }

  bool on_first_level(const SavedState& state) const { return tiered_ && state.first_level_at <= now_; }

  // Back to the latest state that is left.
  void fall_back() {
    std::size_t best = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const SavedState& state = states_[i];
      const bool there = on_first_level(state) || state.storage_at <= now_ || state.exported_at < kNotAtAll;
      if (there && (state.step > states_[best].step ||
                    (state.step == states_[best].step && state.first_level_at < states_[best].first_level_at)))
        best = i;
    }
    const SavedState state = states_[best];
    TrainingLedger lost = done_;
    lost -= state.spent;
    const double again_s = lost.training_s + lost.checkpoint_s + lost.backlog_s;
    out_.time_s[index(WallTime::kRework)] += again_s;
    if (log_) log_->lose(again_s);
    out_.steps_lost += step_ - state.step;
    done_ = state.spent;
    step_ = state.step;
    forget_after(state.step);
  }

  // Keeps the state that is gone back to, and older ones that are safer than it.
  void forget_after(double step) {
    std::size_t kept = 0;
    double exported = -1.0, stored = -1.0;
    for (const SavedState& state : states_) {
      if (state.step > step) continue;
      if (state.exported_at < kNotAtAll) exported = std::max(exported, state.step);
      if (state.storage_at < kNotAtAll) stored = std::max(stored, state.step);
    }
    for (const SavedState& state : states_) {
      if (state.step == step || state.step == exported || state.step == stored || state.step == 0.0)
        states_[kept++] = state;
    }
    states_.resize(kept);
  }

  // A checkpoint outside the cadence, to storage, in the time that is left.
  void last_checkpoint(double limit) {
    const CheckpointBehaviour& b = in_.checkpoint;
    const double takes =
        b.stop_s + (s_.checkpoint.mode == CheckpointMode::kSync ? 0.0 : b.write_s) + (tiered_ ? b.storage_s : 0.0);
    const double whole = std::floor(step_ + 1e-9);
    const bool worth_it = s_.checkpoint.mode != CheckpointMode::kNone && whole > states_.back().step;
    const double left = interruptions_.next().at_s - now_;  // something else may come before it is written
    if (!worth_it || takes > std::min(limit, left)) {
      if (limit < kNotAtAll || worth_it) spend(WallTime::kReplacement, std::min(limit, left));
      return;
    }
    SavedState state;
    state.step = whole;
    state.exported_at = kNotAtAll;
    out_.checkpoints += 1.0;
    out_.stored_checkpoints += 1.0;
    done_.checkpoint_s += takes;
    now_ += takes;
    note(WallTime::kTraining);
    if (log_) log_->checkpoints_s.push_back(now_);
    state.spent = done_;
    take_back_partial_step(state.spent);
    state.first_level_at = state.storage_at = now_;
    states_.push_back(state);
    if (limit < kNotAtAll) spend(WallTime::kReplacement, std::min(limit, left) - takes);
  }

  // What of `spent` went into the step that is not finished.
  void take_back_partial_step(TrainingLedger& spent) const {
    const double part = step_ - std::floor(step_ + 1e-9);
    if (part <= 0.0) return;
    const auto pace = std::upper_bound(in_.paces.begin(), in_.paces.end(), step_,
                                       [](double at, const Pace& p) { return at < p.until_step; });
    const Pace& here = pace == in_.paces.end() ? in_.paces.back() : *pace;
    spent.training_s -= std::min(spent.training_s, part * here.step_s);
    spent.computed_gpu_s -= std::min(spent.computed_gpu_s, part * here.compute_gpu_s);
  }

  // The phases of recovery; false when something interrupts, at now_.
  bool recover() {
    const SavedState& state = latest();
    return until(WallTime::kDetection, detected_at_) && until(WallTime::kReplacement, machines_at_) &&
           until(WallTime::kMaintenance, maintained_until_) && bring_dataset_back() &&
           lasting(WallTime::kRestart, f_.restart_time.base()) && restore(state);
  }

  const SavedState& latest() const {
    const auto at = std::find_if(states_.begin(), states_.end(), [&](const SavedState& s) { return s.step == step_; });
    return *at;
  }

  bool bring_dataset_back() {
    if (dataset_is_there_) return true;
    if (!lasting(WallTime::kRehydration, in_.rehydration_s)) return false;
    dataset_is_there_ = true;
    out_.rehydrations += 1.0;
    out_.staged_bytes += in_.rehydrated_bytes;
    return true;
  }

  bool restore(const SavedState& state) {
    if (state.step <= 0.0) return true;
    const CheckpointBehaviour& b = in_.checkpoint;
    if (on_first_level(state)) return lasting(WallTime::kRestore, b.first_level_restore_s);
    const bool from_storage = state.storage_at <= now_;
    const double arrives = from_storage ? 0.0 : std::max(0.0, state.exported_at - now_) + b.export_s;
    if (!lasting(WallTime::kRestore, arrives + b.restore_s)) return false;
    out_.restores += 1.0;
    out_.restored_bytes += in_.restore_bytes;
    return true;
  }

  bool lasting(WallTime what, double time) { return until(what, now_ + time); }

  bool until(WallTime what, double end) {
    if (end <= now_) return true;
    const double stop = std::clamp(interruptions_.next().at_s, now_, end);
    out_.unpaid_s += std::max(0.0, std::min(stop, machines_paid_from_) - now_);
    out_.time_s[index(what)] += stop - now_;
    now_ = stop;
    note(what);
    return stop == end;
  }

  const Scenario& s_;
  const FailureSpec& f_;
  const TimelineInput& in_;
  Trainer& trainer_;
  TimelineLog* log_;
  Interruptions interruptions_;
  RandomStream node_loss_, peer_loss_;
  SparePool spares_;
  bool tiered_;
  double ideal_s_ = 0.0;

  double now_ = 0.0;
  double step_ = 0.0;
  TrainingLedger done_;             // of the steps that are kept so far
  std::vector<SavedState> states_;  // by step; the first is that before the first step
  TrainingSession session_;
  std::int64_t met_ = 0;  // interruptions
  double detected_at_ = 0.0, machines_at_ = 0.0, maintained_until_ = 0.0;
  double machines_paid_from_ = 0.0;  // before that there are none
  bool dataset_is_there_ = true;
  SimulatedRun out_;
};

}  // namespace

SimulatedRun simulate_timeline(const Scenario& scenario, const TimelineInput& input, Trainer& trainer,
                               std::uint64_t seed, std::uint64_t replication, TimelineLog* log) {
  return Timeline(scenario, input, trainer, seed, replication, log).run();
}

}  // namespace stallcast
