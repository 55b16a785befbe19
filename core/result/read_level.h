// Where a read of the dataset is answered, nearest first: the caches of a chain, then storage, then the origin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stallcast {

enum class ReadLevel : std::uint8_t {
  kPageCache,      // memory of the node
  kNodeCache,      // the node's own NVMe
  kPeerCache,      // another node's part of a partitioned cache
  kServerCache,    // memory of the file servers
  kRegionalCache,  // in front of a bucket
  kStorage,        // the tier the job reads
  kOrigin,         // where the dataset is kept while it is not yet on the tier
  kCount
};

inline constexpr std::size_t kReadLevels = static_cast<std::size_t>(ReadLevel::kCount);

// Share of all reads (or bytes) that each level answers; they sum to 1. **Shape** indexed by ReadLevel.
using LevelShares = std::array<double, kReadLevels>;

constexpr std::size_t index_of(ReadLevel level) { return static_cast<std::size_t>(level); }

// Stable snake_case name used in JSON: "page_cache", ...
std::string_view read_level_name(ReadLevel level);

}  // namespace stallcast
