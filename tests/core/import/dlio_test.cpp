#include "core/import/dlio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

DlioOptions on(std::int64_t nodes, std::int64_t gpus_per_node) {
  DlioOptions options;
  options.nodes = nodes;
  options.gpus_per_node = gpus_per_node;
  options.tier = "local_nvme";
  options.instance = "a3-highgpu-8g";
  return options;
}

// The workload file as a scenario, which must also resolve.
Scenario imported(const std::string& name, const DlioOptions& options) {
  const auto json =
      import_dlio(STALLCAST_SOURCE_DIR "/tests/core/import/workloads/" + name, options, shipped_catalogue());
  EXPECT_TRUE(json.ok()) << rendered(json.findings);
  if (!json.value) return {};
  const auto file = parse_scenario(*json.value, name);
  EXPECT_TRUE(file.ok()) << rendered(file.findings) << json.value->dump(2);
  if (!file.value) return {};
  const auto resolved = resolve(*file.value, shipped_catalogue());
  EXPECT_TRUE(resolved.ok()) << rendered(resolved.findings);
  return resolved.value ? resolved.value->scenario : Scenario{};
}

Loaded<Json> from_text(const std::string& text, const DlioOptions& options = on(1, 1)) {
  return import_dlio_text(text, "w.yaml", options, shipped_catalogue());
}

TEST(DlioImport, Unet3dInNewSpelling) {
  const Scenario s = imported("unet3d_new.yaml", on(1, 8));
  EXPECT_EQ(s.name, "unet3d");
  EXPECT_EQ(s.workload.batch_size, 7);
  EXPECT_DOUBLE_EQ(s.workload.step_time.mean, 0.323);
  EXPECT_EQ(s.dataset.layout, DatasetLayout::kFilePerSample);
  EXPECT_EQ(s.dataset.samples, 168);
  // c = 68341808 / (2 * 146600628) = 0.23309; (1 + c^2)^2 - 1 = 0.11161 = 1 / shape: 8.9597
  EXPECT_EQ(s.dataset.sample_size.kind, DistributionKind::kGamma);
  EXPECT_NEAR(s.dataset.sample_size.shape, 8.9597, 0.001);
  EXPECT_DOUBLE_EQ(s.dataset.tensor_size.base(), 2097152);
  EXPECT_EQ(s.dataset.shuffle, Shuffle::kGlobal);
  EXPECT_EQ(s.loader.style, LoaderStyle::kMap);
  EXPECT_EQ(s.loader.num_workers, 4);
  EXPECT_EQ(s.loader.prefetch_factor, 1);  // ceil(2 / 4)
  EXPECT_TRUE(s.loader.persistent_workers);
  // floor(168 / (7 * 8)) = 3 steps; a checkpoint every two epochs is one every 6 steps, by rank 0
  EXPECT_EQ(s.run.steps_per_epoch, 3);
  EXPECT_EQ(s.run.epochs, 5);
  EXPECT_EQ(s.checkpoint.mode, CheckpointMode::kSync);
  EXPECT_EQ(s.checkpoint.interval_steps, 6);
  EXPECT_DOUBLE_EQ(s.checkpoint.size.base(), 499153191);
  EXPECT_EQ(s.checkpoint.writers, CheckpointWriters::kRank0);
}

TEST(DlioImport, Unet3dInOldSpelling) {
  const Scenario s = imported("unet3d_old.yaml", on(2, 5));
  EXPECT_EQ(s.name, "unet3d");
  EXPECT_EQ(s.workload.step_time.kind, DistributionKind::kNormal);
  EXPECT_DOUBLE_EQ(s.workload.step_time.sd, 0.01);
  EXPECT_NEAR(s.dataset.sample_size.mean, 146600628, 0);
  EXPECT_EQ(s.loader.num_workers, 6);
  EXPECT_EQ(s.loader.prefetch_factor, 2);  // ceil(12 / 6)
  EXPECT_EQ(s.run.steps_per_epoch, 50);    // 3500 / (7 * 10)
  EXPECT_EQ(s.checkpoint.mode, CheckpointMode::kNone);
}

TEST(DlioImport, OverridesWin) {
  DlioOptions options = on(1, 1);
  options.overrides = {"++workload.reader.read_threads=12", "+workload.dataset.num_files_train=7000", "train.epochs=2"};
  const Scenario s = imported("unet3d_old.yaml", options);
  EXPECT_EQ(s.loader.num_workers, 12);
  EXPECT_EQ(s.loader.prefetch_factor, 1);
  EXPECT_EQ(s.dataset.samples, 7000);
  EXPECT_EQ(s.run.epochs, 2);
  options.overrides = {"nonsense", "workload.=3", "reader.read_threads=[1"};
  const auto bad = import_dlio_text("train: {computation_time: 1}", "w", options, shipped_catalogue());
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.findings.list().size(), 3U) << rendered(bad.findings);
}

// TensorFlow's reader is a pool of threads in the training process that keeps prefetch_size (2) batches ready in all.
TEST(DlioImport, TensorFlowReadsWithThreads) {
  const Scenario s = imported("resnet50.yaml", on(1, 4));
  EXPECT_EQ(s.loader.framework, "tf_data");
  EXPECT_EQ(s.loader.style, LoaderStyle::kThreads);
  EXPECT_EQ(s.loader.num_workers, 8);
  EXPECT_EQ(s.loader.prefetch_factor, 2);
  EXPECT_EQ(s.dataset.layout, DatasetLayout::kShards);
  EXPECT_EQ(s.dataset.samples_per_shard, 1251);
  EXPECT_DOUBLE_EQ(s.dataset.sample_size.mean, 114660.07);
  EXPECT_EQ(s.run.steps_per_epoch, 800);  // floor(1281024 / 1600) = 800
}

// data_loader decides, and framework where it is not there. DALI's threads take DALI's costs.
TEST(DlioImport, EveryLoaderOfThreadsIsAPoolOfThem) {
  const auto loader_of = [](const std::string& settings) {
    const auto json = from_text("dataset: {num_files_train: 100}\ntrain: {computation_time: 1}\n" + settings);
    EXPECT_TRUE(json.ok()) << rendered(json.findings);
    return json.value ? (*json.value)["loader"] : Json();
  };
  const Json tensorflow = loader_of("framework: tensorflow\nreader: {read_threads: 4, prefetch_size: 3}");
  EXPECT_EQ(tensorflow["framework"], "tf_data");
  EXPECT_EQ(tensorflow["style"], "threads");
  EXPECT_EQ(tensorflow["prefetch_factor"], 3);
  for (const char* kind : {"dali", "native_dali"}) {
    const Json dali = loader_of(std::string("framework: pytorch\nreader: {data_loader: ") + kind + "}");
    EXPECT_EQ(dali["framework"], "dali");
    EXPECT_EQ(dali["style"], "threads");
  }
  EXPECT_EQ(loader_of("framework: tensorflow\nreader: {data_loader: pytorch}")["style"], "map");
}

TEST(DlioImport, CosmoflowFilesHoldOneSample) {
  const Scenario s = imported("cosmoflow.yaml", on(1, 1));
  EXPECT_EQ(s.loader.style, LoaderStyle::kThreads);
  EXPECT_EQ(s.dataset.layout, DatasetLayout::kFilePerSample);
  EXPECT_EQ(s.dataset.sample_size.kind, DistributionKind::kNormal);
  EXPECT_NEAR(s.dataset.sample_size.sd, 50426, 1);  // 2828486 * sqrt((1 + 0.012606^2)^2 - 1)
}

TEST(DlioImport, BertStopsAtTheStepLimit) {
  const Scenario s = imported("bert.yaml", on(1, 8));
  EXPECT_EQ(s.run.steps_per_epoch, 1000);
  EXPECT_EQ(s.dataset.shuffle, Shuffle::kBuffer);
  EXPECT_EQ(s.dataset.shuffle_buffer, 1024);
  EXPECT_DOUBLE_EQ(s.dataset.request_size.base(), 262144);
  EXPECT_EQ(s.checkpoint.interval_steps, 250);
  EXPECT_DOUBLE_EQ(s.checkpoint.size.base(), 4034713312);
}

TEST(DlioImport, DlrmReadsRecordsAtRandom) {
  const Scenario s = imported("dlrm.yaml", on(1, 1));
  EXPECT_EQ(s.dataset.layout, DatasetLayout::kRecords);
  EXPECT_EQ(s.dataset.samples, 1024);
  EXPECT_EQ(s.loader.num_workers, 1);
  EXPECT_EQ(s.loader.prefetch_factor, 2);
}

TEST(DlioImport, MegatronCountsOptimizerElements) {
  const Scenario s = imported("megatron.yaml", on(1, 8));
  // (1009254400 + 865075200 + 793600) * 4 B + 30102 B
  EXPECT_DOUBLE_EQ(s.checkpoint.size.base(), 1875123200.0 * 4 + 30102);
  EXPECT_EQ(s.run.steps_per_epoch, 1000);
}

TEST(DlioImport, Retinanet) {
  const Scenario s = imported("retinanet.yaml", on(4, 2));
  EXPECT_EQ(s.dataset.samples, 1170301);
  EXPECT_EQ(s.run.steps_per_epoch, 6095);  // floor(1170301 / 192) = 6095.3
  EXPECT_DOUBLE_EQ(s.workload.step_time.mean, 0.04755);
}

TEST(DlioImport, CheckpointOnlyRunWritesFromEveryRank) {
  const Scenario s = imported("llama3_8b.yaml", on(1, 8));
  EXPECT_EQ(s.checkpoint.writers, CheckpointWriters::kAll);
  EXPECT_EQ(s.checkpoint.interval_steps, 1);
  EXPECT_EQ(s.run.steps_per_epoch, 10);
  EXPECT_DOUBLE_EQ(s.workload.step_time.mean, 5.0);
  EXPECT_EQ(s.loader.num_workers, 0);
  EXPECT_EQ(s.checkpoint.size.base(), 0.0);
  EXPECT_EQ(s.model.zero_stage, 3);
  // MLPerf Storage publishes 104.7045 GiB for the whole checkpoint.
  const double gib = checkpoint_shape(s).total / (1024.0 * 1024.0 * 1024.0);
  EXPECT_NEAR(gib, 104.7045, 5e-5);
}

// **Source** MLPerf Storage v2.0, llama3 workloads: what their files say, and the sizes published.
std::string llama(const std::string& layers, const std::string& transformer, const std::string& parallelism) {
  return "model: {name: llama3, type: transformer, num_layers: " + layers +
         ", model_datatype: fp16, optimizer_datatype: fp32, parallelism: {" + parallelism +
         "}, transformer: {vocab_size: 128256, " + transformer +
         "}}\nframework: pytorch\nworkflow: {generate_data: False, train: False, checkpoint: True}\n"
         "checkpoint: {time_between_checkpoints: 5, num_checkpoints_write: 10, fsync: True}\n";
}
const char* const k70b = "hidden_size: 8192, ffn_hidden_size: 28672, num_attention_heads: 128, num_kv_heads: 8";
const char* const k405b = "hidden_size: 16384, ffn_hidden_size: 53248, num_attention_heads: 128, num_kv_heads: 8";
const char* const k1t = "hidden_size: 25872, ffn_hidden_size: 98304, num_attention_heads: 192, num_kv_heads: 32";

Scenario scenario_of(const Loaded<Json>& json) {
  EXPECT_TRUE(json.ok()) << rendered(json.findings);
  return json.ok() ? parse_scenario(*json.value, "s.json").value->scenario : Scenario{};
}

TEST(DlioImport, TransformersKeepTheirParallelism) {
  struct Row {
    std::string text;
    std::int64_t nodes, pipeline;
    double gib, half_digit;
  };
  const Row rows[] = {{llama("80", k70b, "tensor: 8, pipeline: 1, zero_stage: 3"), 8, 1, 911.2121, 5e-5},
                      {llama("126", k405b, "tensor: 8, pipeline: 32, zero_stage: 1"), 64, 32, 5292.249, 5e-4},
                      {llama("128", k1t, "tensor: 8, pipeline: 64, zero_stage: 1"), 128, 64, 15426.589, 5e-4}};
  for (const Row& row : rows) {
    const Scenario s = scenario_of(import_dlio_text(row.text, "w", on(row.nodes, 8), shipped_catalogue()));
    EXPECT_EQ(s.model.tensor_parallel, 8);
    EXPECT_EQ(s.model.pipeline_parallel, row.pipeline);
    EXPECT_NEAR(checkpoint_shape(s).total / (1024.0 * 1024.0 * 1024.0), row.gib, row.half_digit);
  }
}

// Another data parallelism than the ranks make is told; DLIO would write what it says.
TEST(DlioImport, DataParallelismFollowsTheRanks) {
  const auto json = import_dlio_text(llama("80", k70b, "tensor: 8, pipeline: 1, data: 1, zero_stage: 3"), "w", on(8, 8),
                                     shipped_catalogue());
  EXPECT_THAT(rendered(json.findings), HasSubstr("warning[approximated] at /model/parallelism/data"));
  EXPECT_EQ(data_parallel(scenario_of(json)), 8);
}

// Mode subset: 8 of 512 ranks, all of stage 0: 4 of 126 layers and the embedding. Each holds the norms and an eighth of
// the matrices, and a sixteenth of the optimizer's state.
TEST(DlioImport, FewRanksWriteWhatTheFirstOfAWholeJobWrite) {
  const auto json = import_dlio_text(llama("126", k405b, "tensor: 8, pipeline: 32, data: 2, zero_stage: 1"), "w",
                                     on(1, 8), shipped_catalogue());
  EXPECT_THAT(rendered(json.findings), HasSubstr("warning[few_ranks] at /model/parallelism"));
  const Scenario s = scenario_of(json);
  EXPECT_EQ(s.model.layers, 0);
  const double h = 16384, layer = h * (h + 2048) + h * h + 3 * h * 53248, table = h * 128256;
  const double weights = 2 * (4 * 2 * h + (4 * layer + table) / 8);
  const double adam = 12 * ((4 * (2 * h + layer) + table) / 16 + 5 * h);
  EXPECT_NEAR(s.checkpoint.size_per_writer.base(), weights + adam, 1.0);
}

TEST(DlioImport, ElementTypesOfATransformer) {
  const auto typed = [](const std::string& model, const std::string& optimizer) {
    return from_text("model: {num_layers: 2, model_datatype: " + model + ", optimizer_datatype: " + optimizer +
                     ", transformer: {hidden_size: 64}}\nworkflow: {train: False, checkpoint: True}\n"
                     "checkpoint: {num_checkpoints_write: 1, time_between_checkpoints: 1}");
  };
  const Scenario half = scenario_of(typed("bf16", "fp32"));
  EXPECT_EQ(half.model.precision, WeightPrecision::kBf16);
  EXPECT_EQ(half.model.optimizer_bytes_per_parameter, 0.0);
  const Scenario full = scenario_of(typed("fp32", "fp32"));  // three tensors all the same
  EXPECT_EQ(weight_bytes(full.model) + optimizer_bytes(full.model), 4.0 + 12.0);
  const Scenario small = scenario_of(typed("int8", "bf16"));
  EXPECT_EQ(weight_bytes(small.model) + optimizer_bytes(small.model), 1.0 + 6.0);
  EXPECT_FALSE(typed("fp64", "fp32").ok());
  EXPECT_FALSE(typed("fp16", "fp3").ok());
}

TEST(DlioImport, EveryWayToGiveAStepTime) {
  const auto step = [](const std::string& time) {
    const auto json =
        from_text("framework: pytorch\ndataset: {num_files_train: 100}\ntrain: {computation_time: " + time + "}");
    EXPECT_TRUE(json.ok()) << rendered(json.findings);
    return json.value ? (*json.value)["workload"]["step_time"].dump() : "";
  };
  EXPECT_EQ(step("0.5"), "\"500 ms\"");
  EXPECT_EQ(step("5e-1"), "\"500 ms\"");
  EXPECT_EQ(step("{mean: 0.5}"), "\"500 ms\"");
  EXPECT_EQ(step("{mean: 0.5, stdev: 0.1}"), R"({"kind":"normal","mean":"500 ms","sd":"100 ms"})");
  EXPECT_EQ(step("{type: uniform, min: 0.1, max: 0.3}"), R"({"kind":"uniform","low":"100 ms","high":"300 ms"})");
  EXPECT_EQ(step("{type: gamma, shape: 2, scale: 0.1}"), R"({"kind":"gamma","mean":"200 ms","shape":2.0})");
  EXPECT_EQ(step("{type: exponential, scale: 0.1}"), R"({"kind":"exponential","mean":"100 ms"})");
  EXPECT_EQ(step("{type: poisson, lam: 4}"), R"({"kind":"normal","mean":"4 s","sd":"2 s"})");
}

TEST(DlioImport, RecordDimsGiveTheLength) {
  const auto json = from_text(
      "dataset: {num_files_train: 100, record_dims: [32, 128], record_element_type: float32}\ntrain: "
      "{computation_time: 1}");
  ASSERT_TRUE(json.ok()) << rendered(json.findings);
  EXPECT_EQ((*json.value)["dataset"]["sample_size"], "16 KiB");  // 32 * 128 * 4 = 16384
}

TEST(DlioImport, PreprocessTimeBecomesDecodeTime) {
  const auto json =
      from_text("dataset: {num_files_train: 100}\nreader: {preprocess_time: 0.002}\ntrain: {computation_time: 1}");
  ASSERT_TRUE(json.ok()) << rendered(json.findings);
  EXPECT_EQ((*json.value)["dataset"]["decode_time"], "2 ms");
}

// DLIO's readers decode what they read and augment nothing. Its images are noise: a JPEG of them takes 0.56 bytes a
// pixel.
TEST(DlioImport, FormatsAreDecoded) {
  const auto dataset_of = [](const std::string& dataset, const std::string& reader) {
    const auto json = from_text("framework: pytorch\nreader: {batch_size: 1, data_loader: " + reader +
                                "}\ntrain: {computation_time: 1}\ndataset: {num_files_train: 100, record_length_bytes: "
                                "100000, " +
                                dataset + "}");
    EXPECT_TRUE(json.ok()) << rendered(json.findings);
    return json.value ? (*json.value)["dataset"] : Json();
  };
  const Json jpeg = dataset_of("format: jpeg", "pytorch");
  EXPECT_EQ(jpeg["format"], "jpeg");
  EXPECT_EQ(jpeg["augmentation"], "none");
  EXPECT_EQ(jpeg["sample_size"], "56 kB");
  EXPECT_FALSE(jpeg.contains("decode_time"));
  // A whole file is loaded for each of its four samples, but from TensorFlow's threads, which go through it once.
  const Json npz = dataset_of("format: npz, num_samples_per_file: 4", "pytorch");
  EXPECT_EQ(npz["sample_size"], "400 kB");
  EXPECT_EQ(npz["layout"], "file_per_sample");
  EXPECT_EQ(npz["samples"], 400);
  const Json once = dataset_of("format: npz, num_samples_per_file: 4", "tensorflow");
  EXPECT_EQ(once["sample_size"], "100 kB");
  EXPECT_EQ(once["layout"], "shards");
  // One record of a file at its place; TFRecords hold ready tensors.
  EXPECT_EQ(dataset_of("format: hdf5, num_samples_per_file: 4", "pytorch")["layout"], "records");
  EXPECT_EQ(dataset_of("format: indexed_binary, num_samples_per_file: 4", "pytorch")["format"], "raw");
  EXPECT_EQ(dataset_of("format: tfrecord", "tensorflow")["decode_time"], "0 s");
}

TEST(DlioImport, NoReadThreadsLoadInline) {
  const auto json = from_text(
      "framework: pytorch\ndataset: {num_files_train: 100}\nreader: {read_threads: 0}\ntrain: {computation_time: 1}");
  ASSERT_TRUE(json.ok()) << rendered(json.findings);
  EXPECT_EQ((*json.value)["loader"].dump(), R"({"framework":"dlio","style":"map","num_workers":0})");
}

TEST(DlioImport, UnknownKeysAreWarnings) {
  const auto json =
      from_text("dataset: {num_files_train: 100}\nreader: {read_thread: 3}\ntrain: {computation_time: 1}\nextra: 1");
  EXPECT_TRUE(json.ok());
  EXPECT_THAT(rendered(json.findings),
              HasSubstr("w.yaml: warning[unknown_key] at /reader/read_thread:\n"
                        "  got \"3\" at line 2, column 23; did you mean \"read_threads\"? (ignored, as DLIO does)"));
  EXPECT_THAT(rendered(json.findings), HasSubstr("at /extra"));
}

TEST(DlioImport, WrongValuesNameTheirPlace) {
  const auto json = from_text(
      "dataset: {num_files_train: many, record_length_bytes: -1}\nreader: {batch_size: 2.5, read_threads: [1]}\n"
      "train:\n  computation_time: ${oc.env:TIME}\n  epochs: 0\nworkflow: {train: perhaps}\nevaluation: 3");
  EXPECT_FALSE(json.ok());
  const std::string text = rendered(json.findings);
  EXPECT_THAT(text, HasSubstr("error[wrong_value] at /dataset/num_files_train:\n  got \"many\" at line 1, column 28"));
  EXPECT_THAT(text, HasSubstr("at /dataset/record_length_bytes"));
  EXPECT_THAT(text, HasSubstr("at /reader/batch_size"));
  EXPECT_THAT(text, HasSubstr("at /reader/read_threads"));
  EXPECT_THAT(text, HasSubstr("at /train/epochs"));
  EXPECT_THAT(text, HasSubstr("at /workflow/train"));
  EXPECT_THAT(text, HasSubstr("at /evaluation"));
  EXPECT_THAT(text, HasSubstr("references to other settings are not followed"));
}

TEST(DlioImport, FilesThatOnlyGenerateDataSayWhatIsMissing) {
  const auto json = from_text(
      "model: {name: unet3d}\nworkflow: {generate_data: True, train: False, checkpoint: False}\ndataset: {format: "
      "npz}");
  EXPECT_FALSE(json.ok());
  EXPECT_THAT(rendered(json.findings), HasSubstr("error[nothing_to_simulate] at /workflow"));
}

TEST(DlioImport, TooFewSamplesForTheRanksIsAFinding) {
  const auto json =
      import_dlio(STALLCAST_SOURCE_DIR "/tests/core/import/workloads/unet3d_new.yaml", on(4, 8), shipped_catalogue());
  EXPECT_FALSE(json.ok());  // 168 samples, 32 ranks with batches of 7 need 224
  EXPECT_THAT(rendered(json.findings), HasSubstr("at least 224 samples"));
}

TEST(DlioImport, UnknownRecordsAreFindings) {
  DlioOptions options = on(1, 1);
  options.instance = "a3-highgpu-8";
  options.tier = "paralelstore";
  const auto json = from_text("dataset: {num_files_train: 100}\ntrain: {computation_time: 1}", options);
  EXPECT_FALSE(json.ok());
  EXPECT_THAT(rendered(json.findings), HasSubstr("did you mean \"a3-highgpu-8g\"?"));
  EXPECT_THAT(rendered(json.findings), HasSubstr("did you mean \"parallelstore\"?"));
}

TEST(DlioImport, HostileFilesAreFindings) {
  for (const char* text :
       {"", "3", "[]", "workload: 3", "dataset: 4\ntrain: []", "reader: {batch_size: 1e400}", "a: &x [*x]", "{}",
        "dataset: {num_files_train: 9e14, num_samples_per_file: 9e14}\ntrain: {computation_time: 1}",
        "dataset: {record_dims: [1e15, 1e15, 1e15]}\ntrain: {computation_time: 1}", "train: {computation_time: nan}",
        "train: {computation_time: 1e300}",
        // More parts than any job has ranks: no array of them is made.
        "model: {num_layers: 32, parallelism: {pipeline: 1e9}, transformer: {hidden_size: 64}}\n"
        "workflow: {train: False, checkpoint: True}",
        "model: {num_layers: 32, parallelism: {tensor: 1e5, pipeline: 1e5}, transformer: {hidden_size: 64}}\n"
        "workflow: {train: False, checkpoint: True}",
        "model: [1]\ntrain: {computation_time: -1}"}) {
    const auto json = from_text(text);
    EXPECT_FALSE(json.ok()) << text;
    EXPECT_FALSE(rendered(json.findings).empty()) << text;
  }
}

TEST(DlioImport, MissingFileIsAWorldError) {
  EXPECT_THROW(import_dlio("/nonexistent.yaml", {}, shipped_catalogue()), WorldError);
}

}  // namespace
}  // namespace stallcast
