#include "core/model/resource_graph.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/analytic/collective.h"
#include "core/model/loader/draws.h"
#include "core/model/storage/staging.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
// A serial loader (num_workers = 0) is what binds once it takes more than this share of the step.
constexpr double kSerialLoadShare = 0.02;

double per_sample(double rate, double amount) { return amount > 0.0 ? rate / amount : kUnlimited; }
// Scenario rates write "unlimited" as 0.
double limit(double rate) { return rate > 0.0 ? rate : kUnlimited; }

double smallest_limit(std::initializer_list<double> rates) {
  double smallest = kUnlimited;
  for (const double rate : rates) smallest = std::min(smallest, limit(rate));
  return smallest;
}

double count(std::int64_t n) { return static_cast<double>(n); }

// The measured curve at `gap_s`, linear between its points and level outside them.
double interpolated_s(const std::vector<CurvePoint>& curve, double gap_s) {
  if (curve.empty()) return 0.0;
  const auto above =
      std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& p) { return p.gap.base() >= gap_s; });
  if (above == curve.begin()) return curve.front().time.base();
  if (above == curve.end()) return curve.back().time.base();
  const CurvePoint& below = *std::prev(above);
  const double share = (gap_s - below.gap.base()) / (above->gap - below.gap).base();
  return std::lerp(below.time.base(), above->time.base(), share);
}

// The barrier and what compute does not hide of the all-reduce.
double exposed_sync_s(const Scenario& scenario) {
  if (scenario.ranks() < 2) return 0.0;
  const Seconds all_reduce = all_reduce_time(scenario.workload.gradient_bytes, scenario.cluster.nodes,
                                             scenario.cluster.gpus_per_node, scenario.cluster.gpu_link_bandwidth);
  return (scenario.workload.barrier_time + all_reduce * (1.0 - scenario.workload.allreduce_overlap)).base();
}

// What the trainer's own loop is called when it binds.
const char* consumer_name(const RankTimes& times) {
  if (times.serial_load_s > kSerialLoadShare * times.consumer_s) return "loader_workers";
  if (times.copy_s > std::max(times.compute_s, times.gpu_decode_s)) return "host_to_device";
  return times.gpu_decode_s > times.compute_s ? "gpu_decode" : "gpu";
}

ReadMix all_from_storage() {
  ReadMix mix;
  mix.served[index_of(ReadLevel::kStorage)] = 1.0;
  return mix;
}

// Share of the reads that leave the node's own memory and the nodes' caches.
double beyond_node(const ReadMix& mix) {
  double share = 0.0;
  for (std::size_t l = index_of(ReadLevel::kServerCache); l < kReadLevels; ++l) share += mix.served[l];
  return share;
}

// Requests of at most `request` bytes that `times` samples, read as one, take on average: large samples take several
// and small ones one each, which the mean size does not tell.
double mean_requests(const Distribution& size, double times, double request) {
  constexpr int kPoints = 256;
  const auto of = [&](double bytes) { return std::max(1.0, std::ceil(times * bytes / request)); };
  if (size.kind == DistributionKind::kConstant) return of(size.mean);
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) sum += of(quantile_of(size, (i + 0.5) / kPoints));
  return sum / kPoints;
}

}  // namespace

SampleDemand sample_demand(const Scenario& scenario) {
  const DatasetSpec& data = scenario.dataset;
  const double size = mean_of(data.sample_size);
  const double per_shard = count(std::max<std::int64_t>(1, data.samples_per_shard));
  const double request = data.request_size.base();
  const bool in_file_order = reads_in_file_order(scenario);
  const bool opens_files = scenario.loader.style == LoaderStyle::kIterable ||
                           (scenario.loader.style == LoaderStyle::kThreads && in_file_order);

  SampleDemand demand{size, 0.0, 1.0, 0.0};
  if (data.layout == DatasetLayout::kFilePerSample) demand.opens += 1.0;
  if (opens_files) demand.opens += 1.0 / per_shard;
  if (in_file_order && request > 0.0) {
    demand.waits = size / request;  // read ahead in whole requests: many samples share one
    demand.requests = demand.waits;
    return demand;
  }
  const double together = data.layout == DatasetLayout::kColumnar && !in_file_order ? per_shard : 1.0;
  demand.read_bytes = size * together;
  demand.requests = request > 0.0 ? mean_requests(data.sample_size, together, request) : 1.0;
  return demand;
}

RankTimes rank_times(const Scenario& scenario) { return rank_times(scenario, all_from_storage()); }

RankTimes rank_times(const Scenario& scenario, const ReadMix& mix) {
  const LoaderSpec& loader = scenario.loader;
  const WorkloadSpec& work = scenario.workload;
  const StorageSpec& storage = scenario.storage;
  const SampleDemand demand = sample_demand(scenario);
  const double batch = count(work.batch_size);

  // A device inside the node is not behind its NIC.
  const double nic = scenario.cluster.usable_nic().base();
  const double card = storage.scope == TierScope::kShared ? nic : 0.0;
  const double stream = storage.stream_bandwidth.base(), client = storage.client_read_bandwidth.base();
  const double tier = storage.read_bandwidth.base() * (1.0 - storage.noise);
  const double dma = bypasses_host(scenario) ? scenario.cluster.host_to_device_bandwidth.base() : 0.0;
  const bool lazy = scenario.staging.method == StagingMethod::kLazy;
  const StorageSpec& origin = scenario.origin;
  struct Path {
    ReadLevel level;
    double bytes_per_s;
    double latency_s;
  };
  const double tier_latency = mean_of(storage.latency);
  const double node_cache = scenario.node_cache.read_bandwidth.base();
  const Path paths[] = {
      {ReadLevel::kPageCache, limit(scenario.page_cache.read_bandwidth.base()), mean_of(scenario.page_cache.latency)},
      {ReadLevel::kNodeCache, limit(node_cache), mean_of(scenario.node_cache.latency)},
      {ReadLevel::kPeerCache, smallest_limit({node_cache, nic}), mean_of(scenario.node_cache.latency)},
      {ReadLevel::kServerCache, smallest_limit({stream, client, card, scenario.server_cache.read_bandwidth.base()}),
       mean_of(scenario.server_cache.latency)},
      {ReadLevel::kRegionalCache, smallest_limit({stream, client, card, scenario.regional_cache.read_bandwidth.base()}),
       mean_of(scenario.regional_cache.latency)},
      {ReadLevel::kStorage, smallest_limit({stream, client, card, tier, dma}), tier_latency},
      {ReadLevel::kOrigin,
       smallest_limit({origin.stream_bandwidth.base(), origin.read_bandwidth.base() * (1.0 - origin.noise),
                       lazy ? scenario.staging.bandwidth.base() : nic}),
       mean_of(origin.latency) + (lazy ? tier_latency : 0.0)},
  };
  double transfer_s = 0.0, wait_s = 0.0;
  for (const Path& path : paths) {
    const double share = mix.served[index_of(path.level)];
    if (share <= 0.0) continue;
    transfer_s += share * batch * demand.read_bytes / path.bytes_per_s;
    wait_s += share * path.latency_s;
  }
  const double stored_bytes = mean_of(scenario.dataset.sample_size);
  const double decode_s = batch * cpu_decode_s(scenario, mean_of(scenario.dataset.decode_time), stored_bytes);
  const double latency_s =
      batch * (demand.opens * beyond_node(mix) * mean_of(storage.open_latency) + demand.waits * wait_s);
  const double fetch_s = latency_s + transfer_s + decode_s;
  const bool serial = loader.num_workers == 0;
  const bool threads = loader.style == LoaderStyle::kThreads && !serial;
  const bool streams = reading_streams(scenario) > 0;
  const bool pinned = loader.pin_memory && !serial;
  const bool pin_thread = pinned && !threads;  // a pool's assembler pins its batches itself

  RankTimes times;
  times.compute_s = mean_of(micro_step_time(scenario)) + work.step_return_cpu.base();
  const double host_bytes = bypasses_host(scenario) ? 0.0 : batch * handed_over_bytes(scenario);
  times.copy_s = host_bytes / limit(scenario.cluster.host_to_device_bandwidth.base());
  if (loader.decode_on == DecodeDevice::kGpu)
    times.gpu_decode_s = batch * (mean_of(loader.gpu_decode_time) + gpu_decompress_s(scenario, stored_bytes));
  const double collate_s = loader.worker_batch_cpu.base();
  const double pin_copy_s = pinned ? host_bytes / limit(loader.pin_bandwidth.base()) : 0.0;
  times.serial_load_s = serial ? fetch_s + loader.inline_batch_cpu.base() : 0.0;
  if (threads) {
    times.worker_batch_s = streams ? decode_s : fetch_s;
    times.stream_batch_s = streams ? latency_s + transfer_s : 0.0;
    times.assemble_batch_s = std::max(collate_s, loader.pipe_time.base()) + pin_copy_s;
    const double reading_s = latency_s + transfer_s + (streams ? 0.0 : decode_s);
    times.transfer_share = reading_s > 0.0 ? transfer_s / reading_s : 0.0;
  } else if (streams) {  // a worker's reading thread works beside it
    times.worker_batch_s = decode_s + collate_s;
    times.stream_batch_s = latency_s + transfer_s;
    times.transfer_share = times.stream_batch_s > 0.0 ? transfer_s / times.stream_batch_s : 0.0;
  } else {
    times.worker_batch_s = serial ? 0.0 : fetch_s + collate_s;
    times.transfer_share = fetch_s > 0.0 ? transfer_s / (fetch_s + collate_s) : 0.0;
  }

  const double step_s = times.compute_s + times.copy_s + times.gpu_decode_s +
                        exposed_sync_s(scenario) / count(work.gradient_accumulation);
  const double hand_off_s =
      serial ? 0.0 : std::max(loader.consumer_batch_cpu.base(), interpolated_s(loader.next_ready, step_s));
  times.pin_batch_s = pin_thread ? hand_off_s + pin_copy_s : 0.0;
  times.consumer_s = step_s + times.serial_load_s + (pin_thread ? 0.0 : hand_off_s);
  times.cpu_per_batch_s = decode_s + pin_copy_s + hand_off_s + work.step_return_cpu.base() +
                          (serial ? loader.inline_batch_cpu.base() : collate_s);
  return times;
}

CapacityGraph resource_graph(const Scenario& scenario, bool every_node) {
  return resource_graph(scenario, all_from_storage(), every_node);
}

CapacityGraph resource_graph(const Scenario& scenario, const ReadMix& mix, bool every_node) {
  const ClusterSpec& cluster = scenario.cluster;
  const StorageSpec& storage = scenario.storage;
  const LoaderSpec& loader = scenario.loader;
  const SampleDemand demand = sample_demand(scenario);
  const RankTimes times = rank_times(scenario, mix);
  const double batch = count(scenario.workload.batch_size);
  const std::int64_t branches = every_node ? cluster.nodes : 1;
  const double nodes_per_branch = every_node ? 1.0 : count(cluster.nodes);
  const double ranks_per_branch = nodes_per_branch * count(cluster.gpus_per_node);

  CapacityGraph graph;
  const auto extend = [&](std::size_t from, double capacity, const char* resource, double bytes = 0.0) {
    const std::size_t to = graph.add_vertex();
    graph.add_edge(from, to, capacity, resource, bytes);
    return to;
  };
  // `many` of something that moves `bytes` of each sample at `rate`.
  const auto extend_by_bytes = [&](std::size_t from, double many, double rate, double bytes, const char* resource) {
    return extend(from, many * per_sample(rate, bytes), resource, bytes);
  };
  const auto of = [&](ReadLevel level) { return mix.served[index_of(level)]; };
  const bool lazy = scenario.staging.method == StagingMethod::kLazy;
  // The tier's own limits, `tiers` of them side by side.
  const auto extend_by_tier = [&](std::size_t from, double tiers) {
    const double bytes_per_s = limit(storage.read_bandwidth.base()) * (1.0 - storage.noise);
    // While the dataset is copied the origin may answer for the tier: no limit of the tier then holds for every sample.
    const double remote = beyond_node(mix);
    const double own = of(ReadLevel::kStorage) + (lazy ? of(ReadLevel::kOrigin) : 0.0);
    from =
        extend(from, tiers * per_sample(limit(storage.metadata_rate.base()), remote * demand.opens), "metadata_rate");
    from = extend(from, tiers * per_sample(limit(storage.read_iops.base()), of(ReadLevel::kStorage) * demand.requests),
                  "read_iops");
    return extend_by_bytes(from, tiers, bytes_per_s, own * demand.read_bytes, "tier_bandwidth");
  };
  // What a level shared by all nodes gives, where it is asked at all.
  const auto extend_by_level = [&](std::size_t from, ReadLevel level, double bytes_per_s, const char* resource) {
    const double bytes_of_it = of(level) * demand.read_bytes;
    return bytes_of_it > 0.0 && bytes_per_s > 0.0 ? extend_by_bytes(from, 1.0, bytes_per_s, bytes_of_it, resource)
                                                  : from;
  };

  const bool shared = storage.scope == TierScope::kShared;
  std::size_t tier = shared ? extend_by_tier(graph.source, 1.0) : graph.source;
  const StorageSpec& origin = scenario.origin;
  tier = extend_by_level(tier, ReadLevel::kOrigin, origin.read_bandwidth.base() * (1.0 - origin.noise), "origin");
  if (lazy) tier = extend_by_level(tier, ReadLevel::kOrigin, scenario.staging.bandwidth.base(), "staging");
  tier =
      extend_by_level(tier, ReadLevel::kRegionalCache, scenario.regional_cache.read_bandwidth.base(), "regional_cache");
  tier = extend_by_level(tier, ReadLevel::kServerCache, scenario.server_cache.read_bandwidth.base(), "server_cache");
  for (std::int64_t branch = 0; branch < branches; ++branch) {
    std::size_t at = shared ? tier : extend_by_tier(tier, nodes_per_branch);
    const double remote = beyond_node(mix);
    if (shared) {
      const double nic = limit(cluster.usable_nic().base());
      const double carried = remote + of(ReadLevel::kPeerCache);
      at = extend_by_bytes(at, nodes_per_branch, nic, carried * demand.read_bytes, "nic");
    }
    const double client = limit(storage.client_read_bandwidth.base());
    const double through_client = remote - (lazy ? 0.0 : of(ReadLevel::kOrigin));
    at = extend_by_bytes(at, nodes_per_branch, client, through_client * demand.read_bytes, "client_bandwidth");
    const double by_disk = of(ReadLevel::kNodeCache) + of(ReadLevel::kPeerCache);
    if (by_disk > 0.0) {
      const double disk = limit(scenario.node_cache.read_bandwidth.base());
      at = extend_by_bytes(at, nodes_per_branch, disk, by_disk * demand.read_bytes, "node_cache");
    }
    if (mix.node_fill > 0.0) {
      const double fill = limit(scenario.node_cache.write_bandwidth.base());
      at = extend_by_bytes(at, nodes_per_branch, fill, mix.node_fill * demand.read_bytes, "node_cache_fill");
    }
    if (of(ReadLevel::kPageCache) > 0.0) {
      const double memory = limit(scenario.page_cache.read_bandwidth.base());
      at = extend_by_bytes(at, nodes_per_branch, memory, of(ReadLevel::kPageCache) * demand.read_bytes, "page_cache");
    }
    const bool by_bytes = times.transfer_share >= 0.5;
    const std::int64_t streams = reading_streams(scenario);
    if (bypasses_host(scenario)) {
      const double link = limit(cluster.host_to_device_bandwidth.base());
      at = extend_by_bytes(at, ranks_per_branch, link, demand.read_bytes, "host_to_device");
    }
    if (streams > 0) {
      const double readers = ranks_per_branch * count(streams);
      at = extend(at, readers * per_sample(batch, times.stream_batch_s), by_bytes ? "stream" : "reading_streams");
    }
    if (loader.num_workers > 0) {
      const double workers = ranks_per_branch * count(loader.num_workers);
      at = extend(at, workers * per_sample(batch, times.worker_batch_s),
                  by_bytes && streams == 0 ? "stream" : "loader_workers");
    }
    at = extend(at, ranks_per_branch * per_sample(batch, times.assemble_batch_s), "batching");
    at = extend(at, nodes_per_branch * per_sample(cluster.cores_per_node * batch, times.cpu_per_batch_s), "cpu_cores");
    at = extend(at, ranks_per_branch * per_sample(batch, times.pin_batch_s), "pin_memory");
    graph.add_edge(at, graph.sink, ranks_per_branch * per_sample(batch, times.consumer_s), consumer_name(times));
  }
  return graph;
}

namespace {

// Every minimum cut's resources at one mix. With a tie, the GPU being one of them, nothing else needs to change.
void name_binding(const MinCut& cut, Bound& bound) {
  if (cut.binding.empty()) return;
  const bool gpu = std::find(cut.binding.begin(), cut.binding.end(), "gpu") != cut.binding.end();
  bound.tied = cut.binding;
  bound.binding_resource = gpu ? "gpu" : cut.binding.front();
}

// Epochs a fraction of a percent apart have one bound.
constexpr double kSameEpoch = 0.003;
constexpr std::int64_t kBoundReads = 400'000;

// Epochs of which some reads may be answered by the origin, because the copy of the dataset can last so long.
double epochs_with_a_copy(const Scenario& scenario) {
  const double epoch_s = epoch_steps(scenario) * step_compute_s(scenario), all = count(scenario.run.epochs);
  return epoch_s > 0.0 ? std::min(all, std::ceil(bulk_import(scenario).copy_s / epoch_s)) : all;
}

// `mix` with the part of its reads of storage at the origin that makes it fastest: no copy gives more. The flow is
// concave in that part, so that thirds close in on it.
ReadMix best_while_copying(const Scenario& scenario, const ReadMix& mix) {
  const auto with = [&mix](double part) {
    ReadMix out = mix;
    const double tier = mix.served[index_of(ReadLevel::kStorage)];
    out.served[index_of(ReadLevel::kStorage)] = tier * (1.0 - part);
    out.served[index_of(ReadLevel::kOrigin)] += tier * part;
    return out;
  };
  const auto flow = [&](double part) { return min_cut(resource_graph(scenario, with(part), false)).max_flow_per_s; };
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 24; ++i) {
    const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
    (flow(left) < flow(right) ? low : high) = flow(left) < flow(right) ? left : right;
  }
  return with(0.5 * (low + high));
}

// A part of an epoch, with its share of the epoch's samples.
struct Stretch {
  ReadMix mix;
  double share;
};

// The epoch as stretches that come one after the other. What workers have in hand at once, the share `at_once` of an
// epoch, is one stretch: one of its batches may be decoded while another is read.
std::vector<Stretch> stretches(const EpochMix& epoch, double at_once) {
  if (epoch.flat()) return {{epoch.mean(), 1.0}};
  constexpr auto kParts = static_cast<double>(EpochMix::kParts);
  const auto length = static_cast<std::size_t>(std::clamp(std::ceil(at_once * kParts), 1.0, kParts));
  std::vector<Stretch> out;
  for (std::size_t from = 0; from < EpochMix::kParts; from += length) {
    const std::size_t size = std::min(length, EpochMix::kParts - from);
    Stretch& one = out.emplace_back(Stretch{{}, count(size) / kParts});
    for (std::size_t b = from; b < from + size; ++b) one.mix.add(epoch.parts[b], 1.0 / count(size));
  }
  return out;
}

Bound bound_of_epochs(const Scenario& scenario) {
  const double batches = epoch_steps(scenario) * count(scenario.workload.gradient_accumulation);
  const double at_once = count(batches_ahead(scenario) + 1) / std::max(1.0, batches);
  const std::vector<EpochMix> epochs = play_epochs(scenario, scenario.run.epochs, kBoundReads);
  Bound bound;
  std::map<std::string, std::pair<double, MinCut>> binding;  // time that it binds, and one of its cuts
  double total_s = 0.0;
  const auto add = [&](const ReadMix& mix, double weight) {
    MinCut cut = min_cut(resource_graph(scenario, mix, false));
    const double time = weight / cut.max_flow_per_s;
    total_s += time;
    Bound here;
    name_binding(cut, here);
    auto& entry = binding[here.binding_resource];
    entry.first += time;
    entry.second = std::move(cut);
  };
  double copied = scenario.staging.method == StagingMethod::kPrefetch ? epochs_with_a_copy(scenario) : 0.0;
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    double weight = e + 1 == epochs.size() ? static_cast<double>(scenario.run.epochs) - static_cast<double>(e) : 1.0;
    const ReadMix mean = epochs[e].mean();
    while (e + 1 < epochs.size()) {
      const ReadMix next = epochs[e + 1].mean();
      double apart = 0.0;
      for (std::size_t l = 0; l < kReadLevels; ++l) apart = std::max(apart, std::abs(next.served[l] - mean.served[l]));
      if (apart > kSameEpoch) break;
      ++e;
      weight += e + 1 == epochs.size() ? static_cast<double>(scenario.run.epochs) - static_cast<double>(e) : 1.0;
    }
    const double copying = std::min(weight, copied);
    if (copying > 0.0) add(best_while_copying(scenario, mean), copying);
    copied -= copying;
    weight -= copying;
    if (weight > 0.0)
      for (const Stretch& one : stretches(epochs[e], at_once)) add(one.mix, weight * one.share);
  }
  bound.samples_per_s = total_s > 0.0 ? static_cast<double>(scenario.run.epochs) / total_s : kUnlimited;
  const auto most = std::max_element(binding.begin(), binding.end(),
                                     [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (most != binding.end()) name_binding(most->second.second, bound);
  return bound;
}

// The bandwidth that a run with bursts has on average: its credit is spent once, and what is read beyond it comes at
// the base rate.
double mean_bandwidth_with_bursts(const Scenario& scenario) {
  const StorageSpec& storage = scenario.storage;
  const double base = storage.read_bandwidth.base(), burst = storage.burst_bandwidth.base();
  const KeyAccess pattern = key_access(scenario);
  if (base <= 0.0 || burst <= base || storage.burst_credit.base() <= 0.0 || pattern.keys == 0) return base;
  double share = 0.0;
  const std::vector<EpochMix> epochs = play_epochs(scenario, scenario.run.epochs, kBoundReads);
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    const bool last = e + 1 == epochs.size();
    share += epochs[e].mean().served[index_of(ReadLevel::kStorage)] *
             (last ? static_cast<double>(scenario.run.epochs) - static_cast<double>(e) : 1.0);
  }
  const double bytes = share * pattern.samples_per_epoch * count(scenario.ranks()) * sample_demand(scenario).read_bytes;
  const double time = least_read_s(storage, bytes);
  return time > 0.0 ? bytes / time : burst;
}

Bound bound_at_one_rate(const Scenario& scenario) {
  Bound bound;
  if (has_levels(scenario)) {
    bound = bound_of_epochs(scenario);
  } else {
    const MinCut cut = min_cut(resource_graph(scenario));
    bound.samples_per_s = cut.max_flow_per_s;
    name_binding(cut, bound);
  }
  const double wanted_per_s =
      count(scenario.ranks()) * per_sample(count(scenario.workload.batch_size), rank_times(scenario).compute_s);
  bound.gpu_utilization = std::isinf(wanted_per_s) ? 0.0 : std::min(1.0, bound.samples_per_s / wanted_per_s);
  return bound;
}

}  // namespace

Bound utilization_bound(const Scenario& scenario) {
  const double mean = mean_bandwidth_with_bursts(scenario);
  if (mean == scenario.storage.read_bandwidth.base()) return bound_at_one_rate(scenario);
  Scenario steady = scenario;
  steady.storage.read_bandwidth = bytes_per_second(mean);
  return bound_at_one_rate(steady);
}

}  // namespace stallcast
