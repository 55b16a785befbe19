#include "core/model/training_model.h"

#include <algorithm>
#include <numeric>

#include "core/analytic/collective.h"
#include "core/engine/random_stream.h"
#include "core/model/loader/sample_reader.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"
#include "core/units/distribution.h"
#include "core/units/quantity.h"

namespace stallcast {

namespace {

// A rank waits at the barrier because the slowest one waited for something: up to what that one lost more than this
// one, the wait has its causes. What is left is the spread of compute times.
void blame_barrier(CauseTimes& lost, const CauseTimes& slowest, SimTime wait) {
  SimTime total = 0, own = 0;
  for (std::size_t c = 0; c < lost.size(); ++c) {
    total += slowest[c];
    own += lost[c];
  }
  SimTime left = wait;
  const SimTime explained = std::min(wait, total - own);
  if (explained > 0) {
    const double share = static_cast<double>(explained) / static_cast<double>(total);
    for (std::size_t c = 0; c < lost.size(); ++c) {
      const auto part = static_cast<SimTime>(static_cast<double>(slowest[c]) * share);
      lost[c] += part;
      left -= part;
    }
  }
  lost[index(LostTime::kBarrier)] += left;
}

CoreDiscipline discipline_of(CoreSharing sharing) {
  switch (sharing) {
    case CoreSharing::kProcessorSharing:
      return CoreDiscipline::kFluid;
    case CoreSharing::kOneQueue:
      return CoreDiscipline::kOneQueue;
    case CoreSharing::kQueuePerCore:
      return CoreDiscipline::kQueuePerCore;
  }
  return CoreDiscipline::kFluid;
}

}  // namespace

TrainingModel::TrainingModel(const Scenario& s, std::uint64_t seed, std::shared_ptr<const ReplayedDraws> replay,
                             Trace* trace, const ReadPlan* plan, const Scenario* job, const Course* course, Grain grain)
    : TrainingModel(nullptr, s, seed, std::move(replay), trace, plan, job, course, grain) {}

TrainingModel::TrainingModel(SharedStorage& storage, const Scenario& s, std::uint64_t seed, const ReadPlan* plan,
                             const Scenario* job, Grain grain)
    : TrainingModel(&storage, s, seed, nullptr, nullptr, plan, job, nullptr, grain) {}

TrainingModel::TrainingModel(SharedStorage* shared, const Scenario& s, std::uint64_t seed,
                             std::shared_ptr<const ReplayedDraws> replay, Trace* trace, const ReadPlan* plan,
                             const Scenario* job, const Course* course, Grain grain)
    : own_sim_(shared == nullptr ? std::make_unique<Simulator>() : nullptr),
      sim_(shared == nullptr ? *own_sim_ : shared->simulator()),
      scenario_(&s),
      own_course_(course == nullptr ? course_of(s) : Course()),
      course_(course == nullptr ? &own_course_ : course),
      draws_(s, seed, std::move(replay), grain),
      trace_(trace),
      barrier_(sim_, s.ranks()),
      absent_((job != nullptr ? job : &s)->cluster.nodes - s.cluster.nodes, s.cluster.gpus_per_node,
              RandomStream(seed, DrawPurpose::kAbsentNodes, 0)),
      represents_(job != nullptr && job->cluster.nodes > s.cluster.nodes),
      at_barrier_(represents_ ? static_cast<std::size_t>(s.ranks()) : 0) {
  tier_ = shared == nullptr ? std::make_unique<StorageTier>(sim_, s, plan, seed, job)
                            : std::make_unique<StorageTier>(*shared, s, plan, seed, job);
  for (std::int64_t n = 0; n < s.cluster.nodes; ++n)
    cores_.push_back(std::make_unique<CorePool>(sim_, s.cluster.cores_per_node, discipline_of(s.cluster.core_sharing),
                                                to_ns(s.cluster.time_slice),
                                                draws_.samples_of_load(s.workload.batch_size), s.cluster.clock_fall()));
  for (std::int64_t r = 0; r < s.ranks(); ++r) {
    const RankPlace place{r, r / s.cluster.gpus_per_node};
    rank_tracks_.push_back(trace_.add_track(place.node, "rank " + std::to_string(r)));
    CorePool& cores = *cores_[static_cast<std::size_t>(place.node)];
    if (s.loader.style == LoaderStyle::kThreads) {
      thread_loaders_.push_back(std::make_unique<ThreadLoader>(sim_, s, draws_, *tier_, cores, trace_, place));
    } else {
      loaders_.push_back(std::make_unique<Loader>(sim_, s, draws_, *tier_, cores, trace_, place));
    }
  }
  checkpointer_ = std::make_unique<Checkpointer>(sim_, s, job != nullptr ? *job : s, *course_, *tier_, barrier_);
  if (s.ranks() > 1)
    exposed_sync_s_ = s.workload.barrier_time.base() +
                      all_reduce_time(s.workload.gradient_bytes, (job != nullptr ? job : &s)->cluster.nodes,
                                      s.cluster.gpus_per_node, s.cluster.gpu_link_bandwidth)
                              .base() *
                          (1.0 - s.workload.allreduce_overlap);
  const auto batch = static_cast<double>(s.workload.batch_size);
  if (s.cluster.host_to_device_bandwidth.base() > 0 && !bypasses_host(s))
    copy_s_ = handed_over_bytes(s) * batch / s.cluster.host_to_device_bandwidth.base();
  decompress_s_ = gpu_decompress_s(s, mean_of(s.dataset.sample_size)) * batch;
  gpu_decodes_ =
      s.loader.decode_on == DecodeDevice::kGpu && (decompress_s_ > 0.0 || mean_of(s.loader.gpu_decode_time) > 0.0);
}

double TrainingModel::cores() const {
  double total = 0.0;
  for (const auto& pool : cores_) total += pool->cores();
  return total;
}

ReadCounts TrainingModel::reads() const {
  return {static_cast<double>(tier_->samples()),
          tier_->level_bytes(),
          tier_->level_requests(),
          tier_->requests(),
          tier_->refused_requests(),
          tier_->origin_bytes_of_run()};
}

double TrainingModel::busy_core_seconds() const {
  double total = 0.0;
  for (const auto& pool : cores_) total += pool->busy_core_seconds();
  return total;
}

void TrainingModel::start(std::int64_t max_steps, const std::function<bool(std::int64_t)>& keep_going) {
  max_steps_ = max_steps;
  keep_going_ = &keep_going;
  for (std::size_t r = 0; r < loaders_.size(); ++r)
    sim_.spawn(run_rank(sim_, *this, *loaders_[r], static_cast<std::int64_t>(r)));
  for (std::size_t r = 0; r < thread_loaders_.size(); ++r)
    sim_.spawn(run_rank(sim_, *this, *thread_loaders_[r], static_cast<std::int64_t>(r)));
}

void TrainingModel::run(std::int64_t max_steps, const std::function<bool(std::int64_t)>& keep_going) {
  start(max_steps, keep_going);
  sim_.run();
}

void TrainingModel::record_step(std::int64_t step, double compute_s, const CauseTimes& lost) {
  const auto k = static_cast<std::size_t>(step);
  if (k == log_.compute_s.size()) {
    log_.compute_s.push_back(0.0);
    log_.end_s.push_back(0.0);
    log_.lost_s.emplace_back();
    log_.busy_core_s.push_back(0.0);
    finished_.push_back(0);
  }
  log_.compute_s[k] += compute_s;
  log_.end_s[k] = std::max(log_.end_s[k], to_seconds(sim_.now()));
  for (std::size_t c = 0; c < lost.size(); ++c) log_.lost_s[k][c] += to_seconds(lost[c]);
  if (++finished_[k] == scenario_->ranks()) {
    ++steps_done_;
    log_.busy_core_s[k] = busy_core_seconds();
    const bool wanted = (*keep_going_)(steps_done_);
    if (steps_done_ >= max_steps_ || !wanted) sim_.stop();
  }
}

void TrainingModel::record_after(std::int64_t step, const CauseTimes& lost) {
  const auto k = static_cast<std::size_t>(step);
  log_.end_s[k] = std::max(log_.end_s[k], to_seconds(sim_.now()));
  for (std::size_t c = 0; c < lost.size(); ++c) log_.lost_s[k][c] += to_seconds(lost[c]);
}

void TrainingModel::stand_for_next(const EpochCourse& epoch, std::int64_t at) {
  if (epoch.counts_once() && course_->save_stands_for == 1.0) return;
  tier_->stand_for(epoch.step_stands_for(at, epoch.batches / scenario_->workload.gradient_accumulation));
}

template <class AnyLoader>
Process TrainingModel::run_rank(Simulator& sim, TrainingModel& model, AnyLoader& loader, std::int64_t rank) {
  const Scenario& s = *model.scenario_;
  const auto r = static_cast<std::size_t>(rank);
  const auto node = static_cast<std::size_t>(rank / s.cluster.gpus_per_node);
  const std::uint32_t track = model.rank_tracks_[r];
  const auto ranks = static_cast<double>(s.ranks());
  std::int64_t step = 0;
  std::uint64_t micro_step = 0;
  CauseTimes lost{};
  for (std::int64_t epoch = 0; epoch < model.course_->count; ++epoch) {
    const EpochCourse& course = model.course_->epoch(epoch);
    const SimTime epoch_begin = sim.now();
    const auto e = static_cast<std::size_t>(epoch);
    if (e == model.log_.epoch_start_s.size()) {
      model.log_.epoch_start_s.push_back(to_seconds(epoch_begin));
      model.log_.epoch_end_s.push_back(to_seconds(epoch_begin));
      model.log_.epoch_first_step.push_back(step);
      model.log_.first_wait_s.push_back(0.0);
      model.log_.epoch_reads.push_back(model.reads());
      model.stand_for_next(course, 0);
      if (epoch > 0 && course.kind != model.course_->epoch(epoch - 1).kind) model.start_absent_over();
    }
    model.step_begin_s_ = to_seconds(sim.now());
    co_await loader.start_epoch(course);
    lost[index(LostTime::kStartup)] += sim.now() - epoch_begin;
    model.trace_.span(track, TraceSpanKind::kStartup, epoch_begin, sim.now());
    bool first = true;
    for (;;) {
      double compute_s = 0.0;
      bool more = true;
      // Waits for batches; of the batch that was there the least before it was asked for, how long, and since when its
      // maker had been busy.
      SimTime waited = 0, slack = kNever, busy_since = 0;
      for (std::int64_t micro = 0; micro < s.workload.gradient_accumulation; ++micro) {
        const SimTime asked = sim.now();
        more = co_await loader.next(lost);
        if (!more) break;
        if (const BatchTimes& times = loader.batch_times(); asked - times.made < slack) {
          slack = asked - times.made;
          busy_since = times.busy_since;
        }
        waited += std::max<SimTime>(0, loader.batch_times().made - asked);
        model.trace_.span(track, TraceSpanKind::kWaitData, asked, sim.now(), step);
        if (model.copy_s_ > 0) {
          const SimTime begin = sim.now();
          co_await sim.delay(to_ns(model.copy_s_));
          lost[index(LostTime::kHostToDevice)] += sim.now() - begin;
          model.trace_.span(track, TraceSpanKind::kHostToDevice, begin, sim.now(), step);
        }
        if (model.gpu_decodes_) {
          const SimTime begin = sim.now();
          const auto sample = micro_step * static_cast<std::uint64_t>(s.workload.batch_size);
          co_await sim.delay(
              to_ns(model.draws_.gpu_decode_s(rank, sample, s.workload.batch_size) + model.decompress_s_));
          lost[index(LostTime::kGpuDecode)] += sim.now() - begin;
          model.trace_.span(track, TraceSpanKind::kGpuDecode, begin, sim.now(), step);
        }
        if (first) {
          model.log_.first_wait_s[e] += to_seconds(sim.now() - epoch_begin) / ranks;
          first = false;
        }
        const SimTime begin = sim.now();
        co_await sim.delay(to_ns(model.draws_.step_s(rank, micro_step++)));
        co_await model.cores_[node]->run(s.workload.step_return_cpu.base(), loader.consumer_core());
        compute_s += to_seconds(sim.now() - begin);
        model.trace_.span(track, TraceSpanKind::kCompute, begin, sim.now(), step);
      }
      if (!more) {
        lost[index(LostTime::kStartup)] += to_ns(compute_s);  // micro-batches that fill no step: lost with the epoch
        break;
      }
      if (s.ranks() > 1) {
        const SimTime begin = sim.now();
        model.slowest_lost_ = lost;  // whoever writes last arrives last
        if (model.represents_) {
          const double waited_s = to_seconds(waited), taken_s = to_seconds(begin) - model.step_begin_s_;
          model.at_barrier_[r] = {taken_s - waited_s, waited > 0 ? -waited_s : to_seconds(slack),
                                  model.steps_since(busy_since)};
          for (std::size_t c = 0; c < lost.size(); ++c) model.step_lost_[c] = after(model.step_lost_[c], lost[c]);
        }
        const bool last = co_await model.barrier_.arrive();
        if (last && model.represents_) model.wait_for_absent();
        blame_barrier(lost, model.slowest_lost_, sim.now() - begin + model.absent_wait_);
        if (model.absent_wait_ > 0) co_await sim.delay(model.absent_wait_);
        const SimTime joined = sim.now();
        co_await sim.delay(to_ns(model.exposed_sync_s_));
        lost[index(LostTime::kBarrier)] += sim.now() - joined;
        model.trace_.span(track, TraceSpanKind::kBarrier, begin, sim.now(), step);
      }
      const SimTime begin = sim.now();
      co_await model.checkpointer_->after_step(rank, model.first_step_ + step + 1);
      lost[index(LostTime::kCheckpoint)] += sim.now() - begin;
      model.step_begin_s_ = to_seconds(sim.now());
      model.trace_.span(track, TraceSpanKind::kCheckpoint, begin, sim.now(), step);
      model.log_.epoch_end_s[e] = to_seconds(sim.now());
      model.record_step(step++, compute_s, lost);
      model.stand_for_next(course, step - model.log_.epoch_first_step[e]);
      lost = {};
      if (sim.stopped()) co_return;
    }
    if (s.workload.validation_steps > 0) {
      const SimTime begin = sim.now();
      co_await sim.delay(to_ns(validation_s(s)));
      lost[index(LostTime::kValidation)] += sim.now() - begin;
      model.trace_.span(track, TraceSpanKind::kValidation, begin, sim.now());
    }
    if (step > model.log_.epoch_first_step[e]) {
      model.record_after(step - 1, lost);
      lost = {};
    }
  }
}

// Called by the last rank at the barrier, before the others go on.
void TrainingModel::wait_for_absent() {
  // Steps that read from the origin, too, say nothing of those after the copy has come.
  if (tier_->copied() >= 1.0 && !has_copy_) start_absent_over();
  has_copy_ = tier_->copied() >= 1.0;
  const auto gpus = static_cast<std::size_t>(scenario_->cluster.gpus_per_node), nodes = at_barrier_.size() / gpus;
  double mean = 0.0;
  for (std::size_t n = 0; n < nodes; ++n) mean += last_of_node(at_barrier_, n, gpus) / static_cast<double>(nodes);
  absent_wait_ = to_ns(absent_.wait_after(at_barrier_, loaded_ahead_s(), spare_s() - spare_before_s_));
  waited_for_absent_ += absent_wait_;
  // Where the absent node's lateness is drawn apart from this step, or is more than anybody's here, who is last here is
  // not whom all wait for.
  const SimTime lost_by_last = std::accumulate(slowest_lost_.begin(), slowest_lost_.end(), SimTime{0});
  const bool drawn = absent_wait_ > 0 && (!absent_.left_out() || absent_wait_ > lost_by_last);
  if (!drawn) {
    double excess_s = 0.0;
    for (std::size_t c = 0; c < step_lost_.size(); ++c) {
      slowest_.lost_s[c] += to_seconds(slowest_lost_[c]);
      excess_s += to_seconds(slowest_lost_[c]) - to_seconds(step_lost_[c]) / static_cast<double>(scenario_->ranks());
    }
    slowest_.excess_s += std::max(0.0, excess_s);
    slowest_.later_s += last_of(at_barrier_) - mean;
  }
  if (absent_wait_ > 0) slowest_lost_ = lost_by_absent(drawn);
  step_lost_ = {};
}

// How long the steps before this one took in which batches for it were loaded, in this epoch; 0 where none are ahead.
double TrainingModel::loaded_ahead_s() const {
  const std::int64_t ahead = (batches_ahead(*scenario_) + scenario_->workload.gradient_accumulation - 1) /
                             scenario_->workload.gradient_accumulation;
  if (ahead <= 0) return 0.0;
  const std::int64_t from = steps_done_ - ahead;
  return step_begin_s_ - (from > log_.epoch_first_step.back() ? log_.end_s[static_cast<std::size_t>(from) - 1]
                                                              : log_.epoch_start_s.back());
}

// For how long the storage could have served more so far.
double TrainingModel::spare_s() const { return to_seconds(sim_.now()) - tier_->busy_s(); }

// Steps of this epoch that ended after `time`, without the one at hand.
std::int64_t TrainingModel::steps_since(SimTime time) const {
  const auto first = log_.end_s.begin() + log_.epoch_first_step.back(), last = log_.end_s.begin() + steps_done_;
  return last - std::upper_bound(first, last, to_seconds(time));
}

// What was learnt of other nodes holds no longer.
void TrainingModel::start_absent_over() {
  absent_.start_over();
  spare_before_s_ = spare_s();
  slowest_ = {};
}

// In this step, of the absent node that all wait for: as much as the slowest simulated rank and the wait after it, as
// far as the slowest are late for what they lose and not for the spread of compute times. By cause as the slowest
// simulated rank, but where the wait is `drawn`: as those that all waited for, which lose to other causes than one that
// is only the latest of the simulated ones.
CauseTimes TrainingModel::lost_by_absent(bool drawn) const {
  double before_s = 0.0, known_s = 0.0;
  for (std::size_t c = 0; c < slowest_lost_.size(); ++c) {
    before_s += to_seconds(slowest_lost_[c]);
    known_s += slowest_.lost_s[c];
  }
  const bool known = drawn && known_s > 0.0;
  const double explained =
      known_s > 0.0 && slowest_.later_s > 0.0 ? std::min(1.0, slowest_.excess_s / slowest_.later_s) : 1.0;
  const double all_s = before_s + explained * to_seconds(absent_wait_);
  CauseTimes out{};
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double part = known            ? slowest_.lost_s[c] / known_s
                        : before_s > 0.0 ? to_seconds(slowest_lost_[c]) / before_s
                                         : 0.0;
    out[c] = to_ns(part * all_s);
  }
  return out;
}

}  // namespace stallcast
