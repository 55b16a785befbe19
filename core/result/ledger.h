// The account of a run: what it did, phase by phase. Every figure of a result is a sum over it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/result/lost_time.h"
#include "core/result/read_level.h"

namespace stallcast {

// What a stretch of a run is, in the order in which they come.
enum class PhaseKind : std::uint8_t {
  kListing,     // before the first step: the names of the dataset are read
  kStaging,     // before the first step: the dataset is copied
  kStart,       // workers start and queues fill, at the first epoch
  kTurn,        // the same between two epochs
  kTraining,    // steps that are neither near the start nor near the end of an epoch
  kEpochEnd,    // the last steps of an epoch, for which no more batches are loaded ahead, and the validation pass
  kCheckpoint,  // the stop for a checkpoint, and steps until its write is over and queues are as before
  kRework,      // steps that were lost and done again
  kRecovery,    // from an interruption until training goes on
  kCount
};
// Stable snake_case name used in JSON: "listing", ...
std::string_view phase_name(PhaseKind kind);

// Sums over all ranks and over all times that it comes in the run.
struct LedgerPhase {
  PhaseKind kind = PhaseKind::kTraining;
  std::size_t epochs = 0;  // which kind of epoch it is in: an index of RunResult::regimes where there are some
  double times = 0.0;      // how often it comes
  double steps = 0.0;      // per rank
  double samples = 0.0;
  double wall_s = 0.0;
  double compute_gpu_s = 0.0;
  double busy_core_s = 0.0;  // of the cores of all nodes
  std::array<double, index(LostTime::kCount)> lost_gpu_s{};
  LevelShares read_bytes{}, read_requests{};         // by the level that answered
  double refused_requests = 0.0;                     // by storage, and tried again
  double regional_fill_bytes = 0.0;                  // put into the regional cache
  double written_bytes = 0.0, write_requests = 0.0;  // to storage
  double list_requests = 0.0, origin_list_requests = 0.0;
  double stored_checkpoints = 0.0;  // written to storage
  double unpaid_s = 0.0;            // of wall_s, without machines: waiting for spot capacity
  double simulated_steps = 0.0;     // of `steps`
};

}  // namespace stallcast
