// The resource graph as a list for people: every limit on a sample's way from storage to the GPU, over the whole run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"

namespace stallcast {

// The part of the way that a limit belongs to, in order.
enum class PathStage { kStorage, kSharedCaches, kNetwork, kNodeCaches, kLoader, kHost, kGpu, kCount };
inline constexpr std::size_t kPathStages = static_cast<std::size_t>(PathStage::kCount);
std::string_view path_stage_title(PathStage stage);  // "Storage", "Network", ...

struct PathLimit {
  std::string resource;           // as in Bound::tied: "tier_bandwidth"
  double capacity_per_s = 0.0;    // samples/s of all ranks, if every sample had the run's mean mix of read levels
  double bytes_per_sample = 0.0;  // that a sample moves over it, caches taken off; 0 = it is not about bytes
  PathStage stage = PathStage::kStorage;
};

// Every limit of resource_graph() that is finite, from storage to the GPU; of those that come twice the tighter one.
// **Model** reads of all epochs are mixed: the capacity is that of the mean, no less than that of the worst epoch.
// Bound::tied says which limits bind epoch by epoch.
// **Cost** milliseconds where there are caches (cache_play.h), else microseconds.
// **Checked by** tests/core/model/path_limits_test.cpp
std::vector<PathLimit> path_limits(const Scenario& scenario);

// What people call it: "tier bandwidth", "loader workers".
std::string_view resource_label(std::string_view resource);

}  // namespace stallcast
