// stallcast catalogue list, show, check; --catalogue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using CatalogueCommand = Cli;

TEST_F(CatalogueCommand, ListsAKindOfAProvider) {
  const Outcome all = run({"catalogue", "list"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, StartsWith("KIND"));
  const Outcome tiers = run({"catalogue", "list", "tier", "--provider", "gcp"});
  ASSERT_EQ(tiers.code, 0) << tiers.err;
  EXPECT_LT(tiers.out.size(), all.out.size());
  EXPECT_THAT(tiers.out, HasSubstr("parallelstore"));
  EXPECT_THAT(tiers.out, HasSubstr("12 TiB or more, 13.8 GiB/s, $0.14/GiB-month"));  // 12 * 1.15; 0.0001917808 * 730
  EXPECT_THAT(tiers.out, Not(HasSubstr("s3_standard")));
}

TEST_F(CatalogueCommand, ListsAsJson) {
  const Outcome outcome = run({"catalogue", "list", "instance", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = nlohmann::json::parse(outcome.out);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["kind"], "instance");
  EXPECT_EQ(rows[0]["provider"], "gcp");
  EXPECT_TRUE(rows[0]["overlay"].is_null());
}

TEST_F(CatalogueCommand, RefusesKindsAndProvidersThatAreNone) {
  const Outcome kind = run({"catalogue", "list", "teir"});
  EXPECT_EQ(kind.code, 2);
  EXPECT_THAT(kind.err, HasSubstr("no kind 'teir'; did you mean 'tier'?"));
  EXPECT_EQ(run({"catalogue", "list", "--provider", "ibm"}).code, 2);
}

TEST_F(CatalogueCommand, ShowsARecordAndNamesTheNearest) {
  const Outcome shown = run({"catalogue", "show", "tier/parallelstore"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("tier/parallelstore: Google Cloud Parallelstore (legacy"));
  EXPECT_THAT(shown.out, HasSubstr("provider  gcp"));
  const Outcome unknown = run({"catalogue", "show", "paralelstore"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.out, IsEmpty());
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"parallelstore\"?"));
}

TEST_F(CatalogueCommand, CheckCountsAndWarnsOfOldSources) {
  const Outcome now = run({"catalogue", "check", "--today", "2026-11-21"});
  EXPECT_EQ(now.code, 0) << now.err;
  EXPECT_THAT(now.out, HasSubstr(" records, "));
  EXPECT_THAT(now.out, HasSubstr("0 errors"));
  const Outcome later = run({"catalogue", "check", "--today=2028-01-01"});
  EXPECT_EQ(later.code, 0);  // warnings only
  EXPECT_THAT(later.err, HasSubstr("warning[stale_source]"));
  EXPECT_EQ(run({"catalogue", "check", "--today", "tomorrow"}).code, 2);
  EXPECT_THAT(run({"catalogue", "check", "--today", "2026-02-30"}).err, HasSubstr("error[not_a_date]"));
}

TEST_F(CatalogueCommand, CheckWithoutADateUsesTheClock) { EXPECT_EQ(run({"catalogue", "check"}).code, 0); }

// --- overlays -------------------------------------------------------------------------------------------------------

constexpr const char* kFastTier = R"({
  "kind": "tier", "name": "fast", "extends": "parallelstore", "title": "What we were promised",
  "sources": {"quote": {"title": "Quote 4711", "locator": "mail of 3 November", "read": "2026-11"}},
  "facts": {"read_bandwidth_per_tib": {"value": "2 GiB/s", "source": "quote", "kind": "vendor"}},
  "prices": {"capacity": {"value": "$0.2", "per": "GiB-month", "source": "quote", "kind": "vendor"}}
})";

TEST_F(CatalogueCommand, CheckSaysWhatIsWrongWithAnOverlay) {
  file("mine/fast.json", std::string(kFastTier));
  const Outcome fine = run({"catalogue", "check", "--catalogue", path("mine"), "--today", "2026-11-21"});
  EXPECT_EQ(fine.code, 0) << fine.err;
  std::string wrong = kFastTier;
  wrong.replace(wrong.find("$0.2"), 4, "$200");
  file("mine/fast.json", wrong);
  const Outcome outcome =
      run({"catalogue", "check", "--catalogue", path("mine"), "--today", "2026-11-21", "--format", "json"});
  EXPECT_EQ(outcome.code, 2);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["errors"], 1);
  EXPECT_EQ(json["findings"][0]["code"], "implausible_number");
}

TEST_F(CatalogueCommand, AnOverlayIsNamedInEveryResult) {
  file("mine/fast.json", std::string(kFastTier));
  const std::vector<std::string> words = {
      "simulate", job(), "--catalogue", path("mine"), "--set", "storage.tier=fast", "--set", "storage.capacity=12 TiB"};
  const Outcome text = run(words);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Catalogue        with overlay"));
  std::vector<std::string> json_words = words;
  json_words.insert(json_words.end(), {"--format", "json"});
  const auto document = nlohmann::json::parse(run(json_words).out);
  EXPECT_EQ(document["catalogue"]["overlays"], nlohmann::json::array({path("mine")}));
  EXPECT_EQ(document["provenance"]["/storage/read_bandwidth"]["record"], "tier/fast (overlay " + path("mine") + ")");
  // 12 TiB * 2 GiB/s
  EXPECT_EQ(document["scenario"]["storage"]["read_bandwidth"], "24 GiB/s");
}

TEST_F(CatalogueCommand, TheEnvironmentNamesOverlaysToo) {
  file("mine/fast.json", std::string(kFastTier));
  ASSERT_EQ(setenv("STALLCAST_CATALOGUE", (":" + path("mine")).c_str(), 1), 0);
  const Outcome shown = run({"catalogue", "show", "fast"});
  ASSERT_EQ(unsetenv("STALLCAST_CATALOGUE"), 0);
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("tier/fast (overlay " + path("mine") + "): What we were promised"));
  EXPECT_THAT(shown.out, HasSubstr("extends tier/parallelstore"));
}

TEST_F(CatalogueCommand, AnOverlayThatIsNoDirectoryIsTrouble) {
  EXPECT_EQ(run({"simulate", job(), "--catalogue", path("nowhere")}).code, 3);
  EXPECT_EQ(run({"simulate", job(), "--catalogue", job()}).code, 3);
}

// --- import ---------------------------------------------------------------------------------------------------------

constexpr const char* kFeed = R"({"prices": {"us-central1": {"on_demand": {"a3-highgpu-8g": 80.25}}}})";

TEST_F(CatalogueCommand, ImportWritesAnOverlayThatCanBeUsed) {
  const std::string feed = file("prices.json", kFeed);
  const Outcome imported = run({"catalogue", "import", feed, "-o", path("mine"), "--today", "2026-11-21"});
  ASSERT_EQ(imported.code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("1 changed, 0 new, 0 unchanged"));
  EXPECT_THAT(imported.out, HasSubstr("instance/a3-highgpu-8g  on_demand"));
  const Outcome shown = run({"catalogue", "show", "a3-highgpu-8g", "--catalogue", path("mine")});
  EXPECT_THAT(shown.out, HasSubstr("$80.25 per hour"));
  EXPECT_THAT(shown.out, HasSubstr("Karpenter provider for Google Cloud, prices, prices.json, read 2026-11-21"));
  const Outcome checked = run({"catalogue", "check", "--catalogue", path("mine"), "--today", "2026-11-21"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  const Outcome again = run({"catalogue", "import", feed, "-o", path("mine")});
  EXPECT_THAT(again.out, HasSubstr("0 changed, 0 new, 1 unchanged"));
}

TEST_F(CatalogueCommand, ImportRefusesWhatItCannotTrustAndWritesNothing) {
  const Outcome wrong = run({"catalogue", "import", file("a.json", kFeed), "-o", path("mine"), "--provider", "aws"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("error[wrong_provider]"));
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_EQ(run({"catalogue", "import", file("b.json", "{"), "-o", path("mine")}).code, 2);
  EXPECT_EQ(run({"catalogue", "import", path("nowhere.json"), "-o", path("mine")}).code, 3);
  EXPECT_EQ(run({"catalogue", "import", folder_.string(), "-o", path("mine")}).code, 3);
  EXPECT_EQ(run({"catalogue", "import", file("a.json", kFeed)}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("mine")));
  const Outcome file_there = run({"catalogue", "import", file("a.json", kFeed), "-o", file("taken", "x")});
  EXPECT_EQ(file_there.code, 3);
}

}  // namespace
}  // namespace stallcast
