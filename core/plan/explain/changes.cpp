#include "core/plan/explain/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/plan/explain/curve_values.h"
#include "core/scenario/check/check.h"
#include "core/scenario/data_path.h"
#include "core/timeline/interruptions.h"
#include "core/timeline/weeks.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

bool is_zero(const Distribution& distribution) { return mean_of(distribution) == 0.0; }

class ChangeList {
 public:
  explicit ChangeList(const Scenario& base) : base_(base), possible_(!check_scenario(base, {}, "").has_errors()) {}

  template <class Edit>
  void ideal(bool applies, std::string name, std::string phrase, Edit edit) {
    add(applies, ChangeKind::kIdeal, std::move(name), std::move(phrase), edit);
  }
  template <class Edit>
  void setting(bool applies, std::string name, std::string phrase, Edit edit) {
    add(applies, ChangeKind::kSetting, std::move(name), std::move(phrase), edit);
  }
  std::vector<Change> take() { return std::move(changes_); }

 private:
  template <class Edit>
  void add(bool applies, ChangeKind kind, std::string name, std::string phrase, Edit edit) {
    if (!applies) return;
    Change change{std::move(name), kind, std::move(phrase), base_};
    edit(change.scenario);
    if (possible_ && check_scenario(change.scenario, {}, "").has_errors()) return;  // no possible job
    changes_.push_back(std::move(change));
  }
  const Scenario& base_;
  bool possible_;  // the job as it is
  std::vector<Change> changes_;
};

void add_startup_change(const LoaderSpec& loader, ChangeList& list) {
  const LinearCost free;
  list.ideal(!(loader.start_call == free && loader.start_ready == free && loader.start_first == free &&
               loader.shutdown == free && loader.reset == free && loader.start_cpu.base() <= 0.0),
             "startup", "starting and stopping workers took no time", [&](Scenario& s) {
               s.loader.start_call = s.loader.start_ready = s.loader.start_first = free;
               s.loader.shutdown = s.loader.reset = free;
               s.loader.start_cpu = Seconds();
             });
}

// What limits bytes on their way from storage or a cache to a node, and the wait for the first of them.
void add_storage_changes(const Scenario& scenario, ChangeList& list) {
  const ClusterSpec& cluster = scenario.cluster;
  const StorageSpec& storage = scenario.storage;
  list.ideal(!is_zero(storage.latency) || !is_zero(storage.open_latency), "storage_latency", "storage answered at once",
             [](Scenario& s) { s.storage.latency = s.storage.open_latency = Distribution::constant(0.0); });
  list.ideal(storage.stream_bandwidth.base() > 0.0, "stream_cap", "a single stream had no rate limit",
             [](Scenario& s) { s.storage.stream_bandwidth = s.storage.stream_write_bandwidth = BytesPerSecond(); });
  list.ideal(storage.client_read_bandwidth.base() > 0.0 || cluster.nic_bandwidth.base() > 0.0, "client_cap",
             "a node's storage client and NIC had no limit", [](Scenario& s) {
               s.storage.client_read_bandwidth = s.storage.client_write_bandwidth = BytesPerSecond();
               s.cluster.nic_bandwidth = BytesPerSecond();
             });
  list.ideal(storage.read_bandwidth.base() > 0.0, "tier_bandwidth", "the storage tier had unlimited bandwidth",
             [](Scenario& s) {
               s.storage.read_bandwidth = s.storage.write_bandwidth = BytesPerSecond();
               s.storage.noise = 0.0;
             });
  const bool cached =
      scenario.page_cache.policy != CachePolicy::kNone || scenario.node_cache.policy != CachePolicy::kNone ||
      scenario.server_cache.policy != CachePolicy::kNone || scenario.regional_cache.policy != CachePolicy::kNone;
  list.ideal(cached, "cache_bandwidth", "caches had unlimited bandwidth", [](Scenario& s) {
    for (CacheSpec* cache : {&s.page_cache, static_cast<CacheSpec*>(&s.node_cache), &s.server_cache, &s.regional_cache})
      cache->read_bandwidth = cache->write_bandwidth = BytesPerSecond();
  });
}

void add_request_rate_changes(const StorageSpec& storage, ChangeList& list) {
  const bool limited = storage.read_iops.base() > 0.0, opens_limited = storage.metadata_rate.base() > 0.0;
  const bool throttled = storage.retry_base.base() > 0.0;  // refuses what is too much, and is asked again later
  list.ideal(limited, throttled ? "request_throttle" : "read_iops", "requests had no rate limit",
             [](Scenario& s) { s.storage.read_iops = PerSecond(); });
  list.ideal(opens_limited, "metadata_rate", "opens had no rate limit",
             [](Scenario& s) { s.storage.metadata_rate = PerSecond(); });
  list.ideal(limited && opens_limited, "request_rate", "requests and opens had no rate limit",
             [](Scenario& s) { s.storage.read_iops = s.storage.metadata_rate = PerSecond(); });
}

// What a node's cores do to a sample, and the order and the cost of handing over a batch.
void add_cpu_changes(const Scenario& scenario, ChangeList& list) {
  const DatasetSpec& data = scenario.dataset;
  const LoaderSpec& loader = scenario.loader;
  list.ideal(cpu_decode_s(scenario, mean_of(data.decode_time), mean_of(data.sample_size)) > 0.0, "cpu_decode",
             "decoding took no CPU time", [](Scenario& s) {
               s.dataset.decode_time = Distribution::constant(0.0);
               s.loader.host_decode_time = Seconds();
               if (s.loader.decode_on == DecodeDevice::kCpu) s.dataset.decompress_bandwidth = BytesPerSecond();
             });
  list.ideal(cpu_decode_s(scenario, mean_of(data.decode_time), mean_of(data.sample_size)) > 0.0, "double_cores",
             "a node had twice the cores", [](Scenario& s) { s.cluster.cores_per_node *= 2.0; });
  list.setting(loader.num_workers > 0 && loader.in_order, "loader_order", "loader.in_order to false",
               [](Scenario& s) { s.loader.in_order = false; });
  list.ideal(loader.worker_batch_cpu.base() > 0.0 || loader.consumer_batch_cpu.base() > 0.0 ||
                 loader.inline_batch_cpu.base() > 0.0 || loader.pipe_time.base() > 0.0 ||
                 loader.next_stored.base() > 0.0 || !loader.next_ready.empty(),
             "loader_overhead", "handing over a batch cost nothing", [](Scenario& s) {
               s.loader.worker_batch_cpu = s.loader.consumer_batch_cpu = s.loader.inline_batch_cpu = Seconds();
               s.loader.pipe_time = s.loader.next_stored = Seconds();
               s.loader.next_ready.clear();
             });
}

// What a batch costs from the host's memory on: the copy, the GPU's decoding, and the wait for the other ranks.
void add_gpu_changes(const Scenario& scenario, ChangeList& list) {
  const DatasetSpec& data = scenario.dataset;
  const LoaderSpec& loader = scenario.loader;
  list.ideal(scenario.cluster.host_to_device_bandwidth.base() > 0.0 || loader.pin_bandwidth.base() > 0.0,
             "host_to_device", "copies to the GPU took no time", [](Scenario& s) {
               s.cluster.host_to_device_bandwidth = BytesPerSecond();
               s.loader.pin_bandwidth = BytesPerSecond();
             });
  list.ideal(loader.decode_on == DecodeDevice::kGpu &&
                 (!is_zero(loader.gpu_decode_time) || gpu_decompress_s(scenario, mean_of(data.sample_size)) > 0.0),
             "gpu_decode", "decoding took no time of the GPU", [](Scenario& s) {
               s.loader.gpu_decode_time = Distribution::constant(0.0);
               s.dataset.decompress_bandwidth = BytesPerSecond();
             });
  list.ideal(scenario.workload.barrier_time.base() > 0.0 || scenario.workload.gradient_bytes.base() > 0.0 ||
                 (scenario.ranks() > 1 && standard_deviation_of(scenario.workload.step_time) > 0.0),
             "barrier", "all ranks took equal time and the barrier none", [](Scenario& s) {
               s.workload.barrier_time = Seconds();
               s.workload.gradient_bytes = Bytes();
               s.workload.step_time = Distribution::constant(mean_of(s.workload.step_time));
             });
}

void add_checkpoint_and_failure_changes(const Scenario& scenario, ChangeList& list) {
  const CheckpointSpec& checkpoint = scenario.checkpoint;
  const bool saves = checkpoint.mode != CheckpointMode::kNone &&
                     (checkpoint.cadence != CheckpointCadence::kSteps || checkpoint.interval_steps > 0);
  const bool interrupted = run_steps(scenario) > 0.0 && is_interrupted(scenario);
  list.ideal(saves && !interrupted, "checkpoint", "there were no checkpoints",
             [](Scenario& s) { s.checkpoint.mode = CheckpointMode::kNone; });
  // A run that is interrupted is lost without them.
  const auto save_at_once = [](Scenario& s) {
    s.checkpoint.mode = CheckpointMode::kAsync;
    s.checkpoint.snapshot_time = Seconds();
    s.checkpoint.first_level = CheckpointLevel::kStorage;
    s.checkpoint.to_storage = false;
    s.checkpoint.write_bandwidth = bytes_per_second(1e18);
  };
  list.ideal(saves && interrupted, "checkpoint", "checkpoints took no time", save_at_once);
  list.ideal(saves && interrupted && checkpoint.cadence == CheckpointCadence::kTime, "rework",
             "checkpoints took no time and came ten times as often", [&](Scenario& s) {
               save_at_once(s);
               s.checkpoint.interval = s.checkpoint.interval * 0.1;
             });
  list.ideal(interrupted, "recovery", "detection, replacement and restart took no time", [](Scenario& s) {
    FailureSpec& f = s.failures;
    f.detection_time = f.replacement_time = f.swap_time = f.restart_time = Seconds();
    f.outage_time = f.maintenance_time = f.preemption_wait = Seconds();
  });
}

// Data made ready before the training, and validation between its steps.
void add_staging_and_validation_changes(const Scenario& scenario, ChangeList& list) {
  const bool lists =
      scenario.storage.list_page_size > 0 && scenario.storage.list_latency.base() > 0.0 && scenario.dataset.samples > 0;
  list.ideal(lists || scenario.staging.method != StagingMethod::kNone, "staging",
             "names were listed and data staged in no time", [](Scenario& s) {
               s.storage.list_latency = Seconds();
               s.staging.method = StagingMethod::kNone;
             });
  list.ideal(scenario.workload.validation_steps > 0, "validation", "there was no validation",
             [](Scenario& s) { s.workload.validation_steps = 0; });
}

// How many workers load, how far ahead, and how long they live.
void add_worker_changes(const Scenario& scenario, ChangeList& list) {
  const LoaderSpec& loader = scenario.loader;
  const bool workers = loader.num_workers > 0;
  const std::int64_t more_workers = workers ? 2 * loader.num_workers : 2;
  list.setting(true, "double_workers", fmt::format("loader.num_workers {} to {}", loader.num_workers, more_workers),
               [&](Scenario& s) { s.loader.num_workers = more_workers; });
  // Waits are many times a core's work, or nothing loads beside the trainer yet.
  const double cores_per_rank = scenario.cluster.cores_per_node / static_cast<double>(scenario.cluster.gpus_per_node);
  const std::int64_t many_workers =
      workers ? 4 * loader.num_workers : std::max<std::int64_t>(4, static_cast<std::int64_t>(cores_per_rank));
  list.setting(many_workers <= kMostWorkersTried, "quadruple_workers",
               fmt::format("loader.num_workers {} to {}", loader.num_workers, many_workers),
               [&](Scenario& s) { s.loader.num_workers = many_workers; });
  list.setting(workers, "double_prefetch",
               fmt::format("loader.prefetch_factor {} to {}", loader.prefetch_factor, 2 * loader.prefetch_factor),
               [](Scenario& s) { s.loader.prefetch_factor *= 2; });
  list.setting(workers && !loader.persistent_workers && scenario.run.epochs > 1, "persistent_workers",
               "loader.persistent_workers to true", [](Scenario& s) { s.loader.persistent_workers = true; });
}

// How samples lie in files and requests, and where they are kept and decoded.
void add_layout_changes(const Scenario& scenario, ChangeList& list) {
  const DatasetSpec& data = scenario.dataset;
  const LoaderSpec& loader = scenario.loader;
  // An iterable loader gives each worker whole shards: with fewer shards than workers some have nothing to do.
  const auto loaders = static_cast<double>(scenario.ranks() * std::max<std::int64_t>(1, loader.num_workers));
  const double shards =
      static_cast<double>(data.samples) / static_cast<double>(std::max<std::int64_t>(1, data.samples_per_shard));
  constexpr double kShardsPerWorker = 4.0;
  const auto smaller = static_cast<std::int64_t>(static_cast<double>(data.samples) / (kShardsPerWorker * loaders));
  list.setting(loader.style == LoaderStyle::kIterable && data.layout == DatasetLayout::kShards && data.samples > 0 &&
                   data.shards_per_rank == 0 && shards < kShardsPerWorker * loaders && smaller >= 1,
               "smaller_shards", fmt::format("dataset.samples_per_shard {} to {}", data.samples_per_shard, smaller),
               [&](Scenario& s) { s.dataset.samples_per_shard = smaller; });
  list.setting(loader.style == LoaderStyle::kThreads && loader.interleave > 0, "double_interleave",
               fmt::format("loader.interleave {} to {}", loader.interleave, 2 * loader.interleave),
               [](Scenario& s) { s.loader.interleave *= 2; });
  const double request = data.request_size.base();
  list.setting(reads_page_by_page(scenario), "map_read_ahead", "dataset.page_by_page to false, a map with read-ahead",
               [](Scenario& s) { s.dataset.page_by_page = false; });
  list.setting(request > 0.0 && request < mean_of(data.sample_size) && !data.page_by_page, "larger_requests",
               fmt::format("dataset.request_size {} to {}", format_quantity(Dimension::kBytes, request),
                           format_quantity(Dimension::kBytes, 4.0 * request)),
               [](Scenario& s) { s.dataset.request_size = s.dataset.request_size * 4.0; });
  list.setting(loader.decode_on == DecodeDevice::kCpu && mean_of(loader.gpu_decode_time) > 0.0, "decode_on_gpu",
               "loader.decode_on to gpu", [](Scenario& s) { s.loader.decode_on = DecodeDevice::kGpu; });
  const ClusterSpec& cluster = scenario.cluster;
  list.setting(scenario.node_cache.policy == CachePolicy::kNone && cluster.local_read_bandwidth.base() > 0.0 &&
                   cluster.local_storage_per_node.base() > 0.0 && scenario.storage.scope == TierScope::kShared &&
                   scenario.run.epochs > 1 && data.samples > 0,
               "node_cache", "node_cache.policy to lru", [](Scenario& s) {
                 s.node_cache.policy = CachePolicy::kLru;
                 s.node_cache.capacity = s.cluster.local_storage_per_node;
                 s.node_cache.read_bandwidth = s.cluster.local_read_bandwidth;
                 s.node_cache.write_bandwidth = s.cluster.local_write_bandwidth;
               });
}

}  // namespace

std::vector<Change> possible_changes(const Scenario& scenario) {
  ChangeList list(scenario);
  add_startup_change(scenario.loader, list);
  add_storage_changes(scenario, list);
  add_request_rate_changes(scenario.storage, list);
  add_cpu_changes(scenario, list);
  add_gpu_changes(scenario, list);
  add_checkpoint_and_failure_changes(scenario, list);
  add_staging_and_validation_changes(scenario, list);
  add_worker_changes(scenario, list);
  add_layout_changes(scenario, list);
  return list.take();
}

std::size_t effort_of(std::string_view change) {
  constexpr std::array<std::string_view, 5> kLeastFirst = {"loader_order", "persistent_workers", "double_prefetch",
                                                           "double_workers", "quadruple_workers"};
  return static_cast<std::size_t>(std::find(kLeastFirst.begin(), kLeastFirst.end(), change) - kLeastFirst.begin());
}

std::optional<LostTime> cause_against(std::string_view change) {
  if (change == "read_iops" || change == "metadata_rate" || change == "request_throttle") return LostTime::kRequestRate;
  for (std::size_t c = 0; c < static_cast<std::size_t>(LostTime::kCount); ++c)
    if (lost_time_name(static_cast<LostTime>(c)) == change) return static_cast<LostTime>(c);
  return std::nullopt;
}

Point settings_between(const Scenario& now, const Scenario& then) {
  Point settings;
  for (const Field& field : field_table()) {
    std::string text = text_of_field(then, field.pointer);
    if (text != text_of_field(now, field.pointer)) settings.push_back({field.pointer, std::move(text)});
  }
  return settings;
}

}  // namespace stallcast
