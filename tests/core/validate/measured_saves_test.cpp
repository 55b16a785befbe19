// Real saves of tests/validation/checkpoints, predicted from their components alone.
#include "core/validate/measured_saves.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/core/rendered.h"

namespace stallcast {
namespace {

const std::string kMeasured = STALLCAST_SOURCE_DIR "/tests/validation/checkpoints/runs.jsonl";

std::vector<MeasuredSave> saves_of(const std::filesystem::path& path) {
  const auto saves = load_measured_saves(path);
  EXPECT_TRUE(saves.ok()) << rendered(saves.findings);
  return saves.value.value_or(std::vector<MeasuredSave>{});
}

// `records` in a file of its own.
std::filesystem::path written(const std::string& name, const std::vector<std::string>& records) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream out(path);
  for (const std::string& record : records) out << record << "\n";
  return path;
}

std::vector<nlohmann::json> all_records() {
  std::vector<nlohmann::json> out;
  std::ifstream in(kMeasured);
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

// What was asked of the model before it was measured.
TEST(MeasuredSaves, ArePredictedFromTheirComponents) {
  const std::vector<MeasuredSave> saves = saves_of(kMeasured);
  std::set<std::string> configurations;
  for (const MeasuredSave& save : saves) configurations.insert(save.id);
  EXPECT_GE(configurations.size(), 30U);
  const SaveValidation validation = validate_saves(saves, {}, {});
  const SaveScore& all = validation.scores.back();
  ASSERT_EQ(all.group, "all");
  EXPECT_GE(all.count, saves.size());
  EXPECT_LE(all.median, 0.12);
  EXPECT_GE(all.within_30_percent, 0.90);
}

TEST(MeasuredSaves, PredictionsDoNotSeeOutputs) {
  std::vector<std::string> blind;
  for (nlohmann::json record : all_records()) {
    record.erase("outputs");
    blind.push_back(record.dump());
  }
  const SaveValidation seen = validate_saves(saves_of(kMeasured), {}, {});
  const SaveValidation unseen = validate_saves(saves_of(written("blind_saves.jsonl", blind)), {}, {});
  ASSERT_EQ(seen.times.size(), unseen.times.size());
  for (std::size_t i = 0; i < seen.times.size(); ++i) {
    EXPECT_EQ(seen.times[i].predicted.base(), unseen.times[i].predicted.base());
    EXPECT_FALSE(unseen.times[i].measured.has_value());
  }
}

// Half a GB made at 1 GB/s and copied at 2 GB/s; then 0.25 s to the device, and one synced file.
TEST(MeasuredSaves, AddUpTheComponentsOfARecord) {
  const nlohmann::json record = {
      {"schema", 1},
      {"kind", "checkpoint"},
      {"id", "one"},
      {"repeat", 0},
      {"config",
       {{"software", "torch_save"},
        {"target", "disk"},
        {"tensors", 10},
        {"writers", 1},
        {"fsync", true},
        {"files_per_writer", 1},
        {"parts_at_once", 1}}},
      {"inputs",
       {{"cores", 2},
        {"memory_bytes", 20e9},
        {"bytes_per_writer", 0.5e9},
        {"serialise", {{"alone_Bps", 1e9}, {"all_cores_Bps", 1e9}}},
        {"write",
         {{"alone_Bps", 2e9}, {"all_cores_Bps", 2e9}, {"sync_Bps", 2e9}, {"file_s", 0}, {"synced_file_s", 0.01}}}}}};
  const SaveValidation one = validate_saves(saves_of(written("one_save.jsonl", {record.dump()})), {}, {});
  ASSERT_EQ(one.times.size(), 1U);
  EXPECT_NEAR(one.times[0].predicted.base(), 0.5 + 0.25 + 0.25 + 0.01, 1e-6);
}

TEST(MeasuredSaves, ALineThatIsNoCheckpointIsSaid) {
  std::vector<nlohmann::json> records = all_records();
  ASSERT_FALSE(records.empty());
  nlohmann::json slow = records[0], without = records[0];
  slow["inputs"]["serialise"]["alone_Bps"] = -1.0;
  slow["inputs"]["serialise"]["all_cores_Bps"] = -1.0;
  without["config"].erase("writers");
  const auto loaded = load_measured_saves(written("bad_saves.jsonl", {slow.dump(), "{", without.dump()}));
  EXPECT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.findings.list().size(), 3U) << rendered(loaded.findings);
  EXPECT_TRUE(holds_measured_saves(kMeasured));
  EXPECT_FALSE(holds_measured_saves(STALLCAST_SOURCE_DIR "/tests/validation/dataloader/measured_public.jsonl"));
}

}  // namespace
}  // namespace stallcast
