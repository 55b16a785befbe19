#include "core/model/loader/thread_loader.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/model/loader/loader_costs.h"

namespace stallcast {

ThreadLoader::ThreadLoader(Simulator& sim, const Scenario& scenario, const Draws& draws, StorageTier& tier,
                           CorePool& cores, TraceRecorder& trace, RankPlace place)
    : sim_(&sim),
      scenario_(&scenario),
      spec_(&scenario.loader),
      cores_(&cores),
      trace_(&trace),
      samples_(sim, scenario, draws, tier, cores, trace, place),
      batch_size_(scenario.workload.batch_size),
      grouped_(reads_in_file_order(scenario)),
      places_(sim),
      read_(sim),
      done_(sim),
      orders_(sim),
      batches_(sim) {
  if (spec_->pin_memory && spec_->pin_bandwidth.base() > 0.0 && !bypasses_host(scenario)) {
    pin_copy_s_ = handed_over_bytes(scenario) * static_cast<double>(batch_size_) / spec_->pin_bandwidth.base();
  }
  const std::string rank = "rank " + std::to_string(place.rank);
  const auto threads = static_cast<std::size_t>(spec_->num_workers);
  const auto streams = static_cast<std::size_t>(reading_streams(scenario));
  finished_.resize(std::bit_ceil(std::max<std::size_t>(1, threads)));
  queue_track_ = trace.add_track(place.node, rank + " batches ready");
  threads_.resize(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    threads_[t].clock.join(thread_clock_, 0);
    threads_[t].track = trace.add_track(place.node, rank + " thread " + std::to_string(t));
  }
  streams_.reserve(streams);
  for (std::size_t i = 0; i < streams; ++i) {
    streams_.emplace_back(sim);
    streams_.back().clock.join(stream_clock_, 0);
    streams_.back().track = trace.add_track(place.node, rank + " stream " + std::to_string(i));
  }
  assembler_track_ = trace.add_track(place.node, rank + " batching");
  thread_clock_.count(LostTime::kLoaderOrder, false, 0);
}

// ---------------------------------------------------------------------------------------------- an epoch

Task<void> ThreadLoader::start_epoch(const EpochCourse& epoch) {
  if (epoch_samples_ < kEndless) {
    samples_before_ += epoch_samples_;
    files_before_ += (epoch_samples_ + file_samples_ - 1) / file_samples_;
  }
  if (grouped_) file_samples_ = epoch.samples_of_file(*scenario_);
  epoch_batches_ = epoch.batches;
  epoch_samples_ = epoch_batches_ == kEndless ? kEndless : epoch_batches_ * batch_size_;
  started_ = pulled_ = takeable_ = hungry_ = ordered_ = returned_ = 0;
  cursor_ = 0;
  const std::int64_t n = spec_->num_workers;
  if (n == 0) {
    last_active_ = sim_->now();
    co_return;
  }
  const SimTime begin = sim_->now();
  if (!threads_running_) {
    ready_at_ = after(begin, to_ns(cost_s(spec_->start_ready, n)));
    for (std::size_t t = 0; t < threads_.size(); ++t) sim_->spawn(run_thread(*sim_, *this, t));
    for (std::size_t i = 0; i < streams_.size(); ++i) sim_->spawn(run_stream(*sim_, *this, i));
    sim_->spawn(run_assembler(*sim_, *this));
    threads_running_ = first_of_pool_ = true;
    co_await sim_->delay(to_ns(cost_s(spec_->start_call, n)));
  } else {
    co_await sim_->delay(to_ns(cost_s(spec_->reset, n)));
  }
  for (Stream& stream : streams_) {
    stream.ended = false;
    stream.epochs.put(samples_before_);
  }
  for (; started_ < std::min(n, epoch_samples_); ++started_) places_.put(started_);
  for (; ordered_ < std::min(spec_->prefetch_factor, epoch_batches_); ++ordered_) orders_.put(ordered_);
  last_active_ = sim_->now();
}

void ThreadLoader::stop_threads() {
  for (std::size_t t = 0; t < threads_.size(); ++t) places_.put(kStop);
  for (Stream& stream : streams_) stream.epochs.put(kStop);
  orders_.put(kStop);
  threads_running_ = false;
}

// ---------------------------------------------------------------------------------------------- reading streams

// Stream i of C: whole files i, i + C, ... where samples lie in file order, else samples i, i + C, ...
Process ThreadLoader::run_stream(Simulator& sim, ThreadLoader& loader, std::size_t index) {
  Stream& stream = loader.streams_[index];
  stream.clock.enter(LostTime::kStartup, sim.now());
  co_await sim.delay(std::max<SimTime>(0, loader.ready_at_ - sim.now()));
  const auto step = static_cast<std::int64_t>(loader.streams_.size());
  for (;;) {
    stream.clock.enter(LostTime::kLoaderOverhead, sim.now());
    const std::int64_t before = co_await stream.epochs.get();
    if (before == kStop) co_return;
    const std::int64_t total = loader.epoch_samples_, per = loader.file_samples_;
    const std::int64_t files_before = loader.files_before_;
    for (auto file = static_cast<std::int64_t>(index); file <= (total - 1) / per; file += step) {
      bool opens = loader.grouped_ && opens_file(file / step, per, loader.scenario_->dataset.samples_per_shard);
      if (opens) stream.unread_bytes = 0.0;
      for (std::int64_t i = 0; i < per && file * per + i < total; ++i) {
        while (stream.count == kStreamReadyMost) {
          stream.clock.enter(LostTime::kLoaderOverhead, sim.now());
          co_await stream.room.wait();
        }
        if (opens) co_await loader.samples_.open(stream.clock, files_before + file, before + file * per + i);
        opens = false;
        co_await loader.read_into(stream, before + file * per + i);
      }
    }
    stream.ended = true;
    loader.deliver();  // others no longer wait for this one's turn
  }
}

Task<void> ThreadLoader::read_into(Stream& stream, std::int64_t sample) {
  co_await samples_.load({stream.clock, stream.core, stream.unread_bytes, stream.track, SampleReader::Part::kReadOnly},
                         sample, 1);
  stream.ready[static_cast<std::size_t>((stream.first + stream.count) % kStreamReadyMost)] = sample;
  ++stream.count;
  deliver();
}

// The next sample in turn; false when it is not there yet.
bool ThreadLoader::pull(std::int64_t& sample) {
  for (std::size_t tried = 0; tried < streams_.size(); ++tried) {
    Stream& stream = streams_[cursor_];
    if (stream.count == 0) {
      if (spec_->in_order && !stream.ended) return false;
      cursor_ = (cursor_ + 1) % streams_.size();
      continue;
    }
    sample = stream.ready[static_cast<std::size_t>(stream.first)];
    stream.first = (stream.first + 1) % kStreamReadyMost;
    --stream.count;
    stream.room.notify_all();
    cursor_ = (cursor_ + 1) % streams_.size();
    return true;
  }
  return false;
}

// Gives samples to the threads that wait for one, as far as there are any. A shuffle buffer is filled before the first
// sample leaves it and kept full while there are samples to read.
void ThreadLoader::deliver() {
  while (hungry_ > 0) {
    const std::int64_t keep =
        shuffled_before(scenario_->dataset, pulled_ - static_cast<std::int64_t>(shuffled_.size()));
    while (static_cast<std::int64_t>(shuffled_.size()) < keep && pulled_ < epoch_samples_) {
      std::int64_t sample = 0;
      if (!pull(sample)) return;
      shuffled_.push(sample);
      ++pulled_;
    }
    read_.put(shuffled_.pop());
    --hungry_;
  }
}

// ---------------------------------------------------------------------------------------------- threads

Process ThreadLoader::run_thread(Simulator& sim, ThreadLoader& loader, std::size_t index) {
  Thread& thread = loader.threads_[index];
  thread.clock.enter(LostTime::kStartup, sim.now());
  co_await sim.delay(std::max<SimTime>(0, loader.ready_at_ - sim.now()));
  const bool streams = !loader.streams_.empty();
  for (;;) {
    thread.clock.enter(LostTime::kLoaderOrder, sim.now());
    const std::int64_t place = co_await loader.places_.get();
    if (place == kStop) co_return;
    if (streams) {
      thread.clock.enter(LostTime::kLoaderOverhead, sim.now());
      ++loader.hungry_;
      loader.deliver();
      const std::int64_t sample = co_await loader.read_.get();
      co_await loader.samples_.decode(thread.clock, thread.core, thread.track, sample);
    } else {
      const std::int64_t sample = loader.samples_before_ + place;
      co_await loader.samples_.load({thread.clock, thread.core, thread.unread_bytes, thread.track}, sample, 1);
    }
    loader.finish(place);
  }
}

void ThreadLoader::finish(std::int64_t place) {
  if (!spec_->in_order) {
    done_.put(place);
    return;
  }
  const auto at = [this](std::int64_t p) -> char& {
    return finished_[static_cast<std::size_t>(p) & (finished_.size() - 1)];
  };
  at(place) = 1;
  for (; at(takeable_) != 0; ++takeable_) {
    at(takeable_) = 0;
    done_.put(takeable_);
  }
}

// ---------------------------------------------------------------------------------------------- batches

Process ThreadLoader::run_assembler(Simulator& sim, ThreadLoader& loader) {
  PhaseClock& clock = loader.assembler_clock_;
  for (;;) {
    clock.enter(LostTime::kLoaderOverhead, sim.now());
    const SimTime asked = sim.now();
    const std::int64_t batch = co_await loader.orders_.get();
    if (sim.now() > asked) loader.busy_since_ = sim.now();
    if (batch == kStop) co_return;
    for (std::int64_t i = 0; i < loader.batch_size_; ++i) {
      // Threads that wait behind an earlier sample do so for the sake of order only while the assembler waits too.
      const bool waits = loader.done_.empty();
      if (waits) loader.thread_clock_.count(LostTime::kLoaderOrder, true, sim.now());
      co_await loader.done_.get();
      if (waits) loader.thread_clock_.count(LostTime::kLoaderOrder, false, sim.now());
      if (loader.started_ < loader.epoch_samples_) loader.places_.put(loader.started_++);
    }
    const SimTime begin = sim.now();
    clock.enter(LostTime::kCpuDecode, begin);
    co_await loader.cores_->run(loader.spec_->worker_batch_cpu.base(), loader.assembler_core_);
    co_await sim.delay(std::max<SimTime>(0, after(begin, to_ns(loader.spec_->pipe_time)) - sim.now()));
    if (loader.pin_copy_s_ > 0.0) {
      clock.enter(LostTime::kHostToDevice, sim.now());
      co_await loader.cores_->run(loader.pin_copy_s_, loader.assembler_core_);
    }
    loader.trace_->span(loader.assembler_track_, TraceSpanKind::kHandOff, begin, sim.now(), batch);
    loader.batches_.put({loader.busy_since_, sim.now()});
    loader.trace_->counter(loader.queue_track_, sim.now(), static_cast<double>(loader.batches_.size()));
  }
}

// ---------------------------------------------------------------------------------------------- the consumer's side

ThreadLoader::Snapshot ThreadLoader::snapshot() const {
  const SimTime now = sim_->now();
  return {thread_clock_.spent(now), stream_clock_.spent(now), assembler_clock_.spent(now)};
}

// A wait is the assembler's own work, and then whatever the threads did meanwhile: each second of a thread weighs the
// same, and seconds that it waited for a stream are those of the streams.
void ThreadLoader::blame_wait(CauseTimes& lost, const Snapshot& before, SimTime wait) const {
  if (wait <= 0) return;
  const Snapshot after = snapshot();
  constexpr std::size_t kHungry = index(LostTime::kLoaderOverhead);
  SimTime left = wait;
  for (const LostTime own : {LostTime::kCpuDecode, LostTime::kHostToDevice}) {
    const SimTime part = std::min(left, after.assembler[index(own)] - before.assembler[index(own)]);
    lost[index(own)] += part;
    left -= part;
  }
  double streams = 0.0, total = 0.0;
  std::array<double, index(LostTime::kCount)> weight{};
  for (std::size_t c = 0; c < weight.size(); ++c) {
    if (c != kHungry) streams += static_cast<double>(after.streams[c] - before.streams[c]);
  }
  const auto hungry = static_cast<double>(after.threads[kHungry] - before.threads[kHungry]);
  for (std::size_t c = 0; c < weight.size(); ++c) {
    if (c == kHungry) continue;
    weight[c] = static_cast<double>(after.threads[c] - before.threads[c]);
    if (streams > 0.0) weight[c] += hungry * static_cast<double>(after.streams[c] - before.streams[c]) / streams;
    total += weight[c];
  }
  if (total > 0.0) {
    const auto share = static_cast<double>(left) / total;
    for (std::size_t c = 0; c < weight.size(); ++c) {
      const auto part = std::min(left, static_cast<SimTime>(weight[c] * share));
      lost[samples_.real_cause(c)] += part;
      left -= part;
    }
  }
  lost[kHungry] += left;  // rounding
}

// Samples one after the other; a file is opened before its first.
Task<void> ThreadLoader::next_inline(CauseTimes& lost) {
  inline_clock_.enter(LostTime::kLoaderOverhead, sim_->now());
  const CauseTimes before = inline_clock_.spent(sim_->now());
  const SampleReader::Stream stream{inline_clock_, consumer_core_, inline_unread_bytes_};
  const std::int64_t per = scenario_->dataset.samples_per_shard;
  const std::int64_t first = returned_ * batch_size_;
  for (std::int64_t i = first; i < first + batch_size_; ++i) {
    if (grouped_ && i % per == 0) {
      inline_unread_bytes_ = 0.0;
      co_await samples_.open(inline_clock_, files_before_ + i / per, samples_before_ + i);
    }
    co_await samples_.load(stream, samples_before_ + i, 1);
  }
  inline_clock_.enter(LostTime::kLoaderOverhead, sim_->now());
  co_await cores_->run(spec_->inline_batch_cpu.base(), consumer_core_);
  const CauseTimes after = inline_clock_.spent(sim_->now());
  for (std::size_t c = 0; c < after.size(); ++c) lost[samples_.real_cause(c)] += after[c] - before[c];
}

Task<bool> ThreadLoader::next(CauseTimes& lost) {
  const std::int64_t n = spec_->num_workers;
  if (returned_ >= epoch_batches_) {
    if (n > 0 && !spec_->persistent_workers) {
      const SimTime drained_at = sim_->now();
      stop_threads();
      co_await sim_->delay(to_ns(cost_s(spec_->shutdown, n)));
      lost[index(LostTime::kStartup)] += sim_->now() - drained_at;
    }
    co_return false;
  }
  if (n == 0) {
    const SimTime begin = sim_->now();
    co_await next_inline(lost);
    batch_times_ = {begin, sim_->now()};
    ++returned_;
    co_return true;
  }
  SimTime away_since = last_active_;
  if (batches_.empty()) {
    away_since = sim_->now();
    const Snapshot before = snapshot();
    batch_times_ = co_await batches_.get();
    blame_wait(lost, before, sim_->now() - away_since);
  } else {
    batch_times_ = co_await batches_.get();
  }
  const SimTime came = sim_->now();
  if (ordered_ < epoch_batches_) orders_.put(ordered_++);
  trace_->counter(queue_track_, came, static_cast<double>(batches_.size()));
  if (first_of_pool_) {
    first_of_pool_ = false;
    co_await sim_->delay(to_ns(first_batch_extra_s(*spec_)));
  }
  co_await cores_->run(std::max(hand_over_s(*spec_, came - away_since), spec_->consumer_batch_cpu.base()),
                       consumer_core_);
  lost[index(LostTime::kLoaderOverhead)] += sim_->now() - came;
  ++returned_;
  last_active_ = sim_->now();
  co_return true;
}

}  // namespace stallcast
