// Large jobs by a part of their nodes: nodes that are alike are simulated as a few, each of which stands for many.
#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace stallcast {

// Nodes that are simulated of a job's nodes.
struct Representatives {
  std::int64_t nodes = 1;
  std::int64_t of = 1;
  bool all() const { return nodes == of; }
  double share() const { return static_cast<double>(nodes) / static_cast<double>(of); }
};
inline constexpr std::int64_t kFewestRanks = 64;
inline constexpr std::int64_t kFewestNodes = 8;
inline constexpr std::int64_t kFewestHosts = 32;  // of those that load a model

// What is put together while samples are read; 0 = nothing is.
struct Grain {
  std::int64_t loads_of_batch = 0;    // a batch of more samples is read as so many loads of several samples each
  bool in_pairs = false;              // of a smaller batch two samples are one load, from four samples on
  std::int64_t reads_of_sample = 16;  // a sample of more requests in a row as so many reads of several requests each
};
inline constexpr Grain kFinestGrain{.reads_of_sample = 0};
inline constexpr Grain kCoarseGrain{.loads_of_batch = 16, .in_pairs = true, .reads_of_sample = 4};
constexpr Grain grain_of(bool exact, bool coarse) { return exact ? kFinestGrain : coarse ? kCoarseGrain : Grain(); }

// The fewest that stand for a job: all of them up to kFewestRanks ranks or kFewestNodes nodes.
// `coarse`: for a run that is only compared with others that are as coarse. An eighth of the nodes is enough then; its
// epochs are shorter too, and a large batch is read as few loads.
// **Errors** none: a scenario without GPUs or nodes counts as one of one
Representatives representatives_of(const Scenario& scenario, bool coarse = false);

}  // namespace stallcast
