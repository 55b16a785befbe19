#include "core/cost/stored_checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stallcast {
namespace {

// Checkpoint by checkpoint: k = 1 .. N is written at k * T / N; all but the last K go when K more are there.
double one_by_one(const StoredCheckpoints& c) {
  const auto n = static_cast<int>(c.written), kept = static_cast<int>(c.kept);
  const double interval = c.written_over.base() / c.written;
  double sum = 0.0;
  for (int k = 1; k <= n; ++k) {
    const bool stays = k > n - kept;
    const double lives = stays ? (n - k) * interval + c.retention.base() : kept * interval;
    sum += std::max(lives, c.minimum.base());
  }
  return sum;
}

TEST(StoredCheckpoints, LastOneOnly) {
  // 10 in 100 s; each lives until the next is there, 10 s; the last one for 50 s more: 9 * 10 + 50 = 140
  EXPECT_DOUBLE_EQ(stored_time({10, 1, seconds(100), seconds(50), seconds(0)}).base(), 140.0);
}

TEST(StoredCheckpoints, AllKept) {
  // 4 in 40 s, all kept for 5 s more: 30 + 20 + 10 + 0 + 4 * 5 = 80
  EXPECT_DOUBLE_EQ(stored_time({4, 4, seconds(40), seconds(5), seconds(0)}).base(), 80.0);
}

TEST(StoredCheckpoints, NoneWritten) {
  EXPECT_EQ(stored_time({0, 1, seconds(40), seconds(5), seconds(9)}).base(), 0.0);
}

TEST(StoredCheckpoints, AgreesWithCountingOneByOne) {
  for (const double written : {1.0, 2.0, 7.0, 30.0})
    for (const double kept : {1.0, 2.0, 7.0, 30.0})
      for (const double over : {0.0, 10.0, 300.0})
        for (const double retention : {0.0, 3.0, 1000.0})
          for (const double minimum : {0.0, 4.0, 35.0, 1e6}) {
            if (kept > written) continue;
            const StoredCheckpoints c = {written, kept, seconds(over), seconds(retention), seconds(minimum)};
            EXPECT_NEAR(stored_time(c).base(), one_by_one(c), 1e-9 * one_by_one(c))
                << written << ' ' << kept << ' ' << over << ' ' << retention << ' ' << minimum;
          }
}

}  // namespace
}  // namespace stallcast
