#include "core/model/loader/loader.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/model/loader/loader_costs.h"
#include "core/result/lost_time.h"
#include "core/result/trace.h"
#include "core/scenario/data_path.h"
#include "core/units/quantity.h"

namespace stallcast {

namespace {

constexpr std::int64_t kEndless = std::int64_t{1} << 40;  // shards of an epoch that does not end

}  // namespace

Loader::Loader(Simulator& sim, const Scenario& scenario, const Draws& draws, StorageTier& tier, CorePool& cores,
               TraceRecorder& trace, RankPlace place)
    : sim_(&sim),
      scenario_(&scenario),
      spec_(&scenario.loader),
      cores_(&cores),
      trace_(&trace),
      samples_(sim, scenario, draws, tier, cores, trace, place),
      batch_size_(scenario.workload.batch_size),
      arrivals_(sim),
      pinned_(sim) {
  reads_ahead_ = reading_streams(scenario) > 0;
  const auto window =
      static_cast<std::size_t>(std::max<std::int64_t>(1, spec_->num_workers * spec_->prefetch_factor) + 1);
  slots_.resize(std::bit_ceil(2 * window));
  workers_.reserve(static_cast<std::size_t>(spec_->num_workers));
  queue_track_ = trace.add_track(place.node, "rank " + std::to_string(place.rank) + " batches ready");
  for (std::int64_t w = 0; w < spec_->num_workers; ++w) {
    workers_.emplace_back(sim);
    workers_.back().track =
        trace.add_track(place.node, "rank " + std::to_string(place.rank) + " worker " + std::to_string(w));
    if (reads_ahead_)
      workers_.back().fetch_track = trace.add_track(
          place.node, "rank " + std::to_string(place.rank) + " worker " + std::to_string(w) + " reading");
  }
  if (spec_->pin_memory && spec_->num_workers > 0) sim.spawn(run_pin_thread(sim, *this));
}

// ---------------------------------------------------------------------------------------------- starting an epoch

Task<void> Loader::start_epoch(const EpochCourse& epoch) {
  if (batches_ < EpochCourse::kEndless) batches_before_ += batches_;
  if (shards_ < kEndless) {
    shards_before_ += shards_;
    samples_before_ += shards_ * file_samples_;
  }
  batches_ = epoch.batches;
  shards_ = epoch.shards > 0 ? epoch.shards : kEndless;
  file_samples_ = epoch.samples_of_file(*scenario_);
  next_to_send_ = next_to_return_ = in_flight_ = 0;
  cycle_ = 0;
  ready_batches_ = stored_ = 0;
  std::fill(slots_.begin(), slots_.end(), Slot{});
  const std::int64_t n = spec_->num_workers;
  if (n == 0) {
    last_active_ = sim_->now();
    co_return;
  }
  const SimTime begin = sim_->now();
  for (Worker& worker : workers_) {
    worker.active = true;
    worker.held = 0;
    worker.orders.put({Message::kResume, 0});  // behind orders of the last epoch that it will not answer
  }
  if (!workers_running_) {
    // fork starts workers one after the other inside iter(); spawned ones start together, and import side by side.
    for (std::int32_t w = 0; w < n; ++w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      const double ready =
          spec_->start_method == StartMethod::kFork ? cost_s(spec_->start_ready, w + 1) : cost_s(spec_->start_ready, n);
      worker.ready_at = after(begin, to_ns(ready));
      worker.clock.enter(LostTime::kStartup, begin);
      sim_->spawn(run_worker(*sim_, *this, w));
      if (reads_ahead_) sim_->spawn(run_reading_thread(*sim_, *this, w));
    }
    workers_running_ = first_of_pool_ = true;
    co_await sim_->delay(to_ns(cost_s(spec_->start_call, n)));
  } else {
    co_await sim_->delay(to_ns(cost_s(spec_->reset, n)));
  }
  for (std::int64_t i = 0; i < n * spec_->prefetch_factor; ++i) hand_out();
  last_active_ = sim_->now();
}

// Gives the next batch to the next worker in the cycle that may take one; false when there is none to give.
bool Loader::hand_out() {
  const bool map = spec_->style == LoaderStyle::kMap;
  if (map && next_to_send_ >= batches_) return false;
  const std::size_t n = workers_.size();
  // torch, _try_put_index: out of order the active workers share the places of all.
  const auto active = std::count_if(workers_.begin(), workers_.end(), [](const Worker& w) { return w.active; });
  const std::int64_t most = spec_->num_workers * spec_->prefetch_factor / std::max<std::int64_t>(1, active);
  for (std::size_t tried = 0; tried < n; ++tried) {
    const std::size_t w = cycle_;
    cycle_ = (cycle_ + 1) % n;
    Worker& worker = workers_[w];
    if (!worker.active) continue;
    if (!spec_->in_order && worker.held >= most) continue;
    slot(next_to_send_) = {static_cast<std::int32_t>(w), false, {}};
    ++worker.held;
    ++in_flight_;
    worker.orders.put({Message::kBatch, next_to_send_++});
    return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------- the worker process

Process Loader::run_worker(Simulator& sim, Loader& loader, std::int32_t index) {
  Worker& worker = loader.workers_[static_cast<std::size_t>(index)];
  co_await sim.delay(std::max<SimTime>(0, worker.ready_at - sim.now()));
  co_await loader.cores_->run(loader.spec_->start_cpu.base(), worker.core);
  worker.clock.enter(LostTime::kLoaderOverhead, sim.now());
  for (;;) {
    const SimTime asked = sim.now();
    const Order order = co_await worker.orders.get();
    if (sim.now() > asked) worker.busy_since = sim.now();
    if (order.message == Message::kStop) {
      if (loader.reads_ahead_) worker.epochs.put(kNoMore);
      co_return;
    }
    if (order.message == Message::kResume) {
      worker.exhausted = false;
      worker.shard = -1;
      worker.in_shard = worker.buffered = worker.given = 0;
      worker.unread_bytes = 0.0;
      worker.out_of_samples = false;
      if (loader.reads_ahead_) worker.epochs.put(loader.shards_before_);
      continue;
    }
    if (worker.exhausted) continue;  // as torch: indices that reach a worker without samples get no answer
    bool exhausted = false;
    const SimTime taken = sim.now();
    if (loader.spec_->style == LoaderStyle::kMap) {
      co_await loader.samples_.load({worker.clock, worker.core, worker.unread_bytes, worker.track},
                                    loader.first_sample(order.batch), loader.batch_size_);
    } else {
      exhausted = worker.exhausted = !co_await loader.load_iterable_batch(worker, index);
    }
    if (!exhausted) {
      const SimTime begin = sim.now();
      worker.clock.enter(LostTime::kCpuDecode, begin);
      co_await loader.cores_->run(loader.spec_->worker_batch_cpu.base(), worker.core);
      // With nothing to load a worker makes a batch per pipe_time: what that exceeds its CPU time it waits for the
      // pipe.
      co_await sim.delay(std::max<SimTime>(0, after(begin, to_ns(loader.spec_->pipe_time)) - sim.now()));
      loader.trace_->span(worker.track, TraceSpanKind::kHandOff, begin, sim.now(), order.batch);
    }
    worker.clock.enter(LostTime::kLoaderOverhead, sim.now());
    worker.last_active = sim.now();
    ++loader.ready_batches_;
    loader.trace_->counter(loader.queue_track_, sim.now(), static_cast<double>(loader.ready_batches_));
    loader.arrivals_.put({order.batch, index, exhausted, sim.now() - taken, {worker.busy_since, sim.now()}});
  }
}

// Number of the first sample of a map-style batch, counted over all epochs.
std::int64_t Loader::first_sample(std::int64_t batch) const { return (batches_before_ + batch) * batch_size_; }

// A shuffle buffer is filled before the first sample leaves it and kept full while there are samples to read: by the
// time the last sample of a batch is taken, the buffer has been filled once and then once more for each sample before
// it.
Task<bool> Loader::load_iterable_batch(Worker& worker, std::int32_t index) {
  const std::int64_t keep = shuffled_before(scenario_->dataset, worker.given + batch_size_ - 1);
  const std::int64_t wanted = keep - worker.buffered + batch_size_ - 1;
  // Not two co_awaits in one expression: g++ 12 is not to be trusted with them.
  std::int64_t read = 0;
  if (reads_ahead_) {
    read = co_await take_fetched(worker, wanted);
  } else {
    read = co_await read_samples(worker, index, wanted);
  }
  worker.buffered += read;
  const bool full = worker.buffered >= batch_size_;
  worker.buffered = full ? worker.buffered - batch_size_ : 0;
  if (full) worker.given += batch_size_;
  co_return full;
}

// The reading thread of a worker goes through its shards and stays read_ahead samples before it at most.
Process Loader::run_reading_thread(Simulator& sim, Loader& loader, std::int32_t index) {
  Worker& worker = loader.workers_[static_cast<std::size_t>(index)];
  for (;;) {
    worker.fetch_clock.enter(LostTime::kLoaderOverhead, sim.now());
    const std::int64_t shards_before = co_await worker.epochs.get();
    if (shards_before == kNoMore) co_return;
    const std::int64_t per = loader.file_samples_;
    double unread_bytes = 0.0;
    for (std::int64_t shard = index; shard < loader.shards_; shard += loader.spec_->num_workers) {
      const std::int64_t first = loader.samples_before_ + shard * per;
      const bool opens = loader.opens(shard);
      if (opens) unread_bytes = 0.0;
      for (std::int64_t i = 0; i < per; ++i) {
        while (static_cast<std::int64_t>(worker.fetched.size()) >= loader.spec_->read_ahead) {
          worker.fetch_clock.enter(LostTime::kLoaderOverhead, sim.now());
          co_await worker.room.wait();
        }
        if (i == 0 && opens) co_await loader.samples_.open(worker.fetch_clock, shards_before + shard, first);
        co_await loader.samples_.load(
            {worker.fetch_clock, worker.fetch_core, unread_bytes, worker.fetch_track, SampleReader::Part::kReadOnly},
            first + i, 1);
        worker.fetched.put(first + i);
      }
    }
    worker.fetched.put(kNoMore);
  }
}

// Up to `most` of the next samples that the reading thread has brought, decoded; fewer after the last.
Task<std::int64_t> Loader::take_fetched(Worker& worker, std::int64_t most) {
  for (std::int64_t taken = 0; taken < most; ++taken) {
    if (worker.out_of_samples) co_return taken;
    if (worker.fetched.empty()) worker.fetch_clock.echo(&worker.clock, sim_->now());
    const std::int64_t number = co_await worker.fetched.get();
    worker.fetch_clock.echo(nullptr, sim_->now());
    worker.clock.enter(LostTime::kLoaderOverhead, sim_->now());
    worker.room.notify_all();
    worker.out_of_samples = number == kNoMore;
    if (worker.out_of_samples) co_return taken;
    co_await samples_.decode(worker.clock, worker.core, worker.track, number);
  }
  co_return most;
}

// Whether `shard` of the epoch, which one of the workers begins, is opened.
bool Loader::opens(std::int64_t shard) const {
  return opens_file(shard / std::max<std::int64_t>(1, spec_->num_workers), file_samples_,
                    scenario_->dataset.samples_per_shard);
}

// Reads up to `most` samples, the worker's next; opens its next shard where one ends. Fewer when it has no more of
// them.
Task<std::int64_t> Loader::read_samples(Worker& worker, std::int32_t index, std::int64_t most) {
  const std::int64_t per = file_samples_;
  std::int64_t read = 0;
  while (read < most) {
    if (worker.shard < 0 || worker.in_shard == per) {
      const std::int64_t next = worker.shard < 0 ? index : worker.shard + std::max<std::int64_t>(1, spec_->num_workers);
      if (next >= shards_) break;
      worker.shard = next;
      worker.in_shard = 0;
      if (opens(next)) {
        worker.unread_bytes = 0.0;
        co_await samples_.open(worker.clock, shards_before_ + next, samples_before_ + next * per);
      }
    }
    const std::int64_t first = samples_before_ + worker.shard * per + worker.in_shard;
    const std::int64_t count = std::min(most - read, per - worker.in_shard);
    worker.in_shard += count;
    read += count;
    co_await samples_.load({worker.clock, worker.core, worker.unread_bytes, worker.track}, first, count);
  }
  co_return read;
}

// ---------------------------------------------------------------------------------------------- the consumer's side

// Takes one batch off the result queue: processor time of the consumer, and the exchanges with the worker that made it.
Task<void> Loader::receive(SimTime idle, CorePool::LastCore& core) {
  co_await cores_->run(std::max(hand_over_s(*spec_, idle), spec_->consumer_batch_cpu.base()), core);
}

Process Loader::run_pin_thread(Simulator& sim, Loader& loader) {
  const double rate = loader.spec_->pin_bandwidth.base();
  const double batch = handed_over_bytes(*loader.scenario_) * static_cast<double>(loader.batch_size_);
  const double copy_s = rate > 0 && !bypasses_host(*loader.scenario_) ? batch / rate : 0.0;
  SimTime last = 0;
  for (;;) {
    Arrival arrival = co_await loader.arrivals_.get();
    if (!arrival.exhausted) {
      co_await loader.receive(sim.now() - last, loader.pin_core_);
      co_await loader.cores_->run(copy_s, loader.pin_core_);
    }
    last = arrival.times.made = sim.now();
    loader.pinned_.put(arrival);
  }
}

// Splits a wait: `blocked` of it to order, the rest to what the awaited worker did meanwhile.
void Loader::blame_wait(CauseTimes& lost, const CauseTimes& before, const CauseTimes& after, SimTime begin, SimTime end,
                        SimTime blocked) const {
  const SimTime wait = end - begin;
  if (wait <= 0) return;
  blocked = std::clamp<SimTime>(blocked, 0, wait);
  lost[static_cast<std::size_t>(LostTime::kLoaderOrder)] += blocked;
  SimTime left = wait - blocked;
  if (left == 0) return;
  const double share = static_cast<double>(left) / static_cast<double>(wait);
  for (std::size_t c = 0; c < before.size(); ++c) {
    const auto part = static_cast<SimTime>(static_cast<double>(after[c] - before[c]) * share);
    lost[samples_.real_cause(c)] += part;
    left -= part;
  }
  lost[static_cast<std::size_t>(LostTime::kLoaderOverhead)] += left;  // rounding
}

Task<bool> Loader::next_inline(CauseTimes& lost) {
  std::int64_t batches = batches_;
  if (spec_->style == LoaderStyle::kIterable) {
    batches = shards_ < kEndless ? shards_ * file_samples_ / batch_size_ : std::numeric_limits<std::int64_t>::max();
  }
  if (next_to_return_ >= batches) co_return false;
  const CauseTimes before = inline_clock_.spent(sim_->now());
  const SampleReader::Stream stream{inline_clock_, consumer_core_, inline_unread_bytes_};
  const std::int64_t batch = next_to_return_++;
  const SimTime begin = sim_->now();
  if (spec_->style == LoaderStyle::kMap) {
    co_await samples_.load(stream, first_sample(batch), batch_size_);
  } else {
    const std::int64_t start = batch * batch_size_;
    for (std::int64_t i = start; i < start + batch_size_; ++i) {
      const std::int64_t shard = i / file_samples_;
      if (i % file_samples_ == 0 && opens(shard)) {
        inline_unread_bytes_ = 0.0;
        co_await samples_.open(inline_clock_, shards_before_ + shard, samples_before_ + i);
      }
      co_await samples_.load(stream, samples_before_ + i, 1);
    }
  }
  inline_clock_.enter(LostTime::kLoaderOverhead, sim_->now());
  co_await cores_->run(spec_->inline_batch_cpu.base(), consumer_core_);
  const CauseTimes after = inline_clock_.spent(sim_->now());
  for (std::size_t c = 0; c < after.size(); ++c) lost[samples_.real_cause(c)] += after[c] - before[c];
  batch_times_ = {begin, sim_->now()};
  co_return true;
}

void Loader::skip_lost_batches() {
  while (next_to_return_ < next_to_send_ && !slot(next_to_return_).arrived &&
         !workers_[static_cast<std::size_t>(slot(next_to_return_).worker)].active) {
    slot(next_to_return_++) = {};
  }
}

Task<bool> Loader::next(CauseTimes& lost) {
  if (spec_->num_workers == 0) {
    inline_clock_.enter(LostTime::kLoaderOverhead, sim_->now());
    co_return co_await next_inline(lost);
  }
  SimTime away_since = last_active_;
  SimTime order_since = kNever;
  Mailbox<Arrival>& inbox = spec_->pin_memory ? pinned_ : arrivals_;

  for (;;) {
    if (spec_->in_order) skip_lost_batches();
    const bool drained = spec_->in_order ? next_to_return_ >= next_to_send_ : in_flight_ == 0;
    if (drained) {
      const SimTime drained_at = sim_->now();
      if (!spec_->persistent_workers) {
        for (Worker& worker : workers_) worker.orders.put({Message::kStop, 0});
        workers_running_ = false;
        co_await sim_->delay(to_ns(cost_s(spec_->shutdown, spec_->num_workers)));
      }
      lost[static_cast<std::size_t>(LostTime::kStartup)] += sim_->now() - drained_at;
      co_return false;
    }
    if (spec_->in_order && slot(next_to_return_).arrived) {  // received while waiting for an earlier one
      --stored_;
      batch_times_ = slot(next_to_return_).times;
      const SimTime taken = sim_->now();
      co_await cores_->run(spec_->next_stored.base(), consumer_core_);
      lost[static_cast<std::size_t>(LostTime::kLoaderOverhead)] += sim_->now() - taken;
      break;
    }
    if (stored_ > 0 && order_since == kNever) order_since = sim_->now();
    const SimTime wait_from = sim_->now();
    const std::int32_t awaited = spec_->in_order ? slot(next_to_return_).worker : -1;
    const CauseTimes before =
        awaited >= 0 ? workers_[static_cast<std::size_t>(awaited)].clock.spent(wait_from) : CauseTimes{};
    const bool was_ready = !inbox.empty();
    if (!was_ready) away_since = wait_from;
    const Arrival arrival = co_await inbox.get();
    const SimTime came = sim_->now();
    Worker& maker = workers_[static_cast<std::size_t>(arrival.worker)];
    if (awaited >= 0) {
      // Order is to blame for as long as a later batch was there, and only for what this batch took beyond the usual:
      // where all are slow alike, another order would not help.
      const SimTime usual = fetches_ > 0 ? fetch_total_ / fetches_ : arrival.fetch;
      const bool wanted = arrival.batch == next_to_return_;
      const SimTime beyond = wanted ? std::max<SimTime>(0, arrival.fetch - usual) : SimTime{0};
      blame_wait(lost, before, workers_[static_cast<std::size_t>(awaited)].clock.spent(came), wait_from, came,
                 std::min(beyond, came - std::max(wait_from, order_since)));
    } else if (came > wait_from) {
      lost[static_cast<std::size_t>(LostTime::kStorageLatency)] += came - wait_from;
    }
    if (!arrival.exhausted) {
      ++fetches_;
      fetch_total_ = after(fetch_total_, arrival.fetch);
    }
    --in_flight_;
    --ready_batches_;
    if (arrival.exhausted) {
      maker.active = false;
      in_flight_ -= maker.held - 1;  // what it still holds will never come
      maker.held = 0;
      hand_out();
      continue;
    }
    if (first_of_pool_) {
      first_of_pool_ = false;
      co_await sim_->delay(to_ns(first_batch_extra_s(*spec_)));
    }
    // Each exchange waits for whichever side has to wake from the longer idleness.
    if (!spec_->pin_memory) co_await receive(came - std::min(maker.last_active, away_since), consumer_core_);
    away_since = maker.last_active = sim_->now();
    lost[static_cast<std::size_t>(LostTime::kLoaderOverhead)] += sim_->now() - came;
    --maker.held;
    batch_times_ = arrival.times;
    if (!spec_->in_order || arrival.batch == next_to_return_) break;
    slot(arrival.batch).arrived = true;
    slot(arrival.batch).times = arrival.times;
    ++stored_;
    if (order_since == kNever) order_since = came;
  }
  if (spec_->in_order) slot(next_to_return_) = {};
  ++next_to_return_;
  hand_out();
  trace_->counter(queue_track_, sim_->now(), static_cast<double>(ready_batches_));
  last_active_ = sim_->now();
  co_return true;
}

}  // namespace stallcast
