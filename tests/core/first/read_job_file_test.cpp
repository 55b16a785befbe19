#include "core/first/read_job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/first/first_scenario.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class JobFiles : public ::testing::Test {
 protected:
  JobFiles() { fs::create_directories(folder_); }
  ~JobFiles() override { fs::remove_all(folder_); }
  Loaded<JobFile> read(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return read_job_file(folder_ / name, shipped_catalogue());
  }
  static std::string value_of(const JobFile& job, const std::string& pointer) {
    for (const CommentedValue& value : job.values)
      if (value.pointer == pointer) return value.value.dump();
    return "";
  }
  fs::path folder_ = fs::temp_directory_path() / ("stallcast_job_files_" + std::to_string(::getpid()));
};

TEST_F(JobFiles, ASlurmScriptSaysTheMachinesAndItsArguments) {
  const auto job = read("train.sbatch", R"(#!/bin/bash
#SBATCH --job-name=imagenet
#SBATCH -N 4
#SBATCH --gres=gpu:h100:8   # eight each
#SBATCH --ntasks-per-node 8
# srun python old.py --epochs 7
srun python train.py --epochs 90 --batch-size=64 \
  --workers 12 --arch resnet50
)");
  ASSERT_TRUE(job.ok()) << rendered(job.findings);
  EXPECT_EQ(job.value->tool, "Slurm script");
  EXPECT_THAT(job.value->told, ElementsAre(Pair("batch-size", "64"), Pair("epochs", "90"), Pair("gpus", "32xh100"),
                                           Pair("model", "resnet50"), Pair("workers", "12")));
}

TEST_F(JobFiles, HuggingFaceArgumentsAreRead) {
  const auto job = read("args.json", R"({"model_name_or_path": "mistralai/Mistral-7B-v0.1", "num_train_epochs": 3.0,
    "per_device_train_batch_size": 4, "gradient_accumulation_steps": 8, "dataloader_num_workers": 4,
    "dataloader_pin_memory": true, "max_steps": -1, "learning_rate": 5e-5})");
  ASSERT_TRUE(job.ok()) << rendered(job.findings);
  EXPECT_EQ(job.value->tool, "Hugging Face arguments");
  EXPECT_THAT(job.value->told, ElementsAre(Pair("batch-size", "4"), Pair("epochs", "3"),
                                           Pair("model", "mistralai/Mistral-7B-v0.1"), Pair("workers", "4")));
  EXPECT_EQ(value_of(*job.value, "/workload/gradient_accumulation"), "8");
  EXPECT_EQ(value_of(*job.value, "/loader/pin_memory"), "true");
  EXPECT_EQ(value_of(*job.value, "/run/steps_per_epoch"), "");  // -1: no limit
}

TEST_F(JobFiles, ConfigurationsOfAccelerateDeepSpeedAndLightningAreRead) {
  const auto accelerate = read("a.yaml", R"(compute_environment: LOCAL_MACHINE
num_machines: 2
num_processes: 16
deepspeed_config:
  gradient_accumulation_steps: 2
  zero_stage: 3
)");
  ASSERT_TRUE(accelerate.ok()) << rendered(accelerate.findings);
  EXPECT_EQ(accelerate.value->told.at("gpus"), "16");
  EXPECT_EQ(value_of(*accelerate.value, "/model/zero_stage"), "3");
  const auto deepspeed =
      read("ds.json", R"({"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}})");
  ASSERT_TRUE(deepspeed.ok());
  EXPECT_EQ(deepspeed.value->tool, "DeepSpeed configuration");
  EXPECT_EQ(value_of(*deepspeed.value, "/model/zero_stage"), "2");
  EXPECT_EQ(deepspeed.value->told.count("batch-size"), 0U);  // "auto" is for that tool
  const auto lightning = read("l.yaml", R"(trainer:
  devices: 8
  num_nodes: 2
  max_epochs: 10
data:
  init_args: {batch_size: 32, num_workers: 6}
)");
  ASSERT_TRUE(lightning.ok());
  EXPECT_THAT(lightning.value->told,
              ElementsAre(Pair("batch-size", "32"), Pair("epochs", "10"), Pair("gpus", "16"), Pair("workers", "6")));
}

TEST_F(JobFiles, ADlioWorkloadBecomesAScenarioOnOtherMachines) {
  const auto job = read("unet3d.yaml", R"(model: {name: unet3d}
framework: pytorch
workflow: {train: True}
dataset: {num_files_train: 1000, num_samples_per_file: 1, record_length_bytes: 1000000, format: npz}
reader: {batch_size: 7, read_threads: 4}
train: {epochs: 5, computation_time: 0.323}
)");
  ASSERT_TRUE(job.ok()) << rendered(job.findings);
  const auto made = first_scenario({{"gpus", "16xH100"}, {"storage", "S3"}}, job.value->values, shipped_catalogue());
  ASSERT_TRUE(made.ok()) << rendered(made.findings);
  const auto document = made.value->document();
  EXPECT_EQ(document["cluster"]["instance"], "p5.48xlarge");
  EXPECT_EQ(document["workload"]["step_time"], "323 ms");
  EXPECT_EQ(document["loader"]["num_workers"], 4);
  EXPECT_EQ(document["run"]["epochs"], 5);
}

TEST_F(JobFiles, WhatIsNoneOfThemIsSaid) {
  EXPECT_THAT(rendered(read("notes.txt", "buy milk\n").findings), HasSubstr("a Slurm script, a configuration of"));
  EXPECT_THAT(rendered(read("broken.yaml", "trainer: {devices: 8\n").findings), HasSubstr("error[invalid_yaml]"));
}

TEST(MergedAnswers, ANumberAndAKindOfGpusMayComeFromTwoSides) {
  const auto merged =
      merged_answers({{"gpus", "H100"}, {"epochs", "5"}}, {{"gpus", "32"}, {"epochs", "9"}}, shipped_catalogue());
  EXPECT_EQ(merged.at("gpus"), "32 x H100");
  EXPECT_EQ(merged.at("epochs"), "5");
}

}  // namespace
}  // namespace stallcast
