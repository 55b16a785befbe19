#include "core/plan/explain/bound_gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace stallcast {
namespace {

// A bound is called reached when the simulated value is this near.
constexpr double kReached = 0.02;

// Why mean rates, which is all a bound knows, do not see a cause.
std::string_view unseen_by_bound(LostTime cause) {
  switch (cause) {
    case LostTime::kStartup:
      return "queues are empty when an epoch starts";
    case LostTime::kStorageLatency:
      return "latency varies, and workers wait for its slow tail";
    case LostTime::kStreamCap:
      return "large samples take a stream longer than the mean says";
    case LostTime::kClientCap:
      return "reads of a node collide and queue at its client";
    case LostTime::kTierBandwidth:
    case LostTime::kCacheBandwidth:
      return "reads collide and queue, although on average they fit";
    case LostTime::kRequestRate:
      return "requests come in bursts and queue";
    case LostTime::kCpuDecode:
      return "workers want the cores at the same moments";
    case LostTime::kLoaderOrder:
      return "batches are delivered in order, so one slow batch blocks finished ones";
    case LostTime::kLoaderOverhead:
      return "handing over a batch takes the trainer's own time";
    case LostTime::kHostToDevice:
      return "the copy to the GPU stands between batch and step";
    case LostTime::kGpuDecode:
      return "the GPU decodes before it computes";
    case LostTime::kBarrier:
      return "every step waits for its slowest rank";
    case LostTime::kCheckpoint:
      return "checkpoints stop training";
    case LostTime::kValidation:
      return "validation takes the GPUs from training";
    case LostTime::kStaging:
      return "the dataset is listed and copied before the first step";
    case LostTime::kRework:
      return "interruptions lose steps, which are recomputed";
    case LostTime::kRecovery:
      return "interruptions take time to recover from";
    case LostTime::kCount:
      break;
  }
  return "";
}

}  // namespace

// The causes that a binding resource shows up as, most likely first.
std::vector<LostTime> causes_of(const std::string& resource) {
  if (resource == "loader_workers") return {LostTime::kStorageLatency, LostTime::kCpuDecode, LostTime::kStreamCap};
  if (resource == "stream") return {LostTime::kStreamCap, LostTime::kStorageLatency};
  if (resource == "cpu_cores") return {LostTime::kCpuDecode};
  if (resource == "nic" || resource == "client_bandwidth") return {LostTime::kClientCap};
  if (resource == "tier_bandwidth") return {LostTime::kTierBandwidth};
  for (const char* cache :
       {"page_cache", "node_cache", "node_cache_fill", "server_cache", "regional_cache", "origin", "staging"})
    if (resource == cache) return {LostTime::kCacheBandwidth};
  if (resource == "read_iops" || resource == "metadata_rate") return {LostTime::kRequestRate};
  if (resource == "host_to_device" || resource == "pin_memory") return {LostTime::kHostToDevice};
  if (resource == "reading_streams") return {LostTime::kStorageLatency, LostTime::kStreamCap};
  if (resource == "batching") return {LostTime::kCpuDecode, LostTime::kHostToDevice};
  if (resource == "gpu_decode") return {LostTime::kGpuDecode};
  return {LostTime::kLoaderOverhead, LostTime::kBarrier};
}

// Lost time that the bound does not account for: what its binding resource must cost, 1 - bound, is taken off first.
std::string gap_reason(const RunResult& result, const Bound& bound) {
  const double gap = bound.gpu_utilization - result.gpu_utilization.mean;
  if (gap < -kReached) {
    return fmt::format("The simulated part is {:.1f} points above the bound: it is too short to be steady.",
                       -100.0 * gap);
  }
  if (gap < kReached && bound.binding_resource == "gpu") {
    return "The bound is reached: the trainer's own loop sets the pace (compute, hand-over, barrier).";
  }
  if (gap < kReached) return "The bound is reached.";
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> unexplained = result.lost_fraction;
  double accounted = 1.0 - bound.gpu_utilization;
  for (const LostTime cause : causes_of(bound.binding_resource)) {
    double& part = unexplained[static_cast<std::size_t>(cause)];
    const double taken = std::min(part, accounted);
    part -= taken;
    accounted -= taken;
  }
  const auto largest = std::max_element(unexplained.begin(), unexplained.end());
  const auto cause = static_cast<LostTime>(largest - unexplained.begin());
  return fmt::format("Simulated is {:.1f} points below the bound, which knows only mean rates: {}.", 100.0 * gap,
                     unseen_by_bound(cause));
}

}  // namespace stallcast
