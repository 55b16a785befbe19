// Which level answers a read of the timed simulation: the shares that were played, by epoch and position.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/model/cache_play.h"

namespace stallcast {

struct ReadPlan {
  std::vector<EpochMix> epochs;      // of the run, from the first; the last stands for all that follow
  double samples_per_sweep = 1.0;    // of one rank: how many pass from position 0 to 1, an epoch or a shortened one
  std::int64_t samples_per_key = 1;  // that one draw decides on together
  // A copy of the dataset from the origin that goes on meanwhile: what has not come is read there.
  double copy_bytes = 0.0;  // still to come; 0 = no copy
  double copied = 0.0;      // share of the dataset that is there at the start
  bool in_order = false;    // the job reads in the order in which the dataset is copied
};

// The shares of one part of an epoch, ready to draw from: level l answers where the draw is below upto[l].
struct LevelCuts {
  LevelShares upto{};
  double fills_node = 0.0;  // of the reads that no node answers: kept by the node cache
};
std::vector<LevelCuts> cuts_of(const ReadPlan& plan);

}  // namespace stallcast
