// The reader of published MLPerf Storage results and the two tests on them: closed forms, honesty, and the scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/report/words/mlperf_text.h"
#include "core/validate/mlperf_tests.h"

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kResults = STALLCAST_SOURCE_DIR "/tests/validation/mlperf_storage_v1.0/results.csv";

const MlperfTable& published() {
  static const MlperfTable table = *load_mlperf_table(kResults).value;
  return table;
}

const MlperfReport& published_report() {
  static const MlperfReport report = run_mlperf_tests(published());
  return report;
}

const MlperfRow& row_of(const std::string& system, const std::string& workload, std::int64_t accelerators) {
  for (const MlperfRow& row : published().rows) {
    if (row.system == system && row.workload == workload && row.accelerators == accelerators) return row;
  }
  throw std::out_of_range(system);
}

Loaded<MlperfTable> load_text(const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("stallcast_mlperf_test_" + std::to_string(::getpid()) + ".csv");
  std::ofstream(path) << text;
  auto loaded = load_mlperf_table(path);
  std::filesystem::remove(path);
  return loaded;
}

constexpr const char* kHeader =
    "submitter,system,workload,accelerator,num_accelerators,num_hosts,au_pct_mean,samples_per_s\n";

std::vector<std::string> codes(const Loaded<MlperfTable>& loaded) {
  std::vector<std::string> out;
  for (const Finding& finding : loaded.findings.list()) out.push_back(finding.code + " at " + finding.pointer);
  return out;
}

TEST(MlperfTable, ReadsThePublishedRows) {
  const auto loaded = load_mlperf_table(kResults);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.value->rows.size(), 86u);
  const MlperfRow& row = row_of("JuiceFS-cloud-nvme-distributed-cache", "unet3d", 2);
  EXPECT_EQ(row.accelerator, "h100");
  EXPECT_TRUE(row.accelerator_inferred);
  EXPECT_DOUBLE_EQ(row.au, 0.9706);
  EXPECT_EQ(row.steps_per_epoch(), 500);                // 7000 files / (7 a batch) / 2 accelerators
  EXPECT_NEAR(row.ideal_samples_per_s(), 43.34, 0.01);  // 2 * 7 / 0.323 s
}

TEST(MlperfTable, SettingsAreOptional) {
  const auto loaded = load_text(std::string(kHeader) + "A,s,resnet50,h100,4,1,95,6700\n");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.value->rows[0].steps_per_epoch(), std::nullopt);
  EXPECT_EQ(loaded.value->rows[0].threads(), 8);  // the workload's own
}

TEST(MlperfTable, EveryBadRowIsAFinding) {
  const auto loaded = load_text(std::string(kHeader) +
                                "A,s,bert,h100,4,1,95,6700\n"
                                "A,s,resnet50,b200,4,1,95,6700\n"
                                "A,s,resnet50,h100,four,1,95,6700\n"
                                "A,s,resnet50,h100,4,8,95,6700\n"
                                "A,s,resnet50,h100,4,1,101,6700\n"
                                "A,s,resnet50,h100,4,1,95,7200\n"  // ideal 4 * 400 / 0.224 = 7142.9
                                "A,s,resnet50,h100,4,1,95\n"
                                "A,s,resnet50,h100,4,1,95,6700\n"
                                "A,s,resnet50,h100,4,1,95,6700\n");
  EXPECT_FALSE(loaded.value.has_value());
  EXPECT_THAT(codes(loaded),
              ::testing::ElementsAre("unknown_value at line 2, workload", "unknown_value at line 3, accelerator",
                                     "out_of_range at line 4, num_accelerators", "contradiction at line 5, num_hosts",
                                     "out_of_range at line 6, au_pct_mean", "contradiction at line 7, samples_per_s",
                                     "bad_row at line 8", "duplicate_row at line 10"));
}

TEST(MlperfTable, SettingsAreChecked) {
  const auto loaded = load_text(
      "submitter,system,workload,accelerator,num_accelerators,num_hosts,au_pct_mean,samples_per_s,read_threads,"
      "num_files_train\n"
      "A,s,unet3d,h100,4,1,95,80,0,28000\n"
      "A,s,unet3d,h100,4,1,95,80,4,27\n"  // 28 files make one step of 4 batches of 7
      "A,s,unet3d,h100,4,1,95,80,,28000\r\n");
  EXPECT_THAT(codes(loaded), ::testing::ElementsAre("out_of_range at line 2, read_threads",
                                                    "contradiction at line 3, num_files_train"));
}

TEST(MlperfTable, MissingColumnsAndFiles) {
  EXPECT_THAT(codes(load_text("submitter,system\nA,s\n")),
              Each(AllOf(HasSubstr("missing_column at line 1"), Not(HasSubstr("system")))));
  EXPECT_THAT(codes(load_text(kHeader)), ::testing::ElementsAre("empty_table at line 2"));
  EXPECT_THAT(codes(load_text("")), Not(IsEmpty()));
  EXPECT_THROW(load_mlperf_table("/nonexistent.csv"), WorldError);
}

// 500 steps of 84 samples at 238.9 /s: 175.81 s. Of these 0.323 s are the first step's and 499 * 0.323 / 0.9795 =
// 164.55 s the rest's.
TEST(MlperfTests, FirstBatchFollowsFromBothPublishedNumbers) {
  const MlperfRow& row = row_of("F8000X_8x7000GiB_nvme_2xHDR200_Nclient1", "unet3d", 12);
  EXPECT_NEAR(mlperf_first_batch(row).base(), 10.93, 0.02);
  for (const MlperfRow& any : published().rows) {
    if (mlperf_first_batch(any) == seconds(0)) continue;
    EXPECT_NEAR(mlperf_samples_per_s(any, any.au, mlperf_first_batch(any)) / any.samples_per_s, 1.0, 1e-9);
  }
}

// Released together by the barrier, 10 ranks take the host's one core in turn, 0.05 ms each: the last starts to compute
// 0.5 ms late, and every step takes 3.5 + 0.73 + 0.5 ms. Of the first step only the wait is left out, not the barrier:
// 1 ms in 500 steps of 4.73 ms, 0.0004.
TEST(MlperfTests, ContentionIsTheSumOverTheRanksOfAHost) {
  MlperfRow row = row_of("JuiceFS-cloud-nvme-distributed-cache", "cosmoflow", 10);
  MlperfFit fit;
  fit.framework_step = milliseconds(0.73);
  fit.host_serial_step = milliseconds(0.05);
  EXPECT_NEAR(simulate_mlperf_au(row, fit, 64), 3.5 / 4.73, 5e-4);
  // Ten more ranks on a second host take no longer, but the barrier between hosts costs 0.3 ms.
  row.accelerators = 20;
  row.hosts = 2;
  EXPECT_NEAR(simulate_mlperf_au(row, fit, 64), 3.5 / 5.03, 5e-4);
  // One rank alone has nobody to wait for.
  row.accelerators = row.hosts = 1;
  EXPECT_NEAR(simulate_mlperf_au(row, fit, 64), 3.5 / 4.28, 5e-4);
}

// Sizes are equal, so storage that gives 0.8 of what is asked for makes steps 1 / 0.8 as long. A little less is lost,
// since 8 batches come at once before the first step: with the storage never idle the other 499 steps would end at
// 500 / 0.8 + 1 steps' time, of which 8 / 0.8 + 1 are left out, 499 / 615.
TEST(MlperfTests, BandwidthThatIsShortSetsTheUtilization) {
  const MlperfRow& row = row_of("JuiceFS-cloud-nvme-distributed-cache", "resnet50", 20);
  MlperfFit fit;
  fit.storage_read_cap = row.rules().sample_size * row.ideal_samples_per_s() * 0.8 / seconds(1);
  const double au = simulate_mlperf_au(row, fit, 64);
  EXPECT_GT(au, 0.8);
  EXPECT_LT(au, 499.0 / 615.0);
}

TEST(MlperfTests, RepresentativesStandForAllRanks) {
  struct Case {
    const char *system, *workload;
    std::int64_t accelerators;
  };
  for (const Case& c : {Case{"AS13000_16x7.68TiB_NVMe_4xNDR400_3xStorageNode_AMDHost", "unet3d", 264},
                        Case{"F9000X_10x7000GiB_nvme_2xNDR400_Nclient3", "unet3d", 60},
                        Case{"F9000X_10x7000GiB_nvme_2xNDR400_Nclient3", "resnet50", 540},
                        Case{"F9000X_10x7000GiB_nvme_2xNDR400_Nclient3", "cosmoflow", 120}}) {
    const MlperfRow& row = row_of(c.system, c.workload, c.accelerators);
    const BytesPerSecond asked = row.rules().sample_size * row.ideal_samples_per_s() / seconds(1);
    const auto hosts = static_cast<double>(row.hosts);
    MlperfFit serial, host, storage;
    serial.host_serial_step = row.step() * 0.08 * hosts / static_cast<double>(row.accelerators);
    host.host_read_cap = asked * 1.02 / hosts;
    storage.storage_read_cap = asked * 1.02;
    for (const MlperfFit& fit : {serial, host, storage}) {
      EXPECT_NEAR(simulate_mlperf_au(row, fit, 24), simulate_mlperf_au(row, fit, row.accelerators), 0.005) << c.system;
    }
  }
}

TEST(MlperfTests, ScoresByHand) {
  const MlperfScore score = score_errors({0.01, -0.03, 0.02}, {0.04, 0.04, -0.04});
  EXPECT_NEAR(score.bias, 0.0, 1e-12);
  EXPECT_NEAR(score.mean, 0.02, 1e-12);
  EXPECT_NEAR(score.median, 0.02, 1e-12);
  EXPECT_NEAR(score.p90, 0.028, 1e-12);  // 0.8 of the way from the second to the third
  EXPECT_NEAR(score.worst, 0.03, 1e-12);
  EXPECT_NEAR(score.skill, 0.5, 1e-12);
  EXPECT_EQ(score_errors({}, {}).cases, 0u);
}

TEST(MlperfTests, FindsTheFamiliesAndPairs) {
  std::size_t adds_hosts = 0;
  for (const MlperfScalingCase& c : published_report().scaling) adds_hosts += c.adds_hosts() ? 1 : 0;
  EXPECT_EQ(published_report().scaling.size(), 23u);
  EXPECT_EQ(adds_hosts, 8u);
  EXPECT_EQ(published_report().transfer.size(), 21u);  // of 36 in all published groups
}

TEST(MlperfTests, CalibratedScenariosReproduceTheNearEnd) {
  for (const MlperfScalingCase& c : published_report().scaling) EXPECT_NEAR(c.fit.au, c.near_end.au, 0.003) << c.id;
  for (const MlperfTransferCase& c : published_report().transfer) {
    if (c.unknown_reason.empty()) {
      EXPECT_NEAR(c.from_h100.au, c.h100.au, 0.003) << c.id;
    }
    if (c.carry_unknown_reason.empty()) {
      EXPECT_NEAR(c.from_a100.au, c.a100.au, 0.003) << c.id;
    }
  }
}

TEST(MlperfTests, PredictionsDoNotReadTheFarEnd) {
  MlperfTable other;
  for (const MlperfScalingCase& c : published_report().scaling) {
    other.rows.push_back(c.near_end);
    other.rows.push_back(c.far_end);
    other.rows.back().au = 0.5;
    other.rows.back().samples_per_s *= 0.5;
  }
  const MlperfReport report = run_mlperf_tests(other);
  ASSERT_EQ(report.scaling.size(), published_report().scaling.size());
  for (std::size_t i = 0; i < report.scaling.size(); ++i) {
    const MlperfScalingCase &a = report.scaling[i], &b = published_report().scaling[i];
    EXPECT_EQ(a.predicted.au, b.predicted.au) << a.id;
    EXPECT_EQ(a.predicted.samples_per_s, b.predicted.samples_per_s) << a.id;
    EXPECT_EQ(a.unknown_reason, b.unknown_reason) << a.id;
  }
}

// The scores of the README beside the table. A change that moves them says so there and in the change log.
TEST(MlperfTests, PublishedScores) {
  const auto& summary = published_report().scaling_summary;
  ASSERT_EQ(summary.size(), 4u);
  EXPECT_EQ(summary[0].au.cases, 5u);
  EXPECT_NEAR(summary[0].au.mean, 0.0392, 0.002);
  EXPECT_EQ(summary[1].au.cases, 8u);
  EXPECT_NEAR(summary[1].au.mean, 0.0377, 0.002);
  EXPECT_NEAR(summary[2].au.trivial_mean, 0.0283, 0.0001);
  EXPECT_NEAR(summary[3].au.trivial_mean, 0.0389, 0.0001);
  EXPECT_EQ(published_report().bound_kept, 1.0);
  EXPECT_EQ(published_report().transfer_count.cases, 11u);
  EXPECT_NEAR(published_report().transfer_count.mean, 0.156, 0.01);
  EXPECT_EQ(published_report().carry_au.cases, 10u);
  EXPECT_NEAR(published_report().carry_au.mean, 0.048, 0.005);
}

TEST(MlperfText, SaysEveryCaseAndEveryReason) {
  const MlperfReport& report = published_report();
  const std::string text = render_mlperf_text(report);
  for (const MlperfScalingCase& c : report.scaling) EXPECT_THAT(text, HasSubstr(c.id));
  for (const MlperfTransferCase& c : report.transfer) EXPECT_THAT(text, HasSubstr(c.id));
  for (const UnknownRun& u : report.unknown) EXPECT_THAT(text, HasSubstr(u.reason));
  EXPECT_THAT(text, HasSubstr("NOT passed; answered 13 of 23 families"));
}

TEST(MlperfText, JsonHasTheSameNumbersAndIsTheSameEveryTime) {
  const nlohmann::ordered_json json = mlperf_json(published_report());
  EXPECT_EQ(json["scaling"]["cases"].size(), 23u);
  EXPECT_EQ(json["scaling"]["summary"][0]["name"], "same hosts");
  EXPECT_EQ(json["scaling"]["summary"][0]["au"]["mean_abs"], published_report().scaling_summary[0].au.mean);
  EXPECT_EQ(json["unknown"].size(), published_report().unknown.size());
  EXPECT_EQ(json.dump(), mlperf_json(run_mlperf_tests(published())).dump());
}

TEST(MlperfText, NoCasesAreSaidSo) {
  const auto loaded = load_text(std::string(kHeader) + "A,s,resnet50,h100,4,1,95,6700\n");
  const MlperfReport report = run_mlperf_tests(*loaded.value);
  EXPECT_THAT(render_mlperf_text(report), HasSubstr("no cases"));
  EXPECT_TRUE(mlperf_json(report)["scaling"]["summary"][0]["au"]["skill"].is_null());
}

}  // namespace
}  // namespace stallcast
