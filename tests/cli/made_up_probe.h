// A probe that no storage was needed for.
#pragma once

#include "core/probe/result/probe_result.h"

namespace stallcast {

// Reads of n requests at a time that take 1 ms and 1 ns per byte, whatever n.
inline ProbeResult made_up_probe() {
  ProbeResult probe;
  probe.target_kind = ProbeTarget::kDirectory;
  for (const double bytes : {4096.0, 1048576.0})
    for (const double in_flight : {1.0, 4.0}) {
      ReadPoint point;
      point.request_bytes = bytes;
      point.in_flight = in_flight;
      point.seconds = 1.0;
      point.requests = in_flight / (1e-3 + 1e-9 * bytes);
      point.bytes = point.requests * bytes;
      point.latency.mean_s = 1e-3 + 1e-9 * bytes;
      probe.points.push_back(point);
    }
  return probe;
}

}  // namespace stallcast
