// Records of measured checkpoints: read, and predicted from their components alone.
#include "core/validate/measured_saves.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/rendered.h"
#include "tests/temporary_folder.h"

namespace stallcast {
namespace {

using nlohmann::json;

std::vector<MeasuredSave> saves_of(const std::filesystem::path& path) {
  const auto saves = load_measured_saves(path);
  EXPECT_TRUE(saves.ok()) << rendered(saves.findings);
  return saves.value.value_or(std::vector<MeasuredSave>{});
}

// `records` in a file of its own.
std::filesystem::path as_file(const std::string& name, const std::vector<json>& records) {
  const std::filesystem::path path = temporary_folder() / name;
  std::ofstream out(path);
  for (const json& record : records) out << record.dump() << "\n";
  return path;
}

// Half a GB by one writer: made at 1 GB/s and copied at 2 GB/s; 2 GB/s to the device, and 10 ms for its synced file.
json synced_save() {
  json record;
  record["schema"] = 1;
  record["kind"] = "checkpoint";
  record["id"] = "one";
  record["repeat"] = 0;
  record["config"] = {{"software", "torch_save"}, {"target", "disk"},  {"tensors", 10}, {"writers", 1}, {"fsync", true},
                      {"files_per_writer", 1},    {"parts_at_once", 1}};
  record["inputs"]["cores"] = 2;
  record["inputs"]["memory_bytes"] = 20e9;
  record["inputs"]["bytes_per_writer"] = 0.5e9;
  record["inputs"]["serialise"] = {{"alone_Bps", 1e9}, {"all_cores_Bps", 0.8e9}};
  record["inputs"]["write"] = {
      {"alone_Bps", 2e9}, {"all_cores_Bps", 1e9}, {"sync_Bps", 2e9}, {"file_s", 0.001}, {"synced_file_s", 0.01}};
  record["outputs"]["save_s"] = 1.0;
  return record;
}

double predicted_s(const json& record) {
  const SaveValidation one = validate_saves(saves_of(as_file("one_save.jsonl", {record})), {}, {});
  return one.times.empty() ? -1.0 : one.times[0].predicted.base();
}

TEST(MeasuredSaves, AddUpTheComponentsOfOneWriter) {
  EXPECT_NEAR(predicted_s(synced_save()), 0.5 + 0.25 + 0.25 + 0.01, 1e-6);
  json cached = synced_save();
  cached["config"]["fsync"] = false;
  EXPECT_NEAR(predicted_s(cached), 0.5 + 0.25 + 0.001, 1e-6);  // and a millisecond for the file
}

// Four writers of half a GB on two cores: each takes twice what it takes on a core beside another, 0.625 s and 0.5 s;
// then 2 GB to the device. Planning takes 0.1 s and 10 ms a tensor.
TEST(MeasuredSaves, AddUpTheComponentsOfSeveralWriters) {
  json record = synced_save();
  record["config"]["writers"] = 4;
  record["config"]["software"] = "torch_dcp";
  record["inputs"]["plan"] = {{"base_s", 0.1}, {"per_tensor_s", 0.01}};
  EXPECT_NEAR(predicted_s(record), 0.1 + 0.1 + 2.0 * (0.625 + 0.5) + 1.0 + 0.01, 1e-3);
}

// 0.5 s to make all of it; then two parts at a time of 0.1 GB/s, and 5 ms to begin and to end the upload.
TEST(MeasuredSaves, AddUpTheComponentsOfAnUpload) {
  json record = synced_save();
  record["config"]["target"] = "s3";
  record["config"]["parts_at_once"] = 2;
  record["inputs"]["put"] = {{"round_trip_s", 0.005}, {"one_connection_Bps", 0.1e9}, {"most_Bps", 1e9}};
  EXPECT_NEAR(predicted_s(record), 0.5 + 2.5 + 0.01, 0.01);
}

// An asynchronous save stops training for the copy of half a GB from the GPU at 5 GB/s, and is then made, copied to the
// page cache and written as above.
TEST(MeasuredSaves, AnAsynchronousOneStopsForItsCopy) {
  json record = synced_save();
  record["config"]["mode"] = "async";
  record["inputs"]["stage"] = {{"pageable_Bps", 5e9}};
  record["outputs"] = {{"save_s", 1.0}, {"stop_s", 0.1}};
  const SaveValidation one = validate_saves(saves_of(as_file("async_save.jsonl", {record})), {}, {});
  ASSERT_EQ(one.times.size(), 2U);
  EXPECT_NEAR(one.times[0].predicted.base(), 0.1 + 0.5 + 0.25 + 0.25 + 0.01, 1e-6);
  EXPECT_NEAR(one.times[1].predicted.base(), 0.1, 1e-6);
  EXPECT_EQ(one.times[1].group, "torch_save disk stop");
}

// One prediction of each of two repeats is 1 % too long, the other 19.2 % too short: median by interpolation.
TEST(MeasuredSaves, AreScored) {
  json right = synced_save(), slow = synced_save();
  slow["outputs"]["save_s"] = 1.25;
  const SaveValidation validation = validate_saves(saves_of(as_file("two_saves.jsonl", {right, slow})), {}, {});
  const SaveScore& all = validation.scores.back();
  EXPECT_EQ(all.group, "all");
  EXPECT_EQ(all.count, 2U);
  EXPECT_NEAR(all.median, (0.01 + 0.192) / 2.0, 1e-6);
  EXPECT_EQ(all.within_30_percent, 1.0);
}

// The bars that were set before measuring: a median of 12 %, and 90 % within 30 %.
TEST(MeasuredSaves, ThoseThatAreKeptAreWithinTheBars) {
  const auto path = std::filesystem::path(STALLCAST_SOURCE_DIR) / "tests/validation/checkpoints/measured.jsonl";
  const SaveScore all = validate_saves(saves_of(path), {}, {}).scores.back();
  EXPECT_EQ(all.count, 48U);
  EXPECT_LE(all.median, 0.12);
  EXPECT_GE(all.within_30_percent, 0.9);
}

TEST(MeasuredSaves, PredictionsDoNotSeeOutputs) {
  json blind = synced_save();
  blind.erase("outputs");
  EXPECT_EQ(predicted_s(synced_save()), predicted_s(blind));
  const SaveValidation unseen = validate_saves(saves_of(as_file("blind_save.jsonl", {blind})), {}, {});
  EXPECT_FALSE(unseen.times[0].measured.has_value());
  EXPECT_EQ(unseen.scores.back().count, 0U);
}

TEST(MeasuredSaves, ALineThatIsNoCheckpointIsSaid) {
  json slow = synced_save(), without = synced_save(), strange = synced_save();
  slow["inputs"]["serialise"]["alone_Bps"] = -1.0;
  without["config"].erase("writers");
  strange["config"]["target"] = "tape";
  const auto loaded = load_measured_saves(as_file("bad_saves.jsonl", {slow, without, strange, json("text")}));
  EXPECT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.findings.list().size(), 4U) << rendered(loaded.findings);
  EXPECT_TRUE(holds_measured_saves(as_file("good_save.jsonl", {synced_save()})));
  EXPECT_FALSE(holds_measured_saves(STALLCAST_SOURCE_DIR "/tests/validation/dataloader/measured_public.jsonl"));
}

}  // namespace
}  // namespace stallcast
