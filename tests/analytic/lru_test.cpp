#include "tests/analytic/lru.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <random>
#include <vector>

namespace stallcast {
namespace {

TEST(LruReshuffle, IsTheClosedForm) {
  EXPECT_EQ(lru_reshuffle_hit_ratio(0.0), 0.0);
  EXPECT_EQ(lru_reshuffle_hit_ratio(1.0), 1.0);
  EXPECT_EQ(lru_reshuffle_hit_ratio(3.0), 1.0);
  // 0.5 + 0.5 ln 0.5 = 0.5 - 0.34657 = 0.15343
  EXPECT_NEAR(lru_reshuffle_hit_ratio(0.5), 0.153426409720027, 1e-14);
  // 0.9 + 0.1 ln 0.1 = 0.9 - 0.23026
  EXPECT_NEAR(lru_reshuffle_hit_ratio(0.9), 0.669741490700595, 1e-14);
  // Small c: c + (1 - c)(-c - c^2/2 - ...) = c^2/2 + ...
  EXPECT_NEAR(lru_reshuffle_hit_ratio(1e-6) / 0.5e-12, 1.0, 1e-3);
}

// At the start of an epoch the cache holds what was read last: c of everything. Once c of the epoch has passed, all
// that it holds is of this epoch, which reads nothing twice.
TEST(LruReshuffle, FallsAlongTheEpoch) {
  EXPECT_EQ(lru_reshuffle_hit_ratio_at(0.4, 0.0), 0.4);
  EXPECT_EQ(lru_reshuffle_hit_ratio_at(0.4, 0.4), 0.0);
  EXPECT_EQ(lru_reshuffle_hit_ratio_at(0.4, 0.9), 0.0);
  EXPECT_EQ(lru_reshuffle_hit_ratio_at(1.0, 0.9), 1.0);
  for (const double c : {0.1, 0.5, 0.9}) {
    double sum = 0.0;
    constexpr int kPoints = 200'000;
    for (int i = 0; i < kPoints; ++i) sum += lru_reshuffle_hit_ratio_at(c, (i + 0.5) / kPoints);
    EXPECT_NEAR(sum / kPoints, lru_reshuffle_hit_ratio(c), 1e-5);
  }
}

// An LRU list as one would write it first, over 6 epochs of 2,000 items: 10,000 reads, so a ratio is known to
// sqrt(0.25 / 10000) = 0.005 or better.
TEST(LruReshuffle, IsWhatAnExactListGives) {
  constexpr int kItems = 2000, kEpochs = 6;
  std::mt19937 random(1);
  for (const double c : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    std::list<int> cache;
    std::vector<int> order(kItems);
    std::iota(order.begin(), order.end(), 0);
    double hits = 0.0, reads = 0.0;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      std::shuffle(order.begin(), order.end(), random);
      for (const int item : order) {
        const auto found = std::find(cache.begin(), cache.end(), item);
        if (epoch > 0) {
          ++reads;
          if (found != cache.end()) ++hits;
        }
        if (found != cache.end()) cache.erase(found);
        cache.push_front(item);
        if (static_cast<double>(cache.size()) > c * kItems) cache.pop_back();
      }
    }
    EXPECT_NEAR(hits / reads, lru_reshuffle_hit_ratio(c), 0.015) << c;
  }
}

}  // namespace
}  // namespace stallcast
