#include "core/first/first_scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/json_input.h"
#include "core/first/told_text.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Loaded<FirstScenario> first(const Told& told) { return first_scenario(told, {}, shipped_catalogue()); }

// The scenario as the program reads it from the file that is written; with its findings where that is not possible.
Loaded<ResolvedScenario> written_and_resolved(const FirstScenario& scenario) {
  const Loaded<Json> json = parse_json_text(scenario.text(), "job.json");
  EXPECT_TRUE(json.ok()) << rendered(json.findings) << scenario.text();
  EXPECT_EQ(*json.value, scenario.document()) << scenario.text();
  const Loaded<ScenarioFile> file = parse_scenario(*json.value, "job.json");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  return resolve(*file.value, shipped_catalogue());
}

const CommentedValue* value_at(const FirstScenario& scenario, const std::string& pointer) {
  for (const CommentedValue& value : scenario.values)
    if (value.pointer == pointer) return &value;
  return nullptr;
}

TEST(GpuCountText, IsReadInAnySpelling) {
  const auto expect = [](const std::string& text, std::int64_t count, const std::string& gpu) {
    const auto read = read_gpu_count(text, shipped_catalogue());
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->count, count) << text;
    EXPECT_EQ(read->gpu, gpu) << text;
  };
  expect("16xH100", 16, "H100");
  expect("16 x H100 80GB", 16, "H100 80GB");
  expect("8 A100", 8, "A100");
  expect("H100", 0, "H100");
  expect("4090", 0, "4090");  // a GPU, not four thousand of them
  expect("2x4090", 2, "4090");
  expect("512", 512, "");
  expect("512 GPUs", 512, "");
  EXPECT_FALSE(read_gpu_count("", shipped_catalogue()));
  EXPECT_FALSE(read_gpu_count("0xH100", shipped_catalogue()));
}

TEST(ParametersInAName, AreThoseThatItStates) {
  EXPECT_EQ(parameters_in_name("mistral-7B"), 7e9);
  EXPECT_EQ(parameters_in_name("Qwen/Qwen2.5-1.5B-Instruct"), 1.5e9);
  EXPECT_EQ(parameters_in_name("opt 350m"), 350e6);
  EXPECT_EQ(parameters_in_name("70B"), 70e9);
  EXPECT_FALSE(parameters_in_name("resnet50"));
  EXPECT_FALSE(parameters_in_name("vit-b16"));
  EXPECT_FALSE(parameters_in_name("bert-base"));
}

TEST(FirstScenario, HoldsWhatWasToldAndLittleElse) {
  const auto made = first({{"gpus", "16xH100"},
                           {"instance", "p5.48xlarge"},
                           {"model", "resnet50"},
                           {"samples", "1.28M"},
                           {"sample-size", "150KB"},
                           {"storage", "s3"},
                           {"epochs", "90"}});
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  EXPECT_EQ(
      made.value->document().dump(),
      R"({"format_version":2,"name":"resnet50 on 16 x H100 SXM5 80 GB from Amazon S3 Standard",)"
      R"("cluster":{"instance":"p5.48xlarge","nodes":2},"workload":{"name":"resnet50_jpeg"},)"
      R"("dataset":{"samples":1280000,"sample_size":"150 kB"},"storage":{"tier":"s3_standard"},"run":{"epochs":90}})");
  const auto resolved = written_and_resolved(*made.value);
  ASSERT_TRUE(resolved.ok()) << rendered(resolved.findings);
  EXPECT_EQ(resolved.value->scenario.ranks(), 16);
  EXPECT_TRUE(value_at(*made.value, "/workload/name")->assumed);  // for the benchmark that decodes nothing
}

// The storage is Amazon's, whose machine with eight of these GPUs is cheaper than four times two.
TEST(FirstScenario, TakesTheMachineOfTheStoragesCloud) {
  const auto made = first({{"gpus", "16xH100"}, {"model", "unet3d"}, {"storage", "S3"}});
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  EXPECT_EQ(value_at(*made.value, "/cluster/instance")->value, "p5.48xlarge");
  EXPECT_TRUE(value_at(*made.value, "/cluster/instance")->assumed);
  const auto own = first({{"gpus", "2x4090"}, {"model", "resnet50"}, {"storage", "NAS"}});
  ASSERT_TRUE(own.ok()) << rendered(own.findings);
  EXPECT_EQ(value_at(*own.value, "/cluster/gpu")->value, "rtx-4090-24gb");
  EXPECT_EQ(value_at(*own.value, "/cluster/gpus_per_node")->value, 2);
  EXPECT_TRUE(written_and_resolved(*own.value).ok()) << rendered(written_and_resolved(*own.value).findings);
}

// 6 * 7e9 * 4096 = 172.032 TFLOP a sequence; 2T tokens are 488,281,250 sequences, of 4096 tokens of 4 bytes.
TEST(FirstScenario, AModelIsKnownByItsParameters) {
  const auto made = first({{"gpus", "64 x H100"},
                           {"model", "mistral-7B"},
                           {"samples", "2T tokens"},
                           {"storage", "gcs"},
                           {"checkpoint-every", "30min"}});
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  EXPECT_EQ(value_at(*made.value, "/workload/flops_per_sample")->value, "172 TFLOP");
  EXPECT_EQ(value_at(*made.value, "/dataset/samples")->value, 488281250);
  EXPECT_EQ(value_at(*made.value, "/dataset/sample_size")->value, "16 KiB");
  EXPECT_EQ(value_at(*made.value, "/checkpoint/interval")->value, "30 min");
  const auto resolved = written_and_resolved(*made.value);
  ASSERT_TRUE(resolved.ok()) << rendered(resolved.findings);
  EXPECT_EQ(resolved.value->scenario.model.parameters, 7e9);
}

// unet3d on H100: 323 ms for 7 samples; of other batches the rate stays, 21.67 samples/s.
TEST(FirstScenario, AnotherBatchKeepsTheRecordsRate) {
  const auto made = first({{"gpus", "8xH100"}, {"model", "unet3d"}, {"batch-size", "14"}, {"storage", "S3"}});
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  EXPECT_EQ(value_at(*made.value, "/workload/samples_per_s_per_gpu")->value, "21.67 samples/s");
}

TEST(FirstScenario, ProvisionedStorageHoldsTheDataset) {
  // 100,000 samples of 146.6 MB are 14.66 TB = 13.3 TiB, and Parallelstore comes in multiples of 4 TiB from 12.
  const auto made = first({{"gpus", "8xH100"}, {"model", "unet3d"}, {"samples", "100k"}, {"storage", "parallelstore"}});
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  EXPECT_EQ(value_at(*made.value, "/storage/capacity")->value, "16 TiB");
  EXPECT_TRUE(value_at(*made.value, "/storage/capacity")->assumed);
}

TEST(FirstScenario, ServingLoadsTheWeights) {
  const auto made = first({{"gpus", "8xH100"}, {"model", "llama3-70b"}, {"storage", "GCS"}, {"replicas", "50"}});
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  EXPECT_EQ(value_at(*made.value, "/serving/weights")->value, "141.2 GB");  // 70.6 billion parameters of 2 bytes
  EXPECT_EQ(value_at(*made.value, "/cluster/nodes")->value, 50);
  EXPECT_TRUE(written_and_resolved(*made.value).ok()) << rendered(written_and_resolved(*made.value).findings);
}

TEST(FirstScenario, SaysWhatIsMissingAndWhatNobodyCanRead) {
  const std::string nothing = rendered(first({}).findings);
  EXPECT_THAT(nothing, HasSubstr("--gpus: error[missing_answer]"));
  EXPECT_THAT(nothing, HasSubstr("--model: error[missing_answer]"));
  EXPECT_THAT(nothing, HasSubstr("--storage: error[missing_answer]"));
  const auto about = [](const Told& told) { return rendered(first(told).findings); };
  EXPECT_THAT(
      about({{"gpus", "12xH100"}, {"instance", "p5.48xlarge"}, {"model", "unet3d"}, {"storage", "S3"}}),
      HasSubstr("--gpus: error[out_of_range]:\n  got 12 GPUs; allowed whole machines of 8 GPUs; write 8 or 16"));
  EXPECT_THAT(about({{"gpus", "8xA100"}, {"instance", "p5.48xlarge"}, {"model", "unet3d"}, {"storage", "S3"}}),
              HasSubstr("--instance: error[contradiction]"));
  EXPECT_THAT(about({{"gpus", "8xH100"}, {"model", "mymodel"}, {"storage", "S3"}}),
              HasSubstr("add --step-time and --batch-size, or write how many parameters it has: 7B"));
  EXPECT_THAT(about({{"gpus", "8xH100"}, {"model", "unet3d"}, {"storage", "/mnt/data"}}),
              HasSubstr("stallcast probe /mnt/data -o probe.json measures it"));
  EXPECT_THAT(about({{"gpus", "8xH100"}, {"model", "unet3d"}, {"storage", "S3"}, {"sample-size", "150"}}),
              HasSubstr("--sample-size: error[missing_unit]"));
  EXPECT_THAT(about({{"gpus", "8xH100"}, {"model", "mymodel"}, {"step-time", "250ms"}, {"storage", "S3"}}),
              HasSubstr("--sample-size: error[missing_answer]"));
}

// Every choice that the dialogue offers is an answer, and so is every default.
TEST(Questions, OfferWhatTheyAccept) {
  Told told;
  for (const Question& question : questions()) {
    const std::string key(question.key);
    for (const std::string& choice : choices_for(key, told, shipped_catalogue())) {
      Told with = told;
      with[key] = choice;
      EXPECT_EQ(rendered(wrong_answer(key, with, {}, shipped_catalogue())), "") << key << " " << choice;
    }
    if (question.ask.empty()) continue;
    EXPECT_LE(choices_for(key, told, shipped_catalogue()).size(), kMostNames);
    std::string standard = default_answer(key, told, shipped_catalogue());
    if (key == "model") standard = "resnet50";
    if (!standard.empty()) told[key] = standard;
    EXPECT_EQ(rendered(wrong_answer(key, told, {}, shipped_catalogue())), "") << key << " " << standard;
  }
  EXPECT_TRUE(first(told).ok()) << rendered(first(told).findings);
}

}  // namespace
}  // namespace stallcast
