#include "tests/properties/random_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/scenario/run_length.h"

namespace stallcast {

Distribution random_distribution(Dice& dice, double mean) {
  Distribution d = Distribution::constant(mean);
  if (dice.chance(0.4)) return d;
  d.kind = static_cast<DistributionKind>(dice.whole(0, static_cast<int>(DistributionKind::kEmpirical)));
  d.sd = 0.3 * mean;
  d.sigma = dice.uniform(0.1, 1.0);
  d.shape = dice.uniform(0.5, 5.0);
  d.low = 0.5 * mean;
  d.high = 1.5 * mean;
  d.fast = 0.8 * mean;
  d.slow = 5.0 * mean;
  d.slow_probability = 0.05;
  d.quantiles = {0.2 * mean, 0.6 * mean, mean, 1.1 * mean, 2.0 * mean};
  return d;
}

namespace {

void draw_cluster(Dice& dice, Scenario& s) {
  s.cluster.nodes = dice.whole(1, 3);
  s.cluster.gpus_per_node = dice.whole(1, 3);
  s.cluster.cores_per_node = static_cast<double>(dice.whole(1, 12));
  s.cluster.core_sharing = static_cast<CoreSharing>(dice.whole(0, 2));
  if (dice.chance(0.3)) s.cluster.host_to_device_bandwidth = bytes_per_second(dice.uniform(50e6, 1e9));
  if (dice.chance(0.5)) s.cluster.gpu_link_bandwidth = bytes_per_second(1e9);
}

void draw_workload(Dice& dice, Scenario& s) {
  s.workload.batch_size = dice.whole(1, 6);
  s.workload.step_time_form = static_cast<StepTimeForm>(dice.whole(0, 2));
  s.workload.step_time = random_distribution(dice, 0.02);
  s.workload.samples_per_s_per_gpu = per_second(static_cast<double>(s.workload.batch_size) / 0.02);
  s.workload.flops_per_sample = Flops::from_base(1e12);
  s.workload.mfu = 0.5;
  s.cluster.gpu_peak = FlopsPerSecond::from_base(1e14 * static_cast<double>(s.workload.batch_size));
  if (dice.chance(0.3)) s.workload.gradient_accumulation = dice.whole(2, 3);
  if (dice.chance(0.4)) s.workload.gradient_bytes = bytes(dice.uniform(1e6, 1e7));
  s.workload.allreduce_overlap = dice.chance(0.5) ? dice.uniform(0.0, 1.0) : 0.0;
  if (dice.chance(0.3)) s.workload.barrier_time = microseconds(dice.uniform(10, 500));
  if (dice.chance(0.3)) {
    s.workload.validation_steps = dice.whole(1, 4);
    s.workload.validation_step_time = milliseconds(10);
  }
}

void draw_loader(Dice& dice, Scenario& s) {
  LoaderSpec& l = s.loader;
  l.style = dice.chance(0.35) ? LoaderStyle::kIterable : LoaderStyle::kMap;
  l.num_workers = dice.whole(0, 4);
  l.prefetch_factor = dice.whole(1, 3);
  l.persistent_workers = l.num_workers > 0 && dice.chance(0.5);
  l.in_order = dice.chance(0.6);
  l.pin_memory = dice.chance(0.3);
  if (dice.chance(0.5)) l.pin_bandwidth = bytes_per_second(dice.uniform(50e6, 1e9));
  l.start_method = dice.chance(0.5) ? StartMethod::kFork : StartMethod::kSpawn;
  if (dice.chance(0.5)) l.worker_batch_cpu = milliseconds(dice.uniform(0.0, 5.0));
  if (dice.chance(0.5)) l.consumer_batch_cpu = milliseconds(dice.uniform(0.0, 2.0));
  if (dice.chance(0.5)) l.inline_batch_cpu = milliseconds(dice.uniform(0.0, 2.0));
  if (dice.chance(0.4)) l.next_ready = {{seconds(0), milliseconds(0.2)}, {milliseconds(20), milliseconds(1)}};
  if (dice.chance(0.4)) l.next_stored = milliseconds(0.1);
  if (dice.chance(0.5)) {
    l.start_call = {milliseconds(1), milliseconds(dice.uniform(0.0, 10.0))};
    l.start_ready = {milliseconds(2), milliseconds(dice.uniform(0.0, 20.0))};
    l.shutdown = {milliseconds(3), milliseconds(1)};
    l.reset = {milliseconds(1), milliseconds(1)};
  }
}

void draw_dataset(Dice& dice, Scenario& s) {
  DatasetSpec& d = s.dataset;
  d.layout = static_cast<DatasetLayout>(dice.whole(0, 3));
  if (s.loader.style == LoaderStyle::kIterable && d.layout == DatasetLayout::kFilePerSample)
    d.layout = DatasetLayout::kShards;
  const bool sharded = d.layout == DatasetLayout::kShards || d.layout == DatasetLayout::kColumnar;
  d.shuffle = static_cast<Shuffle>(dice.whole(0, 3));
  if (d.shuffle == Shuffle::kShard && !sharded) d.shuffle = Shuffle::kGlobal;
  d.shuffle_buffer = d.shuffle == Shuffle::kBuffer ? 100 : 0;
  d.sample_size = random_distribution(dice, 100e3);
  d.samples_per_shard = dice.whole(1, 12);
  d.shards_per_rank = dice.whole(1, 12);
  if (d.layout == DatasetLayout::kColumnar) d.wanted_fraction = dice.uniform(0.1, 1.0);
  if (dice.chance(0.4)) d.request_size = bytes(dice.uniform(20e3, 400e3));
  if (dice.chance(0.6)) d.decode_time = random_distribution(dice, dice.uniform(0.5e-3, 10e-3));
  if (dice.chance(0.4)) d.decode_size_correlation = dice.uniform(-1.0, 1.0);
  if (dice.chance(0.3)) d.tensor_size = bytes(150e3);
}

void draw_storage(Dice& dice, Scenario& s) {
  // 5 MB/s of each sample a batch has, at the step time of 20 ms.
  const double needed = 5e6 * static_cast<double>(s.workload.batch_size * s.ranks());
  StorageSpec& t = s.storage;
  t.scope = dice.chance(0.3) ? TierScope::kPerNode : TierScope::kShared;
  if (dice.chance(0.6)) t.latency = random_distribution(dice, dice.uniform(0.1e-3, 20e-3));
  if (dice.chance(0.4)) t.open_latency = random_distribution(dice, dice.uniform(0.1e-3, 10e-3));
  if (dice.chance(0.6)) t.read_bandwidth = bytes_per_second(needed * dice.uniform(0.3, 3.0));
  if (dice.chance(0.5)) t.write_bandwidth = bytes_per_second(needed * dice.uniform(0.3, 3.0));
  t.duplex = dice.chance(0.6);
  if (dice.chance(0.3)) t.client_read_bandwidth = bytes_per_second(needed * dice.uniform(0.2, 2.0));
  if (dice.chance(0.3)) t.client_write_bandwidth = bytes_per_second(needed * dice.uniform(0.2, 2.0));
  if (dice.chance(0.3)) s.cluster.nic_bandwidth = bytes_per_second(needed * dice.uniform(0.2, 2.0));
  if (dice.chance(0.3)) t.stream_bandwidth = bytes_per_second(dice.uniform(5e6, 50e6));
  if (dice.chance(0.3)) t.read_iops = per_second(needed / 100e3 * dice.uniform(0.3, 5.0));
  if (dice.chance(0.3)) t.metadata_rate = per_second(needed / 100e3 * dice.uniform(0.3, 5.0));
  if (dice.chance(0.3)) t.service_quantum = milliseconds(dice.uniform(0.2, 4.0));
  if (dice.chance(0.3)) t.noise = dice.uniform(0.0, 0.5);
}

void draw_checkpoint(Dice& dice, Scenario& s) {
  CheckpointSpec& c = s.checkpoint;
  c.mode = static_cast<CheckpointMode>(dice.whole(0, 2));
  if (c.mode == CheckpointMode::kNone) return;
  c.interval_steps = dice.whole(3, 20);
  c.size_per_writer = bytes(dice.uniform(0.1e6, 3e6));
  c.writers = dice.chance(0.5) ? CheckpointWriters::kRank0 : CheckpointWriters::kAll;
  if (c.mode == CheckpointMode::kAsync) c.snapshot_time = milliseconds(dice.uniform(0.0, 5.0));
  c.to_storage = dice.chance(0.6);
  c.write_bandwidth = bytes_per_second(100e6);
}

// Pools of threads, decoding on the GPU, compressed samples, GPUDirect Storage: with dice of their own, thrown last.
void draw_variety(Dice& dice, Scenario& s) {
  LoaderSpec& l = s.loader;
  DatasetSpec& d = s.dataset;
  if (l.style == LoaderStyle::kMap && dice.chance(0.4)) {
    l.style = LoaderStyle::kThreads;
    l.interleave = dice.whole(0, 3);
    if (d.shuffle == Shuffle::kBuffer) d.shuffle_buffer = dice.whole(1, 30);
    if (dice.chance(0.3)) l.pipe_time = milliseconds(dice.uniform(0.0, 3.0));
  }
  if (l.style == LoaderStyle::kIterable && l.num_workers > 0 && dice.chance(0.4)) l.read_ahead = dice.whole(1, 20);
  if (d.shuffle == Shuffle::kBuffer && dice.chance(0.4)) d.shuffle_initial = dice.whole(1, 20);
  if (dice.chance(0.3)) d.compression_ratio = dice.uniform(1.0, 4.0);
  if (dice.chance(0.7)) d.decompress_bandwidth = bytes_per_second(dice.uniform(30e6, 1e9));
  if (dice.chance(0.25)) {
    l.decode_on = DecodeDevice::kGpu;
    if (dice.chance(0.8)) l.gpu_decode_time = random_distribution(dice, dice.uniform(0.1e-3, 3e-3));
    l.gpudirect = s.storage.gpudirect = dice.chance(0.4);
  }
}

}  // namespace

Scenario random_scenario(std::uint64_t number) {
  Dice dice(0x5ca1ab1e + number);
  Scenario s;
  s.name = fmt::format("random {}", number);
  draw_cluster(dice, s);
  draw_workload(dice, s);
  draw_loader(dice, s);
  draw_dataset(dice, s);
  draw_storage(dice, s);
  draw_checkpoint(dice, s);
  s.run.epochs = dice.whole(1, 3);
  s.run.steps_per_epoch = s.loader.style == LoaderStyle::kMap ? dice.whole(3, 40) : 0;
  Dice variety(0xdec0de + number);
  draw_variety(variety, s);
  const bool has_a_step = iterable_batches(s) >= s.workload.gradient_accumulation;
  if (s.loader.style == LoaderStyle::kIterable && !has_a_step)
    s.dataset.samples_per_shard = s.workload.batch_size * s.workload.gradient_accumulation;
  s.run.whole_run = true;
  s.run.seed = static_cast<std::int64_t>(number) + 1;
  return s;
}

std::string describe(const Scenario& s) {
  const auto n = [](auto value) { return static_cast<int>(value); };
  return fmt::format(
      "{}: {} nodes x {} ranks, {} cores ({}), batch {} x {}, {} epochs; layout {} shuffle {}, {} shards of {}, "
      "request {:.0f}; "
      "style {}, {} workers, prefetch {}, ahead {}, interleave {}, persistent {}, in order {}, pin {}; decode on {}, "
      "compressed "
      "{:.3g}, direct {}; scope {}, read {:.3g} B/s, client "
      "{:.3g}, "
      "stream {:.3g}, IOPS {:.3g}, opens {:.3g}/s, quantum {:.3g} s; checkpoint {} every {}",
      s.name, s.cluster.nodes, s.cluster.gpus_per_node, s.cluster.cores_per_node, n(s.cluster.core_sharing),
      s.workload.batch_size, s.workload.gradient_accumulation, s.run.epochs, n(s.dataset.layout), n(s.dataset.shuffle),
      s.dataset.shards_per_rank, s.dataset.samples_per_shard, s.dataset.request_size.base(), n(s.loader.style),
      s.loader.num_workers, s.loader.prefetch_factor, s.loader.read_ahead, s.loader.interleave,
      s.loader.persistent_workers, s.loader.in_order, s.loader.pin_memory, n(s.loader.decode_on),
      s.dataset.compression_ratio, s.loader.gpudirect, n(s.storage.scope), s.storage.read_bandwidth.base(),
      s.storage.client_read_bandwidth.base(), s.storage.stream_bandwidth.base(), s.storage.read_iops.base(),
      s.storage.metadata_rate.base(), s.storage.service_quantum.base(), n(s.checkpoint.mode),
      s.checkpoint.interval_steps);
}

}  // namespace stallcast
