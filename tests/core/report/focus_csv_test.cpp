#include "core/report/json/focus_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

#include "tests/core/cost/bills.h"

namespace stallcast {
namespace {

using namespace bills;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::sys_days kStart = 2026y / 12 / 30;

using CsvRow = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;  // a doubled quote toggles twice; no test looks at quotes inside
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<CsvRow> rows_of(const std::string& csv) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<CsvRow> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    EXPECT_EQ(cells.size(), names.size()) << line;
    CsvRow row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

ExactNumber number(const CsvRow& row, const char* column) { return ExactNumber::parse(row.at(column)).value(); }

// 100 h from 30 December: 48 h in December, 52 h in January. Spot machines, a discounted tier, a bucket.
CostBreakdown over_new_year() {
  InstanceRecord a3 = instance("a3", "88.49");
  a3.prices["spot"] = price("50.6095", "hour");
  const TierRecord fsx = provisioned("fsx, \"scratch\"", "0.14", "GiB-month");
  const TierRecord bucket = s3();
  Scenario s = storage_job(1200);
  s.cluster.nodes = 3;
  s.cost.node_price = {};
  s.cost.host_discount = 0.05;
  s.cost.storage_discount = 0.333;
  s.cost.pricing = HostPricing::kSpot;
  s.cost.support_fraction = 0.03;
  s.cost.tax_fraction = 0.19;
  s.dataset.samples = 1000;
  s.dataset.sample_size = Distribution::constant(123'456.789);
  RunResult r = run(s, 99.25, 0.77);
  r.totals.staging_s = 0.75 * kHour;
  r.totals.origin_read_bytes = 1e12;
  r.totals.origin_read_requests = 123'457;
  return price_run(s, {&a3, &fsx, &bucket}, r);
}

TEST(FocusCsv, SumsToTheTotalExactly) {
  const CostBreakdown cost = over_new_year();
  ASSERT_TRUE(cost.total());
  ExactNumber effective = 0, list = 0;
  for (const CsvRow& row : rows_of(focus_csv(cost, "job", kStart))) {
    effective += number(row, "EffectiveCost");
    list += number(row, "ListCost");
  }
  EXPECT_EQ(effective, cost.total()->dollars());
  Money listed;
  for (const BillLine& line : cost.lines) listed += line.list_cost();
  EXPECT_EQ(list, listed.dollars());
}

// FOCUS: ListUnitPrice times PricingQuantity is ListCost, ContractedUnitPrice times PricingQuantity is ContractedCost.
TEST(FocusCsv, PricesTimesQuantitiesAreCosts) {
  for (const CsvRow& row : rows_of(focus_csv(over_new_year(), "job", kStart))) {
    EXPECT_EQ(number(row, "ListUnitPrice") * number(row, "PricingQuantity"), number(row, "ListCost"));
    EXPECT_EQ(number(row, "ContractedUnitPrice") * number(row, "PricingQuantity"), number(row, "ContractedCost"));
  }
}

// Support is a charge like another, taxes are a category of their own, and people send no invoice.
TEST(FocusCsv, KnowsTaxesAndLeavesPeopleOut) {
  const Scenario s = job_with_overheads();
  int taxes = 0;
  ExactNumber sum = 0;
  for (const CsvRow& row : rows_of(focus_csv(price_run(s, {}, run(s, 10)), "job", kStart))) {
    taxes += row.at("ChargeCategory") == "Tax" ? 1 : 0;
    sum += number(row, "EffectiveCost");
  }
  EXPECT_EQ(taxes, 1);
  EXPECT_EQ(sum.decimal(), "432.564");  // 327.70 + 32.77 + 72.094
}

TEST(FocusCsv, HasEveryMandatoryColumnButBilledCost) {
  const std::string csv = focus_csv(over_new_year(), "job", kStart);
  const CsvRow row = rows_of(csv).at(0);
  for (const char* column :
       {"BillingAccountId", "BillingAccountName", "BillingCurrency",   "BillingPeriodEnd", "BillingPeriodStart",
        "ChargeCategory",   "ChargeClass",        "ChargeDescription", "ChargePeriodEnd",  "ChargePeriodStart",
        "ContractedCost",   "EffectiveCost",      "InvoiceIssuerName", "ListCost",         "PricingQuantity",
        "PricingUnit",      "ProviderName",       "PublisherName",     "ServiceCategory",  "ServiceName"})
    EXPECT_TRUE(row.contains(column)) << column;
  EXPECT_THAT(csv, Not(HasSubstr("BilledCost")));
}

// 3 machines; the training line lasts from 00:45 on 30 December for 99.25 h, 47.25 h of it in December: 141.75 of
// 297.75 machine-hours.
TEST(FocusCsv, DividesWhatLastsOverMonths) {
  std::vector<CsvRow> training;
  for (const CsvRow& row : rows_of(focus_csv(over_new_year(), "job", kStart)))
    if (row.at("ChargeDescription") == "3 x machine, training") training.push_back(row);
  ASSERT_EQ(training.size(), 2u);
  EXPECT_EQ(training[0].at("BillingPeriodStart"), "2026-12-01T00:00:00Z");
  EXPECT_EQ(training[0].at("ChargePeriodStart"), "2026-12-30T00:45:00Z");
  EXPECT_EQ(training[0].at("ChargePeriodEnd"), "2027-01-01T00:00:00Z");
  EXPECT_EQ(training[0].at("PricingQuantity"), "141.75");
  EXPECT_EQ(training[1].at("BillingPeriodStart"), "2027-01-01T00:00:00Z");
  EXPECT_EQ(training[1].at("BillingPeriodEnd"), "2027-02-01T00:00:00Z");
  EXPECT_EQ(training[1].at("ChargePeriodEnd"), "2027-01-03T04:00:00Z");
  EXPECT_EQ(training[1].at("PricingQuantity"), "156");
  EXPECT_EQ(training[0].at("PricingCategory"), "Dynamic");
  EXPECT_EQ(training[0].at("PricingUnit"), "Hours");
  EXPECT_EQ(training[0].at("ServiceSubcategory"), "Virtual Machines");
}

TEST(FocusCsv, QuotesWhatNeedsIt) {
  EXPECT_THAT(focus_csv(over_new_year(), "a, \"b\"", kStart), HasSubstr("\"fsx, \"\"scratch\"\"\""));
}

}  // namespace
}  // namespace stallcast
