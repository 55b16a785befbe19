#include "core/engine/core_pool.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

// Where others began to compute meanwhile, a turn goes on until no more than this part of it is left.
constexpr SimTime kSmallPart = 64;

}  // namespace

void CorePool::Queue::push(Turn& turn) {
  turn.next = nullptr;
  (tail ? tail->next : head) = &turn;
  tail = &turn;
}

CorePool::Turn& CorePool::Queue::pop() {
  Turn& turn = *head;
  head = turn.next;
  if (!head) tail = nullptr;
  return turn;
}

CorePool::CorePool(Simulator& sim, double cores, CoreDiscipline discipline, SimTime time_slice,
                   std::int64_t slices_of_turn, double clock_fall)
    : sim_(&sim),
      cores_(cores),
      discipline_(discipline),
      time_slice_(time_slice),
      turn_(time_slice * slices_of_turn),
      fall_(clock_fall) {
  invariant(cores > 0, "a core pool needs cores");
  invariant(clock_fall >= 0.0 && clock_fall * (cores - 1.0) < 1.0, "cores that all compute have a clock");
  if (discipline == CoreDiscipline::kFluid) {
    fluid_ = std::make_unique<FlowNetwork>(sim);
    fluid_link_ = fluid_->add_link(cores);
    fluid_class_ = fluid_->add_class(std::array{fluid_link_}, 1.0);
    return;
  }
  invariant(time_slice > 0, "turns need a time slice");
  const auto n = static_cast<std::size_t>(std::max(1.0, std::round(cores)));
  cores_ = static_cast<double>(n);
  core_.resize(n);
  queues_.resize(discipline == CoreDiscipline::kOneQueue ? 1 : n);
  for (std::size_t i = n; i-- > 0;) {
    core_[i].pool = this;
    core_[i].index = static_cast<std::int32_t>(i);
    core_[i].timer.owner = &core_[i];
    core_[i].timer.action = &CorePool::on_timer;
    idle_.push_back(static_cast<std::int32_t>(i));
  }
}

double CorePool::busy_core_seconds() const {
  if (fluid_) return fluid_->moved(fluid_link_);
  SimTime total = busy_ns_;
  for (const Core& core : core_)
    if (core.running) total = after(total, sim_->now() - core.since);
  return to_seconds(total);
}

std::int64_t CorePool::runnable() const { return fluid_ ? fluid_->flows(fluid_class_) : runnable_; }

// Where so many cores compute.
double CorePool::clock_of(double cores) const { return 1.0 - fall_ * std::max(0.0, cores - 1.0); }

// Fluid: of a process that begins to compute now.
double CorePool::clock_of_next() const { return clock_of(std::min(cores_, static_cast<double>(runnable() + 1))); }

// One core more or fewer computes: all have another clock.
void CorePool::computing(std::int32_t more) {
  computing_ += more;
  if (fall_ == 0.0) return;
  worked_ = worked();
  worked_at_ = sim_->now();
  clock_ = clock_of(static_cast<double>(computing_));
}

// What a core has done by now that computed all the time.
SimTime CorePool::worked() const {
  if (fall_ == 0.0) return sim_->now();
  return after(worked_, std::llround(clock_ * static_cast<double>(sim_->now() - worked_at_)));
}

// How long `work` takes if no core begins or stops meanwhile.
SimTime CorePool::lasts(SimTime work) const {
  return fall_ == 0.0 ? work : static_cast<SimTime>(std::ceil(static_cast<double>(work) / clock_));
}

void CorePool::enter(Turn& turn) {
  ++runnable_;
  LastCore& last = *turn.home;
  if (last.core < 0) last.core = static_cast<std::int32_t>(runnable_ % static_cast<std::int64_t>(core_.size()));
  const std::int32_t home = last.core;
  if (!core_[static_cast<std::size_t>(home)].running) {
    start(core_[static_cast<std::size_t>(home)], turn);
    return;
  }
  while (!idle_.empty()) {
    Core& core = core_[static_cast<std::size_t>(idle_.back())];
    idle_.pop_back();
    core.listed_idle = false;
    if (core.running) continue;
    start(core, turn);
    return;
  }
  // A process that computes again at the instant it stopped has not waited for anything.
  const bool woken = last.until != sim_->now();
  RunQueue& queue = queue_of(home);
  (woken ? queue.woken : queue.stopped).push(turn);
  if (discipline_ == CoreDiscipline::kQueuePerCore) {
    arm(core_[static_cast<std::size_t>(home)]);
  } else {
    arm_oldest();
  }
}

void CorePool::start(Core& core, Turn& turn) {
  core.running = &turn;
  core.process = turn.process;
  core.left = turn.left;
  core.home = turn.home;
  computing(+1);
  core.since = sim_->now();
  core.worked = worked();
  core.slice_armed = false;
  core.home->core = core.index;
  const RunQueue& queue = queue_of(core.index);
  const SimTime length = queue.empty() ? core.left : long_turn(core, queue);
  if (!queue.empty() && length <= time_slice_) {
    arm(core);
    return;
  }
  sim_->set_timer(core.timer, after(core.since, lasts(length)));
  if (discipline_ == CoreDiscipline::kOneQueue) started_.push_back(core.index);
}

// Where all who share a core have much left to compute, a turn may be longer than the slice: a thousandth of what the
// one with the least has left. When each of them ends changes by about as much. A process that comes meanwhile arms the
// end of the slice, as ever. 0 = someone who woke waits, and is not to wait longer.
SimTime CorePool::long_turn(const Core& core, const RunQueue& queue) const {
  constexpr SimTime kTurns = 1000;
  if (!queue.woken.empty()) return 0;
  SimTime least = core.left / kTurns;
  for (const Turn* waiting = queue.stopped.head; waiting != nullptr && least > turn_; waiting = waiting->next)
    least = std::min(least, waiting->left / kTurns);
  return std::min(core.left, std::max(least, turn_));
}

// Someone waits: the running process yields at the end of its slice, or now if that is past.
void CorePool::arm(Core& core) {
  if (core.slice_armed) return;
  core.slice_armed = true;
  const SimTime slice_end = std::max(sim_->now(), after(core.since, time_slice_));
  const SimTime left = core.left - (worked() - core.worked);
  sim_->set_timer(core.timer, std::min(after(sim_->now(), lasts(std::max<SimTime>(0, left))), slice_end));
}

// One more waits in the common queue: the core that has computed longest without an end to its slice gets one.
void CorePool::arm_oldest() {
  while (started_head_ < started_.size()) {
    Core& core = core_[static_cast<std::size_t>(started_[started_head_++])];
    if (!core.running || core.slice_armed) continue;
    arm(core);
    break;
  }
  if (started_head_ > 64 && 2 * started_head_ > started_.size()) {
    started_.erase(started_.begin(), started_.begin() + static_cast<std::ptrdiff_t>(started_head_));
    started_head_ = 0;
  }
}

void CorePool::on_timer(void* owner) {
  auto& core = *static_cast<Core*>(owner);
  core.pool->end_turn(core);
}

void CorePool::end_turn(Core& core) {
  const SimTime done = worked() - core.worked;
  busy_ns_ = after(busy_ns_, sim_->now() - core.since);
  core.left -= done;
  RunQueue& queue = queue_of(core.index);
  Turn& turn = *std::exchange(core.running, nullptr);
  computing(-1);
  if (core.left <= (fall_ > 0.0 ? done / kSmallPart : 0)) {
    core.home->owed = core.left;
    --runnable_;
    prefetch_frame(core.process.address());
    sim_->schedule_now(core.process);
    core.home->until = sim_->now();
  } else {
    turn.left = core.left;
    if (queue.empty()) {
      start(core, turn);
      return;
    }
    queue.stopped.push(turn);
  }
  if (queue.empty()) {
    if (!core.listed_idle) idle_.push_back(core.index);
    core.listed_idle = true;
  } else {
    start(core, queue.pop());
  }
}

}  // namespace stallcast
