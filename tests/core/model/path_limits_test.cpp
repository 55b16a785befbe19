#include "core/model/path_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/resource_graph.h"

namespace stallcast {
namespace {

// One rank of 100 samples/s, 1 MB samples; storage of 50 MB/s and 80 requests/s behind a client of 200 MB/s.
Scenario limited_job() {
  Scenario s;
  s.cluster.cores_per_node = 8;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.1);
  s.dataset.sample_size = Distribution::constant(1e6);
  s.dataset.samples = 1000;
  s.loader.num_workers = 4;
  s.storage.read_bandwidth = bytes_per_second(50e6);
  s.storage.client_read_bandwidth = bytes_per_second(200e6);
  s.storage.read_iops = per_second(80);
  return s;
}

const PathLimit* limit_of(const std::vector<PathLimit>& limits, std::string_view resource) {
  for (const PathLimit& limit : limits)
    if (limit.resource == resource) return &limit;
  return nullptr;
}

// 50 MB/s of 1 MB samples are 50 samples/s; 200 MB/s 200; the reading of 1 MB takes a worker 20 ms at the 50 MB/s of
// the tier: 4 workers 200 samples/s.
TEST(PathLimits, EachInItsStageWithItsBytes) {
  const std::vector<PathLimit> limits = path_limits(limited_job());
  const PathLimit* tier = limit_of(limits, "tier_bandwidth");
  ASSERT_NE(tier, nullptr);
  EXPECT_NEAR(tier->capacity_per_s, 50.0, 1e-9);
  EXPECT_NEAR(tier->bytes_per_sample, 1e6, 1e-3);
  EXPECT_EQ(tier->stage, PathStage::kStorage);
  const PathLimit* requests = limit_of(limits, "read_iops");
  ASSERT_NE(requests, nullptr);
  EXPECT_NEAR(requests->capacity_per_s, 80.0, 1e-9);
  EXPECT_EQ(requests->bytes_per_sample, 0.0);
  const PathLimit* client = limit_of(limits, "client_bandwidth");
  ASSERT_NE(client, nullptr);
  EXPECT_NEAR(client->capacity_per_s, 200.0, 1e-9);
  EXPECT_NEAR(client->bytes_per_sample, 1e6, 1e-3);
  EXPECT_EQ(limits.back().resource, "gpu");
  EXPECT_NEAR(limits.back().capacity_per_s, 100.0, 1e-9);
  for (std::size_t i = 1; i < limits.size(); ++i) EXPECT_LE(limits[i - 1].stage, limits[i].stage);
}

// The tightest limit is the bound, and it is the one that the bound names.
TEST(PathLimits, TheTightestIsTheBound) {
  const Scenario s = limited_job();
  const std::vector<PathLimit> limits = path_limits(s);
  const auto tightest = std::min_element(limits.begin(), limits.end(), [](const PathLimit& a, const PathLimit& b) {
    return a.capacity_per_s < b.capacity_per_s;
  });
  const Bound bound = utilization_bound(s);
  EXPECT_EQ(tightest->resource, bound.binding_resource);
  EXPECT_NEAR(tightest->capacity_per_s, bound.samples_per_s, 1e-6);
}

// A page cache that holds everything answers 9 of 10 epochs: a tenth of the bytes come from storage, 500 samples/s.
TEST(PathLimits, ACacheTakesItsShareOfTheBytes) {
  Scenario s = limited_job();
  s.run.epochs = 10;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(1e12);
  s.page_cache.read_bandwidth = bytes_per_second(10e9);
  const std::vector<PathLimit> limits = path_limits(s);
  const PathLimit* tier = limit_of(limits, "tier_bandwidth");
  const PathLimit* memory = limit_of(limits, "page_cache");
  ASSERT_NE(tier, nullptr);
  ASSERT_NE(memory, nullptr);
  EXPECT_NEAR(tier->bytes_per_sample, 0.1e6, 1e3);
  EXPECT_NEAR(tier->capacity_per_s, 500.0, 5.0);
  EXPECT_NEAR(memory->bytes_per_sample, 0.9e6, 1e3);
  EXPECT_EQ(memory->stage, PathStage::kNodeCaches);
}

TEST(PathLimits, EveryResourceOfABoundHasALabel) {
  for (const PathLimit& limit : path_limits(limited_job()))
    EXPECT_EQ(std::string(resource_label(limit.resource)).find('_'), std::string::npos) << limit.resource;
  EXPECT_EQ(resource_label("something_else"), "something_else");
}

}  // namespace
}  // namespace stallcast
