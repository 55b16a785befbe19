// Hit ratio of an LRU cache under a dataset that is read in a fresh random order every epoch: what the played caches of
// model/cache_play are checked against.
//
// **Derivation** Let the cache hold the fraction c of the dataset and look at one item, read at position y of the last
// epoch (uniform) and at position x of this one (uniform, independent of y). In between, the distinct items read are
// those after y in the last epoch, 1 - y of all, and those before x in this one, x of all; the two orders are
// independent, so (1 - y) x of them are in both:
//
//   distinct = (1 - y) + x - (1 - y) x = 1 - y (1 - x)
//
// LRU still has the item when distinct <= c, so when y >= (1 - c) / (1 - x). At position x that has probability
// 1 - (1 - c) / (1 - x) = (c - x) / (1 - x) for x <= c, and 0 beyond. Its mean over x is c + (1 - c) ln(1 - c).
#pragma once

#include <algorithm>
#include <cmath>

namespace stallcast {

// Mean over an epoch. **Model** h = c + (1 - c) ln(1 - c)
// **Units** `cached`: what the cache holds / the dataset. **Range** cached >= 0 (1 from 1 on); h in [0, 1], h <= cached
// **Source** the derivation above. That a page cache thrashes under a reshuffled epoch while a pinned one gives c:
// Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training", VLDB 2021
// **Checked by** tests/analytic/lru_test.cpp against an exact LRU
inline double lru_reshuffle_hit_ratio(double cached) {
  return cached >= 1.0 ? 1.0 : cached + (1.0 - cached) * std::log1p(-cached);
}

// At `position` of the epoch. **Model** max(0, (c - x) / (1 - x)). **Range** position in [0, 1)
inline double lru_reshuffle_hit_ratio_at(double cached, double position) {
  if (cached >= 1.0) return 1.0;
  return std::max(0.0, (cached - position) / (1.0 - position));
}

}  // namespace stallcast
