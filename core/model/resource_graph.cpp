#include "core/model/resource_graph.h"

#include <algorithm>
#include <array>
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
  if (reads_page_by_page(scenario)) {
    demand.waits = demand.requests;
    demand.read_bytes = demand.requests * request;  // whole pages
  }
  return demand;
}

namespace {

// A read that one level answers: at most at this rate, after this wait.
struct ReadPath {
  ReadLevel level;
  double bytes_per_s;
  double latency_s;
};

std::array<ReadPath, kReadLevels> read_paths(const Scenario& scenario) {
  const StorageSpec& storage = scenario.storage;
  // A device inside the node is not behind its NIC.
  const double nic = scenario.cluster.usable_nic().base();
  const double card = storage.scope == TierScope::kShared ? nic : 0.0;
  const double stream = storage.stream_bandwidth.base(), client = storage.client_read_bandwidth.base();
  const double tier = storage.read_bandwidth.base() * (1.0 - storage.noise);
  const double dma = bypasses_host(scenario) ? scenario.cluster.host_to_device_bandwidth.base() : 0.0;
  const bool lazy = scenario.staging.method == StagingMethod::kLazy;
  const StorageSpec& origin = scenario.origin;
  const double tier_latency = mean_of(storage.latency);
  const double node_cache = scenario.node_cache.read_bandwidth.base();
  return {{
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
  }};
}

// Loading one batch, apart from collating it.
struct BatchFetch {
  double latency_s = 0.0;
  double transfer_s = 0.0;
  double decode_s = 0.0;
  double read_s() const { return latency_s + transfer_s; }
  double total_s() const { return latency_s + transfer_s + decode_s; }
};

BatchFetch batch_fetch(const Scenario& scenario, const ReadMix& mix) {
  const SampleDemand demand = sample_demand(scenario);
  const double batch = count(scenario.workload.batch_size);
  BatchFetch fetch;
  double wait_s = 0.0;
  for (const ReadPath& path : read_paths(scenario)) {
    const double share = mix.served[index_of(path.level)];
    if (share <= 0.0) continue;
    fetch.transfer_s += share * batch * demand.read_bytes / path.bytes_per_s;
    wait_s += share * path.latency_s;
  }
  fetch.latency_s =
      batch * (demand.opens * beyond_node(mix) * mean_of(scenario.storage.open_latency) + demand.waits * wait_s);
  fetch.decode_s =
      batch * cpu_decode_s(scenario, mean_of(scenario.dataset.decode_time), mean_of(scenario.dataset.sample_size));
  return fetch;
}

bool uses_threads(const LoaderSpec& loader) { return loader.style == LoaderStyle::kThreads && loader.num_workers > 0; }

// The loops that load beside the trainer, or inside its next().
void set_loading_times(const Scenario& scenario, const BatchFetch& fetch, double pin_copy_s, RankTimes& times) {
  const LoaderSpec& loader = scenario.loader;
  const bool serial = loader.num_workers == 0;
  const bool streams = reading_streams(scenario) > 0;
  const double collate_s = loader.worker_batch_cpu.base();
  times.serial_load_s = serial ? fetch.total_s() + loader.inline_batch_cpu.base() : 0.0;
  if (uses_threads(loader)) {
    times.worker_batch_s = streams ? fetch.decode_s : fetch.total_s();
    times.stream_batch_s = streams ? fetch.read_s() : 0.0;
    times.assemble_batch_s = std::max(collate_s, loader.pipe_time.base()) + pin_copy_s;
    const double reading_s = streams ? fetch.read_s() : fetch.total_s();
    times.transfer_share = reading_s > 0.0 ? fetch.transfer_s / reading_s : 0.0;
  } else if (streams) {  // a worker's reading thread works beside it
    times.worker_batch_s = fetch.decode_s + collate_s;
    times.stream_batch_s = fetch.read_s();
    times.transfer_share = times.stream_batch_s > 0.0 ? fetch.transfer_s / times.stream_batch_s : 0.0;
  } else {
    times.worker_batch_s = serial ? 0.0 : fetch.total_s() + collate_s;
    times.transfer_share = fetch.total_s() > 0.0 ? fetch.transfer_s / (fetch.total_s() + collate_s) : 0.0;
  }
}

}  // namespace

RankTimes rank_times(const Scenario& scenario) { return rank_times(scenario, all_from_storage()); }

RankTimes rank_times(const Scenario& scenario, const ReadMix& mix) {
  const LoaderSpec& loader = scenario.loader;
  const WorkloadSpec& work = scenario.workload;
  const double batch = count(work.batch_size);
  const bool serial = loader.num_workers == 0;
  const bool pinned = loader.pin_memory && !serial;
  const bool pin_thread = pinned && !uses_threads(loader);  // a pool's assembler pins its batches itself

  RankTimes times;
  times.compute_s = mean_of(micro_step_time(scenario)) + work.step_return_cpu.base();
  const double host_bytes = bypasses_host(scenario) ? 0.0 : batch * handed_over_bytes(scenario);
  times.copy_s = host_bytes / limit(scenario.cluster.host_to_device_bandwidth.base());
  if (loader.decode_on == DecodeDevice::kGpu)
    times.gpu_decode_s =
        batch * (mean_of(loader.gpu_decode_time) + gpu_decompress_s(scenario, mean_of(scenario.dataset.sample_size)));
  const double pin_copy_s = pinned ? host_bytes / limit(loader.pin_bandwidth.base()) : 0.0;
  const BatchFetch fetch = batch_fetch(scenario, mix);
  set_loading_times(scenario, fetch, pin_copy_s, times);

  const double step_s = times.compute_s + times.copy_s + times.gpu_decode_s +
                        exposed_sync_s(scenario) / count(work.gradient_accumulation);
  const double hand_off_s =
      serial ? 0.0 : std::max(loader.consumer_batch_cpu.base(), interpolated_s(loader.next_ready, step_s));
  times.pin_batch_s = pin_thread ? hand_off_s + pin_copy_s : 0.0;
  times.consumer_s = step_s + times.serial_load_s + (pin_thread ? 0.0 : hand_off_s);
  times.cpu_per_batch_s = fetch.decode_s + pin_copy_s + hand_off_s + work.step_return_cpu.base() +
                          (serial ? loader.inline_batch_cpu.base() : loader.worker_batch_cpu.base());
  return times;
}

namespace {

// The graph as it grows: each limit stands behind the one before it.
class LimitChain {
 public:
  LimitChain(const Scenario& scenario, const ReadMix& mix)
      : scenario_(scenario),
        mix_(mix),
        demand_(sample_demand(scenario)),
        times_(rank_times(scenario, mix)),
        lazy_(scenario.staging.method == StagingMethod::kLazy) {}

  std::size_t end() const { return end_; }
  void continue_at(std::size_t vertex) { end_ = vertex; }
  CapacityGraph take() { return std::move(graph_); }

  void add_tier(double tiers);
  void add_shared_levels();
  void add_node_levels(double nodes);
  void add_ranks(double nodes);

 private:
  double served(ReadLevel level) const { return mix_.served[index_of(level)]; }
  void add(double capacity, const char* resource, double bytes = 0.0) {
    const std::size_t to = graph_.add_vertex();
    graph_.add_edge(end_, to, capacity, resource, bytes);
    end_ = to;
  }
  // `many` of something that moves `bytes` of each sample at `rate`.
  void add_by_bytes(double many, double rate, double bytes, const char* resource) {
    add(many * per_sample(rate, bytes), resource, bytes);
  }
  void add_shared_level(ReadLevel level, double bytes_per_s, const char* resource);

  const Scenario& scenario_;
  const ReadMix& mix_;
  SampleDemand demand_;
  RankTimes times_;
  bool lazy_;
  CapacityGraph graph_;
  std::size_t end_ = graph_.source;
};

// The tier's own limits, `tiers` of them side by side.
void LimitChain::add_tier(double tiers) {
  const StorageSpec& storage = scenario_.storage;
  const double bytes_per_s = limit(storage.read_bandwidth.base()) * (1.0 - storage.noise);
  // While the dataset is copied the origin may answer for the tier: no limit of the tier then holds for every sample.
  const double remote = beyond_node(mix_);
  const double own = served(ReadLevel::kStorage) + (lazy_ ? served(ReadLevel::kOrigin) : 0.0);
  add(tiers * per_sample(limit(storage.metadata_rate.base()), remote * demand_.opens), "metadata_rate");
  add(tiers * per_sample(limit(storage.read_iops.base()), served(ReadLevel::kStorage) * demand_.requests), "read_iops");
  add_by_bytes(tiers, bytes_per_s, own * demand_.read_bytes, "tier_bandwidth");
}

// What a level shared by all nodes gives, where it is asked at all.
void LimitChain::add_shared_level(ReadLevel level, double bytes_per_s, const char* resource) {
  const double bytes_of_it = served(level) * demand_.read_bytes;
  if (bytes_of_it > 0.0 && bytes_per_s > 0.0) add_by_bytes(1.0, bytes_per_s, bytes_of_it, resource);
}

void LimitChain::add_shared_levels() {
  const StorageSpec& origin = scenario_.origin;
  add_shared_level(ReadLevel::kOrigin, origin.read_bandwidth.base() * (1.0 - origin.noise), "origin");
  if (lazy_) add_shared_level(ReadLevel::kOrigin, scenario_.staging.bandwidth.base(), "staging");
  add_shared_level(ReadLevel::kRegionalCache, scenario_.regional_cache.read_bandwidth.base(), "regional_cache");
  add_shared_level(ReadLevel::kServerCache, scenario_.server_cache.read_bandwidth.base(), "server_cache");
}

// What a node's own cards, disks and memory carry.
void LimitChain::add_node_levels(double nodes) {
  const double remote = beyond_node(mix_);
  if (scenario_.storage.scope == TierScope::kShared) {
    const double nic = limit(scenario_.cluster.usable_nic().base());
    const double carried = remote + served(ReadLevel::kPeerCache);
    add_by_bytes(nodes, nic, carried * demand_.read_bytes, "nic");
  }
  const double client = limit(scenario_.storage.client_read_bandwidth.base());
  const double through_client = remote - (lazy_ ? 0.0 : served(ReadLevel::kOrigin));
  add_by_bytes(nodes, client, through_client * demand_.read_bytes, "client_bandwidth");
  const double by_disk = served(ReadLevel::kNodeCache) + served(ReadLevel::kPeerCache);
  if (by_disk > 0.0) {
    const double disk = limit(scenario_.node_cache.read_bandwidth.base());
    add_by_bytes(nodes, disk, by_disk * demand_.read_bytes, "node_cache");
  }
  if (mix_.node_fill > 0.0) {
    const double fill = limit(scenario_.node_cache.write_bandwidth.base());
    add_by_bytes(nodes, fill, mix_.node_fill * demand_.read_bytes, "node_cache_fill");
  }
  if (served(ReadLevel::kPageCache) > 0.0) {
    const double memory = limit(scenario_.page_cache.read_bandwidth.base());
    add_by_bytes(nodes, memory, served(ReadLevel::kPageCache) * demand_.read_bytes, "page_cache");
  }
}

// The loops of the ranks of so many nodes, up to the trained samples.
void LimitChain::add_ranks(double nodes) {
  const ClusterSpec& cluster = scenario_.cluster;
  const double batch = count(scenario_.workload.batch_size);
  const double ranks = nodes * count(cluster.gpus_per_node);
  const bool by_bytes = times_.transfer_share >= 0.5;
  const std::int64_t streams = reading_streams(scenario_);
  if (bypasses_host(scenario_)) {
    const double link = limit(cluster.host_to_device_bandwidth.base());
    add_by_bytes(ranks, link, demand_.read_bytes, "host_to_device");
  }
  if (streams > 0) {
    const double readers = ranks * count(streams);
    add(readers * per_sample(batch, times_.stream_batch_s), by_bytes ? "stream" : "reading_streams");
  }
  if (scenario_.loader.num_workers > 0) {
    const double workers = ranks * count(scenario_.loader.num_workers);
    add(workers * per_sample(batch, times_.worker_batch_s), by_bytes && streams == 0 ? "stream" : "loader_workers");
  }
  add(ranks * per_sample(batch, times_.assemble_batch_s), "batching");
  const double cores = cluster.cores_per_node * cluster.clock_of(cluster.cores_per_node);
  add(nodes * per_sample(cores * batch, times_.cpu_per_batch_s), "cpu_cores");
  add(ranks * per_sample(batch, times_.pin_batch_s), "pin_memory");
  graph_.add_edge(end_, graph_.sink, ranks * per_sample(batch, times_.consumer_s), consumer_name(times_));
}

}  // namespace

CapacityGraph resource_graph(const Scenario& scenario, bool every_node) {
  return resource_graph(scenario, all_from_storage(), every_node);
}

CapacityGraph resource_graph(const Scenario& scenario, const ReadMix& mix, bool every_node) {
  const std::int64_t nodes = scenario.cluster.nodes;
  const std::int64_t branches = every_node ? nodes : 1;
  const double nodes_per_branch = every_node ? 1.0 : count(nodes);
  const bool shared = scenario.storage.scope == TierScope::kShared;
  LimitChain chain(scenario, mix);
  if (shared) chain.add_tier(1.0);
  chain.add_shared_levels();
  const std::size_t fork = chain.end();
  for (std::int64_t branch = 0; branch < branches; ++branch) {
    chain.continue_at(fork);
    if (!shared) chain.add_tier(nodes_per_branch);
    chain.add_node_levels(nodes_per_branch);
    chain.add_ranks(nodes_per_branch);
  }
  return chain.take();
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
    const std::size_t to = std::min(from + length, EpochMix::kParts);
    const auto size = static_cast<double>(to - from);
    Stretch& one = out.emplace_back(Stretch{{}, size / kParts});
    for (std::size_t b = from; b < to; ++b) one.mix.add(epoch.parts[b], 1.0 / size);
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
