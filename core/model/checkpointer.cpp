#include "core/model/checkpointer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/run_length.h"

namespace stallcast {

namespace {

double share_of(const Scenario& s, const Scenario& job) {
  return static_cast<double>(s.cluster.nodes) / static_cast<double>(job.cluster.nodes);
}

// Of each rank that is not on node 0; 0 where all are.
double usual_bytes(const Scenario& job) {
  const CheckpointShape shape = checkpoint_shape(job);
  const std::int64_t ranks = job.ranks() - job.cluster.gpus_per_node;
  if (job.checkpoint.writers == CheckpointWriters::kRank0 || ranks <= 0) return 0.0;
  return std::max(0.0, shape.total - shape.largest_node) / static_cast<double>(ranks);
}

std::vector<double> bytes_by_rank(const Scenario& s, const Scenario& job) {
  const CheckpointShape shape = checkpoint_shape(job);
  const auto gpus = static_cast<std::size_t>(s.cluster.gpus_per_node);
  std::vector<double> out(static_cast<std::size_t>(s.ranks()), 0.0);
  if (shape.writers <= 0) return out;
  out[0] = shape.largest_rank;
  if (s.checkpoint.writers == CheckpointWriters::kRank0) return out;
  const double node_rest = std::max(0.0, shape.largest_node - shape.largest_rank);
  for (std::size_t r = 1; r < gpus; ++r) out[r] = node_rest / static_cast<double>(gpus - 1);
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(gpus), out.end(), usual_bytes(job));
  return out;
}

// The rate at which one writer can write to storage that others share; infinite where nothing limits it.
double rate_of_one(const Scenario& job) {
  const StorageSpec& t = job.storage;
  return std::min({cap_of(writer_rate(job)), cap_of(t.client_write_bandwidth), cap_of(job.cluster.usable_nic())});
}

}  // namespace

double export_time(const Scenario& s, double size) {
  double rate = std::numeric_limits<double>::infinity();
  for (const BytesPerSecond cap : {s.checkpoint.export_bandwidth, s.storage.read_bandwidth, s.origin.write_bandwidth})
    if (cap.base() > 0.0) rate = std::min(rate, cap.base());
  return size / rate;
}

Checkpointer::Checkpointer(Simulator& sim, const Scenario& s, const Scenario& job, const Course& course,
                           StorageTier& tier, Barrier& ranks)
    : sim_(&sim),
      scenario_(&s),
      spec_(&s.checkpoint),
      stages_(write_stages(job)),
      tier_(&tier),
      ranks_(&ranks),
      to_first_level_(s.checkpoint.first_level != CheckpointLevel::kStorage),
      epoch_steps_(epoch_steps(s)),
      course_(&course) {
  if (spec_->mode == CheckpointMode::kNone) return;
  bytes_of_ = bytes_by_rank(s, job);
  export_s_ = export_time(job, checkpoint_shape(job).total);
  usual_bytes_ = usual_bytes(job);
  share_ = share_of(s, job);
  const bool unlike = *std::max_element(bytes_of_.begin(), bytes_of_.end()) > usual_bytes_;
  if (share_ < 1.0 && unlike && spec_->to_storage && s.storage.scope == TierScope::kShared)
    tier.add_lone_writer(rate_of_one(job) * share_);
  for (const double bytes : bytes_of_) {
    writers_ += bytes > 0.0 ? 1 : 0;
    writers_state_.push_back({false, false, std::make_unique<Signal>(sim)});
  }
}

// What a rank writes while training goes on is a part of it in a course that says so; what stops training is all of it.
double Checkpointer::bytes_of(std::int64_t rank, Beside beside) const {
  const double all = bytes_of_[static_cast<std::size_t>(rank)];
  return beside == Beside::kTraining ? all * course_->saved_part : all;
}

Task<void> Checkpointer::write_storage(std::int64_t rank, Beside beside) {
  const double size = bytes_of(rank, beside);
  if (!spec_->to_storage) {
    co_await sim_->delay(to_ns(size / spec_->write_bandwidth.base()));
    co_return;
  }
  const SimTime made = sim_->now() + to_ns(size * stages_.make_s_per_byte);
  if (stages_.beside > 0.0) co_await move_to_storage(rank, size * stages_.beside);
  if (sim_->now() < made) co_await sim_->delay(made - sim_->now());
  if (stages_.after > 0.0) co_await move_to_storage(rank, size * stages_.after);
  if (stages_.files_s > 0.0) co_await sim_->delay(to_ns(stages_.files_s));
}

Task<void> Checkpointer::move_to_storage(std::int64_t rank, double size) {
  const std::int64_t node = rank / scenario_->cluster.gpus_per_node;
  const double usual = std::min(1.0, usual_bytes_ / bytes_of_[static_cast<std::size_t>(rank)]);
  const double alone = share_ < 1.0 ? size * (1.0 - usual) : 0.0;
  if (size > alone) co_await tier_->write(node, size - alone);
  if (alone <= 0.0) co_return;
  if (scenario_->storage.scope == TierScope::kShared)
    co_await tier_->write_alone(alone * share_);
  else
    co_await tier_->write(node, alone, alone * share_);
}

Task<void> Checkpointer::write_first_level(std::int64_t rank, Beside beside) {
  if (to_first_level_) {
    co_await tier_->write_first_level(rank / scenario_->cluster.gpus_per_node, bytes_of(rank, beside));
  } else {
    co_await write_storage(rank, beside);
  }
}

// Which checkpoint of the run is due after `step`, counted from 1; 0 = none.
std::int64_t Checkpointer::number_due(std::int64_t step) {
  const auto every = [step](std::int64_t steps) { return steps > 0 && step % steps == 0 ? step / steps : 0; };
  if (course_->plans_saves) {
    const std::vector<PlannedSave>& saves = course_->saves;
    while (next_planned_ < saves.size() && saves[next_planned_].step < step) ++next_planned_;
    return next_planned_ < saves.size() && saves[next_planned_].step == step ? saves[next_planned_].number : 0;
  }
  switch (spec_->cadence) {
    case CheckpointCadence::kSteps:
      return every(spec_->interval_steps);
    case CheckpointCadence::kEpochs:
      return every(spec_->interval_epochs * std::llround(epoch_steps_));
    case CheckpointCadence::kTime:
      return spec_->interval.base() > 0.0 && sim_->now() - last_ >= to_ns(spec_->interval) ? ++timed_ : 0;
    case CheckpointCadence::kOptimal:
    case CheckpointCadence::kContinuous:
      break;  // a course says when
  }
  return 0;
}

// The first rank that comes to a checkpoint decides for all of them: they come at the same instant. False when it is
// skipped.
bool Checkpointer::begin(std::int64_t step, std::int64_t number) {
  const bool stores = goes_to_storage(*spec_, number);
  bool any_busy = false;
  for (const Writer& writer : writers_state_) any_busy = any_busy || busy(writer, stores && to_first_level_);
  if (any_busy && spec_->when_busy == WhenBusy::kSkip) {
    ++skipped_;
    last_ = sim_->now();
    return false;
  }
  current_stores_ = stores;
  CheckpointLog entry;
  entry.step = step;
  entry.number = number;
  entry.due_s = entry.resumed_s = seconds_now();
  log_.push_back(entry);
  pending_.push_back({writers_, stores ? writers_ : 0, stores, is_exported(*spec_, number)});
  return true;
}

Task<void> Checkpointer::after_step(std::int64_t rank, std::int64_t step) {
  const CheckpointSpec& c = *spec_;
  if (c.mode == CheckpointMode::kNone) co_return;
  if (step != current_step_) {
    current_step_ = step;
    const std::int64_t number = number_due(step);
    current_saves_ = number > 0 && begin(step, number);
    // Until training goes on: a stop comes as often as there are checkpoints, and not as there are steps.
    if (current_saves_ && course_->plans_saves) tier_->stand_for(course_->save_stands_for);
  }
  if (!current_saves_) co_return;
  const std::size_t checkpoint = log_.size() - 1;
  if (writes(rank)) {
    Writer& writer = writers_state_[static_cast<std::size_t>(rank)];
    const SimTime due = sim_->now();
    for (;;) {
      if (!busy(writer, current_stores_ && to_first_level_)) break;
      co_await writer.free->wait();
    }
    log_[checkpoint].backlog_s = std::max(log_[checkpoint].backlog_s, to_seconds(sim_->now() - due));
    writer.writing = true;
    if (c.mode == CheckpointMode::kSync) {
      if (stages_.before_s > 0.0) co_await sim_->delay(to_ns(stages_.before_s));
      co_await write_first_level(rank, Beside::kNothing);
      written(rank, checkpoint);
    } else {
      co_await sim_->delay(to_ns(c.snapshot_time));
      sim_->spawn(write_beside(*sim_, *this, rank, checkpoint));
    }
  }
  if (scenario_->ranks() > 1) {
    co_await ranks_->arrive();
    co_await sim_->delay(to_ns(scenario_->workload.barrier_time));
  }
  if (c.mode == CheckpointMode::kSync && stages_.commit_s > 0.0) co_await sim_->delay(to_ns(stages_.commit_s));
  if (rank == 0) {
    last_ = sim_->now();
    log_[checkpoint].resumed_s = seconds_now();
  }
}

Process Checkpointer::write_beside(Simulator& sim, Checkpointer& self, std::int64_t rank, std::size_t checkpoint) {
  if (self.stages_.before_s > 0.0) co_await sim.delay(to_ns(self.stages_.before_s));
  co_await self.write_first_level(rank, Beside::kTraining);
  self.written(rank, checkpoint);
}

// A writer has done its work; what it left in the page cache is on its way.
void Checkpointer::written(std::int64_t rank, std::size_t checkpoint) {
  if (stages_.behind > 0.0) {
    sim_->spawn(flush_beside(*sim_, *this, rank, checkpoint));
  } else {
    reached_first_level(rank, checkpoint);
  }
}

Process Checkpointer::flush_beside(Simulator& sim, Checkpointer& self, std::int64_t rank, std::size_t checkpoint) {
  (void)sim;
  co_await self.move_to_storage(rank, self.bytes_of(rank, Beside::kTraining) * self.stages_.behind);
  self.reached_first_level(rank, checkpoint);
}

void Checkpointer::reached_first_level(std::int64_t rank, std::size_t checkpoint) {
  Writer& writer = writers_state_[static_cast<std::size_t>(rank)];
  Pending& pending = pending_[checkpoint];
  writer.writing = false;
  if (to_first_level_ && pending.goes_to_storage) {
    writer.draining = true;
    sim_->spawn(drain_beside(*sim_, *this, rank, checkpoint));
  }
  writer.free->notify_all();
  if (--pending.first_level == 0) log_[checkpoint].first_level_s = seconds_now() + stages_.commit_s;
  if (!to_first_level_) reached_storage(checkpoint);
}

Process Checkpointer::drain_beside(Simulator& sim, Checkpointer& self, std::int64_t rank, std::size_t checkpoint) {
  (void)sim;
  co_await self.write_storage(rank, Beside::kTraining);
  Writer& writer = self.writers_state_[static_cast<std::size_t>(rank)];
  writer.draining = false;
  writer.free->notify_all();
  self.reached_storage(checkpoint);
}

void Checkpointer::reached_storage(std::size_t checkpoint) {
  Pending& pending = pending_[checkpoint];
  if (--pending.storage > 0) return;
  log_[checkpoint].storage_s = seconds_now() + stages_.commit_s;
  if (pending.exported) sim_->spawn(export_beside(*sim_, *this, checkpoint));
}

Process Checkpointer::export_beside(Simulator& sim, Checkpointer& self, std::size_t checkpoint) {
  co_await sim.delay(to_ns(self.export_s_));
  self.log_[checkpoint].exported_s = self.seconds_now();
}

}  // namespace stallcast
