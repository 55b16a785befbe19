#include "core/scenario/resolve/machine/nic_efficiency.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

BytesPerSecond gigabits(double rate) { return bytes_per_second(rate * 1e9 / 8.0); }

TEST(NicEfficiency, IsInsideItsIntervalForEveryClient) {
  for (const char* client : {"", "nfs", "kernel", "block", "interception", "library", "fuse", "local"}) {
    for (const double rate : {1.0, 10.0, 25.0, 40.0, 100.0, 150.0, 200.0, 3200.0}) {
      const NicEfficiency e = nic_efficiency(client, gigabits(rate));
      EXPECT_LT(0.0, e.low) << client << rate;
      EXPECT_LE(e.low, e.value) << client << rate;
      EXPECT_LE(e.value, e.high) << client << rate;
      EXPECT_LT(e.high, 1.0) << client << rate;
    }
  }
}

// A faster card carries no less, though a smaller share of it is used: 0.88 of 50 Gb/s is 44, 0.75 of 100 is 75.
TEST(NicEfficiency, CarriesMoreOnAFasterCard) {
  double before = 0.0;
  for (double rate = 1.0; rate < 1000.0; rate *= 1.1) {
    const double carried = rate * nic_efficiency("library", gigabits(rate)).value;
    EXPECT_GT(carried, before) << rate;
    before = carried;
  }
}

// The published points: s3-benchmark reached 1,156 MB/s of 10 Gb/s, gcsfuse 14.49 GB/s of 200 Gb/s.
TEST(NicEfficiency, HoldsWhatWasPublished) {
  const auto holds = [](const char* client, double rate, double published) {
    const NicEfficiency e = nic_efficiency(client, gigabits(rate));
    return e.low <= published && published <= e.high;
  };
  EXPECT_TRUE(holds("library", 10.0, 1.156e9 / gigabits(10.0).base()));
  EXPECT_TRUE(holds("library", 25.0, 2.714e9 / gigabits(25.0).base()));
  EXPECT_TRUE(holds("library", 50.0, 5.741e9 / gigabits(50.0).base()));
  EXPECT_TRUE(holds("library", 100.0, 8.003e9 / gigabits(100.0).base()));
  EXPECT_TRUE(holds("fuse", 200.0, 14.49e9 / gigabits(200.0).base()));
  EXPECT_TRUE(holds("kernel", 100.0, 0.90));
}

}  // namespace
}  // namespace stallcast
