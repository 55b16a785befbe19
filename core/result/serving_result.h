// What hosts that load a model measured: when they can serve, and what they waited for.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "core/result/lost_time.h"

namespace stallcast {

struct ServingResult {
  std::uint64_t seed = 0;
  std::int64_t hosts = 0;
  std::int64_t simulated_hosts = 0;  // that stand for all
  // From the start of the job until a host has all weights in its GPUs: the first, the middle one, the last.
  double first_ready_s = 0.0;
  double median_ready_s = 0.0;
  double last_ready_s = 0.0;
  double mean_ready_s = 0.0;
  double last_byte_s = 0.0;  // until the last byte is in host memory
  double read_bytes = 0.0;   // all hosts
  double bytes_per_s = 0.0;  // read_bytes / last_byte_s
  double requests = 0.0;
  double refused_requests = 0.0;
  // By LostTime: of the time of all streams of reads, waiting for what; kHostToDevice: loading goes on after the last
  // byte. **Identity** sums to 1.
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> time_fraction{};
  double storage_busy_fraction = 0.0;  // bytes moved / (read bandwidth * last_byte_s); 0 when unlimited
  double bound_s = 0.0;                // no host can be last before that
  std::string bound_resource;          // that sets it: "tier_bandwidth", "client_bandwidth", "nic", "streams", ...
  bool complete = false;               // every host is ready
  bool stopped = false;                // before its end, as asked: figures are of what was done
  std::uint64_t events = 0;
  double wall_s = 0.0;  // real time the simulation took
};

// What takes most of the time, as lost_time_name().
std::string_view serving_limit(const ServingResult& result);

}  // namespace stallcast
