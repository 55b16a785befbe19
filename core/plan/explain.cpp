#include "core/run/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/model/resource_graph.h"
#include "core/run/parallel.h"
#include "core/scenario/data_path.h"

namespace stallcast {
namespace {

// Gains below this are not told apart from chance: half a point, the default precision.
constexpr double kSmallestGain = 0.005;
// A bound is called reached when the simulated value is this near.
constexpr double kReached = 0.02;

bool is_zero(const Distribution& distribution) { return mean_of(distribution) == 0.0; }

class ChangeList {
 public:
  explicit ChangeList(const Scenario& base) : base_(base) {}

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
    Change change{{std::move(name), kind, std::move(phrase), {}, 0.0}, base_};
    edit(change.scenario);
    changes_.push_back(std::move(change));
  }
  const Scenario& base_;
  std::vector<Change> changes_;
};

// The causes that a binding resource shows up as, most likely first.
std::vector<LostTime> causes_of(const std::string& resource) {
  if (resource == "loader_workers") return {LostTime::kStorageLatency, LostTime::kCpuDecode, LostTime::kStreamCap};
  if (resource == "stream") return {LostTime::kStreamCap, LostTime::kStorageLatency};
  if (resource == "cpu_cores") return {LostTime::kCpuDecode};
  if (resource == "nic" || resource == "client_bandwidth") return {LostTime::kClientCap};
  if (resource == "tier_bandwidth") return {LostTime::kTierBandwidth};
  for (const char* cache :
       {"page_cache", "node_cache", "node_cache_fill", "server_cache", "regional_cache", "origin", "staging"})
    if (resource == cache) return {LostTime::kCacheBandwidth};
  if (resource == "read_iops" || resource == "metadata_rate") return {LostTime::kRequestRate};
  if (resource == "host_to_device" || resource == "pin_memory") return {LostTime::kHostToDevice};
  if (resource == "reading_streams") return {LostTime::kStorageLatency, LostTime::kStreamCap};
  if (resource == "batching") return {LostTime::kCpuDecode, LostTime::kHostToDevice};
  if (resource == "gpu_decode") return {LostTime::kGpuDecode};
  return {LostTime::kLoaderOverhead, LostTime::kBarrier};
}

// Why mean rates, which is all a bound knows, do not see a cause.
std::string_view unseen_by_bound(LostTime cause) {
  switch (cause) {
    case LostTime::kStartup:
      return "queues are empty when an epoch starts";
    case LostTime::kStorageLatency:
      return "latency varies, and workers wait for its slow tail";
    case LostTime::kStreamCap:
      return "large samples take a stream longer than the mean says";
    case LostTime::kClientCap:
      return "reads of a node collide and queue at its client";
    case LostTime::kTierBandwidth:
    case LostTime::kCacheBandwidth:
      return "reads collide and queue, although on average they fit";
    case LostTime::kRequestRate:
      return "requests come in bursts and queue";
    case LostTime::kCpuDecode:
      return "workers want the cores at the same moments";
    case LostTime::kLoaderOrder:
      return "batches are delivered in order, so one slow batch blocks finished ones";
    case LostTime::kLoaderOverhead:
      return "handing over a batch takes the trainer's own time";
    case LostTime::kHostToDevice:
      return "the copy to the GPU stands between batch and step";
    case LostTime::kGpuDecode:
      return "the GPU decodes before it computes";
    case LostTime::kBarrier:
      return "every step waits for its slowest rank";
    case LostTime::kCheckpoint:
      return "checkpoints stop training";
    case LostTime::kValidation:
      return "validation takes the GPUs from training";
    case LostTime::kCount:
      break;
  }
  return "";
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100.0 * fraction); }

// Lost time that the bound does not account for: what its binding resource must cost, 1 - bound, is taken off first.
std::string gap_reason(const RunResult& result, const Bound& bound) {
  const double gap = bound.gpu_utilization - result.gpu_utilization.mean;
  if (gap < -kReached) {
    return fmt::format("The simulated stretch is {:.1f} points above the bound: it is too short to be steady.",
                       -100.0 * gap);
  }
  if (gap < kReached && bound.binding_resource == "gpu") {
    return "The bound is reached: the trainer's own loop sets the pace (compute, hand-over, barrier).";
  }
  if (gap < kReached) return fmt::format("The bound is reached: {} sets the pace.", bound.binding_resource);
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> unexplained = result.lost_fraction;
  double accounted = 1.0 - bound.gpu_utilization;
  for (const LostTime cause : causes_of(bound.binding_resource)) {
    double& part = unexplained[static_cast<std::size_t>(cause)];
    const double taken = std::min(part, accounted);
    part -= taken;
    accounted -= taken;
  }
  const auto largest = std::max_element(unexplained.begin(), unexplained.end());
  const auto cause = static_cast<LostTime>(largest - unexplained.begin());
  return fmt::format("Simulated is {:.1f} points below the bound, which knows only mean rates: {}.", 100.0 * gap,
                     unseen_by_bound(cause));
}

std::string change_first(const Explanation& explanation) {
  const double now = explanation.result.gpu_utilization.mean;
  if (explanation.bottleneck == "gpu") return "Nothing: the GPUs are busy. Only faster GPUs train faster.";
  const Counterfactual* best = nullptr;
  const Counterfactual* setting = nullptr;
  for (const Counterfactual& change : explanation.counterfactuals) {
    if (change.gain < kSmallestGain) continue;
    if (best == nullptr) best = &change;
    if (setting == nullptr && change.kind == ChangeKind::kSetting) setting = &change;
  }
  if (best == nullptr) return "No single change buys anything: several parts must change together.";
  // A setting costs nothing to try, so it comes first unless it leaves most of the gain on the table.
  const Counterfactual& first = setting != nullptr && setting->gain >= 0.5 * best->gain ? *setting : *best;
  const std::string outcome =
      fmt::format("GPU utilization {} -> {}", percent(now), percent(first.gpu_utilization.mean));
  if (first.kind == ChangeKind::kSetting) return fmt::format("Set {}: {}.", first.phrase, outcome);
  return fmt::format("Look at {}: if {}, {}.", first.name, first.phrase, outcome);
}

// Runs every change that `stop` leaves time for; results land at their own index, so that order never shows.
std::vector<std::optional<RunResult>> run_all(const std::vector<Change>& changes, const RunOptions& options,
                                              const Simulation& run) {
  std::vector<std::optional<RunResult>> results(changes.size());
  parallel_for(static_cast<std::int64_t>(changes.size()), options.threads, [&](std::int64_t i) {
    if (options.stop.stop_requested()) return;
    const RunResult result = run(changes[static_cast<std::size_t>(i)].scenario, options);
    if (!options.stop.stop_requested()) results[static_cast<std::size_t>(i)] = result;
  });
  return results;
}

// What a change buys is told of the inputs as given: with an interval of its own each would take forty runs more.
// What holds training back between interruptions does not depend on them: no calendar has to be drawn again for it.
// Checkpoints stay as seldom as they were, by time, so that their stops are spread over the run as the calendar has
// them: among the few steps that are simulated there may be none.
Scenario undisturbed(const Scenario& scenario, const RunResult& result) {
  Scenario s = scenario;
  s.failures = FailureSpec();
  s.storage.mean_time_to_data_loss = Seconds();
  s.run.uncertain.clear();
  if (result.calendar.replications > 0 && s.checkpoint.mode != CheckpointMode::kNone) {
    s.checkpoint.cadence = CheckpointCadence::kTime;
    s.checkpoint.interval = seconds(result.calendar.checkpoint.interval_s);
  }
  return s;
}

}  // namespace

std::vector<Change> possible_changes(const Scenario& scenario) {
  const ClusterSpec& cluster = scenario.cluster;
  const WorkloadSpec& work = scenario.workload;
  const DatasetSpec& data = scenario.dataset;
  const LoaderSpec& loader = scenario.loader;
  const StorageSpec& storage = scenario.storage;
  const bool workers = loader.num_workers > 0;
  const LinearCost free;

  ChangeList list(scenario);
  list.ideal(!(loader.start_call == free && loader.start_ready == free && loader.start_first == free &&
               loader.shutdown == free && loader.reset == free),
             "startup", "starting and stopping workers took no time", [&](Scenario& s) {
               s.loader.start_call = s.loader.start_ready = s.loader.start_first = free;
               s.loader.shutdown = s.loader.reset = free;
             });
  list.ideal(!is_zero(storage.latency) || !is_zero(storage.open_latency), "storage_latency", "storage answered at once",
             [](Scenario& s) { s.storage.latency = s.storage.open_latency = Distribution::constant(0.0); });
  list.ideal(storage.stream_bandwidth.base() > 0.0, "stream_cap", "a single stream had no rate limit",
             [](Scenario& s) { s.storage.stream_bandwidth = BytesPerSecond(); });
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
  list.ideal(storage.read_iops.base() > 0.0 || storage.metadata_rate.base() > 0.0, "request_rate",
             "requests and opens had no rate limit",
             [](Scenario& s) { s.storage.read_iops = s.storage.metadata_rate = PerSecond(); });
  list.ideal(cpu_decode_s(scenario, mean_of(data.decode_time), mean_of(data.sample_size)) > 0.0, "cpu_decode",
             "decoding took no CPU time", [](Scenario& s) {
               s.dataset.decode_time = Distribution::constant(0.0);
               s.dataset.decompress_bandwidth = BytesPerSecond();
             });
  list.setting(workers && loader.in_order, "loader_order", "loader.in_order to false",
               [](Scenario& s) { s.loader.in_order = false; });
  list.ideal(loader.worker_batch_cpu.base() > 0.0 || loader.consumer_batch_cpu.base() > 0.0 ||
                 loader.inline_batch_cpu.base() > 0.0 || loader.pipe_time.base() > 0.0 ||
                 loader.next_stored.base() > 0.0 || !loader.next_ready.empty(),
             "loader_overhead", "handing over a batch cost nothing", [](Scenario& s) {
               s.loader.worker_batch_cpu = s.loader.consumer_batch_cpu = s.loader.inline_batch_cpu = Seconds();
               s.loader.pipe_time = s.loader.next_stored = Seconds();
               s.loader.next_ready.clear();
             });
  list.ideal(cluster.host_to_device_bandwidth.base() > 0.0 || loader.pin_bandwidth.base() > 0.0, "host_to_device",
             "copies to the GPU took no time", [](Scenario& s) {
               s.cluster.host_to_device_bandwidth = BytesPerSecond();
               s.loader.pin_bandwidth = BytesPerSecond();
             });
  list.ideal(loader.decode_on == DecodeDevice::kGpu &&
                 (!is_zero(loader.gpu_decode_time) || gpu_decompress_s(scenario, mean_of(data.sample_size)) > 0.0),
             "gpu_decode", "decoding took no time of the GPU", [](Scenario& s) {
               s.loader.gpu_decode_time = Distribution::constant(0.0);
               s.dataset.decompress_bandwidth = BytesPerSecond();
             });
  list.ideal(work.barrier_time.base() > 0.0 || work.gradient_bytes.base() > 0.0 ||
                 (scenario.ranks() > 1 && standard_deviation_of(work.step_time) > 0.0),
             "barrier", "all ranks took equal time and the barrier none", [](Scenario& s) {
               s.workload.barrier_time = Seconds();
               s.workload.gradient_bytes = Bytes();
               s.workload.step_time = Distribution::constant(mean_of(s.workload.step_time));
             });
  const CheckpointSpec& checkpoint = scenario.checkpoint;
  list.ideal(checkpoint.mode != CheckpointMode::kNone &&
                 (checkpoint.cadence != CheckpointCadence::kSteps || checkpoint.interval_steps > 0),
             "checkpoint", "there were no checkpoints", [](Scenario& s) { s.checkpoint.mode = CheckpointMode::kNone; });
  list.ideal(work.validation_steps > 0, "validation", "there was no validation",
             [](Scenario& s) { s.workload.validation_steps = 0; });
  const std::int64_t more_workers = workers ? 2 * loader.num_workers : 2;
  list.setting(true, "double_workers", fmt::format("loader.num_workers {} to {}", loader.num_workers, more_workers),
               [&](Scenario& s) { s.loader.num_workers = more_workers; });
  list.setting(workers, "double_prefetch",
               fmt::format("loader.prefetch_factor {} to {}", loader.prefetch_factor, 2 * loader.prefetch_factor),
               [](Scenario& s) { s.loader.prefetch_factor *= 2; });
  list.setting(workers && !loader.persistent_workers && scenario.run.epochs > 1, "persistent_workers",
               "loader.persistent_workers to true", [](Scenario& s) { s.loader.persistent_workers = true; });
  return list.take();
}

Explanation explain(const Scenario& scenario, const RunOptions& options, const Simulation& run) {
  Explanation explanation;
  explanation.bound = utilization_bound(scenario);
  RunOptions first = options;
  first.find_optimal_interval = true;
  explanation.result = run(scenario, first);
  explanation.bottleneck = bottleneck_name(explanation.result);
  explanation.gap_reason = gap_reason(explanation.result, explanation.bound);
  explanation.checkpoint_interval = explain_interval(scenario, explanation.result);

  RunOptions quiet = options;
  quiet.trace = nullptr;
  quiet.progress = nullptr;
  quiet.journal.clear();  // it keeps the calendars of one scenario
  const std::vector<Change> changes = possible_changes(undisturbed(scenario, explanation.result));
  const std::vector<std::optional<RunResult>> results = run_all(changes, quiet, run);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!results[i]) {
      explanation.complete = false;
      continue;
    }
    Counterfactual found = changes[i].what;
    found.gpu_utilization = results[i]->gpu_utilization;
    found.gain = found.gpu_utilization.mean - explanation.result.gpu_utilization.mean;
    explanation.counterfactuals.push_back(std::move(found));
  }
  std::stable_sort(explanation.counterfactuals.begin(), explanation.counterfactuals.end(),
                   [](const Counterfactual& a, const Counterfactual& b) { return a.gain > b.gain; });
  explanation.change_first = change_first(explanation);
  return explanation;
}

Explanation explain(const Scenario& scenario, const RunOptions& options) {
  return explain(scenario, options, simulate);
}

}  // namespace stallcast
