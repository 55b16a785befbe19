#include "core/catalogue/capacity_rule.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kTiB = 1024.0 * kGiB;

template <class Q>
MaybeFact<Q> fact(double base) {
  return Fact<Q>{Q::from_base(base), {}};
}

TierRecord parallelstore() {
  TierRecord tier;
  tier.capacity_min = fact<Bytes>(12 * kTiB);
  tier.capacity_max = fact<Bytes>(100 * kTiB);
  tier.capacity_step = fact<Bytes>(4 * kTiB);
  tier.read_bandwidth_per_tib = fact<BytesPerSecond>(1.15 * kGiB);
  return tier;
}

TierRecord scratch_2() {
  TierRecord tier;
  tier.capacity_min = fact<Bytes>(1200 * kGiB);
  tier.capacity_step = fact<Bytes>(2400 * kGiB);
  tier.capacity_unit = fact<Bytes>(1000 * kGiB);
  tier.read_bandwidth_per_tib = fact<BytesPerSecond>(200e6);
  return tier;
}

TEST(CapacityRule, AcceptsMultiplesOfTheStepInTheRange) {
  const TierRecord tier = parallelstore();
  for (const double size : {12.0, 16.0, 40.0, 100.0}) EXPECT_TRUE(is_valid_capacity(tier, bytes(size * kTiB))) << size;
  for (const double size : {0.0, 8.0, 13.0, 23.0, 27.0, 104.0}) {
    EXPECT_FALSE(is_valid_capacity(tier, bytes(size * kTiB))) << size;
  }
}

TEST(CapacityRule, NamesTheSizesBelowAndAbove) {
  const TierRecord tier = parallelstore();
  // 23 lies between 20 and 24; 5 is below the minimum, 130 above the maximum.
  const auto between = nearest_capacities(tier, bytes(23 * kTiB));
  ASSERT_EQ(between.size(), 2U);
  EXPECT_EQ(between[0], bytes(20 * kTiB));
  EXPECT_EQ(between[1], bytes(24 * kTiB));
  EXPECT_EQ(nearest_capacities(tier, bytes(5 * kTiB)), std::vector<Bytes>{bytes(12 * kTiB)});
  EXPECT_EQ(nearest_capacities(tier, bytes(130 * kTiB)), std::vector<Bytes>{bytes(100 * kTiB)});
  EXPECT_EQ(nearest_capacities(tier, bytes(16 * kTiB)), std::vector<Bytes>{bytes(16 * kTiB)});
}

TEST(CapacityRule, AcceptsAMinimumThatIsNotAMultipleOfTheStep) {
  const TierRecord tier = scratch_2();
  EXPECT_TRUE(is_valid_capacity(tier, bytes(1200 * kGiB)));
  EXPECT_TRUE(is_valid_capacity(tier, bytes(9600 * kGiB)));
  EXPECT_FALSE(is_valid_capacity(tier, bytes(3600 * kGiB)));
  // Between the minimum and the first multiple: both are offered.
  const auto sizes = nearest_capacities(tier, bytes(1.2 * kTiB));
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes[0], bytes(1200 * kGiB));
  EXPECT_EQ(sizes[1], bytes(2400 * kGiB));
}

TEST(CapacityRule, RateIsProportionalToCapacity) {
  const TierRecord store = parallelstore();
  // 100 TiB * 1.15 GiB/s per TiB = 115 GiB/s
  EXPECT_DOUBLE_EQ(
      rate_at_capacity(store, store.read_bandwidth, store.read_bandwidth_per_tib, bytes(100 * kTiB))->base(),
      115 * kGiB);
  const TierRecord scratch = scratch_2();
  // 1200 GiB are 1.2 of the vendor's TiB: 240 MB/s, the rate of one server
  EXPECT_DOUBLE_EQ(
      rate_at_capacity(scratch, scratch.read_bandwidth, scratch.read_bandwidth_per_tib, bytes(1200 * kGiB))->base(),
      240e6);
}

}  // namespace
}  // namespace stallcast
