// Why a GPU was not computing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stallcast {

// Every lost GPU-second has exactly one cause.
enum class LostTime {
  kStartup,         // starting workers, epoch restart with empty queues
  kStorageLatency,  // waiting for a first byte or an open
  kStreamCap,       // a single stream's rate
  kClientCap,       // the node's client or NIC
  kTierBandwidth,   // the tier's aggregate bandwidth
  kCacheBandwidth,  // that of a cache, or of the origin and the service that copies from it
  kRequestRate,     // IOPS, metadata or request limits
  kCpuDecode,       // decode and collate on shared cores
  kLoaderOrder,     // a later batch is ready, the next in order is not
  kLoaderOverhead,  // next() itself: hand-off, pinning
  kHostToDevice,    // copy to the GPU
  kGpuDecode,       // the GPU decodes or decompresses samples instead of computing
  kBarrier,         // waiting for the slowest rank, and the all-reduce
  kCheckpoint,      // stopped for a checkpoint
  kValidation,      // validation pass (the GPU computes, but not training steps)
  kStaging,         // before the first step: names are listed, the dataset is copied
  kRework,          // steps that were lost to an interruption and done again
  kRecovery,        // from an interruption until training goes on
  kCount
};

constexpr std::size_t index(LostTime cause) { return static_cast<std::size_t>(cause); }

// Stable snake_case name used in JSON: "storage_latency", ...
std::string_view lost_time_name(LostTime cause);
// The name of a cause as a person reads it: "in-order delivery: waiting for a slow batch", "the GPUs" for "gpu"; a name
// of something else with spaces for its underscores.
std::string spoken_name(std::string_view name);

// The same with the name behind it, as a person types it: "storage bandwidth limit (tier_bandwidth)".
std::string spoken_with_name(std::string_view name);

// One human phrase: "storage latency: waiting for the first byte".
std::string_view lost_time_phrase(LostTime cause);

}  // namespace stallcast
