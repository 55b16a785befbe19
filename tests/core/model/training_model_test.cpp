// Steps, barriers and checkpoints to the nanosecond, worked out by hand.
#include "core/model/training_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>

#include "core/model/represented.h"
#include "core/run/simulate_once.h"
#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

double lost(const ModelRun& run, std::size_t step, LostTime cause) {
  return run.log.lost_s[step][static_cast<std::size_t>(cause)];
}

// Steps that each rank computes as long as `ranks` says, by micro-step.
ModelRun run_steps(const Scenario& s, const std::vector<std::vector<SimTime>>& ranks) {
  std::vector<ReplayedDraws::Rank> replay;
  for (const auto& step : ranks) replay.push_back({{}, {}, {}, in_seconds(step)});
  return run_model(s, std::move(replay));
}

// max(10, 20, 5) = 20, then max(30, 10, 15) = 30 on top; the others wait 10 + 15 and 20 + 15 ms.
TEST(TrainingModel, AStepEndsWithItsSlowestRank) {
  Scenario s = bare_job(2);
  s.cluster.gpus_per_node = 3;
  const ModelRun run = run_steps(s, {in_ms({10, 30}), in_ms({20, 10}), in_ms({5, 15})});
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({20, 50})));
  EXPECT_NEAR(lost(run, 0, LostTime::kBarrier), 0.025, 1e-12);
  EXPECT_NEAR(lost(run, 1, LostTime::kBarrier), 0.035, 1e-12);
}

// Ranks meet once per two micro-steps: max(10 + 20, 20 + 5) = 30, max(10 + 10, 5 + 40) = 45 on top.
TEST(TrainingModel, AccumulationMeetsOncePerStep) {
  Scenario s = bare_job(2);
  s.cluster.gpus_per_node = 2;
  s.workload.gradient_accumulation = 2;
  const ModelRun run = run_steps(s, {in_ms({10, 20, 10, 10}), in_ms({20, 5, 5, 40})});
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({30, 75})));
  EXPECT_THAT(run.log.compute_s, ElementsAre(DoubleNear(0.055, 1e-12), DoubleNear(0.065, 1e-12)));
}

// Two machines of two GPUs: each GPU sends 2 * 1/2 of half of 1 GB at 10 GB/s: 50 ms, half of it hidden; the barrier
// takes 1 ms more. One rank alone has nobody to meet.
TEST(TrainingModel, TheRingAllReduceThatComputeDoesNotHide) {
  Scenario s = bare_job(2);
  s.workload.gradient_bytes = bytes(1e9);
  s.cluster.gpu_link_bandwidth = bytes_per_second(10e9);
  s.workload.allreduce_overlap = 0.5;
  s.workload.barrier_time = milliseconds(1);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({10, 20})));
  s.cluster.nodes = 2;
  s.cluster.gpus_per_node = 2;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({36, 72})));
}

// 4 samples of 1 MB at 400 MB/s: 10 ms before each of two micro-steps of 10 ms.
TEST(TrainingModel, TheCopyPrecedesEveryMicroStep) {
  Scenario s = bare_job(2);
  s.workload.batch_size = 4;
  s.workload.gradient_accumulation = 2;
  s.dataset.tensor_size = bytes(1e6);
  s.cluster.host_to_device_bandwidth = bytes_per_second(400e6);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({40, 80})));
  EXPECT_DOUBLE_EQ(lost(run, 0, LostTime::kHostToDevice), 0.02);
  EXPECT_DOUBLE_EQ(run.log.first_wait_s[0], 0.01);
}

// Decoding 4 samples takes the GPU 4 * 0.5 ms before each step of 10 ms, and the CPU nothing: it computes for 10 / 12
// of the time, and the rest is lost to decoding.
TEST(TrainingModel, DecodingOnTheGpuComesBeforeComputing) {
  for (const LoaderStyle style : {LoaderStyle::kMap, LoaderStyle::kThreads}) {
    Scenario s = bare_job(3);
    s.workload.batch_size = 4;
    s.loader.style = style;
    s.dataset.decode_time = Distribution::constant(1.0);
    s.loader.decode_on = DecodeDevice::kGpu;
    s.loader.gpu_decode_time = Distribution::constant(0.0005);
    const ModelRun run = run_model(s);
    EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({12, 24, 36})));
    EXPECT_DOUBLE_EQ(lost(run, 2, LostTime::kGpuDecode), 0.002);
    EXPECT_DOUBLE_EQ(run.log.compute_s[2], 0.01);
  }
}

// Each sample has its own draw between 1 and 3 ms: 2 ms on average over 4000 of them.
TEST(TrainingModel, EverySampleHasItsOwnDecodingTime) {
  Scenario s = bare_job(2000);
  s.workload.batch_size = 2;
  s.loader.decode_on = DecodeDevice::kGpu;
  s.loader.gpu_decode_time.kind = DistributionKind::kUniform;
  s.loader.gpu_decode_time.low = 0.001;
  s.loader.gpu_decode_time.high = 0.003;
  double total = 0.0;
  const ModelRun run = run_model(s);
  for (const auto& step : run.log.lost_s) total += step[static_cast<std::size_t>(LostTime::kGpuDecode)];
  EXPECT_NEAR(total / 4000.0, 0.002, 0.00003);  // standard error: 0.58 ms / sqrt(4000)
}

// 1 MB decompresses to 3 MB at 1 GB/s: 3 ms a sample, as if decoding took 3 ms longer; on the GPU 2 * 3 ms a step.
TEST(TrainingModel, DecompressionIsExtraDecoding) {
  for (const LoaderStyle style : {LoaderStyle::kMap, LoaderStyle::kThreads}) {
    Scenario decode = bare_job(5);
    decode.loader.style = style;
    decode.workload.batch_size = 2;
    decode.dataset.sample_size = Distribution::constant(1e6);
    decode.dataset.decode_time = Distribution::constant(0.007);
    Scenario compressed = decode;
    compressed.dataset.compression_ratio = 3.0;
    compressed.dataset.decompress_bandwidth = bytes_per_second(1e9);
    decode.dataset.decode_time = Distribution::constant(0.010);
    EXPECT_EQ(run_model(compressed).end_ns, run_model(decode).end_ns);
    EXPECT_EQ(run_model(compressed).read_bytes, 10e6);
    compressed.loader.decode_on = DecodeDevice::kGpu;
    EXPECT_THAT(run_model(compressed).end_ns, ElementsAreArray(in_ms({16, 32, 48, 64, 80})));
  }
}

// Batches of 2 MB. Over the host: read in 2 ms (1 GB/s), pinned in 10 (200 MB/s), copied in 20 (100 MB/s): 42 ms to the
// first step, 30 for each later one. By DMA both links move them at once: 20 ms to the first step and for each later
// one, and nothing is copied or pinned.
TEST(TrainingModel, GpuDirectStorageReadsPastTheHost) {
  for (const LoaderStyle style : {LoaderStyle::kMap, LoaderStyle::kThreads}) {
    Scenario s = bare_job(4);
    s.loader.style = style;
    s.loader.num_workers = 2;
    s.loader.prefetch_factor = 2;
    s.workload.batch_size = 2;
    s.dataset.sample_size = Distribution::constant(1e6);
    s.storage.read_bandwidth = bytes_per_second(1e9);
    s.loader.pin_memory = true;
    s.loader.pin_bandwidth = bytes_per_second(200e6);
    s.cluster.host_to_device_bandwidth = bytes_per_second(100e6);
    const ModelRun host = run_model(s);
    EXPECT_EQ(host.end_ns[3] - host.end_ns[0], 90 * kMs);
    EXPECT_DOUBLE_EQ(lost(host, 3, LostTime::kHostToDevice), 0.02);
    s.loader.gpudirect = true;
    EXPECT_EQ(run_model(s).end_ns, host.end_ns);  // the storage cannot
    s.storage.gpudirect = true;
    const ModelRun direct = run_model(s);
    if (style == LoaderStyle::kThreads) {
      EXPECT_THAT(direct.end_ns, ElementsAreArray(in_ms({30, 50, 70, 90})));
    }
    EXPECT_EQ(direct.end_ns[3] - direct.end_ns[1], 40 * kMs);
    EXPECT_EQ(direct.read_bytes, host.read_bytes);
    s.cluster.host_to_device_bandwidth = {};  // then the path binds: 2 MB in 2 ms, hidden behind the steps
    EXPECT_EQ(run_model(s).end_ns[3], 42 * kMs + (style == LoaderStyle::kMap ? 2 * kMs : SimTime{0}));
  }
}

// 3 validation steps of 20 ms between the epochs, and after the last.
TEST(TrainingModel, ValidationFollowsEveryEpoch) {
  Scenario s = bare_job(2);
  s.run.epochs = 2;
  s.workload.validation_steps = 3;
  s.workload.validation_step_time = milliseconds(20);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 80, 90, 160})));
  EXPECT_EQ(run.finished, 160 * kMs);
  EXPECT_DOUBLE_EQ(lost(run, 1, LostTime::kValidation), 0.06);
  EXPECT_DOUBLE_EQ(lost(run, 2, LostTime::kValidation), 0.0);
}

// 100 samples in batches of 3 on 4 ranks are 8 whole steps; with 2 micro-steps each, 4.
TEST(TrainingModel, AnEpochHasTheWholeStepsOfItsDataset) {
  Scenario s = bare_job(0);
  s.dataset.samples = 100;
  s.workload.batch_size = 3;
  s.cluster.gpus_per_node = 4;
  EXPECT_EQ(run_model(s).end_ns.size(), 8u);
  s.workload.gradient_accumulation = 2;
  EXPECT_EQ(run_model(s).end_ns.size(), 4u);
}

// A batch takes 10 ms of a core, then 10 of compute. Two ranks' batches on one core run at half speed: 20 + 10.
TEST(TrainingModel, ProcessesShareTheCoresOfTheirNode) {
  Scenario s = bare_job(1);
  s.cluster.cores_per_node = 1;
  s.cluster.core_sharing = CoreSharing::kProcessorSharing;
  s.dataset.decode_time = Distribution::constant(0.01);
  s.loader.num_workers = 2;
  EXPECT_THAT(run_model(s).end_ns, ElementsAre(20 * kMs));
  s.cluster.gpus_per_node = 2;
  EXPECT_THAT(run_model(s).end_ns, ElementsAre(30 * kMs));
  s.cluster.gpus_per_node = 1;
  s.cluster.nodes = 2;  // a core for each
  EXPECT_THAT(run_model(s).end_ns, ElementsAre(20 * kMs));
}

// ------------------------------------------------------------------------------------------------- checkpoints

// 1 GB at 10 GB/s after every second step.
Scenario checkpointed(CheckpointMode mode, std::int64_t steps) {
  Scenario s = bare_job(steps);
  s.checkpoint.mode = mode;
  s.checkpoint.interval_steps = 2;
  s.checkpoint.size = bytes(1e9);
  s.checkpoint.write_bandwidth = bytes_per_second(10e9);
  s.checkpoint.to_storage = false;
  return s;
}

// 10, 20 + 100, 130, 140 + 100, 250.
TEST(Checkpoint, SynchronousOnesStopTraining) {
  const ModelRun run = run_model(checkpointed(CheckpointMode::kSync, 5));
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 120, 130, 240, 250})));
  EXPECT_EQ(run.checkpoints, 2);
  EXPECT_THAT(run.checkpoint_s, ElementsAre(DoubleNear(0.1, 1e-12), DoubleNear(0.1, 1e-12)));
  EXPECT_DOUBLE_EQ(lost(run, 1, LostTime::kCheckpoint), 0.1);
}

// Rank 0 writes, rank 1 waits; both then meet: 1 ms of barrier after each step and one more after the checkpoint.
TEST(Checkpoint, EveryoneWaitsForTheWriter) {
  Scenario s = checkpointed(CheckpointMode::kSync, 3);
  s.cluster.gpus_per_node = 2;
  s.workload.barrier_time = milliseconds(1);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({11, 123, 134})));
  EXPECT_NEAR(lost(run, 1, LostTime::kCheckpoint), 2 * 0.101, 1e-12);
}

// Through a tier of 10 GB/s: rank 0 alone takes 100 ms for 1 GB, and so do two ranks for half of it each; two that
// write 1 GB each share it: 200 ms.
TEST(Checkpoint, WritersShareTheStorage) {
  Scenario s = checkpointed(CheckpointMode::kSync, 2);
  s.cluster.nodes = 2;
  s.checkpoint.to_storage = true;
  s.storage.write_bandwidth = bytes_per_second(10e9);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({10, 120})));
  s.checkpoint.writers = CheckpointWriters::kAll;
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({10, 120})));
  s.checkpoint.size = Bytes();
  s.checkpoint.size_per_writer = bytes(1e9);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 220})));
  EXPECT_DOUBLE_EQ(run.written_bytes, 2e9);
}

// 100 GB of one writer at 1 GB/s take 100 s over whatever is the bottleneck, whether all 64 machines are simulated or
// eight stand for them. What is the writer's own is not shared with the machines that are not there.
TEST(Checkpoint, ALoneWriterOfManyMachinesTakesAsLongAsAmongFew) {
  const auto job_over = [](auto&& limit) {
    Scenario s = checkpointed(CheckpointMode::kSync, 2);
    s.cluster.nodes = 64;
    s.cluster.gpus_per_node = 8;
    s.checkpoint.size = bytes(100e9);
    s.checkpoint.to_storage = true;
    limit(s);
    return s;
  };
  const BytesPerSecond slow = bytes_per_second(1e9);
  const std::vector<Scenario> own = {job_over([&](Scenario& s) {
                                       s.checkpoint.to_storage = false;
                                       s.checkpoint.write_bandwidth = slow;
                                     }),
                                     job_over([&](Scenario& s) {
                                       s.checkpoint.first_level = CheckpointLevel::kLocalNvme;
                                       s.checkpoint.storage_every = 10;
                                       s.cluster.local_write_bandwidth = slow;
                                     }),
                                     job_over([&](Scenario& s) {
                                       s.checkpoint.first_level = CheckpointLevel::kPeerMemory;
                                       s.checkpoint.storage_every = 10;
                                       s.cluster.nic_bandwidth = slow;
                                     })};
  const std::vector<Scenario> stored = {job_over([&](Scenario& s) {
                                          s.storage.scope = TierScope::kPerNode;
                                          s.storage.write_bandwidth = slow;
                                        }),
                                        job_over([&](Scenario& s) { s.storage.client_write_bandwidth = slow; }),
                                        job_over([&](Scenario& s) { s.storage.write_bandwidth = slow; })};
  const auto check = [](const Scenario& job, double stored_bytes) {
    for (const Representatives group : {Representatives{64, 64}, representatives_of(job)}) {
      const Scenario s = represented(job, group);
      TrainingModel model(s, 1, nullptr, nullptr, nullptr, &job);
      model.run(std::numeric_limits<std::int64_t>::max(), [](std::int64_t) { return true; });
      ASSERT_EQ(model.checkpointer().log().size(), 1U);
      const CheckpointLog& log = model.checkpointer().log().front();
      EXPECT_NEAR(log.resumed_s - log.due_s, 100.0, 1e-6) << group.nodes << " nodes";
      EXPECT_NEAR(model.tier().written_bytes() / group.share(), stored_bytes, 1.0) << group.nodes << " nodes";
    }
  };
  for (const Scenario& job : own) check(job, 0.0);
  for (const Scenario& job : stored) check(job, 100e9);
}

// 10 B parameters in ZeRO stage 2: each of 512 ranks writes a part of 120 GB of optimizer state, which takes 12 s at
// 10 GB/s, and rank 0 alone 20 GB of weights as well: 2 s more, or 20 s where a machine writes 1 GB/s. To disks of its
// own, of 10 GB/s, the first machine writes 21.9 GB. Eight machines that stand for 64 take as long, and as much is
// written.
TEST(Checkpoint, WhatOneRankWritesMoreThanOthersTakesAsLongAmongFew) {
  for (const auto& [client, stop_s] : {std::pair(0.0, 14.0), std::pair(1e9, 32.0), std::pair(-1.0, 2.1875)}) {
    Scenario job = checkpointed(CheckpointMode::kSync, 2);
    job.cluster.nodes = 64;
    job.cluster.gpus_per_node = 8;
    job.checkpoint.size = Bytes();
    job.checkpoint.writers = CheckpointWriters::kAll;
    job.checkpoint.to_storage = true;
    job.model.parameters = 1e10;
    job.model.zero_stage = 2;
    job.storage.write_bandwidth = bytes_per_second(10e9);
    if (client < 0.0) job.storage.scope = TierScope::kPerNode;
    job.storage.client_write_bandwidth = bytes_per_second(std::max(0.0, client));
    for (const Representatives group : {Representatives{64, 64}, representatives_of(job)}) {
      const Scenario s = represented(job, group);
      TrainingModel model(s, 1, nullptr, nullptr, nullptr, &job);
      model.run(std::numeric_limits<std::int64_t>::max(), [](std::int64_t) { return true; });
      const CheckpointLog& log = model.checkpointer().log().front();
      EXPECT_NEAR(log.resumed_s - log.due_s, stop_s, 1e-3 * stop_s) << group.nodes << " nodes";
      EXPECT_NEAR(model.tier().written_bytes() / group.share(), 140e9, 1e3) << group.nodes << " nodes";
    }
  }
}

// A worker of 20 ms per batch feeds steps of 10, three batches ahead. The pause of 100 ms after step 4 fills the
// buffer, and the next three steps take 10 ms each:
//   loaded 20 40 60 80 | 100 120 140 (handed out at 40, 60, 80) | 210 (handed out at 190)
//   ended  30 50 70 190 | 200 210 220 | 230 + 100
TEST(Checkpoint, APauseRefillsTheBuffer) {
  Scenario s = checkpointed(CheckpointMode::kSync, 8);
  s.checkpoint.interval_steps = 4;
  s.loader.prefetch_factor = 3;
  s.storage.latency = Distribution::constant(0.02);
  EXPECT_THAT(run_model(s).end_ns, ElementsAreArray(in_ms({30, 50, 70, 190, 200, 210, 220, 330})));
}

// A snapshot of 5 ms, then 15 ms in the background: 10, 25 (written by 40), 35, 50, 60, 75.
TEST(Checkpoint, AsynchronousOnesStopForTheSnapshot) {
  Scenario s = checkpointed(CheckpointMode::kAsync, 6);
  s.checkpoint.size = bytes(150e6);
  s.checkpoint.snapshot_time = milliseconds(5);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 25, 35, 50, 60, 75})));
  EXPECT_EQ(run.finished, 90 * kMs);  // the last write goes on after the last step
}

// 50 ms of writing outlive the 20 ms between checkpoints: 10, 25 (written by 75), 35, then at 45 wait until 75: 80
// (by 130), 90, at 100 wait until 130: 135.
TEST(Checkpoint, AnUnfinishedWriteDelaysTheNext) {
  Scenario s = checkpointed(CheckpointMode::kAsync, 6);
  s.checkpoint.size = bytes(500e6);
  s.checkpoint.snapshot_time = milliseconds(5);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 25, 35, 80, 90, 135})));
  EXPECT_THAT(run.checkpoint_s,
              ElementsAre(DoubleNear(0.005, 1e-12), DoubleNear(0.035, 1e-12), DoubleNear(0.035, 1e-12)));
}

// Snapshots of 5 ms every 2 steps of 10 ms; a node's NVMe takes 10 ms for its 100 MB, the tier 40 ms. Checkpoints 2 and
// 4 go on to storage, and 4 is exported at 1 GB/s:
//   due at 20, 45, 70, 95; the fourth waits until 100, when the second is on storage
//   training again at 25, 50, 75, 105; on NVMe at 35, 60, 85, 115
//   second: 60 + 40 = 100 on storage; fourth: 115 + 40 = 155, exported in 100
TEST(Checkpoint, GoesFromLevelToLevel) {
  Scenario s = checkpointed(CheckpointMode::kAsync, 8);
  CheckpointSpec& c = s.checkpoint;
  c.interval_steps = 2;
  c.size = bytes(100e6);
  c.snapshot_time = milliseconds(5);
  c.first_level = CheckpointLevel::kLocalNvme;
  s.cluster.local_write_bandwidth = bytes_per_second(10e9);
  c.to_storage = true;
  s.storage.write_bandwidth = bytes_per_second(2.5e9);
  c.storage_every = 2;
  c.export_every = 2;
  c.export_bandwidth = bytes_per_second(1e9);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 25, 35, 50, 60, 75, 85, 105})));
  ASSERT_EQ(run.checkpoint_log.size(), 4U);
  const double never = CheckpointLog::kNotThere;
  const double first[] = {0.035, 0.060, 0.085, 0.115}, storage[] = {never, 0.100, never, 0.155};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(run.checkpoint_log[k].first_level_s, first[k], 1e-9) << k;
    EXPECT_NEAR(run.checkpoint_log[k].storage_s, storage[k], 1e-9) << k;
  }
  EXPECT_NEAR(run.checkpoint_log[3].exported_s, 0.255, 1e-9);
  EXPECT_DOUBLE_EQ(run.checkpoint_log[1].exported_s, never);
  EXPECT_DOUBLE_EQ(run.written_bytes, 2 * 100e6);
}

// Loading inside next(): a sample of 1 MB takes 10 ms of the card's 100 MB/s, and a step 10 more. From 40 on a copy of
// 2 MB to the peer's memory shares the card: sample 3 takes 20 ms (1 MB of the copy moved), the step that follows
// leaves the card to it (1 MB more by 70): steps end at 20, 40, 70, 90.
TEST(Checkpoint, ACopyToAPeerSharesTheCardWithReads) {
  Scenario s = checkpointed(CheckpointMode::kAsync, 4);
  CheckpointSpec& c = s.checkpoint;
  c.interval_steps = 2;
  c.size = bytes(2e6);
  c.first_level = CheckpointLevel::kPeerMemory;
  c.to_storage = true;
  c.storage_every = 1000;
  s.loader.num_workers = 0;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.cluster.nic_bandwidth = bytes_per_second(100e6);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({20, 40, 70, 90})));
  EXPECT_NEAR(run.checkpoint_log[0].first_level_s, 0.070, 1e-9);
}

// As AnUnfinishedWriteDelaysTheNext, but those that come too early are left out: the first is due at 20, training again
// at 25 and written by 75; the next two, at 45 and 65, find it under way; the fourth, at 85, does not.
TEST(Checkpoint, IsLeftOutWhileTheOneBeforeIsWritten) {
  Scenario s = checkpointed(CheckpointMode::kAsync, 8);
  s.checkpoint.interval_steps = 2;
  s.checkpoint.size = bytes(500e6);
  s.checkpoint.snapshot_time = milliseconds(5);
  s.checkpoint.when_busy = WhenBusy::kSkip;
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({10, 25, 35, 45, 55, 65, 75, 90})));
  EXPECT_EQ(run.checkpoints, 2);
}

// A synchronous checkpoint to NVMe stops training for that write alone: 10 + 10 (NVMe) while 40 ms of storage go on
// beside; the next is due at 30 and waits for storage until 60.
TEST(Checkpoint, TheNextWaitsForStorageToo) {
  Scenario s = checkpointed(CheckpointMode::kSync, 2);
  CheckpointSpec& c = s.checkpoint;
  c.interval_steps = 1;
  c.size = bytes(100e6);
  c.first_level = CheckpointLevel::kLocalNvme;
  s.cluster.local_write_bandwidth = bytes_per_second(10e9);
  c.to_storage = true;
  s.storage.write_bandwidth = bytes_per_second(2.5e9);
  const ModelRun run = run_model(s);
  EXPECT_THAT(run.end_ns, ElementsAreArray(in_ms({20, 70})));
  EXPECT_NEAR(run.checkpoint_log[1].backlog_s, 0.030, 1e-9);
}

// Half duplex at 100 MB/s, loading inside next(): a sample of 1 MB takes 10 ms alone and 20 beside the write. Steps 10
// + 10: 20, 40. The write of 2 MB starts at 40: shared with sample 2 until 60 (1 MB each), alone during the step of 10
// ms until 70, when its second MB is through. Steps end 70, 90.
TEST(Checkpoint, ABackgroundWriteSlowsTheReads) {
  Scenario s = checkpointed(CheckpointMode::kAsync, 4);
  s.loader.num_workers = 0;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.checkpoint.to_storage = true;
  s.checkpoint.size = bytes(2e6);
  s.storage.duplex = false;
  s.storage.read_bandwidth = bytes_per_second(100e6);
  const ModelRun run = run_model(s);
  const std::vector<SimTime> expected = in_ms({20, 40, 70, 90});
  ASSERT_EQ(run.end_ns.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(static_cast<double>(run.end_ns[k]), static_cast<double>(expected[k]), 8.0);
}

// ------------------------------------------------------------------------------------------------- results of a run

// One worker of 20 ms and steps of 10: ends 30, 50, 70, 90, 110; the first leaves k0 = 1 step of warm-up.
TEST(Measure, WorksTheNumbersOutOfTheSteps) {
  Scenario s = bare_job(5);
  s.workload.batch_size = 2;
  s.storage.latency = Distribution::constant(0.01);
  s.dataset.sample_size = Distribution::constant(1000);
  const RunResult result = simulate_replaying(s, nullptr, 1);
  EXPECT_EQ(result.steps, 5);
  EXPECT_EQ(result.samples, 10);
  EXPECT_NEAR(result.simulated_s, 0.11, 1e-12);
  EXPECT_NEAR(result.au, 0.05 / 0.11, 1e-12);
  EXPECT_NEAR(result.au_steady, 0.04 / 0.08, 1e-12);
  EXPECT_NEAR(result.gpu_utilization.mean, 0.05 / 0.11, 1e-12);
  EXPECT_NEAR(result.gpu_utilization_steady.mean, 0.5, 1e-12);
  EXPECT_NEAR(result.lost_fraction[static_cast<std::size_t>(LostTime::kStorageLatency)], 0.06 / 0.11, 1e-12);
  EXPECT_NEAR(result.samples_per_s, 10 / 0.11, 1e-9);
  EXPECT_NEAR(result.samples_per_s_steady, 100.0, 1e-9);
  EXPECT_NEAR(result.step_time_s.mean, 0.11 / 5, 1e-12);
  EXPECT_NEAR(result.time_to_first_batch_s, 0.02, 1e-12);
  EXPECT_NEAR(result.au_mlperf, 0.04 / (0.11 - 0.02 - 0.01), 1e-12);  // first wait and first compute left out
  EXPECT_NEAR(result.samples_per_s_mlperf, 10 / 0.11, 1e-9);
  EXPECT_NEAR(result.time_to_train_s, 0.11, 1e-12);
  EXPECT_DOUBLE_EQ(result.read_bytes, 10e3);
  EXPECT_TRUE(result.converged);
}

}  // namespace
}  // namespace stallcast
