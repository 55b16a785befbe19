#include "core/catalogue/capacity_rule.h"

#include <gtest/gtest.h>

#include "core/units/binary_multiples.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {
namespace {

TierRecord parallelstore() {
  TierRecord tier;
  tier.capacity_min = fact<Bytes>(12 * kTiB);
  tier.capacity_max = fact<Bytes>(100 * kTiB);
  tier.capacity_step = fact<Bytes>(4 * kTiB);
  tier.laws.read_bandwidth.per_tib = fact<BytesPerSecond>(1.15 * kGiB);
  return tier;
}

TierRecord scratch_2() {
  TierRecord tier;
  tier.capacity_min = fact<Bytes>(1200 * kGiB);
  tier.capacity_step = fact<Bytes>(2400 * kGiB);
  tier.capacity_unit = fact<Bytes>(1000 * kGiB);
  tier.laws.read_bandwidth.per_tib = fact<BytesPerSecond>(200e6);
  return tier;
}

TEST(CapacityRule, AcceptsMultiplesOfTheStepInTheRange) {
  const TierRecord tier = parallelstore();
  for (const double size : {12.0, 16.0, 40.0, 100.0}) EXPECT_TRUE(is_valid_capacity(tier, bytes(size * kTiB))) << size;
  for (const double size : {0.0, 8.0, 13.0, 23.0, 27.0, 104.0}) {
    EXPECT_FALSE(is_valid_capacity(tier, bytes(size * kTiB))) << size;
  }
}

// Each is sold, and no smaller one is as far from the one before; the last is the largest, or a thousand times the
// first.
TEST(CapacityRule, SpacedSizesAreTheSmallestThatKeepTheirDistance) {
  constexpr double kFactor = 1.3;
  TierRecord any;  // 1 TiB and more, in any size
  any.capacity_min = fact<Bytes>(kTiB);
  for (const TierRecord& tier : {parallelstore(), scratch_2(), any}) {
    const std::vector<Bytes> sizes = spaced_capacities(tier, kFactor);
    ASSERT_GT(sizes.size(), 5U);
    EXPECT_EQ(sizes.front(), tier.capacity_min->value);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_TRUE(is_valid_capacity(tier, sizes[i]));
      if (i == 0 || (tier.capacity_max && i + 1 == sizes.size())) continue;
      EXPECT_GE(sizes[i].base(), kFactor * sizes[i - 1].base() * (1.0 - 1e-9));
      const double step = tier.capacity_step ? tier.capacity_step->value.base() : kGiB;
      EXPECT_LT(sizes[i].base() - step, kFactor * sizes[i - 1].base());
    }
    if (tier.capacity_max)
      EXPECT_EQ(sizes.back(), tier.capacity_max->value);
    else
      EXPECT_GT(sizes.back().base() * kFactor, 0.99 * kEndless * sizes.front().base());
  }
  EXPECT_TRUE(spaced_capacities(TierRecord(), kFactor).empty());
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
  // 100 TiB * 1.15 GiB/s per TiB = 115 GiB/s
  EXPECT_DOUBLE_EQ(rates_at(parallelstore(), {bytes(100 * kTiB)}).read_bandwidth->value.base(), 115 * kGiB);
  // 1200 GiB are 1.2 of the vendor's TiB: 240 MB/s, the rate of one server
  EXPECT_DOUBLE_EQ(rates_at(scratch_2(), {bytes(1200 * kGiB)}).read_bandwidth->value.base(), 240e6);
}

TEST(CapacityRule, ALawHasABaseAServerPartAndACeiling) {
  TierRecord tier;
  RateLaw<BytesPerSecond>& law = tier.laws.read_bandwidth;
  law.base = fact<BytesPerSecond>(100e6);
  law.per_tib = fact<BytesPerSecond>(10e6);
  law.per_server = fact<BytesPerSecond>(1e6);
  law.max = fact<BytesPerSecond>(200e6);
  // 100 + 3 * 10 + 5 * 1 = 135 MB/s; at 20 TiB 305, which the ceiling cuts
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(3 * kTiB), 5}).read_bandwidth->value.base(), 135e6);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(20 * kTiB), 5}).read_bandwidth->value.base(), 200e6);
  EXPECT_FALSE(rates_at(tier, {bytes(3 * kTiB), 5}).write_bandwidth.has_value());
}

TEST(CapacityRule, ABandChangesTheLawsThatItStatesAndTheStep) {
  TierRecord tier;
  tier.capacity_min = fact<Bytes>(kTiB);
  tier.capacity_step = fact<Bytes>(256 * kGiB);
  tier.laws.read_bandwidth.base = fact<BytesPerSecond>(100e6);
  tier.laws.write_bandwidth.base = fact<BytesPerSecond>(80e6);
  SizeBand large;
  large.from = {bytes(10 * kTiB), {}};
  large.capacity_step = fact<Bytes>(2.5 * kTiB);
  large.laws.read_bandwidth.base = fact<BytesPerSecond>(180e6);
  tier.bands.push_back(large);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(9.75 * kTiB)}).read_bandwidth->value.base(), 100e6);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(10 * kTiB)}).read_bandwidth->value.base(), 180e6);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(10 * kTiB)}).write_bandwidth->value.base(), 80e6);
  EXPECT_TRUE(is_valid_capacity(tier, bytes(1.25 * kTiB)));
  EXPECT_FALSE(is_valid_capacity(tier, bytes(11 * kTiB)));
  EXPECT_EQ(nearest_capacities(tier, bytes(11 * kTiB)), (std::vector<Bytes>{bytes(10 * kTiB), bytes(12.5 * kTiB)}));
}

TEST(CapacityRule, BoughtBandwidthTakesThePlaceOfTheLaw) {
  TierRecord tier;
  tier.provisioned_bandwidth.included = fact<BytesPerSecond>(140 * kMiB);
  tier.provisioned_bandwidth.max = fact<BytesPerSecond>(2400 * kMiB);
  tier.provisioned_bandwidth.max_per_tib = fact<BytesPerSecond>(1000 * kMiB);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(kTiB)}).read_bandwidth->value.base(), 140 * kMiB);
  TierSize size{bytes(kTiB), 0, bytes_per_second(500 * kMiB)};
  EXPECT_DOUBLE_EQ(rates_at(tier, size).read_bandwidth->value.base(), 500 * kMiB);
  size.provisioned_bandwidth = bytes_per_second(5000 * kMiB);  // 1 TiB allows 1000, 3 TiB all of 2400
  EXPECT_DOUBLE_EQ(rates_at(tier, size).read_bandwidth->value.base(), 1000 * kMiB);
  size.capacity = bytes(3 * kTiB);
  EXPECT_DOUBLE_EQ(rates_at(tier, size).read_bandwidth->value.base(), 2400 * kMiB);
}

TEST(CapacityRule, BandwidthIsBoundByOperationsOfASize) {
  TierRecord tier;
  tier.provisioned_iops.max = fact<PerSecond>(350000);
  tier.bytes_per_io = fact<Bytes>(256 * 1024.0);
  // 10,000 IOPS of 256 KiB are 2,500 MiB/s
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(kTiB), 0, {}, per_second(10000)}).read_bandwidth->value.base(), 2500 * kMiB);
  TierRecord ml;
  ml.provisioned_bandwidth.min = fact<BytesPerSecond>(400 * kMiB);
  ml.bytes_per_provisioned_io = fact<Bytes>(64 * 1024.0);
  // 16 IOPS for each MiB/s
  EXPECT_DOUBLE_EQ(rates_at(ml, {bytes(kTiB), 0, bytes_per_second(1000 * kMiB)}).read_iops->value.base(), 16000);
}

// 16 months of 30.4 days at 12 TiB: a quarter of it at 48 TiB. A tier that states none has none.
TEST(CapacityRule, DataLossComesSoonerTheMoreThereIs) {
  TierRecord tier;
  EXPECT_FALSE(rates_at(tier, {bytes(kTiB)}).mttdl);
  tier.mttdl = fact<Seconds>(487 * 86400.0);
  tier.mttdl_capacity = fact<Bytes>(12 * kTiB);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(12 * kTiB)}).mttdl->value.base(), 487 * 86400.0);
  EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(48 * kTiB)}).mttdl->value.base(), 487 * 86400.0 / 4);
  EXPECT_FALSE(rates_at(tier, {}).mttdl);
}

// A server per 2400 GiB begun, and one for metadata: 2, 2, 3, 5, 22 as Amazon's table of FSx has them.
TEST(CapacityRule, DataLossByFileServers) {
  TierRecord tier;
  tier.mttdl_per_server = fact<Seconds>(660.0);
  tier.server_capacity = fact<Bytes>(2400 * kGiB);
  const std::vector<std::pair<double, double>> table = {{1200, 2}, {2400, 2}, {4800, 3}, {9600, 5}, {50400, 22}};
  for (const auto& [gib, servers] : table)
    EXPECT_DOUBLE_EQ(rates_at(tier, {bytes(gib * kGiB)}).mttdl->value.base(), 660.0 / servers) << gib;
}

}  // namespace
}  // namespace stallcast
