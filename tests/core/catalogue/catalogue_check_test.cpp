#include "core/catalogue/catalogue_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/catalogue/dates.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CatalogueCheckFiles : public RecordFiles {
 protected:
  // What check_catalogue says of a tier with these facts and prices, and this rest of the record.
  std::string check_tier(const std::string& facts, const std::string& prices = "", const std::string& rest = "",
                         const std::string& today = "2026-11-21") {
    write_tier("disk", facts, prices, rest);
    return check(today);
  }
  std::string check_instance(const std::string& facts, const std::string& prices = "") {
    write("instances/box.json",
          R"({"kind": "instance", "name": "box", "title": "A box", "status": "current", "gpu": "h100",
              "sources": {"page": {"title": "Page", "locator": "x", "read": "2026-11"}},
              "facts": {"gpus": {"value": 8, "source": "page", "kind": "vendor"},
                        "physical_cores": {"value": 48, "source": "page", "kind": "vendor"}, )" +
              facts + R"(}, "prices": {)" + prices + "}}");
    return check("2026-11-21");
  }
  std::string check(const std::string& today) {
    const auto loaded = load_catalogue(directory());
    return rendered(check_catalogue(*loaded.value, today).findings);
  }
};

TEST(CatalogueCheck, ShippedRecordsAreClean) {
  const auto loaded = load_catalogue(STALLCAST_SOURCE_DIR "/models");
  ASSERT_TRUE(loaded.value);
  EXPECT_EQ(rendered(loaded.findings), "");
  const CatalogueCheck check = check_catalogue(*loaded.value, "2026-11-21");
  EXPECT_EQ(rendered(check.findings), "");
  EXPECT_EQ(check.records, loaded.value->records().size());
  EXPECT_GT(check.numbers, 100U);
  EXPECT_GT(check.examples, 10U);
}

TEST(CatalogueCheck, ShippedRecordsWantReadingAgainInTime) {
  const auto loaded = load_catalogue(STALLCAST_SOURCE_DIR "/models");
  ASSERT_TRUE(loaded.value);
  EXPECT_THAT(rendered(check_catalogue(*loaded.value, "2035-01-01").findings),
              HasSubstr("warning[stale_source] at /sources/overview/read"));
}

TEST_F(CatalogueCheckFiles, ASourceGoesStaleAfterNinetyDays) {
  const std::string fact = number("read_bandwidth", "1 GB/s");
  // "2026-11" is over on the 30th: 90 days later it is 2027-02-28.
  EXPECT_EQ(check_tier(fact, "", "", "2027-02-28"), "");
  EXPECT_EQ(
      check_tier(fact, "", "", "2027-03-01"),
      file("tiers/disk.json") +
          ": warning[stale_source] at /sources/page/read:\n  got read 2026-11, 91 days before 2027-03-01; allowed "
          "at most 90 days; read the source again and correct its date (1 number is from it)\n");
}

TEST_F(CatalogueCheckFiles, TheDayOfReadingCountsAndNotThatOfTheText) {
  write("tiers/disk.json",
        R"({"kind": "tier", "name": "disk", "title": "A disk", "status": "current", "scope": "shared",
    "sources": {"page": {"title": "Page", "locator": "x", "read": "2026-11-20", "as_of": "2019"}},
    "facts": {"read_bandwidth": {"value": "1 GB/s", "source": "page", "kind": "vendor"}}})");
  EXPECT_EQ(check("2026-11-21"), "");
  EXPECT_THAT(check("2026-11-19"), HasSubstr("warning[date_in_future] at /sources/page/read"));
}

TEST_F(CatalogueCheckFiles, ADateThatIsNoneIsTold) {
  write("tiers/disk.json",
        R"({"kind": "tier", "name": "disk", "title": "A disk", "status": "current", "scope": "shared",
    "sources": {"page": {"title": "Page", "locator": "x", "read": "last week"}},
    "facts": {"read_bandwidth": {"value": "1 GB/s", "source": "page", "kind": "vendor"}}})");
  EXPECT_THAT(check("2026-11-21"), HasSubstr("warning[not_a_date] at /sources/page/read:\n  got \"last week\""));
}

TEST_F(CatalogueCheckFiles, APricePerHourThatIsOneOfAMonthIsASlip) {
  const std::string prices = price("capacity", "$0.14", "GiB-hour");
  EXPECT_THAT(check_tier("", prices),
              HasSubstr("error[implausible_number] at /prices/capacity:\n"
                        "  got $0.14 per GiB-hour, which is $102.2 per GiB-month; allowed $0.001 "
                        "to $5 per GiB-month; per GiB-month?"));
  // And the other way round: 0.00019 per month.
  EXPECT_THAT(check_tier("", price("capacity", "$0.00019", "GiB-month")), HasSubstr("per GiB-hour?"));
  EXPECT_EQ(check_tier("", price("capacity", "$0", "GiB-month")), "");
}

TEST_F(CatalogueCheckFiles, NumbersOutsideOfEveryKnownOneAreSlips) {
  EXPECT_THAT(check_tier(number("read_bandwidth", "1 kB/s")),
              HasSubstr("error[implausible_number] at /facts/read_band"));
  EXPECT_THAT(check_tier(number("latency_mean", "2 min")),
              HasSubstr("error[implausible_number] at /facts/latency_mean"));
  EXPECT_EQ(check_tier(number("mttdl", "500 d")), "");
  EXPECT_THAT(check_instance(number("nic_bandwidth", "2000 GB/s")),
              HasSubstr("error[implausible_number] at /facts/nic_bandwidth"));
  EXPECT_THAT(check_instance(number("memory", "64 MiB")), HasSubstr("error[implausible_number] at /facts/memory"));
  EXPECT_THAT(check_instance(number("vcpus", "96"), price("on_demand", "$88000", "hour")),
              HasSubstr("error[implausible_number] at /prices/on_demand"));
}

TEST_F(CatalogueCheckFiles, ANicInBytesWithAFigureOfBitsIsASlip) {
  EXPECT_THAT(check_instance(number("nic_bandwidth", "200 GB/s")),
              HasSubstr("warning[unit_slip] at /facts/nic_bandwidth:\n  got 200 GB/s; did you mean \"200 Gb/s\"?"));
  EXPECT_EQ(check_instance(number("nic_bandwidth", "200 Gb/s")), "");
}

TEST_F(CatalogueCheckFiles, AnotherSourceThatDiffersByASlipIsTold) {
  const auto with_other = [this](const std::string& other) {
    return check_tier(R"("read_bandwidth": {"value": "25 GB/s", "source": "page", "kind": "vendor", "reason": "newer",
                         "others": [{"value": ")" +
                      other + R"(", "source": "page"}]})");
  };
  EXPECT_THAT(with_other("200 GB/s"), HasSubstr("bits and bytes differ by 8"));
  EXPECT_THAT(with_other("25 MB/s"), HasSubstr("neighbouring prefixes differ by 1000"));
  EXPECT_EQ(with_other("25 GiB/s"), "");  // 7 %: what sources do
  EXPECT_EQ(with_other("20 GB/s"), "");
  EXPECT_EQ(with_other("less"), "");
}

TEST_F(CatalogueCheckFiles, SpotAndReservedCostNoMoreThanOnDemand) {
  const std::string on_demand = price("on_demand", "$10", "hour") + ", ";
  EXPECT_THAT(check_instance(number("vcpus", "96"), on_demand + price("spot", "$12", "hour")),
              HasSubstr("warning[dearer_than_on_demand] at /prices/spot"));
  EXPECT_THAT(check_instance(number("vcpus", "96"), on_demand + price("reserved_1y", "$7", "hour") + ", " +
                                                        price("reserved_3y", "$8", "hour")),
              HasSubstr("got $8 per hour; allowed $7 per hour or less (reserved_1y costs that)"));
}

TEST_F(CatalogueCheckFiles, APriceThatNobodyPaysIsNamed) {
  EXPECT_THAT(check_instance(number("vcpus", "96"), price("reserved_1yr", "$7", "hour")),
              HasSubstr("warning[unknown_price] at /prices/reserved_1yr:\n  got \"reserved_1yr\""));
}

TEST_F(CatalogueCheckFiles, ExamplesAreJudged) {
  const std::string text = check_tier(number("read_bandwidth", "1 GB/s"), price("capacity", "$0.14", "GiB-month"),
                                      R"("examples": [
    {"capacity": "1200 GiB", "hours": 730, "price": "$168", "source": "page"},
    {"capacity": "1200 GiB", "price": "$170", "source": "page"},
    {"read_bandwidth": "1.0 GB/s", "source": "page"}], )");
  // 1200 * 0.14 = 168
  EXPECT_EQ(text,
            file("tiers/disk.json") +
                ": error[law_contradicts_example] at /examples/1/price:\n"
                "  got $168 computed, $170 printed; allowed $169.5 to $170.5 (1200 GiB; Page, x, read 2026-11)\n");
}

TEST_F(CatalogueCheckFiles, CountsInTextAndJson) {
  CatalogueCheck check;
  check.records = 61;
  check.numbers = 812;
  check.examples = 24;
  check.findings.add({Severity::kWarning, "stale_source", "a.json", "/sources/x", "", "", "", ""});
  EXPECT_EQ(check_text(check), "61 records, 812 numbers, 24 of vendors' examples: 0 errors, 1 warning");
  const auto json = check_json(check);
  EXPECT_EQ(json["warnings"], 1);
  EXPECT_EQ(json["errors"], 0);
  EXPECT_EQ(json["findings"][0]["code"], "stale_source");
  EXPECT_EQ(json["findings"][0]["severity"], "warning");
}

TEST(IsDate, KnowsTheTimeline) {
  EXPECT_TRUE(is_date("2026-11-21"));
  EXPECT_TRUE(is_date("2028-02-29"));
  for (const char* text :
       {"", "2026", "2026-11", "2026-02-29", "2026-13-01", "21.11.2026", "2026-11-21x", "2026-1-2"}) {
    EXPECT_FALSE(is_date(text)) << text;
  }
}

}  // namespace
}  // namespace stallcast
