// PyTorch's DataLoader: index hand-out, workers, in-order delivery, prefetch, epochs.
//
// Map style: num_workers * prefetch_factor batches are handed out when an epoch starts, batch i to worker i mod
// num_workers; a worker loads its batch sample by sample; next() returns batches in index order and hands out one more
// for each it returns. Iterable style: shard s belongs to worker s mod num_workers, each worker cuts its own batches,
// a worker out of samples drops out, a partial last batch is dropped (drop_last); with read_ahead a thread of its own
// reads its samples before it asks for them. in_order = false returns whatever
// arrived first and hands the next batch to the next worker in the cycle that holds fewer than prefetch_factor.
// **Source** torch/utils/data/dataloader.py, _MultiProcessingDataLoaderIter (1.13; in_order from 2.6), and
// torch/utils/data/_utils/worker.py. **Checked by** Loader tests, the measured runs under tests/validation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/core_pool.h"
#include "core/engine/mailbox.h"
#include "core/engine/simulator.h"
#include "core/model/loader/batch_times.h"
#include "core/model/loader/sample_reader.h"
#include "core/model/storage/course.h"
#include "core/model/storage/phase_clock.h"
#include "core/model/storage/trace_recorder.h"

namespace stallcast {

class Loader {
 public:
  Loader(Simulator& sim, const Scenario& scenario, const Draws& draws, StorageTier& tier, CorePool& cores,
         TraceRecorder& trace, RankPlace place);
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  Simulator& simulator() { return *sim_; }

  // The training process of the rank, which next() runs in.
  CorePool::LastCore& consumer_core() { return consumer_core_; }

  // iter(loader): starts or resets the workers and hands out the first batches of `epoch`.
  Task<void> start_epoch(const EpochCourse& epoch);

  // next(): waits for a batch; `lost` gets what the wait was spent on. False at the end of the epoch, workers then
  // shut down unless persistent.
  Task<bool> next(CauseTimes& lost);
  // Of the batch that it returned last.
  const BatchTimes& batch_times() const { return batch_times_; }

 private:
  static constexpr std::int64_t kNoMore = -1;  // in place of a number
  enum class Message : std::uint8_t { kBatch, kResume, kStop };
  struct Order {
    Message message = Message::kStop;
    std::int64_t batch = 0;
  };
  struct Arrival {
    std::int64_t batch = 0;
    std::int32_t worker = 0;
    bool exhausted = false;  // iterable: this worker has no more batches
    SimTime fetch = 0;       // how long the worker was at it
    BatchTimes times;
  };
  struct alignas(64) Worker {
    explicit Worker(Simulator& sim) : orders(sim), epochs(sim), fetched(sim), room(sim) {}
    // Asked for at every wait, so they share a line of the cache.
    CorePool::LastCore core;
    PhaseClock clock;
    Mailbox<Order> orders;
    std::int64_t held = 0;        // batches handed out and not yet taken
    bool active = true;           // still has samples, as far as the consumer knows
    bool exhausted = false;       // iterable: has none left, as the worker itself knows
    bool out_of_samples = false;  // its reading thread has brought the last
    SimTime ready_at = 0;         // start-up done
    SimTime busy_since = 0;       // it last waited for an order
    SimTime last_active = 0;      // when it last finished a batch or took part in an exchange
    std::int64_t shard = 0;       // iterable: current shard, -1 before the first
    std::int64_t in_shard = 0;    // iterable: samples read from it
    std::int64_t buffered = 0;    // iterable: samples in the shuffle buffer
    std::int64_t given = 0;       // iterable: samples that have left it this epoch
    double unread_bytes = 0.0;    // sequential layouts: bytes read ahead
    std::uint32_t track = 0;
    // Its reading thread, when it reads ahead.
    Mailbox<std::int64_t> epochs;   // to read: shards of those before, kNoMore to end
    Mailbox<std::int64_t> fetched;  // numbers of samples, kNoMore after the last
    Signal room;                    // a sample was taken
    PhaseClock fetch_clock;
    CorePool::LastCore fetch_core;
    std::uint32_t fetch_track = 0;
  };
  struct Slot {  // a batch handed out and not yet returned
    std::int32_t worker = -1;
    bool arrived = false;
    BatchTimes times;  // once it has
  };

  static Process run_worker(Simulator& sim, Loader& loader, std::int32_t index);
  static Process run_reading_thread(Simulator& sim, Loader& loader, std::int32_t index);
  static Process run_pin_thread(Simulator& sim, Loader& loader);

  Task<bool> load_iterable_batch(Worker& worker, std::int32_t index);
  Task<std::int64_t> read_samples(Worker& worker, std::int32_t index, std::int64_t most);
  bool opens(std::int64_t shard) const;
  Task<std::int64_t> take_fetched(Worker& worker, std::int64_t most);
  Task<void> receive(SimTime idle, CorePool::LastCore& core);
  Task<bool> next_inline(CauseTimes& lost);
  // Batches of workers that dropped out will never come.
  void skip_lost_batches();

  std::int64_t first_sample(std::int64_t batch) const;
  bool hand_out();
  Slot& slot(std::int64_t batch) { return slots_[static_cast<std::size_t>(batch) & (slots_.size() - 1)]; }
  void blame_wait(CauseTimes& lost, const CauseTimes& before, const CauseTimes& after, SimTime begin, SimTime end,
                  SimTime blocked) const;

  Simulator* sim_;
  const Scenario* scenario_;
  const LoaderSpec* spec_;
  CorePool* cores_;
  TraceRecorder* trace_;
  SampleReader samples_;
  std::int64_t batch_size_;
  // Of the epoch at hand, and of those before it.
  std::int64_t batches_ = 0;       // map style
  std::int64_t shards_ = 0;        // iterable style
  std::int64_t file_samples_ = 1;  // of a shard
  std::int64_t batches_before_ = 0, shards_before_ = 0, samples_before_ = 0;
  bool reads_ahead_ = false;  // iterable: workers have reading threads

  std::vector<Worker> workers_;
  Mailbox<Arrival> arrivals_;  // the result queue, filled by workers
  Mailbox<Arrival> pinned_;    // behind the pin thread
  PhaseClock inline_clock_;
  double inline_unread_bytes_ = 0.0;
  std::vector<Slot> slots_;          // ring over batches in flight, by number
  std::int64_t next_to_send_ = 0;    // send_idx
  std::int64_t next_to_return_ = 0;  // rcvd_idx
  std::int64_t in_flight_ = 0;       // handed out, not yet received
  std::size_t cycle_ = 0;            // next worker in the hand-out cycle
  bool workers_running_ = false;
  bool first_of_pool_ = false;  // no batch has come from these workers yet
  SimTime last_active_ = 0;     // when the consumer last did something
  BatchTimes batch_times_;
  CorePool::LastCore consumer_core_;
  CorePool::LastCore pin_core_;
  std::uint32_t queue_track_ = 0;
  std::int64_t ready_batches_ = 0;  // made by workers and not yet received
  std::int64_t stored_ = 0;         // received ahead of their turn
  std::int64_t fetches_ = 0;        // batches received, and the time workers took for them
  SimTime fetch_total_ = 0;
};

}  // namespace stallcast
