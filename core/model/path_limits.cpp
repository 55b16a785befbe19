#include "core/model/path_limits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/resource_graph.h"

namespace stallcast {
namespace {

struct ResourceName {
  std::string_view resource;
  std::string_view label;
  PathStage stage;
};

constexpr std::array kResources = {
    ResourceName{"metadata_rate", "file opens", PathStage::kStorage},
    ResourceName{"read_iops", "read requests", PathStage::kStorage},
    ResourceName{"tier_bandwidth", "storage bandwidth", PathStage::kStorage},
    ResourceName{"origin", "origin bandwidth", PathStage::kStorage},
    ResourceName{"staging", "staging bandwidth", PathStage::kStorage},
    ResourceName{"regional_cache", "regional cache", PathStage::kSharedCaches},
    ResourceName{"server_cache", "server cache", PathStage::kSharedCaches},
    ResourceName{"nic", "network cards", PathStage::kNetwork},
    ResourceName{"client_bandwidth", "storage clients", PathStage::kNetwork},
    ResourceName{"node_cache", "node cache", PathStage::kNodeCaches},
    ResourceName{"node_cache_fill", "node cache fill", PathStage::kNodeCaches},
    ResourceName{"page_cache", "page cache", PathStage::kNodeCaches},
    ResourceName{"stream", "per-connection rate", PathStage::kLoader},
    ResourceName{"reading_streams", "concurrent reads", PathStage::kLoader},
    ResourceName{"loader_workers", "loader workers", PathStage::kLoader},
    ResourceName{"batching", "batching", PathStage::kHost},
    ResourceName{"cpu_cores", "CPU cores", PathStage::kHost},
    ResourceName{"pin_memory", "pinned memory", PathStage::kHost},
    ResourceName{"host_to_device", "host to GPU", PathStage::kGpu},
    ResourceName{"gpu_decode", "GPU decode", PathStage::kGpu},
    ResourceName{"gpu", "GPU compute", PathStage::kGpu},
};

const ResourceName* find_resource(std::string_view resource) {
  const auto* const at = std::find_if(kResources.begin(), kResources.end(),
                                      [&](const ResourceName& name) { return name.resource == resource; });
  return at == kResources.end() ? nullptr : at;
}

// Of all reads of the run, the last epoch played standing for those after it.
ReadMix run_mix(const Scenario& scenario) {
  ReadMix mix;
  if (!has_levels(scenario)) {
    mix.served[index_of(ReadLevel::kStorage)] = 1.0;
    return mix;
  }
  constexpr std::int64_t kReads = 400'000;
  const auto wanted = static_cast<double>(std::max<std::int64_t>(1, scenario.run.epochs));
  const std::vector<EpochMix> epochs = play_epochs(scenario, std::max<std::int64_t>(1, scenario.run.epochs), kReads);
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    const double times = e + 1 == epochs.size() ? wanted - static_cast<double>(e) : 1.0;
    mix.add(epochs[e].mean(), times / wanted);
  }
  return mix;
}

}  // namespace

std::string_view path_stage_title(PathStage stage) {
  constexpr std::array<std::string_view, kPathStages> kTitles = {"Storage", "Shared caches", "Network", "Node caches",
                                                                 "Loader",  "Host",          "GPU"};
  return kTitles.at(static_cast<std::size_t>(stage));
}

std::vector<PathLimit> path_limits(const Scenario& scenario) {
  std::vector<PathLimit> out;
  for (const CapacityEdge& edge : resource_graph(scenario, run_mix(scenario), false).edges) {
    const ResourceName* name = find_resource(edge.resource);
    if (name == nullptr || !std::isfinite(edge.capacity_per_s)) continue;
    const auto there =
        std::find_if(out.begin(), out.end(), [&](const PathLimit& limit) { return limit.resource == edge.resource; });
    if (there == out.end()) {
      out.push_back({edge.resource, edge.capacity_per_s, edge.bytes_per_sample, name->stage});
    } else if (edge.capacity_per_s < there->capacity_per_s) {
      *there = {edge.resource, edge.capacity_per_s, edge.bytes_per_sample, name->stage};
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const PathLimit& a, const PathLimit& b) { return a.stage < b.stage; });
  return out;
}

std::string_view resource_label(std::string_view resource) {
  const ResourceName* name = find_resource(resource);
  return name == nullptr ? resource : name->label;
}

}  // namespace stallcast
