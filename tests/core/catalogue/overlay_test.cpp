// Records of one's own over the shipped ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/catalogue_text.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A catalogue in base/ with one tier, "disk", and overlays beside it.
class Overlay : public RecordFiles {
 protected:
  void SetUp() override {
    RecordFiles::SetUp();
    write_tier("disk",
               number("read_bandwidth", "1 GB/s") + "," + number("capacity_min", "10 TiB") + "," +
                   number("capacity_max", "100 TiB"),
               price("capacity", "$0.14", "GiB-month"),
               R"("examples": [{"read_bandwidth": "1 GB/s", "source": "page"}], )", "base/tiers");
  }
  Loaded<Catalogue> load(const std::vector<std::string>& overlays) const {
    std::vector<std::filesystem::path> paths;
    for (const std::string& overlay : overlays) paths.emplace_back(file(overlay));
    return load_catalogue(file("base"), paths);
  }
  // {"kind": "tier", "name": NAME, "extends": BASE, REST}
  void extend(const std::string& path, const std::string& name, const std::string& base,
              const std::string& rest) const {
    write(path, R"({"kind": "tier", "name": ")" + name + R"(", "extends": ")" + base + R"(",
                    "sources": {"quote": {"title": "Quote", "locator": "mail", "read": "2026-11-03"}}, )" +
                    rest + "}");
  }
  static std::string quoted(const std::string& name, const std::string& value) {
    return "\"" + name + R"(": {"value": ")" + value + R"(", "source": "quote", "kind": "vendor"})";
  }
  static std::string facts(const std::string& members) { return "\"facts\": {" + members + "}"; }
};

TEST_F(Overlay, AWholeRecordTakesThePlaceOfItsNamesake) {
  write_tier("disk", number("read_bandwidth", "3 GB/s"), "", "", "mine/tiers");
  const auto loaded = load({"mine"});
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  const TierRecord& disk = loaded.value->tiers.at("disk");
  EXPECT_DOUBLE_EQ(disk.laws.read_bandwidth.base->value.base(), 3e9);
  EXPECT_FALSE(disk.capacity_min.has_value());
  EXPECT_TRUE(disk.prices.empty());
  EXPECT_EQ(disk.label(), "tier/disk (overlay " + file("mine") + ")");
}

TEST_F(Overlay, AnExtensionChangesOnlyWhatItStates) {
  extend("mine/tiers/disk.json", "disk", "disk",
         facts(quoted("read_bandwidth", "3 GB/s") + R"(, "capacity_max": null)"));
  const auto loaded = load({"mine"});
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  const TierRecord& disk = loaded.value->tiers.at("disk");
  EXPECT_DOUBLE_EQ(disk.laws.read_bandwidth.base->value.base(), 3e9);
  EXPECT_THAT(disk.laws.read_bandwidth.base->evidence.source, StartsWith("Quote"));
  EXPECT_TRUE(disk.capacity_min.has_value());
  EXPECT_THAT(disk.capacity_min->evidence.source, StartsWith("Page"));
  EXPECT_FALSE(disk.capacity_max.has_value());  // taken away
  EXPECT_EQ(disk.prices.at("capacity").amount, "0.14");
  EXPECT_EQ(disk.title, "A disk");
  EXPECT_TRUE(disk.examples.empty());  // about the numbers of the other
  for (const FactRow& row : disk.rows) {
    EXPECT_EQ(row.file, file(row.name == "read_bandwidth" ? "mine/tiers/disk.json" : "base/tiers/disk.json"))
        << row.name;
  }
}

TEST_F(Overlay, ANewNameStandsBesideTheOneItExtends) {
  extend("mine/fast.json", "fast", "disk", R"("title": "Fast", )" + facts(quoted("read_bandwidth", "3 GB/s")));
  const auto loaded = load({"mine"});
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  EXPECT_EQ(loaded.value->tiers.at("fast").title, "Fast");
  EXPECT_DOUBLE_EQ(loaded.value->tiers.at("disk").laws.read_bandwidth.base->value.base(), 1e9);
}

TEST_F(Overlay, ExtensionsOfExtensionsAndOfLowerOverlaysHold) {
  extend("mine/a.json", "a", "b", facts(quoted("capacity_min", "2 TiB")));
  extend("mine/b.json", "b", "disk", facts(quoted("read_bandwidth", "3 GB/s")));
  extend("more/b.json", "b", "b", facts(quoted("read_bandwidth", "4 GB/s")));
  const auto loaded = load({"mine", "more"});
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  EXPECT_DOUBLE_EQ(loaded.value->tiers.at("a").laws.read_bandwidth.base->value.base(), 3e9);
  EXPECT_DOUBLE_EQ(loaded.value->tiers.at("b").laws.read_bandwidth.base->value.base(), 4e9);
  EXPECT_EQ(loaded.value->identity.overlays, (std::vector<std::string>{file("mine"), file("more")}));
}

TEST_F(Overlay, ASourceKeyOfBothKeepsBothTexts) {
  write("mine/disk.json", R"({"kind": "tier", "name": "disk", "extends": "disk",
    "sources": {"page": {"title": "Another page", "locator": "y", "read": "2026-11"}},
    "facts": {"read_bandwidth": {"value": "3 GB/s", "source": "page", "kind": "vendor"}}})");
  const auto loaded = load({"mine"});
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  const TierRecord& disk = loaded.value->tiers.at("disk");
  EXPECT_THAT(disk.laws.read_bandwidth.base->evidence.source, StartsWith("Another page"));
  EXPECT_THAT(disk.capacity_min->evidence.source, StartsWith("Page"));
}

TEST_F(Overlay, TheHashFollowsEveryByteAndNotThePlace) {
  const std::string before = load({}).value->identity.hash;
  EXPECT_EQ(load({}).value->identity.hash, before);
  std::filesystem::copy(file("base"), file("copy"), std::filesystem::copy_options::recursive);
  EXPECT_EQ(load_catalogue(file("copy")).value->identity.hash, before);
  extend("mine/fast.json", "fast", "disk", facts(quoted("read_bandwidth", "3 GB/s")));
  const std::string with_overlay = load({"mine"}).value->identity.hash;
  EXPECT_NE(with_overlay, before);
  extend("mine/fast.json", "fast", "disk", facts(quoted("read_bandwidth", "4 GB/s")));
  EXPECT_NE(load({"mine"}).value->identity.hash, with_overlay);
  write_tier("disk", number("read_bandwidth", "2 GB/s"), "", "", "base/tiers");
  EXPECT_NE(load({}).value->identity.hash, before);
}

// --- what is wrong with an overlay: one finding each
// ------------------------------------------------------------------

TEST_F(Overlay, TwoFilesForOneRecord) {
  extend("mine/fast.json", "fast", "disk", facts(""));
  extend("mine/tiers/fast.json", "fast", "disk", facts(""));
  EXPECT_EQ(rendered(load({"mine"}).findings),
            file("mine/fast.json") +
                ": error[repeated_record] at /name:\n  got \"fast\"; allowed one file for a record; "
                "remove one of them (" +
                file("mine/tiers/fast.json") + " describes the same tier)\n");
}

TEST_F(Overlay, AFileThatCallsItselfLikeAnother) {
  extend("mine/fast.json", "fast", "disk", facts(""));
  extend("mine/other.json", "fast", "disk", facts(""));
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("other.json: error[repeated_record] at /name:"));
}

TEST_F(Overlay, ExtensionsInACircle) {
  extend("mine/a.json", "a", "b", facts(""));
  extend("mine/b.json", "b", "a", facts(""));
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("error[extends_itself] at /extends:\n  got a extends b extends a"));
}

TEST_F(Overlay, ExtendingNobodyNamesTheNearest) {
  extend("mine/a.json", "a", "dsk", facts(""));
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("error[unknown_record] at /extends:\n  got \"dsk\""));
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("did you mean \"disk\"?"));
}

TEST_F(Overlay, AMinimumAboveTheMaximumOfTheRecordBelow) {
  extend("mine/disk.json", "disk", "disk", facts(quoted("capacity_min", "200 TiB")));
  EXPECT_EQ(rendered(load({"mine"}).findings),
            file("mine/disk.json") +
                ": error[contradiction] at /facts/capacity_min:\n  got 200 TiB; allowed 100 TiB or "
                "less (capacity_max is 100 TiB)\n");
}

TEST_F(Overlay, ABandBeyondTheMaximum) {
  extend(
      "mine/disk.json", "disk", "disk",
      facts(R"("bands": {"large": {)" + quoted("from", "500 TiB") + ", " + quoted("read_bandwidth", "9 GB/s") + "}}"));
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("error[contradiction] at /facts/bands/large/from:"));
}

TEST_F(Overlay, APriceForSomethingElse) {
  extend(
      "mine/disk.json", "disk", "disk",
      facts("") + R"(, "prices": {"capacity": {"value": "$1", "per": "hour", "source": "quote", "kind": "vendor"}})");
  EXPECT_EQ(rendered(load({"mine"}).findings),
            file("mine/disk.json") +
                ": error[wrong_price_unit] at /prices/capacity/per:\n  got \"hour\"; allowed "
                "GiB-hour, GiB-month (it is the price of capacity)\n");
}

TEST_F(Overlay, AnUnknownFactIsToldOnceAndInItsFile) {
  extend("mine/disk.json", "disk", "disk", facts(quoted("read_bandwith", "3 GB/s")));
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings),
              StartsWith(file("mine/disk.json") + ": error[unknown_key] at /facts/read_ban"));
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("did you mean \"read_bandwidth\"?"));
}

TEST_F(Overlay, ADirectoryWithoutRecords) {
  std::filesystem::create_directories(file("empty"));
  const auto loaded = load({"empty"});
  ASSERT_EQ(loaded.findings.list().size(), 1U);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("error[nothing_to_overlay]"));
}

TEST_F(Overlay, ABrokenFileIsToldOnceAlthoughAnotherExtendsIt) {
  write("mine/a.json", "{\"kind\": \"tier\", ");
  extend("mine/b.json", "b", "a", facts(""));
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("error[invalid_json]"));
}

TEST_F(Overlay, AFileThatIsNotText) {
  write("mine/tiers/a.json", "{\"kind\": \"tier\xff\"}");
  const auto loaded = load({"mine"});
  ASSERT_EQ(loaded.findings.list().size(), 1U) << rendered(loaded.findings);
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("error[not_utf8]"));
}

TEST_F(Overlay, AMisspeltKindNamesTheNearest) {
  write("mine/a.json", R"({"kind": "teir", "name": "a"})");
  EXPECT_THAT(rendered(load({"mine"}).findings), HasSubstr("error[not_one_of] at /kind:\n  got \"teir\""));
}

TEST_F(Overlay, ADirectoryThatIsNotThereIsTrouble) { EXPECT_THROW(load({"nowhere"}), WorldError); }

TEST_F(Overlay, ListsAndShowsWhereARecordIsFrom) {
  extend(
      "mine/fast.json", "fast", "disk",
      facts(R"("read_bandwidth": {"value": "3 GB/s", "source": "quote", "kind": "vendor", "reason": "it is in writing",
                  "others": [{"value": "2 GB/s", "source": "quote", "note": "said on the phone"}]})"));
  const auto loaded = load({"mine"});
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  const auto rows = list_records(*loaded.value, "tier");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].overlay, file("mine"));
  EXPECT_EQ(rows[0].overlay, "");
  const std::string shown = *show_record(*loaded.value, "fast").value;
  EXPECT_THAT(shown, HasSubstr("also: 2 GB/s, Quote, mail, read 2026-11-03; said on the phone"));
  EXPECT_THAT(shown, HasSubstr("chosen because it is in writing"));
  EXPECT_THAT(shown, HasSubstr("from " + file("base/tiers/disk.json")));
  const std::string base = *show_record(*loaded.value, "disk").value;
  EXPECT_THAT(base, HasSubstr("example"));
  EXPECT_THAT(base, HasSubstr("read_bandwidth 1 GB/s"));
}

}  // namespace
}  // namespace stallcast
