#include "core/scenario/check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/scenario/scenario_file.h"

namespace stallcast {
namespace {

// A scenario that gives everything it needs; `overrides` then break it.
std::string findings_with(const std::vector<std::string>& overrides) {
  ScenarioFile file;
  Findings findings;
  for (const char* text : {"cluster.cores_per_node=8", "workload.step_time=100 ms", "dataset.sample_size=100 kB"}) {
    apply_override(file, text, findings);
  }
  for (const std::string& text : overrides) apply_override(file, text, findings);
  EXPECT_TRUE(findings.empty());
  std::string out;
  const Findings checked = check_scenario(file.scenario, file.overridden, "a.json");
  for (const Finding& finding : checked.list()) {
    out += (finding.severity == Severity::kError ? "error " : "warning ") + finding.code + " " + finding.pointer + "\n";
  }
  return out;
}

struct Case {
  std::vector<std::string> overrides;
  std::string findings;
};

TEST(CheckScenario, AcceptsWhatFitsTogether) {
  EXPECT_EQ(findings_with({}), "");
  EXPECT_EQ(findings_with({"dataset.samples=1000", "workload.batch_size=1000"}), "");
  EXPECT_EQ(findings_with({"loader.num_workers=0"}), "");
  EXPECT_EQ(findings_with({"checkpoint.mode=async", "checkpoint.interval_steps=100", "checkpoint.size=1 GB",
                           "checkpoint.snapshot_time=1 s"}),
            "");
  EXPECT_EQ(findings_with({"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=100",
                           "dataset.samples=1000"}),
            "");
}

TEST(CheckScenario, NamesEachContradiction) {
  const std::vector<Case> cases = {
      {{"loader.num_workers=0", "loader.prefetch_factor=2"}, "error contradiction /loader/prefetch_factor\n"},
      {{"loader.num_workers=0", "loader.persistent_workers=true"}, "error contradiction /loader/persistent_workers\n"},
      {{"dataset.samples=1000", "workload.batch_size=256", "cluster.nodes=4"},
       "error batch_exceeds_dataset /workload/batch_size\n"},
      {{"cluster.nodes=100000", "cluster.gpus_per_node=64", "cluster.cores_per_node=4096", "workload.batch_size=1e7",
        "dataset.samples=1e6"},
       "error batch_exceeds_dataset /workload/batch_size\n"},
      {{"loader.style=iterable"}, "error contradiction /loader/style\n"},
      {{"dataset.shuffle=shard"}, "error contradiction /dataset/shuffle\n"},
      {{"dataset.shuffle=buffer"}, "error missing_value /dataset/shuffle_buffer\n"},
      {{"dataset.samples=1000", "storage.capacity=50 MB"}, "error does_not_fit /storage/capacity\n"},
      {{"checkpoint.mode=sync"},
       "error missing_value /checkpoint/interval_steps\nerror missing_value /checkpoint/size\n"},
      {{"checkpoint.mode=sync", "checkpoint.interval_steps=5", "checkpoint.size=1 GB", "checkpoint.to_storage=false"},
       "error missing_value /checkpoint/write_bandwidth\n"},
      {{"checkpoint.mode=sync", "checkpoint.interval_steps=5", "checkpoint.size=1 GB", "storage.capacity=0.5 GB"},
       "error does_not_fit /checkpoint/size\n"},
      {{"loader.gpudirect=true"}, "error contradiction /loader/gpudirect\n"},
      {{"loader.gpudirect=true", "storage.gpudirect=true", "dataset.decode_time=1 ms"},
       "error contradiction /loader/decode_on\n"},
      {{"loader.gpudirect=true", "storage.gpudirect=true", "dataset.decode_time=1 ms", "loader.decode_on=gpu",
        "loader.gpu_decode_time=0.1 ms"},
       "warning unused /dataset/decode_time\n"},
      {{"run.whole_run=true"}, "error missing_value /run/steps_per_epoch\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(findings_with(c.overrides), c.findings) << c.overrides.front();
}

TEST(CheckScenario, AsksForWhatTheStepTimeNeeds) {
  EXPECT_EQ(findings_with({"workload.step_time_form=flops"}),
            "error missing_value /cluster/gpu_peak\nerror missing_value /workload/flops_per_sample\nwarning unused "
            "/workload/step_time\n");
  EXPECT_EQ(findings_with({"workload.step_time_form=samples_per_s"}),
            "error missing_value /workload/samples_per_s_per_gpu\nwarning unused /workload/step_time\n");
}

TEST(CheckScenario, WarnsOfWhatIsProbablyNotMeant) {
  const std::vector<Case> cases = {
      {{"loader.num_workers=9"}, "warning more_workers_than_cores /loader/num_workers\n"},
      {{"workload.mfu=0.5"}, "warning unused /workload/mfu\n"},
      {{"checkpoint.size=1 GB"}, "warning unused /checkpoint/size\n"},
      {{"loader.pin_bandwidth=1 GB/s"}, "warning unused /loader/pin_bandwidth\n"},
      {{"loader.interleave=4"}, "warning unused /loader/interleave\n"},
      {{"loader.style=threads", "loader.interleave=4"}, ""},
      {{"loader.style=threads", "loader.start_method=spawn"}, "warning unused /loader/start_method\n"},
      {{"loader.gpu_decode_time=1 ms"}, "warning unused /loader/gpu_decode_time\n"},
      {{"dataset.decompress_bandwidth=1 GB/s"}, "warning unused /dataset/decompress_bandwidth\n"},
      {{"dataset.compression_ratio=2"}, "warning missing_value /dataset/decompress_bandwidth\n"},
      {{"cluster.memory_per_node=1 MB"}, ""},
      {{"cluster.memory_per_node=1 MB", "workload.batch_size=10"}, "warning out_of_memory /loader/prefetch_factor\n"},
      {{"run.steps_per_epoch=11", "dataset.samples=10"}, "warning epoch_exceeds_dataset /run/steps_per_epoch\n"},
      {{"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=100", "dataset.shards_per_rank=3"},
       "warning idle_workers /loader/num_workers\n"},
      {{"cluster.nodes=2", "workload.gradient_bytes=1 GB"}, "warning no_effect /workload/gradient_bytes\n"},
      {{"cost.runs_per_month=30"}, "warning unused /cost/runs_per_month\n"},
      {{"cost.storage_lifetime=always", "cost.runs_per_month=30"}, ""},
      {{"cost.kept_checkpoints=3"}, "warning unused /cost/kept_checkpoints\n"},
      // 50 MB of samples leave room for 4 checkpoints of 1 GB on 5 GB
      {{"dataset.samples=500", "storage.capacity=5 GB", "checkpoint.mode=sync", "checkpoint.interval_steps=5",
        "checkpoint.size=1 GB", "cost.kept_checkpoints=5"},
       "warning does_not_fit /cost/kept_checkpoints\n"},
      {{"dataset.samples=500", "storage.capacity=5 GB", "checkpoint.mode=sync", "checkpoint.interval_steps=5",
        "checkpoint.size=1 GB", "cost.kept_checkpoints=4"},
       ""},
  };
  for (const Case& c : cases) EXPECT_EQ(findings_with(c.overrides), c.findings) << c.overrides.front();
}

TEST(CheckScenario, AnEmptyScenarioOnlyWarns) {
  const Findings findings = check_scenario(Scenario{}, {}, "a.json");
  EXPECT_FALSE(findings.has_errors());
  EXPECT_FALSE(findings.empty());
}

}  // namespace
}  // namespace stallcast
