// What vendors print about their own tiers, recomputed from the records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/tier_example.h"
#include "core/units/binary_multiples.h"
#include "tests/core/catalogue/record_files.h"
#include "tests/core/rendered.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

TEST(VendorExamples, EveryOneAgreesWithItsRecord) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  for (const auto& [name, tier] : loaded.value->tiers) {
    // Counted in the text too, so that none is passed over in silence.
    std::ostringstream text;
    text << std::ifstream(tier.file).rdbuf();
    const bool has_examples = text.str().find("\"examples\"") != std::string::npos;
    Findings findings;
    const std::size_t judged = judge_examples(tier, findings);
    EXPECT_EQ(rendered(findings), "");
    EXPECT_EQ(judged > 0, has_examples) << name;
    EXPECT_GE(judged, tier.examples.size()) << name;
  }
}

TEST(HalfLastDigit, FollowsWhatIsPrinted) {
  EXPECT_DOUBLE_EQ(*half_last_digit(Dimension::kByteRate, "115 GiB/s"), 0.5 * kGiB);
  EXPECT_DOUBLE_EQ(*half_last_digit(Dimension::kByteRate, "1.15 GiB/s"), 0.005 * kGiB);
  EXPECT_DOUBLE_EQ(*half_last_digit(Dimension::kRate, "3000000 /s"), 0.5);
  EXPECT_DOUBLE_EQ(*half_last_digit(Dimension::kUsd, "$168"), 0.5);
  EXPECT_DOUBLE_EQ(*half_last_digit(Dimension::kUsd, "$0.20"), 0.005);
  EXPECT_FALSE(half_last_digit(Dimension::kUsd, "about").has_value());
}

// A tier of 1.15 GiB/s per TiB, sold from 12 TiB to 100 TiB in steps of 4 TiB.
TierRecord linear_tier() {
  TierRecord tier;
  tier.kind = "tier";
  tier.name = "linear";
  tier.file = "linear.json";
  tier.capacity_min = fact<Bytes>(12 * kTiB);
  tier.capacity_max = fact<Bytes>(100 * kTiB);
  tier.capacity_step = fact<Bytes>(4 * kTiB);
  tier.laws.read_bandwidth.per_tib = fact<BytesPerSecond>(1.15 * kGiB);
  return tier;
}

TierExample example_of(const std::string& capacity, double base, const std::string& printed, double value,
                       double half_digit) {
  TierExample example;
  example.pointer = "/examples/0";
  example.capacity_text = capacity;
  example.size.capacity = bytes(base);
  example.printed = {{"read_bandwidth", printed, Dimension::kByteRate, value, half_digit}};
  example.source = "Overview";
  return example;
}

TEST(JudgeExamples, RoundsAsTheVendorDoes) {
  TierRecord tier = linear_tier();
  // 100 TiB * 1.15 = 115 GiB/s; 52 TiB * 1.15 = 59.8, printed as 60
  tier.examples = {example_of("100 TiB", 100 * kTiB, "115 GiB/s", 115 * kGiB, 0.5 * kGiB),
                   example_of("52 TiB", 52 * kTiB, "60 GiB/s", 60 * kGiB, 0.5 * kGiB)};
  Findings findings;
  EXPECT_EQ(judge_examples(tier, findings), 2U);
  EXPECT_EQ(rendered(findings), "");
}

TEST(JudgeExamples, AWrongLawIsToldWithWhatItGives) {
  TierRecord tier = linear_tier();
  tier.laws.read_bandwidth.per_tib = fact<BytesPerSecond>(1.25 * kGiB);
  tier.examples = {example_of("100 TiB", 100 * kTiB, "115 GiB/s", 115 * kGiB, 0.5 * kGiB)};
  Findings findings;
  judge_examples(tier, findings);
  EXPECT_EQ(rendered(findings),
            "linear.json: error[law_contradicts_example] at /examples/0/read_bandwidth:\n"
            "  got 125 GiB/s computed, 115 GiB/s printed; allowed 114.5 GiB/s to 115.5 GiB/s (100 TiB; Overview)\n");
}

TEST(JudgeExamples, ASizeThatCannotBeBoughtContradictsTheSteps) {
  TierRecord tier = linear_tier();
  // 27 TiB * 1.15 = 31.05 GiB/s is right, but no multiple of 4
  tier.examples = {example_of("27 TiB", 27 * kTiB, "31 GiB/s", 31 * kGiB, 0.5 * kGiB)};
  Findings findings;
  judge_examples(tier, findings);
  EXPECT_THAT(rendered(findings), HasSubstr("error[example_not_sold] at /examples/0/capacity:\n  got \"27 TiB\""));
}

TEST(JudgeExamples, APrintedSizeIsRoundedToo) {
  TierRecord tier = linear_tier();
  tier.capacity_step = fact<Bytes>(kGiB);
  // 63.9 TiB are 65433.6 GiB; sold are whole ones. 1.15 * 63.9 = 73.485
  TierExample example = example_of("63.9 TiB", 63.9 * kTiB, "73 GiB/s", 73 * kGiB, 0.5 * kGiB);
  example.capacity_half_digit = bytes(0.05 * kTiB);
  tier.examples = {example};
  Findings findings;
  judge_examples(tier, findings);
  EXPECT_EQ(rendered(findings), "");
}

TEST(JudgeExamples, ANumberWithoutALawIsToldApart) {
  TierRecord tier = linear_tier();
  tier.examples = {example_of("12 TiB", 12 * kTiB, "13.8 GiB/s", 13.8 * kGiB, 0.05 * kGiB)};
  tier.examples[0].printed[0].name = "write_bandwidth";
  Findings findings;
  judge_examples(tier, findings);
  EXPECT_THAT(rendered(findings), HasSubstr("got no law for it computed, 13.8 GiB/s printed"));
}

TEST(PriceOfExample, AddsWhatIsBoughtBesideTheCapacity) {
  TierRecord tier;
  tier.provisioned_bandwidth.included = fact<BytesPerSecond>(140 * kMiB);
  tier.provisioned_iops.included = fact<PerSecond>(3000);
  tier.prices["capacity"] = {"0.10", "GiB-month", {}};
  tier.prices["provisioned_bandwidth"] = {"0.04", "MiB/s-month", {}};
  tier.prices["provisioned_iops"] = {"0.005", "IOPS-month", {}};
  TierExample example;
  example.capacity_text = "1000 GiB";
  example.size = {bytes(1000 * kGiB), 0, bytes_per_second(240 * kMiB), per_second(5000)};
  // 1000 * 0.10 + (240 - 140) * 0.04 + (5000 - 3000) * 0.005 = 100 + 4 + 10 = 114 a month, 57 for half of its 730 h
  EXPECT_NEAR(price_of_example(tier, example).usd, 114.0, 1e-9);
  example.hours = 365;
  EXPECT_NEAR(price_of_example(tier, example).usd, 57.0, 1e-9);
  tier.prices.erase("provisioned_iops");
  EXPECT_EQ(price_of_example(tier, example).missing, "provisioned_iops");
}

TEST(PriceOfExample, CountsServersSystemsRequestsAndBytes) {
  TierRecord tier;
  tier.prices["servers"] = {"2", "server-hour", {}};
  tier.prices["instance"] = {"0.5", "hour", {}};
  tier.prices["read_requests"] = {"0.004", "10k requests", {}};
  tier.prices["retrieval"] = {"0.01", "GB", {}};
  TierExample servers;
  servers.size.servers = 3;
  servers.hours = 10;
  EXPECT_NEAR(price_of_example(tier, servers).usd, (3 * 2 + 0.5) * 10, 1e-9);
  TierExample requests;
  requests.requests = 50000;
  requests.price_of = "read_requests";
  EXPECT_NEAR(price_of_example(tier, requests).usd, 0.02, 1e-12);
  TierExample moved;
  moved.gib = 100;
  moved.price_of = "retrieval";
  // 100 GiB are 107.37 GB
  EXPECT_NEAR(price_of_example(tier, moved).usd, 1.073741824, 1e-12);
}

}  // namespace
}  // namespace stallcast
