// Jobs that are held back by one known thing each: it is named, and taking it away buys back the most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/plan/explain/explain.h"
#include "core/scenario/check/check.h"

namespace stallcast {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;

// Eight GPUs want 8 x 32 samples of 100 kB each 100 ms: 2560 samples/s, 256 MB/s. Nothing stands in their way.
Scenario fast_job() {
  Scenario s;
  s.cluster.gpus_per_node = 8;
  s.cluster.cores_per_node = 64;
  s.workload.batch_size = 32;
  s.workload.step_time = Distribution::constant(0.1);
  s.dataset.sample_size = Distribution::constant(1e5);
  s.dataset.decode_time = Distribution::constant(0.001);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  s.storage.latency = Distribution::constant(0.001);
  s.run.steps_per_epoch = 400;
  s.run.whole_run = true;
  return s;
}

Explanation explained(const Scenario& scenario) {
  ResolvedScenario resolved;
  resolved.scenario = scenario;
  RunOptions options;
  options.threads = 2;
  return explain(resolved, options);
}

struct Case {
  std::string name;
  std::string cause, change;
  void (*hold_back)(Scenario&);
};

class KnownBottleneck : public ::testing::TestWithParam<Case> {};

TEST_P(KnownBottleneck, IsNamedAndBuysBackTheMost) {
  Scenario s = fast_job();
  GetParam().hold_back(s);
  const Explanation explanation = explained(s);
  EXPECT_LT(explanation.result.gpu_utilization.mean, 0.9);
  EXPECT_EQ(explanation.bottleneck.cause, GetParam().cause);
  EXPECT_EQ(explanation.bottleneck.change, GetParam().change);
  ASSERT_FALSE(explanation.counterfactuals.empty());
  const Counterfactual& best = explanation.counterfactuals.front();
  const auto named = std::find_if(explanation.counterfactuals.begin(), explanation.counterfactuals.end(),
                                  [](const Counterfactual& c) { return c.name == GetParam().change; });
  ASSERT_NE(named, explanation.counterfactuals.end());
  EXPECT_NEAR(named->gain, best.gain, kSmallestGain) << best.name;
  EXPECT_GT(named->gain, 0.05);
}

const Case kCases[] = {
    // 2560 samples/s of 50 ms are 128 cores; there are 64.
    {"cpu_decode", "cpu_decode", "cpu_decode",
     [](Scenario& s) {
       s.dataset.decode_time = Distribution::constant(0.05);
       s.loader.num_workers = 24;
     }},
    {"tier_bandwidth", "tier_bandwidth", "tier_bandwidth",
     [](Scenario& s) { s.storage.read_bandwidth = bytes_per_second(150e6); }},
    {"client_cap", "client_cap", "client_cap",
     [](Scenario& s) { s.storage.client_read_bandwidth = bytes_per_second(150e6); }},
    {"nic", "client_cap", "client_cap", [](Scenario& s) { s.cluster.nic_bandwidth = bytes_per_second(150e6); }},
    // 32 workers of 4 MB/s are 128 MB/s.
    {"stream_cap", "stream_cap", "stream_cap", [](Scenario& s) { s.storage.stream_bandwidth = bytes_per_second(4e6); }},
    // 32 workers, each a sample per 21 ms: 1500 samples/s.
    {"storage_latency", "storage_latency", "storage_latency",
     [](Scenario& s) { s.storage.latency = Distribution::constant(0.02); }},
    {"read_iops", "request_rate", "read_iops", [](Scenario& s) { s.storage.read_iops = per_second(1500); }},
    {"metadata", "request_rate", "metadata_rate", [](Scenario& s) { s.storage.metadata_rate = per_second(1500); }},
    {"request_throttle", "request_rate", "request_throttle",
     [](Scenario& s) {
       s.storage.read_iops = per_second(1500);
       s.storage.retry_base = milliseconds(10);
       s.storage.retry_max = seconds(1);
     }},
    // Reads and decoding both have a heavy tail: one slow batch blocks others, and to take away either tail leaves the
    // other one.
    {"loader_order", "loader_order", "loader_order",
     [](Scenario& s) {
       s.workload.batch_size = 1;
       s.workload.step_time = Distribution::constant(0.01);
       s.dataset.decode_time = s.storage.latency = Distribution::lognormal(0.03, 1.6);
       s.loader.num_workers = 12;
       s.cluster.cores_per_node = 256;
       s.run.steps_per_epoch = 2000;
     }},
    // 3.2 MB at 40 MB/s take 80 ms of every step.
    {"host_to_device", "host_to_device", "host_to_device",
     [](Scenario& s) { s.cluster.host_to_device_bandwidth = bytes_per_second(40e6); }},
    // 2 s of writing every 5 s.
    {"checkpoint", "checkpoint", "checkpoint",
     [](Scenario& s) {
       s.checkpoint.mode = CheckpointMode::kSync;
       s.checkpoint.interval_steps = 50;
       s.checkpoint.size = bytes(2e9);
       s.checkpoint.to_storage = false;
       s.checkpoint.write_bandwidth = bytes_per_second(1e9);
     }},
    // 103 pages of names of 0.1 s each come before 400 steps of 0.1 s.
    {"listing", "staging", "staging",
     [](Scenario& s) {
       s.dataset.samples = 102'400;
       s.storage.list_page_size = 1000;
       s.storage.list_latency = milliseconds(100);
     }},
    {"barrier", "barrier", "barrier", [](Scenario& s) { s.workload.step_time = Distribution::lognormal(0.1, 0.4); }},
};
INSTANTIATE_TEST_SUITE_P(Parts, KnownBottleneck, ::testing::ValuesIn(kCases),
                         [](const auto& known) { return known.param.name; });

TEST(Bottleneck, AJobThatNothingHoldsBackIsBoundByItsSteps) {
  const Explanation explanation = explained(fast_job());
  EXPECT_GT(explanation.result.gpu_utilization.mean, 0.98);
  EXPECT_EQ(explanation.bottleneck.cause, "gpu");
  EXPECT_THAT(explanation.bottleneck.ties, ::testing::IsEmpty());
}

// 8 workers of 10 ms a sample are 800 samples/s of the 2560 wanted, on 64 cores: more of them help. 192 workers of 50
// ms want 128 cores of the 64: only cores help.
TEST(Bottleneck, TellsTooFewWorkersFromFullCores) {
  Scenario s = fast_job();
  s.dataset.decode_time = Distribution::constant(0.01);
  s.loader.num_workers = 1;
  EXPECT_EQ(explained(s).bottleneck.reason, "too few workers");
  s.dataset.decode_time = Distribution::constant(0.05);
  s.loader.num_workers = 24;
  const Explanation full = explained(s);
  EXPECT_EQ(full.bottleneck.cause, "cpu_decode");
  EXPECT_EQ(full.bottleneck.reason, "cores full");
}

// Requests and bytes both allow 1500 samples/s: each alone buys nothing, since the other still holds.
TEST(Bottleneck, TwoLimitsOfOneHeightAreATie) {
  Scenario s = fast_job();
  s.storage.read_iops = per_second(1500);
  s.storage.read_bandwidth = bytes_per_second(1500 * 1e5);
  const Explanation explanation = explained(s);
  const std::vector<std::string> both = {"tier_bandwidth", "request_rate"};
  EXPECT_THAT(both, Contains(explanation.bottleneck.cause));
  ASSERT_EQ(explanation.bottleneck.ties.size(), 1U);
  EXPECT_THAT(both, Contains(explanation.bottleneck.ties.front()));
  EXPECT_NE(explanation.bottleneck.ties.front(), explanation.bottleneck.cause);
}

TEST(Bottleneck, ALimitHalfAsHighIsNoTie) {
  Scenario s = fast_job();
  s.storage.read_iops = per_second(1500);
  s.storage.read_bandwidth = bytes_per_second(2 * 1500 * 1e5);
  const Explanation explanation = explained(s);
  EXPECT_EQ(explanation.bottleneck.cause, "request_rate");
  EXPECT_THAT(explanation.bottleneck.ties, ::testing::IsEmpty());
}

}  // namespace
}  // namespace stallcast
