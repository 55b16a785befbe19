// Large jobs by a part of their nodes: nodes that are alike are simulated as a few, each of which stands for many.
#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace stallcast {

// Nodes that are simulated of a job's nodes: all of them up to kFewestRanks ranks or kFewestNodes nodes.
struct Representatives {
  std::int64_t nodes = 1;
  std::int64_t of = 1;
  bool all() const { return nodes == of; }
  double share() const { return static_cast<double>(nodes) / static_cast<double>(of); }
};
inline constexpr std::int64_t kFewestRanks = 64;
inline constexpr std::int64_t kFewestNodes = 8;

// Runs that are only compared with others that are as coarse: fewer nodes stand for all, shorter epochs for those of
// the run, and the samples of a large batch are loaded several at once. Rough: a quarter of the ranks, batches in 32
// loads. Sketch: an eighth, and 16.
enum class Coarseness { kNone, kRough, kSketch };

// What is put together while samples are read; 0 = nothing is.
struct Grain {
  std::int64_t loads_of_batch = 0;    // a batch of more samples is read as so many loads of several samples each
  std::int64_t reads_of_sample = 16;  // a sample of more requests in a row as so many reads of several requests each
};
inline constexpr Grain kFinestGrain{0, 0};
Grain grain_of(Coarseness coarseness);

// **Errors** none: a scenario without GPUs or nodes counts as one of one
Representatives representatives_of(const Scenario& scenario, Coarseness coarseness = Coarseness::kNone);

}  // namespace stallcast
