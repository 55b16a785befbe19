// What each level of a chain of caches answers, epoch by epoch: the order of reads played through real caches.
//
// What a cache holds depends on the order of reads, not on their times. So the order of a run, over a sample of the
// dataset's keys and with capacities in proportion, goes once through real LRU lists and pinned sets before anything is
// timed; the timed simulation then draws the level of each read from the shares found for its epoch and its position in
// the epoch.
//
//   every epoch: an order of the keys (fresh, or the same again), dealt to the nodes in turn
//     each read: page cache -> node cache (own, or a peer's part) -> server cache -> regional cache -> storage ->
//     origin the first level that has it answers; every level that it passed on the way keeps it, as its policy says
//
// A key is what is read in one go: a sample, or a shard (row group) where samples are read in file order. Nodes are
// alike; where nothing is shared between them a few stand for all.
// **Checked by** tests/core/model/cache_play_test.cpp: brute-force LRU, and the closed form of tests/analytic/lru.h
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result/read_level.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Shares of the reads at one position of an epoch.
struct ReadMix {
  LevelShares served{};        // by level, sum 1
  double node_fill = 0.0;      // of all reads: put into the node cache
  double regional_fill = 0.0;  // put into the regional cache

  void add(const ReadMix& other, double weight);
  void scale(double factor);
  bool operator==(const ReadMix&) const = default;
};

// One epoch in equal parts by position.
struct EpochMix {
  static constexpr std::size_t kParts = 50;
  std::array<ReadMix, kParts> parts;

  ReadMix mean() const;
  bool flat() const;  // every part has the same mix, but for what sampling keys leaves of chance
  bool operator==(const EpochMix&) const = default;
};

// How the dataset is read, in keys.
struct KeyAccess {
  std::int64_t keys = 0;  // in the dataset
  std::int64_t samples_per_key = 1;
  std::int64_t reads_per_key = 1;  // in one epoch; more than 1 for row groups wanted at random
  double epoch_share = 1.0;        // of the dataset that one epoch reads
  bool reshuffled = true;          // a fresh order every epoch
  double dataset_bytes = 0.0;
  double samples_per_epoch = 0.0;  // of one rank

  auto operator<=>(const KeyAccess&) const = default;
};

// **Range** keys = 0 when the size of the dataset is not known (dataset.samples, run.steps_per_epoch).
KeyAccess key_access(const Scenario& scenario);

// Whether some reads are not answered by the storage tier.
bool has_levels(const Scenario& scenario);

// How far the shares are from those of a page cache of Linux: absolute, in nine of ten measured epochs.
// **Source** tests/validation/page_cache
inline constexpr double kCachePlayError = 0.06;

// Mixes of the epochs of a run; the last one stands for all that follow it.
// **Range** `epochs` >= 1; the result has between 1 and `epochs` entries; one that is all storage without levels.
// **Cost** at most about `budget` reads played, 20 ns each; nothing for what one of the last 32 calls asked for. Safe
// from several threads.
inline constexpr std::int64_t kPlayedReads = 2'000'000;
std::vector<EpochMix> play_epochs(const Scenario& scenario, std::int64_t epochs, std::int64_t budget = kPlayedReads);

}  // namespace stallcast
