#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::SizeIs;

using DlioReader = ReaderTest;

constexpr const char* kSummary = R"({"start": "2026-11-01T10:00:00", "num_accelerators": 16, "num_hosts": 2,
  "hostname": "a", "num_files_train": 1000, "num_samples_per_file": 4, "host_memory_GB": [256, 128],
  "potential_caching": [0, 0], "something_new": {},
  "metric": {"train_au_percentage": [90, 94], "train_au_mean_percentage": 92, "train_au_stdev_percentage": 2,
    "train_throughput_samples_per_second": [100, 104], "train_io_mean_MB_per_second": 1000,
    "train_io_stdev_MB_per_second": 10}})";

TEST_F(DlioReader, ReadsWhatCameOutAndWhatWentIn) {
  const Measurements measured = read_text(kSummary);
  EXPECT_EQ(measured.tool, "dlio");
  EXPECT_THAT(measured.reads, SizeIs(0));
  ASSERT_THAT(observation(measured, "au_mlperf"), NotNull());
  EXPECT_DOUBLE_EQ(observation(measured, "au_mlperf")->value, 0.92);
  EXPECT_DOUBLE_EQ(observation(measured, "au_mlperf")->spread, 0.02);
  // No mean is given: that of 100 and 104, whose sample deviation is sqrt(2^2 + 2^2).
  EXPECT_DOUBLE_EQ(observation(measured, "samples_per_s")->value, 102.0);
  EXPECT_DOUBLE_EQ(observation(measured, "samples_per_s")->spread, std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(observation(measured, "read_bytes_per_s")->value, 1000 * 1048576.0);  // DLIO's MB are MiB
  EXPECT_EQ(std::get<std::int64_t>(field(measured, "/cluster/nodes")->value), 2);
  EXPECT_EQ(std::get<std::int64_t>(field(measured, "/cluster/gpus_per_node")->value), 8);
  EXPECT_EQ(std::get<double>(field(measured, "/cluster/memory_per_node")->value), 128 * 1073741824.0);
  EXPECT_EQ(std::get<std::int64_t>(field(measured, "/dataset/samples")->value), 4000);
  EXPECT_EQ(std::get<std::int64_t>(field(measured, "/dataset/samples_per_shard")->value), 4);
}

TEST_F(DlioReader, FieldsExistInTheScenario) {
  for (const FieldMeasurement& one : read_text(kSummary).fields) {
    const Field* known = find_field(one.pointer);
    ASSERT_THAT(known, NotNull()) << one.pointer;
    EXPECT_EQ(one.value.index(), known->get(Scenario()).index()) << one.pointer;
  }
}

TEST_F(DlioReader, FindsKeysInAnyCasesAndDoesWithoutMost) {
  const Measurements measured =
      read_text(R"({"Num_Accelerators": 3, "num_hosts": 2, "Metric": {"TRAIN_AU_MEAN_PERCENTAGE": 50}})");
  EXPECT_DOUBLE_EQ(observation(measured, "au_mlperf")->value, 0.5);
  EXPECT_THAT(field(measured, "/cluster/nodes"), IsNull());  // 3 ranks on 2 hosts: not the same on each
}

TEST_F(DlioReader, WarnsOfDataInMemory) {
  std::string cached = kSummary;
  cached.replace(cached.find("[0, 0]"), 6, "[1, 0]");
  EXPECT_THAT(codes(cached), ElementsAre("warning page_cache"));
}

TEST_F(DlioReader, RefusesSummariesOfFailedRunsAndImpossibleNumbers) {
  EXPECT_THAT(codes(R"({"num_accelerators": 1, "metric": {}})"), ElementsAre("error missing_key"));
  EXPECT_THAT(message(R"({"num_accelerators": 1, "metric": {"train_au_mean_percentage": 920}})"),
              HasSubstr("/metric/train_au_mean_percentage"));
  EXPECT_THAT(codes(R"({"num_accelerators": 1, "metric": {"train_au_percentage": [90, "x"]}})"),
              ElementsAre("error wrong_type"));
  EXPECT_THAT(codes(R"({"num_accelerators": 1, "metric": {"train_au_mean_percentage": NaN}})"),
              ElementsAre("error invalid_json"));
  EXPECT_THAT(message(R"({"num_accelerators": 1, "num_files_train": 4294967296, "num_samples_per_file": 4294967296,
                          "metric": {"train_au_mean_percentage": 90}})"),
              AllOf(HasSubstr("4294967296 files of 4294967296 samples"), HasSubstr("1e+15 samples in all")));
}

constexpr const char* kEpochs = R"({"1": {"start": "2026-11-01T10:00:00", "block1": {"start": "x", "duration": "9.00"},
    "ckpt1": {"start": "x", "end": "y", "duration": "2.50"}, "end": "y", "duration": "10.00"},
  "2": {"start": "x", "duration": "14.00", "eval": {"start": "x", "duration": "3.00"}},
  "3": {"start": "x"}})";

TEST_F(DlioReader, ReadsTimesOfEpochs) {
  const Measurements measured = read_text(kEpochs);
  EXPECT_DOUBLE_EQ(observation(measured, "epoch_s")->value, 12.0);  // the third did not end
  EXPECT_DOUBLE_EQ(observation(measured, "epoch_s")->spread, std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(observation(measured, "checkpoint_s")->value, 2.5);
  EXPECT_DOUBLE_EQ(observation(measured, "eval_s")->value, 3.0);
}

TEST_F(DlioReader, ReadsAFolderOfResults) {
  write("run/summary.json", kSummary);
  write("run/per_epoch_stats.json", kEpochs);
  const Measurements measured = read(file("run"));
  EXPECT_THAT(observation(measured, "au_mlperf"), NotNull());
  EXPECT_THAT(observation(measured, "epoch_s"), NotNull());
}

TEST_F(DlioReader, RefusesTimesThatAreNone) {
  EXPECT_THAT(codes(R"({"1": {"start": "x", "duration": "-1"}})"), ElementsAre("error out_of_range"));
  EXPECT_THAT(codes(R"({"1": {"start": "x", "duration": "soon"}})"), ElementsAre("error not_a_number"));
  EXPECT_THAT(codes(R"({"1": {"start": "x"}})"), ElementsAre("error missing_key"));
}

}  // namespace
}  // namespace stallcast
