#include "core/model/storage/cache_play.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/analytic/lru.h"

namespace stallcast {
namespace {

constexpr double kSampleBytes = 1e5;

// One node, one rank, a million samples of 100 kB (100 GB) read in a fresh order every epoch.
Scenario job(std::int64_t samples = 1'000'000) {
  Scenario s;
  s.dataset.samples = samples;
  s.dataset.sample_size = Distribution::constant(kSampleBytes);
  s.dataset.layout = DatasetLayout::kFilePerSample;
  s.workload.batch_size = 10;
  s.run.epochs = 10;
  return s;
}

double dataset_bytes(const Scenario& s) { return static_cast<double>(s.dataset.samples) * kSampleBytes; }

double share(const EpochMix& epoch, ReadLevel level) { return epoch.mean().served[index_of(level)]; }

void expect_whole(const std::vector<EpochMix>& epochs) {
  for (const EpochMix& epoch : epochs) {
    for (const ReadMix& part : epoch.parts) {
      EXPECT_NEAR(std::accumulate(part.served.begin(), part.served.end(), 0.0), 1.0, 1e-12);
      for (const double share : part.served) EXPECT_GE(share, 0.0);
    }
  }
}

TEST(CachePlay, WithoutCachesStorageAnswersAll) {
  EXPECT_FALSE(has_levels(job()));
  const auto epochs = play_epochs(job(), 10);
  ASSERT_EQ(epochs.size(), 1u);
  EXPECT_EQ(share(epochs[0], ReadLevel::kStorage), 1.0);
}

// 65,536 keys, steady epochs averaged: the ratio is known to about sqrt(0.25 / 65536) = 0.002.
TEST(CachePlay, LruUnderReshuffledEpochsIsTheClosedForm) {
  for (int tenth = 1; tenth <= 9; ++tenth) {
    const double c = 0.1 * tenth;
    Scenario s = job();
    s.page_cache.policy = CachePolicy::kLru;
    s.page_cache.capacity = bytes(c * dataset_bytes(s));
    const auto epochs = play_epochs(s, 100);
    expect_whole(epochs);
    EXPECT_EQ(share(epochs.front(), ReadLevel::kPageCache), 0.0) << "nothing is read twice in the first epoch";
    EXPECT_NEAR(share(epochs.back(), ReadLevel::kPageCache), lru_reshuffle_hit_ratio(c), 0.004) << c;
    EXPECT_LE(epochs.size(), 3u) << "steady from the second epoch on";
    // And along the epoch: each part has 1,300 reads or more, sqrt(0.25 / 1300) = 0.014.
    for (std::size_t b = 0; b < EpochMix::kParts; ++b) {
      const double x = (static_cast<double>(b) + 0.5) / static_cast<double>(EpochMix::kParts);
      EXPECT_NEAR(epochs.back().parts[b].served[index_of(ReadLevel::kPageCache)], lru_reshuffle_hit_ratio_at(c, x),
                  0.05);
    }
  }
}

// Share of the dataset that each epoch reads from storage, files of 200 kB read once an epoch by one node.
std::vector<double> read_shares(CachePolicy policy, double held_fraction, std::int64_t files, bool reshuffled) {
  Scenario s = job(files);
  s.dataset.sample_size = Distribution::constant(2e5);
  s.dataset.shuffle = reshuffled ? Shuffle::kGlobal : Shuffle::kNone;
  s.page_cache.policy = policy;
  s.page_cache.capacity = bytes(held_fraction * 2e5 * static_cast<double>(files));
  std::vector<double> out;
  for (const EpochMix& epoch : play_epochs(s, 6)) out.push_back(share(epoch, ReadLevel::kStorage));
  out.resize(6, out.back());  // the last one stands for all that follow
  return out;
}

double mean_from_third(const std::vector<double>& shares) {
  return std::accumulate(shares.begin() + 2, shares.end(), 0.0) / static_cast<double>(shares.size() - 2);
}

// tests/validation/page_cache: the kernel's own counts. Files are dropped in parts by the kernel and whole here.
TEST(CachePlay, LinuxHoldsWhatWasMeasured) {
  std::ifstream file(std::filesystem::path(STALLCAST_SOURCE_DIR) / "tests/validation/page_cache/measured.jsonl");
  int compared = 0;
  for (std::string line; std::getline(file, line); ++compared) {
    const auto run = nlohmann::json::parse(line);
    const auto measured = run["read_share_by_epoch"].get<std::vector<double>>();
    const double held = run["held_fraction"].get<double>();
    const auto files = run["files"].get<std::int64_t>();
    const bool reshuffled = run["reshuffled"].get<bool>();
    const double linux = mean_from_third(read_shares(CachePolicy::kLinux, held, files, reshuffled));
    EXPECT_NEAR(linux, mean_from_third(measured), 0.06) << line;
    if (!reshuffled) continue;
    const double lru = mean_from_third(read_shares(CachePolicy::kLru, held, files, reshuffled));
    EXPECT_LT(std::abs(linux - mean_from_third(measured)), std::abs(lru - mean_from_third(measured))) << line;
  }
  EXPECT_GE(compared, 9);
}

// Nothing can keep more of a dataset that is read once an epoch than what it has room for, and nothing does worse under
// a fresh shuffle than the least recently used.
TEST(CachePlay, LinuxLiesBetweenLruAndPinned) {
  for (const double c : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    const double answered = 1.0 - read_shares(CachePolicy::kLinux, c, 1'000'000, true).back();
    EXPECT_LE(answered, c + 0.01) << c;
    EXPECT_GE(answered, lru_reshuffle_hit_ratio(c) - 0.01) << c;
  }
}

TEST(CachePlay, PinningGivesWhatItHolds) {
  for (const double c : {0.1, 0.5, 0.9}) {
    Scenario s = job();
    s.node_cache.policy = CachePolicy::kPinned;
    s.node_cache.capacity = bytes(c * dataset_bytes(s));
    const auto epochs = play_epochs(s, 100);
    EXPECT_NEAR(share(epochs.back(), ReadLevel::kNodeCache), c, 1e-3);
    EXPECT_TRUE(epochs.back().flat());
    // Filled with the first c of the first epoch, then never again.
    EXPECT_NEAR(epochs.front().mean().node_fill, c, 1e-3);
    EXPECT_EQ(epochs.back().mean().node_fill, 0.0);
  }
}

// Read in the same order every time, an LRU cache that is one sample too small drops each just before it is wanted.
TEST(CachePlay, TheSameOrderAgainDefeatsLru) {
  Scenario s = job();
  s.dataset.shuffle = Shuffle::kNone;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(0.95 * dataset_bytes(s));
  for (const EpochMix& epoch : play_epochs(s, 5)) EXPECT_EQ(share(epoch, ReadLevel::kPageCache), 0.0);
  s.page_cache.capacity = bytes(dataset_bytes(s));
  EXPECT_EQ(share(play_epochs(s, 5).back(), ReadLevel::kPageCache), 1.0);
  s.page_cache.policy = CachePolicy::kPinned;
  s.page_cache.capacity = bytes(0.5 * dataset_bytes(s));
  EXPECT_NEAR(share(play_epochs(s, 5).back(), ReadLevel::kPageCache), 0.5, 1e-3);
}

// Each of 4 nodes reads another quarter every epoch, so in epoch e a node has read a sample before with probability
// 1 - (3/4)^(e - 1): 0, 1/4, 7/16, 37/64, ...
TEST(CachePlay, PrivateCachesFillOverManyEpochs) {
  Scenario s = job();
  s.cluster.nodes = 4;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(2.0 * dataset_bytes(s));
  const auto epochs = play_epochs(s, 10);
  for (std::size_t e = 0; e < epochs.size(); ++e)
    EXPECT_NEAR(share(epochs[e], ReadLevel::kPageCache), 1.0 - std::pow(0.75, static_cast<double>(e)), 0.01) << e;
  EXPECT_EQ(epochs.size(), 10u);
}

// A sequence of reads through lists as one would write them first; capacities in samples.
struct BruteForce {
  struct Lru {
    std::size_t capacity;
    std::list<int> keys{};
    bool use(int key) {
      const auto found = std::find(keys.begin(), keys.end(), key);
      const bool had = found != keys.end();
      if (had) keys.erase(found);
      if (capacity > 0) keys.push_front(key);
      if (keys.size() > capacity) keys.pop_back();
      return had;
    }
  };
  std::vector<Lru> page;
  Lru server;
};

// Two levels, three nodes: memory of each, and the file servers' for all. 3,000 samples, exactly as many keys.
TEST(CachePlay, TwoLevelsOverThreeNodesAreAnExactLru) {
  constexpr int kSamples = 3000, kNodes = 3, kEpochs = 12;
  Scenario s = job(kSamples);
  s.cluster.nodes = kNodes;
  s.page_cache.policy = s.server_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(600 * kSampleBytes);
  s.server_cache.capacity = bytes(1500 * kSampleBytes);
  const auto epochs = play_epochs(s, kEpochs);
  expect_whole(epochs);

  BruteForce exact{std::vector<BruteForce::Lru>(kNodes, {600}), {1500}};
  std::mt19937 random(7);
  std::vector<int> order(kSamples);
  std::iota(order.begin(), order.end(), 0);
  double page = 0.0, server = 0.0, reads = 0.0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < kSamples; ++i) {
      const int key = order[static_cast<std::size_t>(i)];
      const bool in_page = exact.page[static_cast<std::size_t>(i % kNodes)].use(key);
      const bool in_server = !in_page && exact.server.use(key);
      if (epoch < 4) continue;
      ++reads;
      page += in_page;
      server += in_server;
    }
  }
  // 24,000 reads in the test: 0.003.
  EXPECT_NEAR(share(epochs.back(), ReadLevel::kPageCache), page / reads, 0.012);
  EXPECT_NEAR(share(epochs.back(), ReadLevel::kServerCache), server / reads, 0.012);
}

// Parts of a partitioned cache are one cache: with room for all of it nothing is read again, and of 4 nodes' reads
// three quarters find their sample at a peer.
TEST(CachePlay, PeersServeTheirParts) {
  Scenario s = job();
  s.cluster.nodes = 4;
  s.node_cache.policy = CachePolicy::kLru;
  s.node_cache.sharing = CacheSharing::kPartitioned;
  s.node_cache.capacity = bytes(0.25 * dataset_bytes(s) + 1e6);
  const auto epochs = play_epochs(s, 10);
  EXPECT_EQ(share(epochs.front(), ReadLevel::kStorage), 1.0);
  EXPECT_NEAR(share(epochs.back(), ReadLevel::kNodeCache), 0.25, 0.01);
  EXPECT_NEAR(share(epochs.back(), ReadLevel::kPeerCache), 0.75, 0.01);
}

// Few shards: what part of a shard a cache has room for still counts.
TEST(CachePlay, ShardsAreReadWhole) {
  Scenario s = job(1'000);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 100;
  s.dataset.shuffle = Shuffle::kShard;
  EXPECT_EQ(key_access(s).keys, 10);
  EXPECT_EQ(key_access(s).samples_per_key, 100);
  s.page_cache.policy = CachePolicy::kPinned;
  s.page_cache.capacity = bytes(0.45 * dataset_bytes(s));
  EXPECT_NEAR(share(play_epochs(s, 10).back(), ReadLevel::kPageCache), 0.45, 0.02);
}

// A row group is read again for each of its rows: of 1000 groups of a million rows a cache of a third has a third.
TEST(CachePlay, RowGroupsOfAMillionRowsAreNotPlayedRowByRow) {
  Scenario s = job(1'000'000'000);
  s.dataset.layout = DatasetLayout::kColumnar;
  s.dataset.samples_per_shard = 1'000'000;
  s.dataset.shuffle = Shuffle::kGlobal;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(dataset_bytes(s) / 3.0);
  EXPECT_EQ(key_access(s).keys, 1'000);
  EXPECT_EQ(key_access(s).reads_per_key, 1'000'000);
  for (const EpochMix& epoch : play_epochs(s, 10)) EXPECT_NEAR(share(epoch, ReadLevel::kPageCache), 1.0 / 3.0, 0.01);
  // An epoch of 2 rows of each group, in no order: each read is of any group, and a third of them are there.
  s.run.steps_per_epoch = 200;
  const auto epochs = play_epochs(s, 100);
  EXPECT_NEAR(share(epochs.back(), ReadLevel::kPageCache), 1.0 / 3.0, 0.02);
}

// Steady after a few epochs, whatever number follows: 2^31 mixes would take 9 TB.
TEST(CachePlay, EpochsThatAreNotPlayedTakeNoRoom) {
  Scenario s = job();
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(0.5 * dataset_bytes(s));
  EXPECT_EQ(play_epochs(s, 2'147'483'647), play_epochs(s, 100));
}

// What no play can answer from a cache is not played: the only epoch is as the first of many. What the node's or the
// regional cache takes in counts even then.
TEST(CachePlay, AnOnlyEpochIsAsTheFirstOfMany) {
  Scenario s = job();
  s.cluster.nodes = 8;
  s.page_cache.policy = CachePolicy::kLinux;
  s.page_cache.capacity = bytes(0.5 * dataset_bytes(s));
  s.server_cache.policy = CachePolicy::kLru;
  s.server_cache.capacity = bytes(0.2 * dataset_bytes(s));
  EXPECT_EQ(play_epochs(s, 1).front(), play_epochs(s, 2).front());
  s.node_cache.policy = CachePolicy::kLru;
  s.node_cache.capacity = bytes(0.5 * dataset_bytes(s));
  EXPECT_EQ(play_epochs(s, 1).front().mean().node_fill, 1.0);
}

// A second play of the same is the first; another capacity, or another number of nodes, is another play.
TEST(CachePlay, IsRememberedByAllThatItDependsOn) {
  Scenario s = job();
  s.cluster.nodes = 2;
  s.page_cache.policy = CachePolicy::kLru;
  s.page_cache.capacity = bytes(0.3 * dataset_bytes(s));
  const auto first = play_epochs(s, 5);
  EXPECT_EQ(play_epochs(s, 5), first);
  Scenario more = s, wider = s;
  more.page_cache.capacity = bytes(0.6 * dataset_bytes(s));
  wider.cluster.nodes = 4;
  EXPECT_NE(play_epochs(more, 5), first);
  EXPECT_NE(play_epochs(wider, 5), first);
  EXPECT_EQ(play_epochs(s, 5), first);
}

TEST(CachePlay, LazyLoadReadsTheOriginOnce) {
  Scenario s = job();
  s.staging.method = StagingMethod::kLazy;
  const auto epochs = play_epochs(s, 10);
  EXPECT_EQ(share(epochs.front(), ReadLevel::kOrigin), 1.0);
  EXPECT_EQ(share(epochs.back(), ReadLevel::kStorage), 1.0);
  EXPECT_LE(epochs.size(), 3u);
}

// Of two machines each reads another half in every epoch. What it has not had itself is not on its own disk: half of it
// in the second epoch, a quarter in the third.
TEST(CachePlay, LazyLoadToTheMachinesOwnDisksReadsTheOriginOnceForEach) {
  Scenario s = job();
  s.cluster.nodes = 2;
  s.staging.method = StagingMethod::kLazy;
  s.storage.scope = TierScope::kPerNode;
  const auto epochs = play_epochs(s, 10);
  ASSERT_GE(epochs.size(), 3u);
  for (std::size_t e = 0; e < 3; ++e)
    EXPECT_NEAR(share(epochs[e], ReadLevel::kOrigin), std::pow(0.5, static_cast<double>(e)), 0.02) << e;
  EXPECT_NEAR(share(epochs.back(), ReadLevel::kStorage), 1.0, 0.02);
}

// A larger cache answers no fewer reads, in any epoch: LRU lists contain one another (Mattson et al. 1970).
TEST(CachePlay, MoreRoomNeverHitsLess) {
  std::vector<EpochMix> before;
  for (double c = 0.0; c <= 1.1; c += 0.1) {
    Scenario s = job();
    s.cluster.nodes = 3;
    s.page_cache.policy = CachePolicy::kLru;
    s.page_cache.capacity = bytes(c * dataset_bytes(s));
    const auto epochs = play_epochs(s, 6);
    for (std::size_t e = 0; e < std::min(before.size(), epochs.size()); ++e)
      EXPECT_GE(share(epochs[e], ReadLevel::kPageCache), share(before[e], ReadLevel::kPageCache) - 0.005);
    before = epochs;
  }
}

}  // namespace
}  // namespace stallcast
