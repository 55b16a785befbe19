#include "core/cost/price_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/units/binary_multiples.h"
#include "tests/core/cost/bills.h"

namespace stallcast {
namespace {

using namespace bills;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const LostDollars& lost_to(const CostBreakdown& cost, std::string_view cause) {
  for (const LostDollars& lost : cost.lost)
    if (lost.cause == cause) return lost;
  throw std::out_of_range(std::string(cause));
}

// --- bills by hand ---

// 1,200 GiB at $0.14 per GiB-month are $168.00 a month; 24 h of 730: 168 * 24 / 730 = 5.5233
TEST(Bill, FsxForADayAndForAMonth) {
  const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  const Scenario s = storage_job(1200);
  EXPECT_EQ(total(price_run(s, {nullptr, &fsx, nullptr}, run(s, 24))), "$5.52");
  EXPECT_EQ(total(price_run(s, {nullptr, &fsx, nullptr}, run(s, 730))), "$168.00");
}

// 120 million GETs are 120,000 thousands at $0.0004: $48.00
TEST(Bill, AHundredAndTwentyMillionGets) {
  const TierRecord bucket = s3();
  const Scenario s = job();
  RunResult r = run(s, 24);
  r.totals.read_requests = 120e6;
  const CostBreakdown cost = price_run(s, {nullptr, &bucket, nullptr}, r);
  EXPECT_EQ(category(cost, CostCategory::kRequests), "$48.00");
  EXPECT_EQ(*cost.category_total(CostCategory::kRequests), Money::usd(48));  // not a digit more
}

// 100 TiB = 102,400 GiB for 36 h: 3,686,400 GiB-hours * 0.0001917808 = 706.98074112
TEST(Bill, ParallelstoreForThirtySixHours) {
  const TierRecord parallelstore = provisioned("parallelstore", "0.0001917808", "GiB-hour");
  const Scenario s = storage_job(102'400);
  const CostBreakdown cost = price_run(s, {nullptr, &parallelstore, nullptr}, run(s, 36));
  EXPECT_EQ(cost.total()->dollars().decimal(), "706.98074112");
  EXPECT_EQ(total(cost), "$706.98");
}

// 10 TiB = 10,240 GiB at $0.30 are $3,072 a month, or $102.40 for each of 30 days. Created for 8 hours a day it costs
// 3,072 * 8 / 730 = 33.6658: two thirds of what is kept is paid for nothing.
TEST(Bill, FilestoreKeptAllMonthAndUsedEightHoursADay) {
  const TierRecord filestore = provisioned("filestore", "0.30", "GiB-month");
  Scenario s = storage_job(10'240);
  EXPECT_EQ(total(price_run(s, {nullptr, &filestore, nullptr}, run(s, 8))), "$33.67");
  s.cost.storage_lifetime = StorageLifetime::kAlways;
  EXPECT_EQ(total(price_run(s, {nullptr, &filestore, nullptr}, run(s, 8))), "$3,072.00");
  s.cost.runs_per_month = 30;
  EXPECT_EQ(total(price_run(s, {nullptr, &filestore, nullptr}, run(s, 8))), "$102.40");
}

// A tenth of a month, 73 h, of 1,024 GiB at 0.08, 2,400 - 140 MiB/s at 0.04 and 10,000 - 3,000 IOPS at 0.005:
// 8.192 + 9.04 + 3.50 = 20.732
TEST(Bill, HyperdiskWithThroughputBeyondTheIncluded) {
  TierRecord hyperdisk = provisioned("hyperdisk", "0.08", "GiB-month");
  hyperdisk.provisioned_bandwidth.included = Fact<BytesPerSecond>{bytes_per_second(140 * kMiB), {}};
  hyperdisk.provisioned_iops.included = Fact<PerSecond>{per_second(3000), {}};
  hyperdisk.prices["provisioned_bandwidth"] = price("0.04", "MiB/s-month");
  hyperdisk.prices["provisioned_iops"] = price("0.005", "IOPS-month");
  Scenario s = storage_job(1024);
  s.storage.provisioned_bandwidth = bytes_per_second(2400 * kMiB);
  s.storage.provisioned_iops = per_second(10'000);
  CostBreakdown cost = price_run(s, {nullptr, &hyperdisk, nullptr}, run(s, 73));
  ASSERT_EQ(cost.lines.size(), 4u);  // the first is the machine, at no charge
  EXPECT_EQ(cost.lines[1].cost().dollars().decimal(), "8.192");
  EXPECT_EQ(cost.lines[2].cost().dollars().decimal(), "9.04");
  EXPECT_EQ(cost.lines[3].cost().dollars().decimal(), "3.5");
  EXPECT_EQ(total(cost), "$20.73");
  // What is included is not charged again, and a volume in each of 4 nodes costs 4 times as much.
  s.storage.provisioned_bandwidth = bytes_per_second(100 * kMiB);
  s.storage.provisioned_iops = per_second(3000);
  s.storage.scope = TierScope::kPerNode;
  s.cluster.nodes = 4;
  EXPECT_EQ(total(price_run(s, {nullptr, &hyperdisk, nullptr}, run(s, 73))), "$32.77");  // 4 * 8.192 = 32.768
}

// 10 TiB = 10,240 GiB at $0.02 to another region and 1 TiB = 1,024 GiB at $0.12 to the internet: 204.80 + 122.88
TEST(Bill, EgressAcrossRegions) {
  TierRecord bucket = s3();
  bucket.prices["egress_cross_region"] = price("0.02", "GiB");
  bucket.prices["egress_internet"] = price("0.12", "GiB");
  Scenario s = job();
  s.cost.egress_cross_region = bytes(10'240 * kGiB);
  EXPECT_EQ(category(price_run(s, {nullptr, &bucket, nullptr}, run(s, 1)), CostCategory::kTransfer), "$204.80");
  s.cost.egress_internet = bytes(1024 * kGiB);
  EXPECT_EQ(category(price_run(s, {nullptr, &bucket, nullptr}, run(s, 1)), CostCategory::kTransfer), "$327.68");
}

// 4 machines at $50.6095 for 100 h, 6 preemptions that cost 20 minutes of steps and 10 of recovery each, and 5 h
// without machines: 4 * 103 * 50.6095 = 20,851.114, of which 4 * 2 * 50.6095 = 404.876 are for recomputed steps and
// 4 * 1 * 50.6095 = 202.438 for recovery. A spare for the 108 h: 50.6095 * 108 = 5,465.826.
TEST(Bill, SpotWithPreemptions) {
  InstanceRecord a3 = instance("a3", "88.49");
  a3.prices["spot"] = price("50.6095", "hour");
  Scenario s = job();
  s.cluster.nodes = 4;
  s.cost.node_price = {};
  EXPECT_EQ(total(price_run(s, {&a3, nullptr, nullptr}, run(s, 100))), "$35,396.00");
  s.cost.pricing = HostPricing::kSpot;
  RunResult r = run(s, 100);
  r.totals.rework_s = 2 * kHour;
  r.totals.recovery_s = 1 * kHour;
  r.totals.unpaid_s = 5 * kHour;
  const CostBreakdown cost = price_run(s, {&a3, nullptr, nullptr}, r);
  EXPECT_EQ(total(cost), "$20,851.11");
  EXPECT_EQ(money_text(lost_to(cost, "rework").dollars), "$404.88");
  EXPECT_EQ(money_text(lost_to(cost, "recovery").dollars), "$202.44");
  s.failures.spares = 1;
  r.totals.spare_node_s = 108 * kHour;
  EXPECT_EQ(money_text(lost_to(price_run(s, {&a3, nullptr, nullptr}, r), "spares").dollars), "$5,465.83");
}

// Bulk staging takes 2 h; 1 machine at $32.77: 65.54 while it waits, nothing when it starts afterwards.
TEST(Bill, StagingIsPaidWhenTheMachinesAreUp) {
  Scenario s = job();
  RunResult r = run(s, 10);
  r.totals.staging_s = 2 * kHour;
  const CostBreakdown waiting = price_run(s, {}, r);
  EXPECT_EQ(total(waiting), "$393.24");
  EXPECT_EQ(money_text(lost_to(waiting, "staging").dollars), "$65.54");
  s.staging.gpus_billed = false;
  EXPECT_EQ(total(price_run(s, {}, r)), "$327.70");
}

// A system made for the job is there while it is staged, and is billed for at least an hour and in whole hours:
// 100 GiB at $0.01 per GiB-hour.
TEST(Bill, StorageLivesThroughStagingAndAtLeastItsMinimum) {
  TierRecord scratch = provisioned("scratch", "0.01", "GiB-hour");
  const Scenario s = storage_job(100);
  RunResult r = run(s, 1.5);
  r.totals.staging_s = 0.25 * kHour;
  EXPECT_EQ(total(price_run(s, {nullptr, &scratch, nullptr}, r)), "$1.75");
  scratch.billing_granularity = Fact<Seconds>{seconds(kHour), {}};
  EXPECT_EQ(total(price_run(s, {nullptr, &scratch, nullptr}, r)), "$2.00");
  scratch.billing_minimum = Fact<Seconds>{seconds(24 * kHour), {}};
  EXPECT_EQ(total(price_run(s, {nullptr, &scratch, nullptr}, r)), "$24.00");
}

// 3 servers at $2 an hour and the system at $1, 10 h: 70
TEST(Bill, ServersAndSystem) {
  TierRecord lustre = provisioned("lustre", "0", "GiB-hour");
  lustre.prices["servers"] = price("2", "server-hour");
  lustre.prices["instance"] = price("1", "hour");
  Scenario s = storage_job(100);
  s.storage.servers = 3;
  EXPECT_EQ(total(price_run(s, {nullptr, &lustre, nullptr}, run(s, 10))), "$70.00");
}

// 10 checkpoints of 100 GiB over 730 h, the last 3 kept for another month. Of 10, 7 live 3 intervals of 73 h, the last
// three 2, 1 and 0 intervals and a month: (21 + 3) * 0.1 month + 3 months = 5.4 months * 100 GiB * $0.02 = 10.80.
TEST(Bill, KeptCheckpointsGrowABucket) {
  TierRecord bucket = tier("bucket", "0.02", "GiB-month");
  Scenario s = storage_job(0);
  s.dataset.samples = 1;
  s.dataset.sample_size = Distribution::constant(1e-9);
  s.cost.kept_checkpoints = 3;
  s.cost.checkpoint_retention = seconds(730 * kHour);
  RunResult r = run(s, 730);
  r.totals.checkpoints = 10;
  r.totals.checkpoint_bytes = 100 * kGiB;
  EXPECT_EQ(total(price_run(s, {nullptr, &bucket, nullptr}, r)), "$10.80");
  // Billed for three months at least: 10 checkpoints * 3 months * 100 GiB * 0.02 = 60, and nothing of the dataset.
  bucket.minimum_storage_time = Fact<Seconds>{seconds(3 * 730 * kHour), {}};
  EXPECT_EQ(total(price_run(s, {nullptr, &bucket, nullptr}, r)), "$60.00");
}

// Provisioned capacity holds checkpoints without charge; to keep them, the system stays (1,000 GiB * $0.10 for 2 months
// instead of 1), unless a bucket takes them: 1 month of capacity and 1 checkpoint of 100 GiB * 0.02.
TEST(Bill, KeptCheckpointsKeepTheSystemOrGoToTheBucket) {
  const TierRecord system = provisioned("system", "0.10", "GiB-month");
  const TierRecord bucket = tier("bucket", "0.02", "GiB-month");
  Scenario s = storage_job(1000);
  s.dataset.samples = 1;
  s.dataset.sample_size = Distribution::constant(1e-9);
  RunResult r = run(s, 730);
  r.totals.checkpoints = 10;
  r.totals.checkpoint_bytes = 100 * kGiB;
  EXPECT_EQ(total(price_run(s, {nullptr, &system, nullptr}, r)), "$100.00");
  s.cost.checkpoint_retention = seconds(730 * kHour);
  EXPECT_EQ(total(price_run(s, {nullptr, &system, nullptr}, r)), "$200.00");
  EXPECT_EQ(total(price_run(s, {nullptr, &system, &bucket}, r)), "$102.00");
}

// 1 TiB enters the cache at $0.0032 and 100 TiB are served at $0.0006 per GiB: 3.2768 + 61.44 = 64.7168; half of the
// 10 TiB read otherwise cross a zone at $0.01: 51.20.
TEST(Bill, RegionalCacheAndZones) {
  TierRecord cache = s3();
  cache.prices["cache_ingest"] = price("0.0032", "GiB");
  cache.prices["cache_read"] = price("0.0006", "GiB");
  cache.prices["egress_cross_zone"] = price("0.01", "GiB");
  Scenario s = job();
  s.cost.cross_zone_fraction = 0.5;
  RunResult r = run(s, 1);
  r.totals.regional_ingest_bytes = 1024 * kGiB;
  r.totals.regional_read_bytes = 102'400 * kGiB;
  r.totals.read_bytes = 10'240 * kGiB;
  r.totals.read_requests = 1;
  EXPECT_EQ(category(price_run(s, {nullptr, &cache, nullptr}, r), CostCategory::kTransfer), "$115.92");
}

// --- the comparison of a textbook, corrected: 24 hours of ideal compute on a p4d, 150 GB of data ---

struct TextbookRow {
  double utilization;
  double fsx_gib;
  double gets;
  const char* at_32_77;  // the total with compute in every row and requests charged once
  const char* at_21_96;  // at $21.957642/h
};

CostBreakdown textbook_bill(const TextbookRow& row, double node_price) {
  static const TierRecord bucket = s3();
  static const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  Scenario s = job();
  s.cost.storage_discount = 0.0;
  s.cost.node_price = UsdPerHour::from_base(node_price);
  s.dataset.samples = 1'200'000;
  s.dataset.sample_size = Distribution::constant(150 * kGiB / 1.2e6);  // Amazon's GB are GiB
  s.storage.capacity = bytes(row.fsx_gib * kGiB);
  RunResult r = run(s, 24.0 / row.utilization, row.utilization);
  if (row.fsx_gib > 0.0) return price_run(s, {nullptr, &fsx, &bucket}, r);
  r.totals.read_requests = row.gets;
  return price_run(s, {nullptr, &bucket, nullptr}, r);
}

// compute = price * T, T = 24 h / u; storage = (1200 * 0.14 if FSx + 150 * 0.023) * T / 730; requests = GETs * 0.0004 /
// 1k
TEST(Bill, TheTextbooksComparisonCorrected) {
  const TextbookRow rows[] = {
      {0.98, 1200, 0, "$808.28", "$543.49"},         // 802.53 + 5.64 + 0.12
      {0.95, 0, 1.2e6, "$828.47", "$555.32"},        // 827.87 + 0.12 + 0.48: copied once to the instance store
      {0.85, 0, 15'000, "$925.41", "$620.12"},       // 925.27 + 0.13 + 0.006: 150 shards, 100 epochs
      {0.15, 0, 120e6, "$5,291.96", "$3,561.98"},    // 5,243.20 + 0.76 + 48.00
      {0.033, 0, 120e6, "$23,884.16", "$16,020.63"}  // 23,832.73 + 3.44 + 48.00; 15,969.19 + 3.44 + 48.00
  };
  for (const TextbookRow& row : rows) {
    EXPECT_EQ(total(textbook_bill(row, 32.77)), row.at_32_77) << row.utilization;
    EXPECT_EQ(total(textbook_bill(row, 21.957642)), row.at_21_96) << row.utilization;
  }
  // The dearest storage is the cheapest job, whichever price holds.
  EXPECT_LT(*textbook_bill(rows[0], 32.77).total(), *textbook_bill(rows[1], 32.77).total());
}

// 808.28 / (24 h * 8 GPUs) = 4.2098; 100 epochs; 120 million samples
TEST(Effective, PerUsefulHourEpochAndMillionSamples) {
  Scenario s = job();
  s.run.epochs = 4;
  const CostBreakdown cost = price_run(s, {}, run(s, 30, 0.8));
  // 30 h * $32.77 = 983.10; 24 useful hours * 8 GPUs = 192: 5.1203; / 4 epochs = 245.775; / 2 million samples = 491.55
  EXPECT_EQ(total(cost), "$983.10");
  EXPECT_EQ(money_text(*cost.per_useful_gpu_hour), "$5.12");
  EXPECT_EQ(cost.per_epoch->dollars().decimal(), "245.775");
  EXPECT_EQ(cost.per_million_samples->dollars().decimal(), "491.55");
}

// --- where the money of the machines goes ---

// 10 h at $32.77 = 327.70; a fifth is lost, 65.54: three quarters to decoding, 49.155, a quarter at the
// barrier, 16.385.
TEST(Lost, SplitsTheMachinesByCause) {
  const Scenario s = job();
  const CostBreakdown cost = price_run(s, {}, run(s, 10, 0.8));
  EXPECT_EQ(money_text(*cost.wasted()), "$65.54");
  EXPECT_EQ(money_text(lost_to(cost, "cpu_decode").dollars), "$49.16");
  EXPECT_EQ(money_text(lost_to(cost, "barrier").dollars), "$16.38");
  EXPECT_EQ(money_text(lost_to(cost, "checkpoint").dollars), "$0.00");
  EXPECT_EQ(money_text(cost.useful_compute), "$262.16");
}

TEST(Lost, CausesSumToTheMachinesLessWhatWasUseful) {
  Scenario s = job();
  s.cost.reserved_time = seconds(20 * kHour);
  s.cost.pricing = HostPricing::kSpot;
  s.cost.host_discount = 0.07;
  for (const double utilization : {0.0, 0.1, 0.333333, 0.97, 1.0}) {
    RunResult r = run(s, 17.3, utilization);
    r.totals.staging_s = 777.7;
    r.totals.listing_s = 33.3;
    r.totals.rework_s = 1234.5;
    r.totals.recovery_s = 321.9;
    const CostBreakdown cost = price_run(s, {}, r);
    EXPECT_EQ(*cost.wasted() + cost.useful_compute, *cost.category_total(CostCategory::kCompute)) << utilization;
  }
}

TEST(Lost, OnlyAtTheStartWhenTheSteadyPartLosesNothing) {
  const Scenario s = job();
  RunResult r = run(s, 10, 0.9);
  r.lost_fraction = {};
  EXPECT_EQ(money_text(lost_to(price_run(s, {}, r), "startup").dollars), "$32.77");
}

// 10 h of a machine at $32.77 are $327.70; a tenth for support makes $360.47; a fifth of that in taxes is $72.094; and
// 8 h of people at $120 are $960.
TEST(Bill, OverheadsAreSharesOfTheRestAndPeople) {
  const Scenario s = job_with_overheads();
  const CostBreakdown cost = price_run(s, {}, run(s, 10));
  EXPECT_EQ(category(cost, CostCategory::kCompute), "$327.70");
  EXPECT_EQ(cost.category_total(CostCategory::kOverheads)->dollars().decimal(), "1064.864");
  EXPECT_EQ(total(cost), "$1,392.56");
}

TEST(Bill, SharesOfWhatIsNotKnownAreNotKnown) {
  Scenario s = job();
  s.cost.support_fraction = 0.1;
  s.cost.node_price = {};
  const CostBreakdown cost = price_run(s, {}, run(s, 10));
  EXPECT_FALSE(cost.total());
  EXPECT_FALSE(cost.category_total(CostCategory::kOverheads));
}

// A day is reserved and ten hours of it are used: fourteen machine-hours at $32.77 are paid for nothing.
TEST(Bill, AReservationIsPaidToItsEnd) {
  Scenario s = job();
  s.cost.reserved_time = seconds(24 * kHour);
  const CostBreakdown cost = price_run(s, {}, run(s, 10));
  EXPECT_EQ(total(cost), "$786.48");
  EXPECT_EQ(money_text(lost_to(cost, "reserved").dollars), "$458.78");
  EXPECT_EQ(total(price_run(s, {}, run(s, 30))), "$983.10");  // it is over before the run is
}

// --- sums and scaling ---

TEST(Bill, LinesSumToCategoriesAndToTheTotal) {
  const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  const TierRecord bucket = s3();
  Scenario s = storage_job(1200);
  s.cost.host_discount = 0.1;
  s.cost.storage_discount = 0.333;
  s.cost.support_fraction = 0.1;
  s.cost.tax_fraction = 0.19;
  s.cost.reserved_time = seconds(20 * kHour);
  s.dataset.samples = 1000;
  s.dataset.sample_size = Distribution::constant(123'456.789);
  RunResult r = run(s, 12.345, 0.77);
  r.totals.origin_read_bytes = 1e12;
  r.totals.origin_read_requests = 123'457;
  const CostBreakdown cost = price_run(s, {nullptr, &fsx, &bucket}, r);
  Money lines, categories;
  for (const BillLine& line : cost.lines) {
    EXPECT_EQ(line.list_cost() * (1 - line.offer.discount), line.cost());
    lines += line.cost();
  }
  for (int c = 0; c < static_cast<int>(CostCategory::kCount); ++c)
    categories += *cost.category_total(static_cast<CostCategory>(c));
  EXPECT_EQ(lines, *cost.total());
  EXPECT_EQ(categories, *cost.total());
}

TEST(Bill, DoublePriceDoubleMachines) {
  Scenario s = job();
  const RunResult r = run(s, 12.345, 0.77);
  const Money once = *price_run(s, {}, r).total();
  s.cost.node_price = UsdPerHour::from_base(65.54);
  EXPECT_EQ(*price_run(s, {}, r).total(), once * 2);
}

TEST(Bill, EverythingDiscountedCostsNothing) {
  Scenario s = job();
  s.cost.host_discount = 1.0;
  EXPECT_EQ(total(price_run(s, {}, run(s, 100, 0.5))), "$0.00");
  s.cost.node_price = {};  // the price need not be known
  EXPECT_EQ(total(price_run(s, {}, run(s, 100, 0.5))), "$0.00");
}

// --- what is not known is not 0 ---

TEST(Unknown, AnInstanceWithoutThatPrice) {
  const InstanceRecord p4d = instance("p4d", "21.957642");
  Scenario s = job();
  s.cost.node_price = {};
  s.cost.pricing = HostPricing::kReserved3Years;
  const CostBreakdown cost = price_run(s, {&p4d, nullptr, nullptr}, run(s, 10));
  EXPECT_FALSE(cost.total());
  EXPECT_FALSE(cost.wasted());
  EXPECT_FALSE(cost.per_useful_gpu_hour);
  EXPECT_EQ(category(cost, CostCategory::kStorage), "$0.00");  // the rest of the bill stands
  ASSERT_EQ(cost.unknown.size(), 1u);
  EXPECT_EQ(
      unknown_text(cost.unknown.front()),
      "UNKNOWN price of the machines: p4d has no price reserved_3y; it has on_demand; give /cost/node_price, like "
      "\"$32.77/h\"");
}

TEST(Unknown, ATierWithoutAPriceOfWhatItDid) {
  TierRecord bucket = s3();
  bucket.prices.erase("write_requests");
  const Scenario s = job();
  RunResult r = run(s, 1);
  r.totals.write_requests = 5;
  const CostBreakdown cost = price_run(s, {nullptr, &bucket, nullptr}, r);
  EXPECT_FALSE(cost.total());
  EXPECT_EQ(category(cost, CostCategory::kCompute), "$32.77");
  EXPECT_EQ(
      unknown_text(cost.unknown.front()),
      "UNKNOWN s3_standard, write requests: s3_standard has no price of write_requests; add prices/write_requests "
      "to models/tiers/s3_standard.json");
}

TEST(Unknown, RequestsThatNobodyCounted) {
  const TierRecord bucket = s3();
  const Scenario s = job();
  RunResult r = run(s, 1);
  r.totals.read_bytes = 1e12;
  EXPECT_THAT(unknown_text(price_run(s, {nullptr, &bucket, nullptr}, r).unknown.at(0)), HasSubstr("did not count"));
}

TEST(Unknown, EgressWithoutAPriceAndStorageByHand) {
  const TierRecord bucket = s3();
  Scenario s = job();
  s.cost.egress_internet = bytes(1);
  EXPECT_EQ(price_run(s, {nullptr, &bucket, nullptr}, run(s, 1)).unknown.at(0).category, CostCategory::kTransfer);
  s.cost.egress_internet = {};
  s.cost.storage_discount = 0.0;
  EXPECT_EQ(unknown_text(price_run(s, {}, run(s, 1)).unknown.at(0)),
            "UNKNOWN storage: no tier is named, and only tiers have prices; name a /storage/tier, or set "
            "/cost/storage_discount to 1 if it costs nothing");
}

TEST(Unknown, APriceThatCountsSomethingElse) {
  const TierRecord odd = provisioned("odd", "0.14", "1k requests");
  const Scenario s = storage_job(10);
  EXPECT_THAT(unknown_text(price_run(s, {nullptr, &odd, nullptr}, run(s, 1)).unknown.at(0)),
              HasSubstr("its price is per 1k requests"));
}

// Lists cost what writes do where the record has no price of their own: 2,000 at $0.005 per 1,000.
TEST(Bill, ListsAreWrites) {
  const TierRecord bucket = s3();
  const Scenario s = job();
  RunResult r = run(s, 1);
  r.totals.list_requests = 2000;
  EXPECT_EQ(category(price_run(s, {nullptr, &bucket, nullptr}, r), CostCategory::kRequests), "$0.01");
}

TEST(Bill, AFileSystemChargesNoRequests) {
  const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  const Scenario s = storage_job(1200);
  RunResult r = run(s, 730);
  r.totals.read_requests = 1e9;
  r.totals.read_bytes = 1e15;
  EXPECT_EQ(total(price_run(s, {nullptr, &fsx, nullptr}, r)), "$168.00");
}

// --- a run whose length is not given ---

// Per hour: 32.77 and 1,200 GiB * 0.14 / 730 = 0.2301; 33.0001 / (8 GPUs * 0.5) = 8.25
TEST(HourlyRates, GiveTheEffectivePriceWithoutALength) {
  const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  Scenario s = job();
  s.cost.storage_discount = 0.0;
  s.storage.capacity = bytes(1200 * kGiB);
  RunResult r;
  r.gpu_utilization = {0.5, 0.5, 0.5};
  const CostBreakdown cost = price_run(s, {nullptr, &fsx, nullptr}, r);
  EXPECT_FALSE(cost.run_is_sized);
  EXPECT_FALSE(cost.total());
  EXPECT_THAT(cost.lines, IsEmpty());
  EXPECT_EQ(money_text(*cost.per_hour.compute), "$32.77");
  EXPECT_EQ(money_text(*cost.per_hour.storage), "$0.23");
  EXPECT_EQ(money_text(*cost.per_useful_gpu_hour), "$8.25");
  EXPECT_FALSE(cost.per_epoch);
}

TEST(HourlyRates, AreUnknownWithAPrice) {
  Scenario s = job();
  s.cost.node_price = {};
  RunResult r;
  r.gpu_utilization = {0.5, 0.5, 0.5};
  const CostBreakdown cost = price_run(s, {}, r);
  EXPECT_FALSE(cost.per_hour.total());
  EXPECT_FALSE(cost.per_useful_gpu_hour);
  EXPECT_EQ(cost.unknown.size(), 1u);
}

// Long runs: rates and the whole bill agree.
TEST(HourlyRates, AgreeWithTheBillOfALongRun) {
  const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  Scenario s = job();
  s.cost.storage_discount = 0.0;
  s.storage.capacity = bytes(1200 * kGiB);
  const CostBreakdown whole = price_run(s, {nullptr, &fsx, nullptr}, run(s, 1000, 0.5));
  RunResult unsized = run(s, 1000, 0.5);
  unsized.totals = {};
  const CostBreakdown rates = price_run(s, {nullptr, &fsx, nullptr}, unsized);
  EXPECT_NEAR(whole.per_useful_gpu_hour->to_double(), rates.per_useful_gpu_hour->to_double(), 1e-9);
}

TEST(Bill, SaysWhenRunsOverlapOnKeptStorage) {
  const TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  Scenario s = storage_job(1200);
  s.cost.storage_lifetime = StorageLifetime::kAlways;
  s.cost.runs_per_month = 10;
  EXPECT_THAT(price_run(s, {nullptr, &fsx, nullptr}, run(s, 24)).notes, IsEmpty());
  EXPECT_THAT(price_run(s, {nullptr, &fsx, nullptr}, run(s, 146)).notes.at(0),
              HasSubstr("at 10 runs a month 2.0 overlap"));
}

}  // namespace
}  // namespace stallcast
