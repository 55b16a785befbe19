// How any loader of a rank gets samples: opens files, reads through the tier, decodes on the node's cores.
#pragma once

#include <cstdint>

#include "core/engine/core_pool.h"
#include "core/engine/simulator.h"
#include "core/model/loader/draws.h"
#include "core/model/storage/phase_clock.h"
#include "core/model/storage/storage_tier.h"
#include "core/model/storage/trace_recorder.h"

namespace stallcast {

// Where a rank sits and what it shares with others.
struct RankPlace {
  std::int64_t rank = 0;
  std::int64_t node = 0;
};

class SampleReader {
 public:
  SampleReader(Simulator& sim, const Scenario& scenario, const Draws& draws, StorageTier& tier, CorePool& cores,
               TraceRecorder& trace, RankPlace place);

  Simulator& simulator() { return *sim_; }

  enum class Part : std::uint8_t { kAll, kReadOnly };
  static constexpr std::int64_t kNoTrack = -1;
  // What loads samples, one after the other: a worker, a thread, a reading stream, or the consumer itself.
  struct Stream {
    PhaseClock& clock;
    CorePool::LastCore& core;
    double& unread_bytes;  // read ahead and not yet asked for
    std::int64_t track = kNoTrack;
    Part part = Part::kAll;
  };

  // Opens file (or shard) `number`, in which sample `sample` is read next; no wait where the node has it.
  Task<void> open(PhaseClock& clock, std::int64_t number, std::int64_t sample);

  // Samples `first` to `first + count - 1`: open where each is a file, read, decode unless `stream.part` leaves that.
  // **Model** where a sample takes more than 16 requests one after the other, as many reads stand for several each,
  // with their latencies added up. Workers that wait (latency) and share (bandwidth) take as long as before, as the
  // streams of serving_model.h do; only the grain is coarser.
  // Samples of a batch are put together in the same way where the run is coarse; the level that has the first of them
  // answers for all. An exact run puts nothing together (Grain in scenario/representatives.h).
  // **Checked by** SampleReader tests
  Task<void> load(Stream stream, std::int64_t first, std::int64_t count);

  // Decodes sample `number`, which was read before.
  Task<void> decode(PhaseClock& clock, CorePool::LastCore& core, std::int64_t track, std::int64_t number);

  // The cause that clock entry `c` stands for: a transfer is limited by whichever cap binds.
  std::size_t real_cause(std::size_t c) const;

 private:
  // Samples that wait to be decoded.
  struct Work {
    double cpu_s = 0.0;
    std::int64_t first = 0;  // the first of them
  };
  Task<void> open_remotely(PhaseClock& clock, std::int64_t number, std::int64_t count = 1);
  // What was read is decoded in one stretch of processor time, from then until then; `first` is the first sample of it.
  SimTime begin_decoding(PhaseClock& clock);
  void end_decoding(std::int64_t track, SimTime began, std::int64_t first);
  SimTime dma_done_at(double size);

  Simulator* sim_;
  const Scenario* scenario_;
  const Draws* draws_;
  StorageTier* tier_;
  CorePool* cores_;
  TraceRecorder* trace_;
  RankPlace place_;
  bool sequential_;              // samples follow one another inside a file
  double dma_s_per_byte_ = 0.0;  // GPUDirect Storage: of the GPU's PCIe link, which reads take in turn
  SimTime dma_free_at_ = 0;
};

}  // namespace stallcast
