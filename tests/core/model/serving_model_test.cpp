// Hosts that load a model, worked out by hand, in closed form, and coarse against exact.
#include "core/model/serving_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>

#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

constexpr double kGiga = 1e9;

// One host, one stream, 1 GB in 4 requests; nothing takes time.
Scenario one_host() {
  Scenario s;
  s.job = JobKind::kServing;
  s.serving.weights = bytes(kGiga);
  s.serving.streams = 1;
  s.serving.request_size = bytes(kGiga / 4);
  return s;
}

ServingResult load(const Scenario& s, const ServingOptions& options = {}) {
  Simulator sim;
  SharedStorage storage(sim, s);
  ServingModel model(storage, s, 1, options);
  model.start([] {});
  sim.run();
  return model.result();
}

double fraction(const ServingResult& result, LostTime cause) {
  return result.time_fraction[static_cast<std::size_t>(cause)];
}

TEST(ServingModel, WithoutLimitsEveryHostIsReadyAtOnce) {
  const ServingResult result = load(one_host());
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.last_ready_s, 0.0);
  EXPECT_EQ(result.read_bytes, kGiga);
  EXPECT_EQ(result.requests, 4.0);
}

// 4 requests of 10 ms and 0.25 GB at 1 GB/s: 4 * 0.26 s, of which 0.04 s for first bytes.
TEST(ServingModel, AStreamIsRequestAfterRequest) {
  Scenario s = one_host();
  s.storage.latency = Distribution::constant(0.010);
  s.storage.stream_bandwidth = bytes_per_second(kGiga);
  const ServingResult result = load(s);
  EXPECT_NEAR(result.last_ready_s, 1.04, 1e-8);
  EXPECT_NEAR(result.bytes_per_s, kGiga / 1.04, 1.0);
  EXPECT_NEAR(fraction(result, LostTime::kStorageLatency), 0.04 / 1.04, 1e-8);
  EXPECT_NEAR(fraction(result, LostTime::kStreamCap), 1.0 / 1.04, 1e-8);
  EXPECT_EQ(serving_limit(result), "stream_cap");
}

// A thousand requests of 1 ms; whether to stop is looked at every 64 of them.
TEST(ServingModel, StopsSoonAfterItIsAskedTo) {
  Scenario s = one_host();
  s.serving.request_size = bytes(kGiga / 1000);
  s.storage.latency = Distribution::constant(0.001);
  std::stop_source stop;
  ServingOptions options;
  options.stop = stop.get_token();
  EXPECT_EQ(load(s, options).requests, 1000.0);
  stop.request_stop();
  const ServingResult stopped = load(s, options);
  EXPECT_FALSE(stopped.complete);
  EXPECT_LE(stopped.requests, 64.0);
}

// 5 ms to open, one open at a time at 10/s: the second stream begins 100 ms after the first. Then 2 requests of 10 ms.
TEST(ServingModel, EveryStreamOpensItsFile) {
  Scenario s = one_host();
  s.serving.streams = 2;
  s.storage.metadata_rate = per_second(10);
  s.storage.open_latency = Distribution::constant(0.005);
  s.storage.latency = Distribution::constant(0.010);
  const ServingResult result = load(s);
  EXPECT_NEAR(result.last_ready_s, 0.1 + 0.005 + 0.020, 1e-8);
}

// 100 requests/s: of 16 the last is taken up at 150 ms.
TEST(ServingModel, RequestsWaitTheirTurn) {
  Scenario s = one_host();
  s.cluster.nodes = 2;
  s.serving.streams = 2;
  s.storage.read_iops = per_second(100);
  s.serving.request_size = bytes(kGiga / 8);
  const ServingResult result = load(s);
  EXPECT_NEAR(result.last_ready_s, 0.150, 1e-8);
  EXPECT_EQ(serving_limit(result), "request_rate");
  EXPECT_NEAR(result.bound_s, 0.150, 1e-9);
  EXPECT_EQ(result.bound_resource, "read_iops");
}

// Without latency T = max(W / client, N W / tier): every host reads at the same rate and all end together.
TEST(ServingModel, TheSlowerOfClientAndTierSetsTheTime) {
  struct Case {
    std::int64_t hosts;
    double client, tier, seconds;
    const char* limit;
  };
  const Case cases[] = {
      {4, 1.0, 8.0, 1.0, "client_cap"},
      {4, 1.0, 2.0, 2.0, "tier_bandwidth"},
      {16, 0.5, 4.0, 4.0, "tier_bandwidth"},
      {16, 0.2, 4.0, 5.0, "client_cap"},
  };
  for (const Case& c : cases) {
    Scenario s = one_host();
    s.cluster.nodes = c.hosts;
    s.serving.streams = 2;
    s.storage.client_read_bandwidth = bytes_per_second(c.client * kGiga);
    s.storage.read_bandwidth = bytes_per_second(c.tier * kGiga);
    const ServingResult result = load(s);
    EXPECT_NEAR(result.first_ready_s, c.seconds, 1e-6);
    EXPECT_NEAR(result.last_ready_s, c.seconds, 1e-6);
    EXPECT_EQ(serving_limit(result), c.limit);
    EXPECT_NEAR(result.bound_s, c.seconds, 1e-9);
    EXPECT_NEAR(result.read_bytes, static_cast<double>(c.hosts) * kGiga, 1.0);
  }
}

// Requests of 0.25 GB come each 0.25 s. GPUs that take 0.5 s for one: the first at 0.25 s, then 4 * 0.5 s. GPUs that
// take 0.125 s: the last after the last byte at 1 s.
TEST(ServingModel, GpusLoadWhatHasComeMeanwhile) {
  Scenario s = one_host();
  s.storage.client_read_bandwidth = bytes_per_second(kGiga);
  s.serving.load_bandwidth = bytes_per_second(0.5 * kGiga);
  const ServingResult slow = load(s);
  EXPECT_NEAR(slow.last_ready_s, 2.25, 1e-8);
  EXPECT_NEAR(slow.last_byte_s, 1.0, 1e-8);
  EXPECT_EQ(serving_limit(slow), "host_to_device");
  s.serving.load_bandwidth = bytes_per_second(2.0 * kGiga);
  EXPECT_NEAR(load(s).last_ready_s, 1.125, 1e-8);
}

// A host that starts late has the tier to itself for longer: nobody waits more than all together would, and the spread
// shows in the first and the last.
TEST(ServingModel, HostsStartWithinTheSpread) {
  Scenario s = one_host();
  s.cluster.nodes = 50;
  s.storage.client_read_bandwidth = bytes_per_second(kGiga);
  s.serving.start_spread = seconds(10);
  const ServingResult result = load(s);
  EXPECT_GT(result.first_ready_s, 1.0);
  EXPECT_LT(result.first_ready_s, 3.0);
  EXPECT_LT(result.first_ready_s, result.median_ready_s);
  EXPECT_LT(result.median_ready_s, result.last_ready_s);
  EXPECT_GT(result.last_ready_s, 9.0);
  EXPECT_LT(result.last_ready_s, 11.0);
}

// 40 GB in each of 8 hosts by 4 streams of 1000 requests. Coarse reads change the grain alone: a part of 1/16 of a
// stream at the ends.
TEST(ServingModel, CoarseReadsTakeAsLongAsExactOnes) {
  for (const double tier : {2.0, 6.0, 40.0}) {
    Scenario s = one_host();
    s.cluster.nodes = 8;
    s.serving.streams = 4;
    s.serving.weights = bytes(4.0 * kGiga);
    s.serving.request_size = bytes(1e6);
    s.storage.latency.kind = DistributionKind::kExponential;
    s.storage.latency.mean = 0.004;
    s.storage.stream_bandwidth = bytes_per_second(0.25 * kGiga);
    s.storage.read_bandwidth = bytes_per_second(tier * kGiga);
    const ServingResult exact = load(s, {.most_reads = 1e9});
    const ServingResult coarse = load(s, {.most_reads = 3000});
    EXPECT_EQ(exact.requests, 32'000.0);
    EXPECT_NEAR(coarse.requests, exact.requests, 32.0);
    EXPECT_LT(coarse.events, exact.events / 8);
    EXPECT_NEAR(coarse.read_bytes, exact.read_bytes, 1.0);
    EXPECT_NEAR(coarse.median_ready_s, exact.median_ready_s, 0.04 * exact.median_ready_s) << tier;
    EXPECT_NEAR(coarse.last_ready_s, exact.last_ready_s, 0.06 * exact.last_ready_s) << tier;
    EXPECT_GE(exact.last_ready_s, exact.bound_s);
  }
}

// Half of the weights have been read before: half the time.
TEST(ServingModel, TheRestOfALoadIsALoad) {
  Scenario s = one_host();
  s.storage.read_bandwidth = bytes_per_second(kGiga);
  EXPECT_NEAR(load(s, {.remaining = 0.5}).last_ready_s, 0.5, 1e-8);
}

// Refused requests are tried again; a second's worth of tokens is there at the start, the rest comes at the rate.
TEST(ServingModel, RefusedRequestsBackOff) {
  Scenario s = one_host();
  s.serving.request_size = bytes(kGiga / 300);
  s.serving.streams = 50;
  s.storage.read_iops = per_second(100);
  s.storage.retry_base = seconds(0.01);
  s.storage.retry_max = seconds(0.1);
  const ServingResult result = load(s);
  EXPECT_GT(result.refused_requests, 0.0);
  EXPECT_GT(result.last_ready_s, 2.0);  // 300 requests, 100 of them at once
  EXPECT_LT(result.last_ready_s, 2.5);
}

}  // namespace
}  // namespace stallcast
