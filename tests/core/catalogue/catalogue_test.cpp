#include "core/catalogue/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/catalogue/catalogue_text.h"
#include "core/catalogue/match_record.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Catalogue, HoldsWhatTheHeadlineScenarioNeeds) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  const Catalogue& catalogue = *loaded.value;
  const InstanceRecord& a3 = catalogue.instances.at("a3-highgpu-8g");
  EXPECT_EQ(a3.gpus.value, 8);
  EXPECT_DOUBLE_EQ(a3.nic_bandwidth->value.base(), 25e9);  // 200 Gb/s
  const WorkloadRecord& unet3d = catalogue.workloads.at("unet3d");
  EXPECT_DOUBLE_EQ(unet3d.step_time.at("h100-80gb-sxm").value.base(), 0.323);
  EXPECT_DOUBLE_EQ(unet3d.sample_size.value.base(), 146600628);
  const TierRecord& store = catalogue.tiers.at("parallelstore");
  EXPECT_DOUBLE_EQ(store.laws.read_bandwidth.per_tib->value.base(), 1.15 * 1024 * 1024 * 1024);
  EXPECT_EQ(store.laws.read_bandwidth.per_tib->evidence.kind, "vendor");
  EXPECT_THAT(store.laws.read_bandwidth.per_tib->evidence.source, HasSubstr("Parallelstore overview"));
  EXPECT_EQ(store.prices.at("capacity").amount, "0.0001917808");
  EXPECT_EQ(store.prices.at("capacity").per, "GiB-hour");
}

TEST(Catalogue, LoaderCostGrowsWithTheBatch) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  const LoaderRecord& pytorch = loaded.value->loaders.at("pytorch");
  // 0.68 ms + 64 * 3.2 us + 38.5 MB / 1.35 GB/s = 0.68 + 0.205 + 28.5 = 29.4 ms; measured 28.2 ms
  EXPECT_NEAR(pytorch.worker_batch_cpu.at(64, bytes(38535168), 1e5).base(), 0.0294, 0.0001);
  // DLIO writes its index out for each sample: 16 * (85 us + 1000 * 0.72 us) more than the batch's own 0.68 ms.
  EXPECT_NEAR(loaded.value->loaders.at("dlio").worker_batch_cpu.at(16, bytes(0), 1000).base(), 0.68e-3 + 16 * 805e-6,
              1e-9);
  EXPECT_DOUBLE_EQ(pytorch.fork.start_call.value.base.base(), -0.0019);
}

// A core of half the speed takes twice as long for the batch and for each sample, and copies as fast.
TEST(Catalogue, LoaderCostFollowsTheCoreButForItsCopies) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  const BatchCost& there = loaded.value->loaders.at("dlio").worker_batch_cpu;
  const double copy = 38535168 / 1.35e9, rest = there.at(16, bytes(38535168), 1000).base() - copy;
  const BatchCost slow = there.on_core(there.base.evidence.core_speed / 2);
  EXPECT_NEAR(slow.at(16, bytes(38535168), 1000).base(), copy + 2 * rest, 1e-9);
  EXPECT_DOUBLE_EQ(there.on_core(0).at(16, bytes(38535168), 1000).base(), copy + rest);  // not known
}

// 0.05 ms + 110 kB / 70 MB/s = 1.62 ms, and 1.75 ms of transforms. Its interval is that of the sum: everything fast at
// one end, 0.02 ms + 110 kB / 105 MB/s + 0.8 ms, and slow at the other, 0.15 ms + 110 kB / 40 MB/s + 3.2 ms.
TEST(Catalogue, DecodingGoesWithTheBytesOfASample) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  const FormatRecord& jpeg = loaded.value->formats.at("jpeg");
  EXPECT_NEAR(jpeg.decode_time_of(bytes(110e3), false).base(), 0.05e-3 + 110e3 / 70e6, 1e-12);
  const double whole = 0.05e-3 + 110e3 / 70e6 + 1.75e-3;
  EXPECT_NEAR(jpeg.decode_time_of(bytes(110e3), true).base(), whole, 1e-12);
  const Evidence evidence = jpeg.evidence_of(bytes(110e3), true);
  EXPECT_NEAR(evidence.low_factor, (0.02e-3 + 110e3 / 105e6 + 0.8e-3) / whole, 1e-9);
  EXPECT_NEAR(evidence.high_factor, (0.15e-3 + 110e3 / 40e6 + 3.2e-3) / whole, 1e-9);
}

TEST(Catalogue, ListsAndShowsRecords) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  bool found = false;
  for (const CatalogueRow& row : list_records(*loaded.value)) {
    if (row.name == "parallelstore") found = row.kind == "tier" && row.status == "legacy";
  }
  EXPECT_TRUE(found);
  // Rates in the unit that is read most easily, binary where the record is.
  const std::string all = rows_text(list_records(*loaded.value));
  EXPECT_THAT(all, HasSubstr("  6 TB/s, $0.11/GiB-month"));
  EXPECT_THAT(all, HasSubstr("  1 TiB or more, 100 MiB/s, $0.2/GiB-month"));
  EXPECT_THAT(all, HasSubstr("  12 TiB or more, 13.8 GiB/s, $0.14/GiB-month"));
  const auto shown = show_record(*loaded.value, "tier/parallelstore");
  ASSERT_TRUE(shown.ok());
  EXPECT_THAT(*shown.value, HasSubstr("read_bandwidth_per_tib"));
  EXPECT_THAT(*shown.value,
              HasSubstr("vendor: Parallelstore overview, https://cloud.google.com/parallelstore/docs/overview"));
}

TEST(Catalogue, SuggestsTheNearestName) {
  const auto loaded = load_catalogue(kModels);
  ASSERT_TRUE(loaded.value);
  const auto shown = show_record(*loaded.value, "paralelstore");
  EXPECT_FALSE(shown.ok());
  EXPECT_THAT(rendered(shown.findings), HasSubstr("did you mean \"parallelstore\"?"));
}

TEST_F(RecordFiles, SourcelessNumberIsAWarning) {
  write("tiers/disk.json",
        R"({"kind": "tier", "name": "disk", "title": "A disk", "status": "current", "scope": "shared",
                 "facts": {"read_bandwidth": {"value": "1 GB/s"}}})");
  const auto loaded = load_catalogue(directory());
  EXPECT_TRUE(loaded.ok());
  EXPECT_THAT(rendered(loaded.findings), HasSubstr("warning[sourceless_number] at /facts/read_bandwidth"));
}

TEST_F(RecordFiles, CollectsEveryMistake) {
  write("tiers/disk.json",
        R"({"kind": "tier", "name": "disc", "title": "A disk", "status": "curent", "scope": "shared", "bogus": 1,
                 "sources": {"page": {"title": "Page", "locator": "x", "read": "2026"}},
                 "facts": {
                   "read_bandwidth": {"value": "1 GB", "source": "page", "kind": "vendor"},
                   "latency_mean": {"value": 3, "source": "page", "kind": "vendor"},
                   "read_bandwith_per_tib": {"value": "1 GB/s", "source": "page", "kind": "vendor"},
                   "capacity_min": 12,
                   "stream_bandwidth": {"value": "1 GB/s", "source": "pag", "kind": "guess"}}})");
  const auto loaded = load_catalogue(directory());
  const std::string text = rendered(loaded.findings);
  EXPECT_FALSE(loaded.ok());
  EXPECT_THAT(text, HasSubstr("error[wrong_unit] at /facts/read_bandwidth/value"));
  EXPECT_THAT(text, HasSubstr("error[missing_unit] at /facts/latency_mean/value"));
  EXPECT_THAT(text, HasSubstr("did you mean \"read_bandwidth_per_tib\"?"));
  EXPECT_THAT(text, HasSubstr("error[not_a_fact] at /facts/capacity_min"));
  EXPECT_THAT(text, HasSubstr("error[unknown_source] at /facts/stream_bandwidth/source"));
  EXPECT_THAT(text, HasSubstr("error[not_one_of] at /facts/stream_bandwidth/kind"));
  EXPECT_THAT(text, HasSubstr("did you mean \"current\"?"));
  EXPECT_THAT(text, HasSubstr("error[unknown_key] at /bogus"));
  EXPECT_THAT(text, HasSubstr("error[wrong_name] at /name"));
}

TEST_F(RecordFiles, BrokenFilesAreFindingsNotCrashes) {
  for (const char* text :
       {"", "[]", "{", "null", "{\"facts\": []}", "{\"facts\": {\"latency_mean\": {\"value\": {}}}}",
        "{\"sources\": 3, \"prices\": 4, \"facts\": 5}", "{\"prices\": {\"capacity\": {\"value\": []}}}"}) {
    write("tiers/disk.json", text);
    EXPECT_FALSE(load_catalogue(directory()).ok()) << text;
  }
}

TEST(CatalogueDirectory, MissingOneIsAWorldError) { EXPECT_THROW(load_catalogue("/nonexistent/models"), WorldError); }

TEST(CatalogueDirectory, EnvironmentVariableComesFirst) {
  ASSERT_EQ(setenv("STALLCAST_MODELS", kModels, 1), 0);
  EXPECT_EQ(find_models_directory(), fs::path(kModels));
  ASSERT_EQ(setenv("STALLCAST_MODELS", "/nonexistent", 1), 0);
  EXPECT_THROW(find_models_directory(), WorldError);
  ASSERT_EQ(unsetenv("STALLCAST_MODELS"), 0);
  EXPECT_TRUE(fs::exists(find_models_directory() / "tiers/parallelstore.json"));
}

// No spelling of a record is one of another record of its kind, so that a name means one thing.
TEST(Catalogue, SpellingsOfTheShippedRecordsAreTheirOwn) {
  const Catalogue shipped = *load_catalogue(STALLCAST_SOURCE_DIR "/models").value;
  std::map<std::pair<std::string, std::string>, std::string> owner;  // kind and letters
  std::map<std::pair<std::string, std::string>, std::string> usual;
  const std::vector<const Record*> records = shipped.records();
  for (const Record* record : records) {
    std::set<std::string> spellings = {plain_letters(record->name), plain_letters(record->title)};
    for (const std::string& alias : record->aliases) spellings.insert(plain_letters(alias));
    for (const std::string& spelling : spellings) {
      const auto [old, is_new] = owner.emplace(std::pair(record->kind, spelling), record->name);
      // Sizes of one family may share a title; nobody types that.
      if (!is_new && spelling != plain_letters(record->title))
        ADD_FAILURE() << record->name << " and " << old->second << ": " << spelling;
    }
    for (const std::string& name : record->usual_for)
      EXPECT_TRUE(usual.emplace(std::pair(record->kind, plain_letters(name)), record->name).second) << name;
  }
  for (const auto& [spelling, name] : usual) EXPECT_EQ(owner.count(spelling), 0U) << spelling.second;
}

TEST(Catalogue, MatchesNamesAliasesAndUsualNames) {
  const Catalogue shipped = *load_catalogue(STALLCAST_SOURCE_DIR "/models").value;
  std::vector<const Record*> tiers;
  for (const auto& entry : shipped.tiers) tiers.push_back(&entry.second);
  const auto name_of = [&](const std::string& text) {
    const RecordMatch match = match_record(text, tiers);
    return match.record == nullptr ? "" : match.record->name + (match.assumed ? "?" : "");
  };
  EXPECT_EQ(name_of("s3_standard"), "s3_standard");
  EXPECT_EQ(name_of("S3-Standard"), "s3_standard");
  EXPECT_EQ(name_of("Amazon S3"), "s3_standard");
  EXPECT_EQ(name_of("google cloud managed lustre, 500 MB/s per TiB"), "managed_lustre_500");
  EXPECT_EQ(name_of("Managed Lustre"), "managed_lustre_1000?");
  EXPECT_EQ(name_of("lustre"), "lustre");
  EXPECT_EQ(name_of("s4"), "");
  EXPECT_EQ(name_of("-"), "");
}

// A machine is often named by its GPU: those that have it are listed, not names that are spelled alike.
TEST(Catalogue, ListsRecordsWhoseTitlesMentionWhatWasWritten) {
  const Catalogue shipped = *load_catalogue(STALLCAST_SOURCE_DIR "/models").value;
  std::vector<const Record*> machines;
  for (const auto& entry : shipped.instances) machines.push_back(&entry.second);
  const auto names_for = [&](const std::string& text) {
    const RecordMatch match = match_record(text, machines);
    EXPECT_EQ(match.record, nullptr) << text;
    std::vector<std::string> names;
    for (const Record* other : match.others) names.push_back(other->name);
    return names;
  };
  EXPECT_THAT(names_for("H100"), AllOf(Contains("a3-highgpu-8g"), Contains("p5.48xlarge"),
                                       Contains("standard_nd96isr_h100_v5"), Not(Contains("g5.xlarge"))));
  EXPECT_THAT(names_for("8xh100"), AllOf(Contains("a3-highgpu-8g"), Not(Contains("p5.4xlarge"))));
  EXPECT_TRUE(names_for("100").size() < machines.size());
  EXPECT_THAT(names_for("zebra"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace stallcast
