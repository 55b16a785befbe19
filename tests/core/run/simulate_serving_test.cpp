// Hosts that load a model, a part of them standing for all.
#include "core/run/simulate_serving.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

// A thousand hosts read 10 GB each from storage of 10 GB/s that bursts to 100 GB/s until it has given 4 TB more than it
// gets: (10 TB - 4 TB) / 10 GB/s = 600 s, longer than 10 TB / 100 GB/s = 100 s.
Scenario thousand_hosts() {
  Scenario s;
  s.job = JobKind::kServing;
  s.cluster.nodes = 1000;
  s.serving.weights = bytes(10e9);
  s.serving.streams = 16;
  s.serving.request_size = bytes(10e9 / 64);
  s.storage.read_bandwidth = bytes_per_second(10e9);
  s.storage.burst_bandwidth = bytes_per_second(100e9);
  s.storage.burst_credit = bytes(4e12);
  return s;
}

TEST(SimulateServing, APartOfTheHostsHasItsPartOfABurst) {
  RunOptions coarse, exact;
  coarse.coarse = true;  // 75 hosts stand for all
  exact.exact = true;
  for (const RunOptions& options : {RunOptions(), coarse, exact}) {
    const ServingResult result = simulate_serving(thousand_hosts(), options);
    EXPECT_NEAR(result.last_ready_s, 600.0, 0.5);
    EXPECT_NEAR(result.bound_s, 600.0, 1e-9);
    EXPECT_EQ(result.bound_resource, "tier_bandwidth");
    EXPECT_NEAR(result.read_bytes, 10e12, 1.0);
  }
}

TEST(SimulateServing, ABurstThatLastsSetsTheTime) {
  Scenario s = thousand_hosts();
  s.storage.burst_credit = bytes(1e15);
  const ServingResult result = simulate_serving(s);
  EXPECT_NEAR(result.last_ready_s, 100.0, 0.1);
  EXPECT_NEAR(result.bound_s, 100.0, 1e-9);
}

// Forty hosts ask for 2,560 requests at once of a service that answers 1,000 per second and refuses the others: it has
// a second's worth of answers at the start, so it needs 1.56 s.
TEST(SimulateServing, TheBoundOfAServiceThatRefusesKnowsItsFirstSecond) {
  Scenario s = thousand_hosts();
  s.cluster.nodes = 40;
  s.serving.weights = bytes(64e6);
  s.serving.streams = 64;
  s.serving.request_size = bytes(1e6);
  s.storage = StorageSpec();
  s.storage.read_iops = per_second(1000.0);
  s.storage.retry_base = milliseconds(1);
  s.storage.retry_max = milliseconds(1);
  const ServingResult result = simulate_serving(s);
  EXPECT_NEAR(result.bound_s, 1.56, 1e-9);
  EXPECT_GE(result.last_ready_s, result.bound_s);
  EXPECT_LT(result.last_ready_s, result.bound_s + 0.01);
}

}  // namespace
}  // namespace stallcast
