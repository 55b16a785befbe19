#include "core/model/storage/storage_tier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

#include "core/scenario/checkpoint_stages.h"

namespace stallcast {

StorageTier::StorageTier(Simulator& sim, const Scenario& s, const ReadPlan* plan, std::uint64_t seed,
                         const Scenario* job)
    : StorageTier(std::make_unique<SharedStorage>(sim, s), nullptr, s, plan, seed, job) {}

StorageTier::StorageTier(SharedStorage& shared, const Scenario& s, const ReadPlan* plan, std::uint64_t seed,
                         const Scenario* job)
    : StorageTier(nullptr, &shared, s, plan, seed, job) {}

StorageTier::StorageTier(std::unique_ptr<SharedStorage> own, SharedStorage* shared, const Scenario& s,
                         const ReadPlan* plan, std::uint64_t seed, const Scenario* job)
    : own_(std::move(own)),
      shared_(own_ ? own_.get() : shared),
      sim_(&shared_->simulator()),
      spec_(&s.storage),
      request_size_(s.dataset.request_size.base()),
      network_(&shared_->network()),
      takes_turns_(shared_->takes_turns()),
      is_occupied_(shared_->is_occupied()),
      writer_cap_(cap_of(writer_rate(job != nullptr ? *job : s))),
      scenario_(&s),
      plan_(plan),
      origin_limit_(s.origin.read_iops) {
  tier_plain_ = !shared_->refuses() && !shared_->bursts();
  const bool tiered =
      s.checkpoint.mode != CheckpointMode::kNone && s.checkpoint.first_level != CheckpointLevel::kStorage;
  if (plan_ == nullptr && (!tier_plain_ || tiered)) {
    ReadMix all_from_storage;
    all_from_storage.served[index_of(ReadLevel::kStorage)] = 1.0;
    own_plan_ = plan_of_mix(all_from_storage, 1);
    plan_ = &own_plan_;
  }
  if (plan_ == nullptr) {
    wire_plain();
    return;
  }
  always_plain_ = false;
  cuts_ = cuts_of(*plan_);
  sweeps_ = Sweeps(*plan_);
  for (std::int64_t r = 0; r < s.ranks(); ++r) {
    const auto rank = static_cast<std::uint64_t>(r);
    streams_.push_back({RandomStream(seed, DrawPurpose::kReadLevel, rank),
                        RandomStream(seed, DrawPurpose::kLatency, rank),
                        RandomStream(seed, DrawPurpose::kBackOff, rank)});
  }
  wire_levels();
  if (plan_->copy_bytes > 0.0) {
    copied_ = plan_->copied;
    copied_to_.assign(copy_class_.size(), copied_);
    for (std::int64_t n = 0; n < s.cluster.nodes; ++n) sim_->spawn(copy_dataset(*sim_, *this, n));
  }
}

// The dataset comes in pieces, in its own order, over one connection for each node of the job: beside the nodes' reads
// the copy has the same part of a shared rate, however many nodes there are or stand for them. To storage of its own
// each node copies all of it. A connection has up to 256 requests under way, as s5cmd has workers
// (github.com/peak/s5cmd), and takes its turn for the request rates with all of them. All pieces take about as long to
// simulate, and count for more of the copy where a second stands for many: none that begins where it stands for itself
// lasts far into such a time.
Process StorageTier::copy_dataset(Simulator& sim, StorageTier& tier, std::int64_t connection) {
  constexpr double kLeastPieces = 100.0, kRequestsAtOnce = 256.0, kRounding = 1e-9;
  const Scenario& s = *tier.scenario_;
  const ReadPlan& plan = *tier.plan_;
  const auto connections = static_cast<double>(s.cluster.nodes), devices = static_cast<double>(tier.copy_class_.size());
  const std::size_t device = tier.device_of(connection);
  const double share = devices / connections;  // of a copy that comes over this connection
  const bool rated = s.origin.read_iops.base() > 0.0 || (devices == 1.0 && s.storage.write_iops.base() > 0.0);
  const double all_requests = rated ? plan.copy_requests * share : 0.0;
  const double files_per_s = s.staging.files_per_s.base() * share;
  const double pieces = std::max(kLeastPieces * plan.copy_most_stands_for, std::ceil(all_requests / kRequestsAtOnce));
  for (double done = 0.0; done < 1.0;) {
    const SimTime begin = sim.now();
    co_await sim.delay(SimTime{0});
    const double stands_for = tier.stands_for_;
    double piece = std::min(1.0, stands_for / pieces);
    if (done + piece > 1.0 - kRounding) piece = 1.0 - done;
    const double part = piece * share / stands_for;  // of a copy, that is simulated
    const double files_s = files_per_s > 0.0 ? plan.copy_files * part / files_per_s : 0.0;
    const double requests = all_requests * piece / stands_for;
    SimTime taken = std::max(begin + to_ns(files_s), tier.origin_limit_.admit_all(begin, requests));
    if (devices == 1.0) taken = std::max(taken, tier.shared_->writes().admit_all(begin, requests));
    if (tier.copy_class_[device] != kNoClass)
      co_await tier.network_->transfer(tier.copy_class_[device], plan.copy_bytes * part);
    if (taken > sim.now()) co_await sim.delay(taken - sim.now());
    done += piece;
    tier.copied_connections_ += piece;
    tier.copied_ = plan.copied + (1.0 - plan.copied) * std::min(1.0, tier.copied_connections_ / connections);
    tier.copied_to_[device] = devices > 1.0 ? plan.copied + (1.0 - plan.copied) * done : tier.copied_;
    if (connection == 0) tier.copied_s_ += stands_for * to_seconds(sim.now() - begin);
  }
  if (++tier.done_copying_ == s.cluster.nodes) tier.copied_ = tier.copied_to_[device] = 1.0;  // sums of parts are not
}

void StorageTier::wire_plain() {
  const Scenario& s = *scenario_;
  const double stream = cap_of(s.storage.stream_bandwidth);
  // A node's own device is not behind its network card.
  const bool per_node = s.storage.scope == TierScope::kPerNode;
  const double nic = per_node ? FlowNetwork::kUnlimited : cap_of(s.cluster.usable_nic());
  const double client_read = std::min(cap_of(s.storage.client_read_bandwidth), nic);
  const double client_write = std::min(cap_of(s.storage.client_write_bandwidth), nic);
  limited_read_ = std::isfinite(std::min({shared_->read_cap(), client_read, stream}));
  limited_write_ = std::isfinite(std::min({shared_->write_cap(), client_write, writer_cap_}));
  for (std::int64_t node = 0; node < s.cluster.nodes; ++node) {
    const std::size_t device = device_of(node);
    const std::array read_path{shared_->read_link(device), shared_->add_link(client_read, LostTime::kClientCap)};
    const std::array write_path{shared_->write_link(device), shared_->add_link(client_write, LostTime::kClientCap)};
    if (limited_read_) read_class_.push_back(network_->add_class(read_path, stream));
    if (limited_write_) write_class_.push_back(network_->add_class(write_path, writer_cap_));
  }
}

// Links and classes as they are, and then only those that can matter: a network in which nodes share one link is solved
// much faster than any other.
struct StorageTier::Shape {
  struct Link {
    double capacity;
    LostTime cause;
    std::vector<std::size_t> classes;
    std::optional<FlowNetwork::LinkId> shared;  // the system's own
    bool needed = true;
  };
  struct Class {
    std::vector<std::size_t> path;
    double cap;
    FlowNetwork::ClassId* id;
  };
  std::vector<Link> links;
  std::vector<Class> classes;

  std::size_t link(double capacity, LostTime cause) {
    links.push_back({capacity, cause, {}, std::nullopt});
    return links.size() - 1;
  }
  std::size_t shared_link(double capacity, LostTime cause, FlowNetwork::LinkId id) {
    links.push_back({capacity, cause, {}, id});
    return links.size() - 1;
  }
  // `id` gets the class, kNoClass when nothing limits it.
  void add(std::initializer_list<std::size_t> path, double cap, FlowNetwork::ClassId& id) {
    id = kNoClass;
    Class cls{{}, cap, &id};
    for (const std::size_t l : path) {
      if (!std::isfinite(links[l].capacity)) continue;
      if (std::find(cls.path.begin(), cls.path.end(), l) != cls.path.end()) continue;
      cls.path.push_back(l);
      links[l].classes.push_back(classes.size());
    }
    if (!cls.path.empty() || std::isfinite(cap)) classes.push_back(std::move(cls));
  }

  // Of links with the same classes only the tightest binds; and a link that the other links of its classes cannot fill
  // never does. Links of a system that `others` use are kept: their classes may fill them.
  void reduce(bool others) {
    std::map<std::vector<std::size_t>, std::size_t> tightest_of;
    for (std::size_t l = 0; l < links.size(); ++l) {
      links[l].needed = !links[l].classes.empty();
      if (!links[l].needed || (others && links[l].shared)) continue;
      const auto [known, fresh] = tightest_of.emplace(links[l].classes, l);
      if (fresh) continue;
      std::size_t& tightest = known->second;
      const bool tighter = links[l].capacity < links[tightest].capacity;
      links[tighter ? tightest : l].needed = false;
      if (tighter) tightest = l;
    }
    std::vector<std::size_t> by_size(links.size());
    for (std::size_t l = 0; l < links.size(); ++l) by_size[l] = l;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t a, std::size_t b) { return links[a].capacity > links[b].capacity; });
    for (const std::size_t l : by_size) {
      if (!links[l].needed || links[l].classes.size() < 2 || (others && links[l].shared)) continue;
      std::vector<std::size_t> feeders;
      bool all = true;
      for (const std::size_t c : links[l].classes) {
        std::size_t tightest = SIZE_MAX;
        for (const std::size_t other : classes[c].path) {
          if (other == l || !links[other].needed) continue;
          if (tightest == SIZE_MAX || links[other].capacity < links[tightest].capacity) tightest = other;
        }
        all = all && tightest != SIZE_MAX;
        if (all && std::find(feeders.begin(), feeders.end(), tightest) == feeders.end()) feeders.push_back(tightest);
      }
      double most = 0.0;
      for (const std::size_t f : feeders) most += links[f].capacity;
      if (all && most <= links[l].capacity) links[l].needed = false;
    }
  }

  void build(SharedStorage& system) const {
    std::vector<FlowNetwork::LinkId> ids(links.size());
    for (std::size_t l = 0; l < links.size(); ++l)
      if (links[l].needed)
        ids[l] = links[l].shared ? *links[l].shared : system.add_link(links[l].capacity, links[l].cause);
    for (const Class& cls : classes) {
      std::vector<FlowNetwork::LinkId> path;
      for (const std::size_t l : cls.path)
        if (links[l].needed) path.push_back(ids[l]);
      *cls.id = system.network().add_class(path, cls.cap);
    }
  }
};

struct StorageTier::Links {
  std::size_t server = 0, regional = 0, origin = 0;          // of all nodes
  std::size_t service = 0, tier_read = 0, tier_write = 0;    // of the storage that the node reads
  std::size_t card = 0, card_out = 0, nic = 0, nic_out = 0;  // `nic` is what is between the node and its storage
  std::size_t client = 0, client_out = 0;
  std::size_t memory = 0, disk = 0, disk_in = 0, nothing = 0;
};

namespace {

// Shares of all reads of the plan, to be compared with 0: levels that it never draws are not wired.
LevelShares levels_used(const ReadPlan& plan) {
  LevelShares used{};
  for (const EpochMix& epoch : plan.mixes)
    for (const ReadMix& part : epoch.parts)
      for (std::size_t l = 0; l < kReadLevels; ++l) used[l] += part.served[l];
  if (plan.copy_bytes > 0.0) used[index_of(ReadLevel::kOrigin)] += used[index_of(ReadLevel::kStorage)];
  return used;
}

}  // namespace

void StorageTier::wire_levels() {
  const Scenario& s = *scenario_;
  const auto nodes = static_cast<std::size_t>(s.cluster.nodes);
  level_class_.assign(nodes * kReadLevels * 2, kNoClass);
  read_class_.assign(nodes, kNoClass);
  write_class_.assign(nodes, kNoClass);
  first_level_class_.assign(nodes, kNoClass);
  copy_class_.assign(shared_->devices(), kNoClass);
  const LevelShares used = levels_used(*plan_);
  const auto cache = LostTime::kCacheBandwidth;
  Shape shape;
  Links links;
  links.server = shape.shared_link(cap_of(s.server_cache.read_bandwidth), cache, shared_->server_cache_link());
  links.regional = shape.link(cap_of(s.regional_cache.read_bandwidth), cache);
  links.origin = shape.link(cap_of(s.origin.read_bandwidth) * (1.0 - s.origin.noise), cache);
  for (std::size_t n = 0; n < nodes; ++n) {
    add_node_links(shape, n, links);
    wire_reads(shape, links, used, n);
    if (plan_->copy_bytes > 0.0) wire_copy(shape, links, n);
    if (s.checkpoint.mode != CheckpointMode::kNone) wire_checkpoints(shape, links, n);
  }
  shape.reduce(own_ == nullptr || is_occupied_);  // what occupies a device fills its link, too
  shape.build(*shared_);
  for (std::size_t n = 0; n < nodes; ++n)
    read_class_[n] = level_class_[(n * kReadLevels + index_of(ReadLevel::kStorage)) * 2];
  limited_read_ = read_class_[0] != kNoClass;
  limited_write_ = write_class_[0] != kNoClass;
}

// Puts the links of node `node` into `links`, and with the first node of a device the device's.
void StorageTier::add_node_links(Shape& shape, std::size_t node, Links& links) const {
  const Scenario& s = *scenario_;
  const bool per_node = s.storage.scope == TierScope::kPerNode;
  const auto tier = LostTime::kTierBandwidth, cache = LostTime::kCacheBandwidth, client = LostTime::kClientCap;
  if (node == 0 || per_node) {
    links.service = shape.link(cap_of(s.staging.bandwidth), cache);
    const std::size_t device = device_of(static_cast<std::int64_t>(node));
    links.tier_read = shape.shared_link(shared_->read_cap(), tier, shared_->read_link(device));
    links.tier_write =
        s.storage.duplex ? shape.shared_link(shared_->write_cap(), tier, shared_->write_link(device)) : links.tier_read;
  }
  links.card = shape.link(cap_of(s.cluster.usable_nic()), client);
  links.card_out = shape.link(cap_of(s.cluster.usable_nic()), client);
  // A node's own device is not behind its network card.
  links.nic = per_node ? shape.link(FlowNetwork::kUnlimited, client) : links.card;
  links.nic_out = per_node ? links.nic : links.card_out;
  links.client = shape.link(cap_of(s.storage.client_read_bandwidth), client);
  links.client_out = shape.link(cap_of(s.storage.client_write_bandwidth), client);
  links.memory = shape.link(cap_of(s.page_cache.read_bandwidth), cache);
  links.disk = shape.link(cap_of(s.node_cache.read_bandwidth), cache);
  links.disk_in = shape.link(cap_of(s.node_cache.write_bandwidth), cache);
  links.nothing = shape.link(FlowNetwork::kUnlimited, tier);
}

void StorageTier::wire_reads(Shape& shape, const Links& links, const LevelShares& used, std::size_t node) {
  const Scenario& s = *scenario_;
  const double stream = cap_of(s.storage.stream_bandwidth);
  const double origin_stream = cap_of(s.origin.stream_bandwidth);
  const auto uses = [&](ReadLevel level) { return used[index_of(level)] > 0.0; };
  const auto id = [&](ReadLevel level, bool fills) -> FlowNetwork::ClassId& {
    return level_class_[(node * kReadLevels + index_of(level)) * 2 + (fills ? 1 : 0)];
  };
  constexpr double kFree = FlowNetwork::kUnlimited;
  if (uses(ReadLevel::kPageCache)) shape.add({links.memory}, kFree, id(ReadLevel::kPageCache, false));
  if (uses(ReadLevel::kNodeCache)) shape.add({links.disk}, kFree, id(ReadLevel::kNodeCache, false));
  if (uses(ReadLevel::kPeerCache)) shape.add({links.disk, links.card}, kFree, id(ReadLevel::kPeerCache, false));
  for (const bool fills : {false, true}) {
    if (fills && s.node_cache.policy == CachePolicy::kNone) continue;
    const std::size_t in = fills ? links.disk_in : links.nothing;
    if (uses(ReadLevel::kServerCache))
      shape.add({links.server, links.client, links.nic, in}, stream, id(ReadLevel::kServerCache, fills));
    if (uses(ReadLevel::kRegionalCache))
      shape.add({links.regional, links.client, links.nic, in}, stream, id(ReadLevel::kRegionalCache, fills));
    if (uses(ReadLevel::kStorage))
      shape.add({links.tier_read, links.client, links.nic, in}, stream, id(ReadLevel::kStorage, fills));
    if (!uses(ReadLevel::kOrigin)) continue;
    if (s.staging.method == StagingMethod::kLazy) {  // through the tier: into it, and on to the reader
      shape.add({links.origin, links.service, links.tier_write, links.tier_read, links.client, links.nic, in},
                std::min(stream, origin_stream), id(ReadLevel::kOrigin, fills));
    } else {
      shape.add({links.origin, links.card, in}, origin_stream, id(ReadLevel::kOrigin, fills));
    }
  }
}

// The copy of the dataset: to storage of its own every node fetches one, over its card.
void StorageTier::wire_copy(Shape& shape, const Links& links, std::size_t node) {
  constexpr double kFree = FlowNetwork::kUnlimited;
  if (scenario_->storage.scope == TierScope::kPerNode) {
    shape.add({links.origin, links.card, links.service, links.tier_write}, kFree, copy_class_[node]);
  } else if (node == 0) {
    shape.add({links.origin, links.service, links.tier_write}, kFree, copy_class_[0]);
  }
}

void StorageTier::wire_checkpoints(Shape& shape, const Links& links, std::size_t node) {
  const Scenario& s = *scenario_;
  if (s.checkpoint.to_storage)
    shape.add({links.tier_write, links.client_out, links.nic_out}, writer_cap_, write_class_[node]);
  if (s.checkpoint.first_level == CheckpointLevel::kPeerMemory)
    shape.add({links.card, links.card_out}, FlowNetwork::kUnlimited, first_level_class_[node]);
  if (s.checkpoint.first_level == CheckpointLevel::kLocalNvme) {
    const std::size_t nvme = shape.link(cap_of(s.cluster.local_write_bandwidth), LostTime::kTierBandwidth);
    const bool cached = s.node_cache.policy != CachePolicy::kNone;
    const bool per_node = s.storage.scope == TierScope::kPerNode;
    shape.add({nvme, cached ? links.disk_in : links.nothing, per_node ? links.tier_write : links.nothing},
              cap_of(s.checkpoint.serialize_bandwidth), first_level_class_[node]);
  }
}

ReadSource StorageTier::draw_source(std::int64_t rank, std::int64_t number) const {
  const Sweeps::Place here = sweeps_.place_of(number);
  const auto part =
      std::min(static_cast<std::size_t>(here.position * static_cast<double>(EpochMix::kParts)), EpochMix::kParts - 1);
  const LevelCuts& cut = cuts_[here.mix * EpochMix::kParts + part];
  const RandomStream& stream = streams_[static_cast<std::size_t>(rank)].level;
  const auto key = static_cast<std::uint64_t>(number / plan_->samples_per_key);
  const double u = stream.uniform_at(4 * key);
  std::size_t level = 0;
  while (level + 1 < kReadLevels && u >= cut.upto[level]) ++level;
  // Shares that add up to a little less than 1 leave their rest to the last level that has any.
  while (level > 0 && cut.upto[level] == cut.upto[level - 1]) --level;
  ReadSource source{static_cast<ReadLevel>(level), false, false};
  if (source.level == ReadLevel::kStorage && copied_ < 1.0) {
    // What has not arrived: in the dataset's order everything beyond the copy, in any other order that share of it.
    const double place = plan_->in_order ? here.position : stream.uniform_at(4 * key + 2);
    if (place >= copied_to_[device_of(rank / scenario_->cluster.gpus_per_node)]) source.level = ReadLevel::kOrigin;
  }
  if (level > index_of(ReadLevel::kPeerCache) && cut.fills_node > 0.0)
    source.fills_node = stream.uniform_at(4 * key + 1) < cut.fills_node;
  source.plain = tier_plain_ && source.level == ReadLevel::kStorage && !source.fills_node;
  return source;
}

const Distribution& StorageTier::latency_of(ReadLevel level) const {
  switch (level) {
    case ReadLevel::kPageCache:
      return scenario_->page_cache.latency;
    case ReadLevel::kNodeCache:
    case ReadLevel::kPeerCache:
      return scenario_->node_cache.latency;
    case ReadLevel::kServerCache:
      return scenario_->server_cache.latency;
    case ReadLevel::kRegionalCache:
      return scenario_->regional_cache.latency;
    case ReadLevel::kOrigin:
      return scenario_->origin.latency;
    case ReadLevel::kStorage:
    case ReadLevel::kCount:
      break;
  }
  return scenario_->storage.latency;
}

// The same luck as the tier's own latency has: a slow moment is slow at every level.
Task<void> StorageTier::read(ReadRequest request, ReadSource source, PhaseClock& clock) {
  const auto level = index_of(source.level);
  const double count = request.in_a_row * requests_of(request.size);
  SimTime admitted = sim_->now();
  if (source.level == ReadLevel::kStorage && shared_->refuses()) {
    // Exponential back-off with full jitter. **Source** Brooker, "Exponential backoff and jitter", AWS architecture
    // blog.
    double pause = spec_->retry_base.base();
    const double longest = std::max(pause, spec_->retry_max.base());
    while (!shared_->refusing().takes(sim_->now(), count)) {
      refused_ += count;
      clock.enter(LostTime::kRequestRate, sim_->now());
      co_await sim_->delay(to_ns(pause * streams_[static_cast<std::size_t>(request.rank)].back_off.uniform()));
      pause = std::min(longest, 2.0 * pause);
    }
    requests_ += count;
    read_bytes_ += request.bytes();
    admitted = sim_->now();
  } else if (source.level == ReadLevel::kStorage) {
    admitted = admit_read(request.node, request.size, request.in_a_row);
  } else {
    level_bytes_[level] += request.bytes();
    level_requests_[level] += count;
    if (source.level == ReadLevel::kOrigin) {
      origin_bytes_of_run_ += request.bytes() * stands_for_;
      admitted = origin_limit_.admit(sim_->now(), count);
    }
  }
  if (admitted > sim_->now()) {
    clock.enter(LostTime::kRequestRate, sim_->now());
    co_await sim_->delay(admitted - sim_->now());
  }
  double latency_s = request.latency_s;
  if (source.level != ReadLevel::kStorage) {
    const Distribution& d = latency_of(source.level);
    const RandomStream& stream = streams_[static_cast<std::size_t>(request.rank)].latency;
    latency_s = d.kind == DistributionKind::kConstant
                    ? d.mean
                    : quantile_of(d, stream.uniform_at(static_cast<std::uint64_t>(request.number)));
    if (source.level == ReadLevel::kOrigin && scenario_->staging.method == StagingMethod::kLazy)
      latency_s += request.latency_s;
  }
  const bool occupies = is_occupied_ && source.level == ReadLevel::kStorage;
  if (const double wait_s = request.in_a_row * (occupies ? overlapping(latency_s) : latency_s); wait_s > 0) {
    clock.enter(LostTime::kStorageLatency, sim_->now());
    co_await sim_->delay(to_ns(wait_s));
  }
  if (occupies) {
    clock.enter(LostTime::kStorageLatency, sim_->now());
    co_await occupy(request.node, request.size, latency_s, request.in_a_row);
  }
  if (request.size > 0) {
    // What bounds the level's reads now: of a batch some samples come from memory and others from afar.
    const auto node = static_cast<std::size_t>(request.node);
    const FlowNetwork::ClassId cls = level_class_[(node * kReadLevels + level) * 2 + (source.fills_node ? 1 : 0)];
    clock.enter(
        source.level == ReadLevel::kStorage || cls == kNoClass ? LostTime::kTierBandwidth : shared_->limit_of(cls),
        sim_->now());
    if (shared_->bursts() && source.level == ReadLevel::kStorage)
      co_await sim_->delay(shared_->burst().admit(sim_->now(), request.bytes()) - sim_->now());
    if (source.level == ReadLevel::kStorage && takes_turns()) co_await move_in_turns(request.node, request.bytes());
    if (cls != kNoClass) co_await network_->transfer(cls, request.bytes());
  }
  if (occupies) release(request.node);
}

double StorageTier::busy_s() const {
  const BytesPerSecond rate = shared_->bursts() ? spec_->burst_bandwidth : spec_->read_bandwidth;
  const double moved_s = read_bytes_ / (cap_of(rate) * (1.0 - spec_->noise));
  const double served_s = spec_->read_iops.base() > 0.0 ? requests_ / spec_->read_iops.base() : 0.0;
  return std::max(moved_s, served_s) / static_cast<double>(shared_->devices());
}

LevelShares StorageTier::level_bytes() const {
  LevelShares out = level_bytes_;
  out[index_of(ReadLevel::kStorage)] = read_bytes_;
  return out;
}

LevelShares StorageTier::level_requests() const {
  LevelShares out = level_requests_;
  out[index_of(ReadLevel::kStorage)] = requests_;
  return out;
}

LostTime StorageTier::read_limit(std::int64_t node) const {
  const auto n = static_cast<std::size_t>(node);
  const FlowNetwork::ClassId cls = plan_ != nullptr || limited_read_ ? read_class_[n] : kNoClass;
  return cls == kNoClass ? LostTime::kTierBandwidth : shared_->limit_of(cls);
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a node, and bytes that are moved and counted
Task<void> StorageTier::write(std::int64_t node, double size, double counted) {
  return write_over(limited_write_ ? write_class_[static_cast<std::size_t>(node)] : kNoClass, device_of(node), size,
                    counted);
}

void StorageTier::add_lone_writer(double rate) {
  if (!std::isfinite(std::min(rate, shared_->write_cap()))) return;
  lone_class_ = network_->add_class(std::array{shared_->write_link(0)}, rate);
}

Task<void> StorageTier::write_alone(double size) { return write_over(lone_class_, 0, size, size); }

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a device, and bytes that are moved and counted
Task<void> StorageTier::write_over(FlowNetwork::ClassId cls, std::size_t device, double size, double counted) {
  written_bytes_ += counted;
  const double count = requests_of(size);
  write_requests_ += size > 0.0 ? count * counted / size : count;
  const SimTime taken = shared_->writes().admit_all(sim_->now(), count);
  if (takes_turns_ && size > 0) co_await shared_->turns(device, true).transfer(size);
  if (cls != kNoClass && size > 0) co_await network_->transfer(cls, size);
  if (taken > sim_->now()) co_await sim_->delay(taken - sim_->now());
}

Task<void> StorageTier::write_first_level(std::int64_t node, double size) {
  if (first_level_class_.empty() || size <= 0.0) co_return;
  const FlowNetwork::ClassId cls = first_level_class_[static_cast<std::size_t>(node)];
  if (cls != kNoClass) co_await network_->transfer(cls, size);
}

}  // namespace stallcast
