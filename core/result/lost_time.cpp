#include "core/result/lost_time.h"

#include <algorithm>

#include "core/diagnostics/invariant.h"
#include "core/result/run_result.h"

namespace stallcast {

// A switch without default: the compiler names a cause that has no word yet.
std::string_view lost_time_name(LostTime cause) {
  switch (cause) {
    case LostTime::kStartup:
      return "startup";
    case LostTime::kStorageLatency:
      return "storage_latency";
    case LostTime::kStreamCap:
      return "stream_cap";
    case LostTime::kClientCap:
      return "client_cap";
    case LostTime::kTierBandwidth:
      return "tier_bandwidth";
    case LostTime::kCacheBandwidth:
      return "cache_bandwidth";
    case LostTime::kRequestRate:
      return "request_rate";
    case LostTime::kCpuDecode:
      return "cpu_decode";
    case LostTime::kLoaderOrder:
      return "loader_order";
    case LostTime::kLoaderOverhead:
      return "loader_overhead";
    case LostTime::kHostToDevice:
      return "host_to_device";
    case LostTime::kGpuDecode:
      return "gpu_decode";
    case LostTime::kBarrier:
      return "barrier";
    case LostTime::kCheckpoint:
      return "checkpoint";
    case LostTime::kValidation:
      return "validation";
    case LostTime::kStaging:
      return "staging";
    case LostTime::kRework:
      return "rework";
    case LostTime::kRecovery:
      return "recovery";
    case LostTime::kCount:
      break;
  }
  invariant(false, "lost_time_name: kCount is not a cause");
  return "";
}

std::string_view lost_time_phrase(LostTime cause) {
  switch (cause) {
    case LostTime::kStartup:
      return "starting workers and refilling queues";
    case LostTime::kStorageLatency:
      return "storage latency: waiting for the first byte";
    case LostTime::kStreamCap:
      return "per-connection bandwidth limit";
    case LostTime::kClientCap:
      return "limit of a node's storage client or network";
    case LostTime::kTierBandwidth:
      return "storage bandwidth limit";
    case LostTime::kCacheBandwidth:
      return "bandwidth limit of a cache or the origin";
    case LostTime::kRequestRate:
      return "storage request-rate limit";
    case LostTime::kCpuDecode:
      return "decoding and collating on the CPU";
    case LostTime::kLoaderOrder:
      return "in-order delivery: waiting for a slow batch";
    case LostTime::kLoaderOverhead:
      return "loader overhead in next()";
    case LostTime::kHostToDevice:
      return "copying batches to the GPU";
    case LostTime::kGpuDecode:
      return "decoding samples on the GPU";
    case LostTime::kBarrier:
      return "waiting for slower ranks and the all-reduce";
    case LostTime::kCheckpoint:
      return "stopped for checkpoints";
    case LostTime::kValidation:
      return "running validation";
    case LostTime::kStaging:
      return "listing and staging before the first step";
    case LostTime::kRework:
      return "recomputing steps lost to interruptions";
    case LostTime::kRecovery:
      return "recovering from interruptions";
    case LostTime::kCount:
      break;
  }
  invariant(false, "lost_time_phrase: kCount is not a cause");
  return "";
}

std::string spoken_name(std::string_view name) {
  if (name == "gpu") return "the GPUs";
  for (std::size_t i = 0; i < static_cast<std::size_t>(LostTime::kCount); ++i)
    if (lost_time_name(static_cast<LostTime>(i)) == name)
      return std::string(lost_time_phrase(static_cast<LostTime>(i)));
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string spoken_with_name(std::string_view name) {
  return name == "gpu" ? spoken_name(name) : spoken_name(name) + " (" + std::string(name) + ")";
}

std::string_view phase_name(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kListing:
      return "listing";
    case PhaseKind::kStaging:
      return "staging";
    case PhaseKind::kStart:
      return "start";
    case PhaseKind::kTurn:
      return "turn";
    case PhaseKind::kTraining:
      return "training";
    case PhaseKind::kEpochEnd:
      return "epoch_end";
    case PhaseKind::kCheckpoint:
      return "checkpoint";
    case PhaseKind::kRework:
      return "rework";
    case PhaseKind::kRecovery:
      return "recovery";
    case PhaseKind::kCount:
      break;
  }
  invariant(false, "phase_name: kCount is not a phase");
  return "";
}

bool takes_time_beside_training(const RunResult& result) {
  return result.lost_fraction[index(LostTime::kCheckpoint)] + result.lost_fraction[index(LostTime::kRework)] +
             result.lost_fraction[index(LostTime::kRecovery)] + result.lost_fraction[index(LostTime::kStaging)] >
         0.0;
}

std::string_view headline_name(const RunResult& result) {
  return takes_time_beside_training(result) ? "Useful GPU time" : "GPU utilization";
}

std::string_view bottleneck_name(const RunResult& result) {
  double lost = 0.0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < result.lost_fraction.size(); ++i) {
    lost += result.lost_fraction[i];
    if (result.lost_fraction[i] > result.lost_fraction[largest]) largest = i;
  }
  return lost < kNegligibleLoss ? "gpu" : lost_time_name(static_cast<LostTime>(largest));
}

}  // namespace stallcast
