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
};

// The shares of one part of an epoch, ready to draw from: level l answers where the draw is below upto[l].
struct LevelCuts {
  LevelShares upto{};
  double fills_node = 0.0;  // of the reads that no node answers: kept by the node cache
};
std::vector<LevelCuts> cuts_of(const ReadPlan& plan);

}  // namespace stallcast
