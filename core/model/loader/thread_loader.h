// A loader whose threads prepare samples, not batches: tf.data's parallel map, interleave and prefetch, and what is
// built like it (DALI, DLIO's TensorFlow reader).
//
//   reading streams -> (shuffle buffer) -> num_workers threads -> assembler -> buffer of prefetch_factor batches ->
//   next()
//
// - A stream reads its files one after the other and keeps kStreamReadyMost samples ready; the output takes one sample
//   of each stream in turn, in_order = false of whichever has one. Without streams (data_path.h) a thread reads what it
//   decodes.
// - A thread starts sample n when fewer than num_workers samples are under way or done and not yet taken; so one slow
//   sample holds up the pool once num_workers - 1 later ones are done, unless in_order is false.
// - The assembler works while fewer than prefetch_factor batches wait: it takes batch_size samples, then spends
//   worker_batch_cpu (and copies to pinned memory, pin_memory) and hands the batch over.
// - An epoch starts with empty buffers; its threads are new unless persistent_workers.
//
// **Source** tensorflow/core/kernels/data: parallel_map_dataset_op.cc (num_parallel_calls results at most),
// parallel_interleave_dataset_op.cc, batch_dataset_op.cc (samples are copied by the thread that asks), and
// prefetch_dataset_op.cc (the producer waits while the buffer is full).
// **Checked by** tests/core/model/thread_loader_test.cpp
#pragma once

#include <array>
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
#include "core/scenario/data_path.h"

namespace stallcast {

class ThreadLoader {
 public:
  ThreadLoader(Simulator& sim, const Scenario& scenario, const Draws& draws, StorageTier& tier, CorePool& cores,
               TraceRecorder& trace, RankPlace place);
  ThreadLoader(const ThreadLoader&) = delete;
  ThreadLoader& operator=(const ThreadLoader&) = delete;

  Simulator& simulator() { return *sim_; }

  // The training process of the rank, which next() runs in.
  CorePool::LastCore& consumer_core() { return consumer_core_; }

  // iter(): starts the threads and lets them go through `epoch`.
  Task<void> start_epoch(const EpochCourse& epoch);

  // next(): waits for a batch; `lost` gets what the wait was spent on. False at the end of the epoch.
  Task<bool> next(CauseTimes& lost);
  // Of the batch that it returned last.
  const BatchTimes& batch_times() const { return batch_times_; }

 private:
  static constexpr std::int64_t kEndless = EpochCourse::kEndless;
  static constexpr std::int64_t kStop = -1;  // in place of a number: the thread ends

  struct Thread {
    PhaseClock clock;
    CorePool::LastCore core;
    double unread_bytes = 0.0;
    std::uint32_t track = 0;
  };
  struct Stream {
    explicit Stream(Simulator& sim) : epochs(sim), room(sim) {}
    Mailbox<std::int64_t> epochs;  // to read: samples before them, kStop to end
    Signal room;                   // a sample was taken
    PhaseClock clock;
    CorePool::LastCore core;
    double unread_bytes = 0.0;
    std::array<std::int64_t, kStreamReadyMost> ready{};  // ring of sample numbers
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool ended = false;
    std::uint32_t track = 0;
  };

  static Process run_thread(Simulator& sim, ThreadLoader& loader, std::size_t index);
  static Process run_stream(Simulator& sim, ThreadLoader& loader, std::size_t index);
  static Process run_assembler(Simulator& sim, ThreadLoader& loader);

  Task<void> read_into(Stream& stream, std::int64_t sample);
  bool pull(std::int64_t& sample);
  void deliver();
  void finish(std::int64_t place);
  Task<void> next_inline(CauseTimes& lost);
  void stop_threads();

  struct Snapshot {
    CauseTimes threads, streams, assembler;
  };
  Snapshot snapshot() const;
  void blame_wait(CauseTimes& lost, const Snapshot& before, SimTime wait) const;

  Simulator* sim_;
  const Scenario* scenario_;
  const LoaderSpec* spec_;
  CorePool* cores_;
  TraceRecorder* trace_;
  SampleReader samples_;
  std::int64_t batch_size_;
  // Of the epoch at hand (kEndless when it does not end), and of those before it.
  std::int64_t epoch_batches_ = 0, epoch_samples_ = 0;
  std::int64_t file_samples_ = 1;
  std::int64_t samples_before_ = 0, files_before_ = 0;
  bool grouped_;             // streams read files of samples_per_shard samples
  double pin_copy_s_ = 0.0;  // of a batch

  // The clocks of threads and streams. Among threads kLoaderOrder is waiting for a place behind earlier samples and
  // kLoaderOverhead waiting for a stream; among streams kLoaderOverhead is waiting for room.
  PoolClock thread_clock_, stream_clock_;
  PhaseClock assembler_clock_, inline_clock_;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  Mailbox<std::int64_t> places_;  // numbers of samples that may be started
  Mailbox<std::int64_t> read_;    // samples read by streams, for the threads that wait
  Mailbox<std::int64_t> done_;    // samples that the assembler may take, in its order
  Mailbox<std::int64_t> orders_;  // batches that there is room for
  Mailbox<BatchTimes> batches_;   // the buffer
  Ring<std::int64_t> shuffled_;   // read and kept back
  std::vector<char> finished_;    // in order: ring over samples under way
  std::int64_t started_ = 0;      // samples given a place
  std::int64_t pulled_ = 0;       // samples taken from streams
  std::int64_t takeable_ = 0;     // in order: samples before it are with the assembler
  std::int64_t hungry_ = 0;       // threads that wait for a stream
  std::size_t cursor_ = 0;        // stream whose turn it is
  std::int64_t ordered_ = 0;      // batches the assembler was asked for
  std::int64_t returned_ = 0;     // batches next() has returned
  bool threads_running_ = false;
  bool first_of_pool_ = false;
  SimTime ready_at_ = 0;
  SimTime last_active_ = 0;
  SimTime busy_since_ = 0;  // the assembler last waited for room
  BatchTimes batch_times_;
  double inline_unread_bytes_ = 0.0;
  CorePool::LastCore consumer_core_, assembler_core_;
  std::uint32_t queue_track_ = 0, assembler_track_ = 0;
};

}  // namespace stallcast
