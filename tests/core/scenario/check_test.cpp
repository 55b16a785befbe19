#include "core/scenario/check/check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

// A scenario that gives everything it needs; `overrides` then break it.
std::string findings_with(const std::vector<std::string>& overrides) {
  ScenarioFile file;
  Findings findings;
  for (const char* text : {"cluster.cores_per_node=8", "workload.step_time=100 ms", "dataset.sample_size=100 kB",
                           "storage.read_bandwidth=10 GB/s"}) {
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
  EXPECT_EQ(findings_with({"cluster.core_sharing=processor_sharing", "cluster.time_slice=0 s"}), "");
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
      {{"cluster.time_slice=0 s"}, "error out_of_range /cluster/time_slice\n"},
      {{"cluster.core_sharing=queue_per_core", "cluster.time_slice=0.4 ns"},
       "error out_of_range /cluster/time_slice\n"},
      {{"dataset.samples=1000", "workload.batch_size=256", "cluster.nodes=4"},
       "error batch_exceeds_dataset /workload/batch_size\n"},
      {{"cluster.nodes=100000", "cluster.gpus_per_node=64", "cluster.cores_per_node=4096", "workload.batch_size=1e7",
        "dataset.samples=1e6"},
       "error batch_exceeds_dataset /workload/batch_size\n"},
      // 2^23 * 2^22 * 2^19 = 2^64 samples in a step, 1e6 * 1e3 * 1e7 and 1e6 * 1e10 in an epoch
      {{"cluster.nodes=65536", "cluster.gpus_per_node=64", "cluster.cores_per_node=4096", "workload.batch_size=8388608",
        "workload.gradient_accumulation=524288"},
       "error out_of_range /workload/gradient_accumulation\n"},
      {{"run.steps_per_epoch=1e6", "workload.gradient_accumulation=1000", "workload.batch_size=1e7"},
       "error out_of_range /run/steps_per_epoch\n"},
      {{"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=1e10",
        "dataset.shards_per_rank=1e6"},
       "error out_of_range /dataset/shards_per_rank\n"},
      {{"loader.style=iterable"}, "error contradiction /loader/style\n"},
      // 4 shards of 3 samples: each of 4 workers has 3, which are no batch of 8
      {{"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=3", "dataset.shards_per_rank=4",
        "loader.num_workers=4", "workload.batch_size=8"},
       "error no_full_batch /workload/batch_size\n"},
      // one worker has all 12: one batch, but not the two of a step
      {{"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=3", "dataset.shards_per_rank=4",
        "loader.num_workers=1", "workload.batch_size=8", "workload.gradient_accumulation=2"},
       "error no_full_step /workload/gradient_accumulation\n"},
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
      {{"run.steps_per_epoch=13", "loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=3",
        "dataset.shards_per_rank=4", "loader.num_workers=1"},
       "warning epoch_exceeds_dataset /run/steps_per_epoch\n"},
      {{"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=100", "dataset.shards_per_rank=3"},
       "warning idle_workers /loader/num_workers\n"},
      {{"loader.style=iterable", "dataset.layout=shards", "dataset.samples_per_shard=3", "dataset.shards_per_rank=4",
        "loader.num_workers=1", "workload.batch_size=8"},
       ""},
      {{"cluster.nodes=2", "workload.gradient_bytes=1 GB"}, "warning no_effect /workload/gradient_bytes\n"},
      {{"cost.runs_per_month=30"}, "warning unused /cost/runs_per_month\n"},
      {{"cost.storage_lifetime=always", "cost.runs_per_month=30"}, ""},
      {{"cost.kept_checkpoints=3"}, "warning unused /cost/kept_checkpoints\n"},
      // 50 MB of samples leave room for 4 checkpoints of 1 GB on 5 GB: 3 that are kept, and the one being written
      {{"dataset.samples=500", "storage.capacity=5 GB", "checkpoint.mode=sync", "checkpoint.interval_steps=5",
        "checkpoint.size=1 GB", "cost.kept_checkpoints=4"},
       "warning does_not_fit /cost/kept_checkpoints\n"},
      {{"dataset.samples=500", "storage.capacity=5 GB", "checkpoint.mode=sync", "checkpoint.interval_steps=5",
        "checkpoint.size=1 GB", "cost.kept_checkpoints=3"},
       ""},
  };
  for (const Case& c : cases) EXPECT_EQ(findings_with(c.overrides), c.findings) << c.overrides.front();
}

// Overrides beside those that write 1 GB every 100 steps of 100 ms, synchronously and to storage, in a run of known
// length.
std::string with_checkpoint(std::vector<std::string> overrides) {
  const std::vector<std::string> base = {"checkpoint.mode=sync", "checkpoint.interval_steps=100",
                                         "checkpoint.size=1 GB", "run.steps_per_epoch=10000"};
  overrides.insert(overrides.begin(), base.begin(), base.end());
  return findings_with(overrides);
}

TEST(CheckScenario, ModelOfACheckpoint) {
  const auto modelled = [](std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), {"checkpoint.mode=sync", "checkpoint.interval_steps=100"});
    return findings_with(overrides);
  };
  EXPECT_EQ(modelled({}), "error missing_value /checkpoint/size\n");
  EXPECT_EQ(modelled({"model.parameters=1e9"}), "");
  EXPECT_EQ(modelled({"model.layers=4", "model.hidden_size=64"}), "error missing_value /model/ffn_hidden_size\n");
  const std::vector<std::string> small = {"model.layers=4", "model.hidden_size=64", "model.ffn_hidden_size=256",
                                          "model.vocab_size=1000", "model.attention_heads=6"};
  const auto also = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), small.begin(), small.end());
    return modelled(overrides);
  };
  EXPECT_EQ(also({}), "");
  EXPECT_EQ(also({"model.parameters=1e6"}),
            "warning unused /model/layers\nwarning unused /model/hidden_size\nwarning unused /model/ffn_hidden_size\n"
            "warning unused /model/vocab_size\nwarning unused /model/attention_heads\n");
  // 3 does not divide 8 ranks, 8 stages are more than 4 layers, 4 does not divide 6 heads
  EXPECT_EQ(also({"cluster.gpus_per_node=2", "cluster.nodes=4", "model.tensor_parallel=3"}),
            "error contradiction /model/tensor_parallel\n");
  EXPECT_EQ(also({"cluster.gpus_per_node=2", "cluster.nodes=4", "model.pipeline_parallel=8"}),
            "error contradiction /model/pipeline_parallel\n");
  EXPECT_EQ(also({"cluster.gpus_per_node=2", "cluster.nodes=4", "model.tensor_parallel=4"}),
            "error contradiction /model/tensor_parallel\n");
  EXPECT_EQ(
      also({"cluster.gpus_per_node=2", "cluster.nodes=4", "model.tensor_parallel=2", "model.pipeline_parallel=4"}), "");
  EXPECT_EQ(also({"model.kv_heads=7"}), "error contradiction /model/kv_heads\n");
  EXPECT_EQ(also({"model.optimizer=none", "model.optimizer_bytes_per_parameter=8"}),
            "warning unused /model/optimizer_bytes_per_parameter\n");
  EXPECT_EQ(with_checkpoint({"model.zero_stage=3"}), "warning unused /model/zero_stage\n");
  EXPECT_EQ(findings_with({"model.parameters=1e9"}), "warning unused /model/parameters\n");
}

TEST(CheckScenario, CadenceOfCheckpoints) {
  EXPECT_EQ(findings_with({"checkpoint.mode=sync", "checkpoint.size=1 GB", "checkpoint.cadence=time"}),
            "error missing_value /checkpoint/interval\n");
  EXPECT_EQ(findings_with({"checkpoint.mode=sync", "checkpoint.size=1 GB", "checkpoint.cadence=time",
                           "checkpoint.interval=10 min"}),
            "");
  EXPECT_EQ(findings_with({"checkpoint.mode=sync", "checkpoint.size=1 GB", "checkpoint.cadence=optimal"}),
            "error missing_value /run/steps_per_epoch\nerror missing_value /failures/mtti\n");
  EXPECT_EQ(findings_with({"checkpoint.mode=sync", "checkpoint.size=1 GB", "checkpoint.cadence=optimal",
                           "failures.mtti=10 h", "dataset.samples=100000"}),
            "");
  EXPECT_EQ(findings_with({"checkpoint.mode=sync", "checkpoint.size=1 GB", "checkpoint.cadence=epochs"}),
            "error missing_value /run/steps_per_epoch\n");
  EXPECT_EQ(findings_with({"checkpoint.mode=sync", "checkpoint.size=1 GB", "checkpoint.interval_steps=100",
                           "failures.mtti=10 h"}),
            "warning unused /failures/mtti\n");
  EXPECT_EQ(with_checkpoint({"checkpoint.cadence=epochs", "checkpoint.interval=1 h"}),
            "warning unused /checkpoint/interval_steps\nwarning unused /checkpoint/interval\n");
  EXPECT_EQ(with_checkpoint({"checkpoint.interval_epochs=2"}), "warning unused /checkpoint/interval_epochs\n");
  EXPECT_EQ(with_checkpoint({"checkpoint.when_busy=skip"}), "warning unused /checkpoint/when_busy\n");
}

// What a request takes of a device, only a device in a node can give.
TEST(CheckScenario, RequestsThatOccupyTheirDevice) {
  const std::vector<Case> cases = {
      {{"storage.latency_held_fraction=0.5"}, "error contradiction /storage/latency_held_fraction\n"},
      {{"storage.request_time=8 us"}, "error contradiction /storage/request_time\n"},
      {{"storage.scope=per_node", "storage.request_time=8 us", "storage.read_bandwidth=0 B/s"},
       "error missing_value /storage/read_bandwidth\n"},
      {{"storage.scope=per_node", "storage.request_time=8 us", "storage.latency_held_fraction=0.5",
        "storage.read_bandwidth=2 GB/s"},
       ""},
      {{"origin.scope=per_node", "origin.read_bandwidth=2 GB/s", "origin.request_time=8 us"},
       "error contradiction /origin/request_time\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(findings_with(c.overrides), c.findings) << c.overrides.back();
}

// 1 GB every 10 s of training.
TEST(CheckScenario, CheckpointsSlowerThanTheyAreDue) {
  EXPECT_EQ(with_checkpoint({"storage.write_bandwidth=101 MB/s"}), "");
  EXPECT_EQ(with_checkpoint({"storage.write_bandwidth=99 MB/s"}),
            "warning slow_checkpoint /checkpoint/interval_steps\n");
  EXPECT_EQ(with_checkpoint({"storage.client_write_bandwidth=99 MB/s"}),
            "warning slow_checkpoint /checkpoint/interval_steps\n");
  EXPECT_EQ(with_checkpoint({"storage.duplex=false", "storage.read_bandwidth=99 MB/s"}),
            "warning slow_checkpoint /checkpoint/interval_steps\n");
  const std::vector<std::string> async = {"checkpoint.mode=async", "checkpoint.snapshot_time=1 s"};
  const auto asynchronous = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), async.begin(), async.end());
    return with_checkpoint(overrides);
  };
  EXPECT_EQ(asynchronous({"storage.write_bandwidth=101 MB/s"}), "");
  EXPECT_EQ(asynchronous({"storage.write_bandwidth=99 MB/s"}), "warning slow_checkpoint /checkpoint/interval_steps\n");
  EXPECT_EQ(asynchronous({"checkpoint.snapshot_time=11 s"}), "warning slow_checkpoint /checkpoint/interval_steps\n");
  // To NVMe in 1 s; 20 s on to storage is more than the 10 s until the next, not more than the 20 s until every second.
  const std::vector<std::string> local = {"checkpoint.first_level=local_nvme", "cluster.local_write_bandwidth=1 GB/s",
                                          "storage.write_bandwidth=50 MB/s"};
  const auto levelled = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), local.begin(), local.end());
    return with_checkpoint(overrides);
  };
  EXPECT_EQ(levelled({}), "warning slow_checkpoint /checkpoint/storage_every\n");
  EXPECT_EQ(levelled({"checkpoint.storage_every=2"}), "");
  // A copy at 25 MB/s takes 40 s: every second of every second is due in time.
  const std::vector<std::string> copied = {"checkpoint.storage_every=2", "checkpoint.export_bandwidth=25 MB/s",
                                           "origin.write_bandwidth=1 GB/s"};
  auto each = copied, second = copied;
  each.emplace_back("checkpoint.export_every=1");
  second.emplace_back("checkpoint.export_every=2");
  EXPECT_EQ(levelled(each), "warning slow_checkpoint /checkpoint/export_every\n");
  EXPECT_EQ(levelled(second), "");
}

TEST(CheckScenario, LevelsOfACheckpoint) {
  const std::vector<Case> cases = {
      {{"checkpoint.storage_every=4"}, "error contradiction /checkpoint/storage_every\n"},
      {{"checkpoint.first_level=local_nvme"}, "error missing_value /cluster/local_write_bandwidth\n"},
      {{"checkpoint.first_level=peer_memory"}, "error contradiction /checkpoint/first_level\n"},
      {{"checkpoint.first_level=peer_memory", "cluster.nodes=2"}, ""},
      {{"checkpoint.size_per_writer=1 GB"}, "error contradiction /checkpoint/size_per_writer\n"},
      {{"checkpoint.size=0 B", "checkpoint.size_per_writer=1 GB"}, ""},
      {{"checkpoint.export_every=1"}, "error missing_value /origin/tier\n"},
      {{"checkpoint.export_every=1", "origin.tier=gcs_standard"}, ""},
      {{"checkpoint.export_bandwidth=1 GB/s"}, "warning unused /checkpoint/export_bandwidth\n"},
      {{"checkpoint.restore_efficiency=0.5"}, "warning unused /checkpoint/restore_efficiency\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(with_checkpoint(c.overrides), c.findings) << c.overrides.front();
}

// 1 GB of rank 0. NVMe keeps the last one while the next is written; peers hold one another's; 10 % of the memory and
// what the loader fills (under 10 MB) are not free.
TEST(CheckScenario, RoomForCheckpointsInTheMachine) {
  const std::vector<Case> cases = {
      {{"storage.capacity=0.9 GB"}, "error does_not_fit /checkpoint/size\n"},
      {{"storage.capacity=1.9 GB"}, "warning does_not_fit /checkpoint/size\n"},
      {{"storage.capacity=2 GB"}, ""},
      {{"storage.capacity=2 GB", "storage.scope=per_node", "cluster.nodes=4", "checkpoint.writers=all"}, ""},
      {{"storage.capacity=2 GB", "cluster.nodes=4", "checkpoint.writers=all"}, ""},
      {{"storage.capacity=2 GB", "cluster.nodes=4", "checkpoint.writers=all", "checkpoint.size=0 B",
        "checkpoint.size_per_writer=1 GB"},
       "error does_not_fit /checkpoint/size_per_writer\n"},
      {{"checkpoint.first_level=local_nvme", "cluster.local_write_bandwidth=1 GB/s",
        "cluster.local_storage_per_node=1.9 GB"},
       "error does_not_fit /checkpoint/first_level\n"},
      {{"checkpoint.first_level=local_nvme", "cluster.local_write_bandwidth=1 GB/s",
        "cluster.local_storage_per_node=2 GB"},
       ""},
      {{"checkpoint.first_level=peer_memory", "cluster.nodes=2", "cluster.memory_per_node=1.9 GB"},
       "error does_not_fit /checkpoint/first_level\n"},
      {{"checkpoint.first_level=peer_memory", "cluster.nodes=2", "cluster.memory_per_node=2.1 GB"},
       "warning does_not_fit /checkpoint/first_level\n"},
      {{"checkpoint.first_level=peer_memory", "cluster.nodes=2", "cluster.memory_per_node=2.5 GB"}, ""},
      {{"checkpoint.mode=async", "checkpoint.snapshot_time=1 s", "cluster.memory_per_node=0.9 GB"},
       "error does_not_fit /checkpoint/mode\n"},
      {{"checkpoint.mode=async", "checkpoint.snapshot_time=1 s", "cluster.memory_per_node=1.3 GB"}, ""},
  };
  for (const Case& c : cases) EXPECT_EQ(with_checkpoint(c.overrides), c.findings) << c.overrides.back();
}

TEST(CheckScenario, FailuresThatCannotBeOrAreNotAsked) {
  const std::vector<Case> cases = {
      {{"failures.mtti=0 s"}, "error out_of_range /failures/mtti\n"},
      {{"failures.mtti=8 h"}, ""},
      {{"failures.mtti=8 h", "failures.per_1000_node_days=6.5"}, "warning unused /failures/per_1000_node_days\n"},
      {{"failures.mtti=8 h", "failures.nodes_per_failure=2"}, "error out_of_range /failures/nodes_per_failure\n"},
      {{"failures.mtti=8 h", "failures.spares=2"}, "error out_of_range /failures/spares\n"},
      {{"failures.mtti=8 h", "failures.spares=2", "cluster.nodes=2"}, ""},
      {{"failures.spares=1"}, "warning unused /failures/spares\n"},
      {{"failures.mtti=8 h", "failures.node_loss_fraction=0", "failures.replacement_time=1 h"},
       "warning unused /failures/replacement_time\n"},
      {{"failures.mtti=8 h", "failures.repair_time=1 h"}, "warning unused /failures/repair_time\n"},
      {{"failures.weibull_shape=0.8"}, "warning unused /failures/weibull_shape\n"},
      {{"failures.mtti=8 h", "failures.law=weibull", "failures.weibull_shape=0.8"}, ""},
      {{"failures.law=weibull"}, "warning unused /failures/law\n"},
      {{"failures.outage_time=1 h"}, "warning unused /failures/outage_time\n"},
      {{"failures.outage_mtti=30 d"}, "warning missing_value /failures/outage_time\n"},
      {{"failures.outage_mtti=30 d", "failures.outage_time=1 h", "failures.outage_nodes=2"},
       "error out_of_range /failures/outage_nodes\n"},
      {{"failures.preemption_mtti=8 h"}, "warning unused /failures/preemption_mtti\n"},
      {{"failures.preemption_mtti=8 h", "cost.pricing=spot"}, ""},
      {{"failures.preemption_notice=30 s", "cost.pricing=spot"}, "warning unused /failures/preemption_notice\n"},
      {{"failures.maintenance_time=1 h"}, "warning unused /failures/maintenance_time\n"},
      {{"failures.maintenance_interval=14 d", "failures.maintenance_time=14 d"},
       "error contradiction /failures/maintenance_time\n"},
      {{"failures.restart_time=5 min"}, "warning unused /failures/restart_time\n"},
      {{"failures.maintenance_interval=14 d", "failures.restart_time=5 min"}, ""},
      {{"run.replications=50"}, "warning unused /run/replications\n"},
      {{"run.replications=50", "storage.mean_time_to_data_loss=60 d"}, ""},
      {{"failures.detection_time=5 min", "storage.mean_time_to_data_loss=60 d"}, ""},
      {{"failures.detection_time=5 min", "cost.pricing=spot", "failures.preemption_mtti=8 h"},
       "warning unused /failures/detection_time\n"},
      {{"storage.slow_server_factor=4"}, "warning unused /storage/slow_server_factor\n"},
      {{"storage.slow_server_fraction=0.1"}, "warning no_effect /storage/slow_server_factor\n"},
      {{"storage.slow_server_fraction=0.1", "storage.slow_server_factor=4"}, ""},
  };
  for (const Case& c : cases) EXPECT_EQ(with_checkpoint(c.overrides), c.findings) << c.overrides.back();
  EXPECT_EQ(findings_with({"failures.mtti=8 h", "run.steps_per_epoch=10000"}),
            "warning no_checkpoints /checkpoint/mode\n");
}

TEST(CheckScenario, ServingAndTrainingDoNotMix) {
  EXPECT_EQ(findings_with({"serving.weights=100 GB"}), "warning unused /serving/weights\n");
  // The base of this test gives a step time and a sample size.
  const std::string training = "warning unused /workload/step_time\nwarning unused /dataset/sample_size\n";
  EXPECT_EQ(findings_with({"job=serving", "serving.weights=100 GB"}), training);
  EXPECT_EQ(findings_with({"job=serving"}), "error missing_value /serving/weights\n" + training);
  EXPECT_EQ(findings_with({"job=serving", "serving.weights=100 GB", "checkpoint.mode=sync"}),
            "error contradiction /checkpoint/mode\n" + training);
  EXPECT_EQ(findings_with({"job=serving", "serving.weights=100 GB", "storage.capacity=99 GB"}),
            training + "error does_not_fit /serving/weights\n");
}

TEST(CheckScenario, WhatVariesIsSaidAsPathAndValues) {
  EXPECT_EQ(findings_with({"plan.vary=loader.num_workers=4,8"}), "");
  EXPECT_EQ(findings_with({"plan.vary=storage tier,workers"}),
            "error not_a_variable /plan/vary/0\nerror not_a_variable /plan/vary/1\n");
}

TEST(CheckScenario, AnEmptyScenarioOnlyWarns) {
  const Findings findings = check_scenario(Scenario{}, {}, "a.json");
  EXPECT_FALSE(findings.has_errors());
  EXPECT_FALSE(findings.empty());
}

}  // namespace
}  // namespace stallcast
