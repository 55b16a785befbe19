// The law of a storage system as one client sees it: how many requests/s a number of requests in flight gives.
//
// **Model** a closed network of two stations, in which n requests go round:
//   a delay, where nobody waits for others: (1 - h) L
//   the device, with j requests at it, completing them at the rate  j / (h L + j s + b max(j / B, 1 / b_s))
// A request of b bytes takes the latency L, the time s of the device and b / B of its bandwidth, at no more than the
// rate b_s of one stream; the part h of L keeps the device from others. The second station is load-dependent, so the
// network has a product form and X(n) is the mean of the device's rate over the numbers that can be at it:
//   X(n) = sum_j p(j) rate(j),  p(j) ~ prod_{i=1..j} 1 / rate(i) * ((1 - h) L)^(n-j) / (n-j)!
// For h = 1 that is X = n / (L + n (s + b / B)), for h = 0 the closed network of a delay and a processor-sharing
// server.
// **Source** Baskett, Chandy, Muntz & Palacios, "Open, closed, and mixed networks of queues with different classes of
// customers", J. ACM 22(2), 1975; Reiser & Lavenberg, "Mean-value analysis of closed multichain queuing networks", J.
// ACM 27(2), 1980, for load-dependent servers. The held part is measured, not from the literature: a virtual disk whose
// latencies do not overlap with others' transfers.
// **Checked by** StorageLaw tests; the simulator in StorageTier.HeldLatency*.
#pragma once

#include "core/probe/disk/read_point.h"

namespace stallcast {

struct StorageLaw {
  double latency_s = 0.0;                 // L, mean, of a request at a random position
  double request_time_s = 0.0;            // s; its inverse is the most requests/s
  double seconds_per_byte = 0.0;          // 1 / B; 0 = unlimited
  double stream_seconds_per_byte = 0.0;   // 1 / b_s; 0 = unlimited
  double held_fraction = 0.0;             // h, 0 to 1
  double sequential_latency_ratio = 1.0;  // L of requests that follow one another, over that of random ones
};

// Requests/s with `in_flight` requests of `request_bytes` each; linear between whole numbers of requests. Patterns
// other than sequential have the latency of random ones.
// **Range** in_flight >= 1, request_bytes >= 0; infinite where the law has no time at all. **Cost** O(in_flight)
double requests_per_s(const StorageLaw& law, AccessPattern pattern, double in_flight, double request_bytes);

}  // namespace stallcast
