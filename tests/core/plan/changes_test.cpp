#include "core/plan/explain/changes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stallcast {
namespace {

const Change* change_in(const std::vector<Change>& changes, const std::string& name) {
  const auto found = std::find_if(changes.begin(), changes.end(), [&](const Change& c) { return c.name == name; });
  return found != changes.end() ? &*found : nullptr;
}

// A WebDataset: 10,000 samples for 2 ranks of 5 workers.
Scenario shards_of(std::int64_t samples) {
  Scenario s;
  s.cluster.gpus_per_node = 2;
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples = 10000;
  s.dataset.samples_per_shard = samples;
  s.loader.style = LoaderStyle::kIterable;
  s.loader.num_workers = 5;
  return s;
}

// One shard for ten workers leaves nine without; four for each are 40 shards of 250 samples.
TEST(PossibleChanges, FewShardsAreSplit) {
  const auto few = possible_changes(shards_of(10000));
  const Change* const split = change_in(few, "smaller_shards");
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(split->scenario.dataset.samples_per_shard, 250);
  EXPECT_EQ(split->phrase, "dataset.samples_per_shard 10000 to 250");
  EXPECT_EQ(change_in(possible_changes(shards_of(100)), "smaller_shards"), nullptr);  // 100 shards are enough
}

TEST(PossibleChanges, RequestsGrowUpToTheSample) {
  Scenario s;
  s.dataset.sample_size = Distribution::constant(1e6);
  EXPECT_EQ(change_in(possible_changes(s), "larger_requests"), nullptr);  // a sample is one request
  s.dataset.request_size = bytes(128e3);
  const auto changes = possible_changes(s);
  ASSERT_NE(change_in(changes, "larger_requests"), nullptr);
  EXPECT_DOUBLE_EQ(change_in(changes, "larger_requests")->scenario.dataset.request_size.base(), 512e3);
  EXPECT_EQ(change_in(changes, "map_read_ahead"), nullptr);
  s.dataset.page_by_page = true;  // pages have one size, and a read-ahead that is off can be on
  s.dataset.layout = DatasetLayout::kRecords;
  EXPECT_EQ(change_in(possible_changes(s), "larger_requests"), nullptr);
  ASSERT_NE(change_in(possible_changes(s), "map_read_ahead"), nullptr);
  EXPECT_FALSE(change_in(possible_changes(s), "map_read_ahead")->scenario.dataset.page_by_page);
}

TEST(PossibleChanges, ANodeCacheNeedsADiskAndASecondEpoch) {
  Scenario s;
  s.dataset.samples = 1000;
  s.cluster.local_storage_per_node = bytes(1e12);
  s.cluster.local_read_bandwidth = bytes_per_second(5e9);
  EXPECT_EQ(change_in(possible_changes(s), "node_cache"), nullptr);
  s.run.epochs = 2;
  const auto changes = possible_changes(s);
  ASSERT_NE(change_in(changes, "node_cache"), nullptr);
  EXPECT_EQ(change_in(changes, "node_cache")->scenario.node_cache.policy, CachePolicy::kLru);
}

// From no workers to as many as there are cores for a GPU, else to four times as many.
TEST(PossibleChanges, ManyWorkersFollowTheCoresOrWhatThereIs) {
  Scenario s;
  s.cluster.gpus_per_node = 2;
  s.cluster.cores_per_node = 32;
  s.loader.num_workers = 0;
  EXPECT_EQ(change_in(possible_changes(s), "quadruple_workers")->scenario.loader.num_workers, 16);
  s.loader.num_workers = 3;
  EXPECT_EQ(change_in(possible_changes(s), "quadruple_workers")->scenario.loader.num_workers, 12);
}

TEST(PossibleChanges, DecodingMovesToAGpuThatIsKnownToDecode) {
  Scenario s;
  s.dataset.decode_time = Distribution::constant(5e-3);
  EXPECT_EQ(change_in(possible_changes(s), "decode_on_gpu"), nullptr);
  s.loader.gpu_decode_time = Distribution::constant(2e-4);
  EXPECT_NE(change_in(possible_changes(s), "decode_on_gpu"), nullptr);
  EXPECT_NE(change_in(possible_changes(s), "double_cores"), nullptr);
}

}  // namespace
}  // namespace stallcast
