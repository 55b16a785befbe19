#include "core/model/storage/cache_play.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <mutex>
#include <numeric>
#include <span>

#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

constexpr std::int64_t kMostKeys = 65'536;
constexpr std::int64_t kLeastKeys = 2'048;
constexpr std::int64_t kLeastReads = 16'384;  // in an epoch, over all replicas: fewer leave too much to chance
constexpr std::int64_t kMostReplicas = 64;
constexpr std::int64_t kMostListed = 4 << 20;    // entries of all private lists
constexpr std::int64_t kMostReadsOfKey = 1'024;  // in an epoch: then the first of them is a thousandth
constexpr std::int64_t kAlikeNodes = 64;         // that stand for all where nothing is shared
constexpr double kSteady = 0.005;                // shares this near are the same epoch

struct PlayedCache {
  CachePolicy policy = CachePolicy::kNone;
  double capacity = 0.0;  // bytes

  explicit PlayedCache(const CacheSpec& spec) : policy(spec.policy), capacity(spec.capacity.base()) {
    if (policy == CachePolicy::kNone) capacity = 0.0;
  }
  bool exists() const { return policy != CachePolicy::kNone; }
  auto operator<=>(const PlayedCache&) const = default;
};

// All that a play depends on.
struct Played {
  KeyAccess access;
  PlayedCache page, node, server, regional;
  bool partitioned;  // the node cache
  bool staged;       // storage has only what was read from the origin
  bool per_node;     // storage is the node's own
  std::int64_t nodes, epochs, budget;

  Played(const Scenario& s, std::int64_t most_epochs, std::int64_t most_reads)
      : access(key_access(s)),
        page(s.page_cache),
        node(s.node_cache),
        server(s.server_cache),
        regional(s.regional_cache),
        partitioned(s.node_cache.sharing == CacheSharing::kPartitioned),
        staged(s.staging.method == StagingMethod::kLazy),
        per_node(s.storage.scope == TierScope::kPerNode),
        nodes(s.cluster.nodes),
        epochs(std::max<std::int64_t>(1, most_epochs)),
        budget(most_reads) {}

  bool private_levels() const { return page.exists() || (node.exists() && !partitioned) || (staged && per_node); }
  bool shared_levels() const {
    return server.exists() || regional.exists() || (staged && !per_node) || (node.exists() && partitioned);
  }
  // Whether the play is over before anything is read twice, and nothing counts what is kept.
  bool reads_once() const {
    return epochs == 1 && access.reads_per_key == 1 && !node.exists() && !regional.exists() && !staged;
  }
  auto operator<=>(const Played&) const = default;
};

// A small generator with one job: orders of keys. The play is the same for every seed of the run.
class OrderDice {
 public:
  explicit OrderDice(std::uint64_t seed) : state_(seed) {}
  // **Range** [0, n)
  std::uint32_t below(std::uint32_t n) {
    // splitmix64 (Steele, Lea, Flood, OOPSLA 2014), then Lemire's multiply-shift.
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>(((z ^ (z >> 31)) >> 32) * n >> 32);
  }

 private:
  std::uint64_t state_;
};

// Keys of one cache, by policy.
//
// kLinux is the page cache of Linux, by the rules of kernel 6 (mm/workingset.c and mm/vmscan.c explain them):
//
//   a new key goes to the end of the inactive list; one that is used while it is there becomes active
//   room is made at the front of the inactive list; a clock counts keys that were dropped or became active
//   a key that comes back before the clock went on by the length of the active list becomes active at once
//   while keys come back so, and while the active list is more than sqrt(10 * capacity in GiB) times as long as the
//   inactive one, each time that room is made the oldest active key becomes inactive
class KeyCache {
 public:
  KeyCache() = default;
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): in keys, as the next
  KeyCache(const PlayedCache& spec, std::int64_t capacity, std::int64_t keys)
      : policy_(spec.policy),
        capacity_(capacity),
        most_active_(std::max(1.0, std::sqrt(10.0 * spec.capacity / kGibibyte))) {
    const CachePolicy policy = spec.policy;
    if (policy == CachePolicy::kNone || capacity <= 0) {
      policy_ = CachePolicy::kNone;
      return;
    }
    const auto size = static_cast<std::size_t>(keys);
    before_.assign(size, kAbsent);
    const bool ordered = capacity < keys && policy != CachePolicy::kPinned;  // else nothing is ever dropped
    if (ordered) after_.resize(size);
    if (ordered && policy == CachePolicy::kLinux) {
      active_key_.assign(size, false);
      dropped_at_.assign(size, kNever);
    }
  }

  bool exists() const { return policy_ != CachePolicy::kNone; }

  // Whether it has `key`; a use of it then.
  bool find(std::uint32_t key) {
    if (policy_ == CachePolicy::kNone || before_[key] == kAbsent) return false;
    if (after_.empty()) return true;
    if (dropped_at_.empty()) {
      if (key != inactive_.newest) move(key, inactive_, inactive_);
    } else if (!active_key_[key]) {
      activate(key);
    }
    return true;
  }

  // Takes a key that it does not have; false when it is full for good.
  bool keep(std::uint32_t key) {
    if (policy_ == CachePolicy::kNone) return false;
    if (inactive_.count + active_.count == capacity_) {
      if (policy_ == CachePolicy::kPinned) return false;
      make_room();
    }
    if (after_.empty()) {
      before_[key] = 0;
      ++inactive_.count;
      return true;
    }
    append(key, inactive_);
    if (!dropped_at_.empty() && dropped_at_[key] != kNever &&
        clock_ - dropped_at_[key] <= static_cast<std::uint32_t>(active_.count)) {
      activate(key);
      came_back_ = true;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;
  static constexpr std::uint32_t kEnd = UINT32_MAX - 1;
  static constexpr std::uint32_t kNever = UINT32_MAX;
  static constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

  struct List {
    std::uint32_t oldest = kEnd, newest = kEnd;
    std::int64_t count = 0;
  };

  void unlink(std::uint32_t key, List& list) {
    const std::uint32_t before = before_[key], after = after_[key];
    (before == kEnd ? list.oldest : after_[before]) = after;
    (after == kEnd ? list.newest : before_[after]) = before;
    --list.count;
  }
  void append(std::uint32_t key, List& list) {
    before_[key] = list.newest;
    after_[key] = kEnd;
    (list.newest == kEnd ? list.oldest : after_[list.newest]) = key;
    list.newest = key;
    ++list.count;
  }
  void move(std::uint32_t key, List& from, List& to) {
    unlink(key, from);
    append(key, to);
  }

  void activate(std::uint32_t key) {
    move(key, inactive_, active_);
    active_key_[key] = true;
    ++clock_;
  }

  void deactivate_oldest() {
    const std::uint32_t key = active_.oldest;
    move(key, active_, inactive_);
    active_key_[key] = false;
  }

  void make_room() {
    const bool long_active = static_cast<double>(active_.count) > most_active_ * static_cast<double>(inactive_.count);
    if (active_.count > 0 && (came_back_ || long_active)) deactivate_oldest();
    if (inactive_.count == 0) deactivate_oldest();
    came_back_ = false;
    const std::uint32_t oldest = inactive_.oldest;
    unlink(oldest, inactive_);
    before_[oldest] = kAbsent;
    if (!dropped_at_.empty()) dropped_at_[oldest] = clock_++;
  }

  CachePolicy policy_ = CachePolicy::kNone;
  std::int64_t capacity_ = 0;
  double most_active_ = 1.0;           // times as long as the inactive list
  std::vector<std::uint32_t> before_;  // read before it in its list, or kAbsent
  std::vector<std::uint32_t> after_;   // empty where no order is kept
  List inactive_, active_;             // all but kLinux have only the first
  std::vector<bool> active_key_;
  std::vector<std::uint32_t> dropped_at_;  // on the clock, or kNever; empty but for kLinux
  std::uint32_t clock_ = 0;                // keys dropped, and keys that became active: fewer than two a read
  bool came_back_ = false;                 // since room was last made, and early enough to become active
};

// The caches on `keys` keys, `nodes` nodes.
struct Chain {
  std::int64_t nodes = 1;
  bool partitioned = false;
  bool staged = false;    // storage has only what was read from the origin
  bool per_node = false;  // storage is the node's own
  std::vector<KeyCache> page, node, storage;
  KeyCache server, regional;

  // `rounding` in (0, 1): what a part of a key counts.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): keys of the dataset, then nodes
  Chain(const Played& what, std::int64_t keys, std::int64_t played_nodes, double rounding)
      : nodes(played_nodes), partitioned(what.partitioned), staged(what.staged), per_node(what.per_node) {
    const double dataset_bytes = what.access.dataset_bytes;
    const auto of = [&](const PlayedCache& spec, double holders) {
      // A capacity of 0 is "what is free"; resolve() has written it out where it is known.
      const double share = dataset_bytes > 0.0 ? spec.capacity * holders / dataset_bytes : 1.0;
      const double held = std::min(share, 2.0) * static_cast<double>(keys);
      return KeyCache(spec, static_cast<std::int64_t>(std::floor(held + rounding)), keys);
    };
    // Each is made in its place: together they are the most memory that a play takes.
    const auto fill = [&](std::vector<KeyCache>& caches, const PlayedCache& spec, std::int64_t count, double holders) {
      caches.reserve(static_cast<std::size_t>(count));
      for (std::int64_t n = 0; n < count; ++n) caches.push_back(of(spec, holders));
    };
    fill(page, what.page, nodes, 1.0);
    fill(node, what.node, partitioned ? 1 : nodes, partitioned ? static_cast<double>(nodes) : 1.0);
    server = of(what.server, 1.0);
    regional = of(what.regional, 1.0);
    for (std::int64_t n = 0; staged && n < (per_node ? nodes : 1); ++n)
      storage.emplace_back(everything(dataset_bytes), keys, keys);
  }

  static PlayedCache everything(double bytes_of_all) {
    CacheSpec all;
    all.policy = CachePolicy::kPinned;
    all.capacity = bytes(bytes_of_all);
    return PlayedCache(all);
  }

  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): who reads, then what
  void read(std::uint32_t reader, std::uint32_t key, ReadMix& mix) {
    KeyCache& memory = page[reader];
    KeyCache& disk = node[partitioned ? 0 : reader];
    ReadLevel from = ReadLevel::kStorage;
    if (memory.find(key)) {
      from = ReadLevel::kPageCache;
    } else if (disk.find(key)) {
      const bool own = !partitioned || key % static_cast<std::uint32_t>(nodes) == reader;
      from = own ? ReadLevel::kNodeCache : ReadLevel::kPeerCache;
      memory.keep(key);
    } else {
      if (server.find(key)) {
        from = ReadLevel::kServerCache;
      } else {
        if (regional.find(key)) {
          from = ReadLevel::kRegionalCache;
        } else {
          if (staged && !storage[per_node ? reader : 0].find(key)) {
            from = ReadLevel::kOrigin;
            storage[per_node ? reader : 0].keep(key);
          }
          if (regional.keep(key)) mix.regional_fill += 1.0;
        }
        server.keep(key);
      }
      if (disk.keep(key)) mix.node_fill += 1.0;
      memory.keep(key);
    }
    mix.served[index_of(from)] += 1.0;
  }
};

void normalise(EpochMix& epoch) {
  ReadMix last;
  last.served[index_of(ReadLevel::kStorage)] = 1.0;
  for (ReadMix& part : epoch.parts) {
    const double reads = std::accumulate(part.served.begin(), part.served.end(), 0.0);
    if (reads == 0.0) {
      part = last;  // fewer reads than parts
      continue;
    }
    part.scale(1.0 / reads);
    last = part;
  }
}

double farthest(const ReadMix& a, const ReadMix& b) {
  double most = 0.0;
  for (std::size_t l = 0; l < kReadLevels; ++l) most = std::max(most, std::abs(a.served[l] - b.served[l]));
  return most;
}

EpochMix all_storage() {
  EpochMix epoch;
  for (ReadMix& part : epoch.parts) part.served[index_of(ReadLevel::kStorage)] = 1.0;
  return epoch;
}

// A node that reads a fresh part of the dataset every epoch fills its caches over many epochs: those until the shares
// may be called steady.
double epochs_to_fill(const Played& what) {
  if (!what.private_levels()) return 0.0;
  const double dataset_bytes = std::max(1.0, what.access.dataset_bytes);
  const double staged = what.staged && what.per_node ? dataset_bytes : 0.0;
  const double held = std::max({what.page.capacity, what.node.capacity, staged}) / dataset_bytes;
  return std::min(held, 3.0) * static_cast<double>(what.nodes);
}

// How much of a run is played.
struct PlaySize {
  std::int64_t all = 1;    // nodes that read
  std::int64_t nodes = 1;  // of these, that are played
  std::int64_t keys = 0;
  std::int64_t reads_of_key = 1;  // in an epoch
  std::int64_t reads = 1;         // in an epoch, of all nodes
  std::int64_t replicas = 1;
};

PlaySize size_of_play(const Played& what, double epochs_until_full) {
  const KeyAccess& pattern = what.access;
  PlaySize size;
  // With nothing private all nodes are one reader, but for parts of a partitioned cache; with nothing shared a few
  // nodes stand for all.
  size.all = what.private_levels() || what.node.exists() ? what.nodes : 1;
  size.nodes = what.shared_levels() ? size.all : std::min(size.all, kAlikeNodes);
  const std::int64_t expected =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(2.0 * epochs_until_full) + 4, 1, what.epochs);
  const std::int64_t per_epoch = what.budget / expected;
  size.reads_of_key = std::min(pattern.reads_per_key, kMostReadsOfKey);
  const double share = std::min(
      1.0, pattern.epoch_share * (static_cast<double>(pattern.reads_per_key) / static_cast<double>(size.reads_of_key)));
  size.keys = std::min({pattern.keys, std::max(kLeastKeys, per_epoch / size.reads_of_key), kMostKeys,
                        std::max(kLeastKeys, kMostListed / std::max<std::int64_t>(1, size.nodes))});
  size.reads = std::max<std::int64_t>(1, std::llround(static_cast<double>(size.keys * size.reads_of_key) * share));
  size.replicas = std::clamp<std::int64_t>(
      std::min(kLeastReads, per_epoch) * size.all / std::max<std::int64_t>(1, size.nodes) / size.reads, 1,
      kMostReplicas);
  return size;
}

// One of several plays of the same run, each with an order of its own.
struct Replica {
  Chain chain;
  OrderDice dice;
  std::vector<std::uint32_t> order;

  Replica(const Played& what, const PlaySize& size, std::int64_t r)
      : chain(what, size.keys, size.nodes,
              size.replicas == 1 ? 1e-9 : (static_cast<double>(r) + 0.5) / static_cast<double>(size.replicas)),
        dice(0x5a11ca57U + static_cast<std::uint64_t>(r)),
        order(static_cast<std::size_t>(size.keys * size.reads_of_key)) {
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<std::uint32_t>(i % static_cast<std::size_t>(size.keys));
    if (!what.access.reshuffled) std::sort(order.begin(), order.end());
  }

  void read_epoch(const PlaySize& size, bool reshuffled, EpochMix& mix) {
    const std::int64_t all = size.all, nodes = size.nodes, reads = size.reads;
    const auto part_of = [&](std::int64_t i) {
      return static_cast<std::size_t>(i * static_cast<std::int64_t>(EpochMix::kParts) / reads);
    };
    // Where all nodes are played one after the other is as good as any; where a few stand for all, which of the
    // reads are theirs must not be tied to the keys of an order that stays the same.
    for (std::int64_t i = 0; i < reads; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (reshuffled) std::swap(order[at], order[at + dice.below(static_cast<std::uint32_t>(order.size() - at))]);
      const std::int64_t reader = i % all;
      if (reader < nodes) chain.read(static_cast<std::uint32_t>(reader), order[at], mix.parts[part_of(i)]);
    }
  }
};

// Epochs that are all alike: their mean has less chance in it than any one.
EpochMix mean_epoch(std::span<const EpochMix> epochs) {
  EpochMix mean{};
  for (const EpochMix& epoch : epochs)
    for (std::size_t b = 0; b < EpochMix::kParts; ++b) mean.parts[b].add(epoch.parts[b], 1.0);
  for (ReadMix& part : mean.parts) part.scale(1.0 / static_cast<double>(epochs.size()));
  return mean;
}

std::vector<EpochMix> play(const Played& what) {
  const bool levels = what.private_levels() || what.shared_levels();
  if (!levels || what.access.keys == 0 || what.reads_once()) return {all_storage()};

  const double fill = epochs_to_fill(what);
  const PlaySize size = size_of_play(what, fill);
  std::vector<Replica> replicas;
  replicas.reserve(static_cast<std::size_t>(size.replicas));
  for (std::int64_t r = 0; r < size.replicas; ++r) replicas.emplace_back(what, size, r);

  const auto most = static_cast<std::size_t>(what.epochs);
  std::vector<EpochMix> mixes;
  for (std::size_t e = 0; e < most; ++e) {
    mixes.emplace_back();  // not all at once: the run may have any number, few are played
    for (Replica& one : replicas) one.read_epoch(size, what.access.reshuffled, mixes[e]);
    normalise(mixes[e]);
    // Steady: as half as many epochs before, in every level, and with caches that had the time to fill.
    const std::size_t half = (e + 1) / 2;
    if (e >= 3 && static_cast<double>(half) >= fill && farthest(mixes[e].mean(), mixes[half].mean()) <= kSteady) {
      mixes[half] = mean_epoch(std::span(mixes).subspan(half));
      mixes.resize(half + 1);
      break;
    }
  }
  return mixes;
}

// The plays that were asked for last: a run is outlined more than once, and most draws of uncertain inputs leave all
// that a play depends on as it is.
std::vector<EpochMix> remembered_play(const Played& what) {
  constexpr std::size_t kMost = 32;
  static std::mutex mutex;
  static std::map<Played, std::vector<EpochMix>> plays;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = plays.find(what); found != plays.end()) return found->second;
  }
  std::vector<EpochMix> made = play(what);
  const std::lock_guard lock(mutex);
  if (plays.size() >= kMost) plays.clear();
  return plays.try_emplace(what, std::move(made)).first->second;
}

}  // namespace

void ReadMix::add(const ReadMix& other, double weight) {
  for (std::size_t l = 0; l < kReadLevels; ++l) served[l] += weight * other.served[l];
  node_fill += weight * other.node_fill;
  regional_fill += weight * other.regional_fill;
}

void ReadMix::scale(double factor) {
  for (double& share : served) share *= factor;
  node_fill *= factor;
  regional_fill *= factor;
}

ReadMix EpochMix::mean() const {
  ReadMix out;
  for (const ReadMix& part : parts) out.add(part, 1.0);
  out.scale(1.0 / static_cast<double>(kParts));
  return out;
}

// By tenths of the epoch: a single part has too much chance in it.
bool EpochMix::flat() const {
  constexpr double kChance = 0.03;
  constexpr std::size_t kTenth = kParts / 10;
  const ReadMix whole = mean();
  for (std::size_t from = 0; from < kParts; from += kTenth) {
    ReadMix tenth;
    for (std::size_t b = from; b < from + kTenth; ++b) tenth.add(parts[b], 1.0 / static_cast<double>(kTenth));
    if (farthest(tenth, whole) > kChance || std::abs(tenth.node_fill - whole.node_fill) > kChance) return false;
  }
  return true;
}

KeyAccess key_access(const Scenario& s) {
  const DatasetSpec& data = s.dataset;
  const bool iterable = s.loader.style == LoaderStyle::kIterable;
  const bool grouped = data.layout == DatasetLayout::kShards || data.layout == DatasetLayout::kColumnar;
  const bool in_file_order = reads_in_file_order(s);
  const std::int64_t per_file = std::max<std::int64_t>(1, data.samples_per_shard);
  const std::int64_t ranks = s.ranks();
  const std::int64_t per_step = s.workload.batch_size * s.workload.gradient_accumulation;

  KeyAccess p;
  if (iterable) {
    p.samples_per_epoch = static_cast<double>(shards_per_rank(s) * per_file);
  } else if (s.run.steps_per_epoch > 0) {
    p.samples_per_epoch = static_cast<double>(s.run.steps_per_epoch * per_step);
  } else if (data.samples > 0) {
    p.samples_per_epoch = static_cast<double>(std::max<std::int64_t>(1, data.samples / (per_step * ranks)) * per_step);
  }
  const double read = p.samples_per_epoch * static_cast<double>(ranks);
  const double samples = data.samples > 0 ? static_cast<double>(data.samples) : read;
  if (samples <= 0.0) return p;
  p.epoch_share = std::min(1.0, read / samples);
  p.dataset_bytes = samples * mean_of(data.sample_size);
  const bool row_groups = data.layout == DatasetLayout::kColumnar && !in_file_order;
  if (grouped && in_file_order) p.samples_per_key = per_file;
  if (row_groups) p.reads_per_key = per_file;
  p.keys = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(samples /
                                   static_cast<double>(grouped && (in_file_order || row_groups) ? per_file : 1)));
  // A shuffle buffer stands behind the reads, which follow the files.
  p.reshuffled = data.shuffle == Shuffle::kGlobal || data.shuffle == Shuffle::kShard;
  return p;
}

bool has_levels(const Scenario& s) {
  const Played what(s, 1, 1);
  return (what.private_levels() || what.shared_levels() || s.staging.method == StagingMethod::kPrefetch) &&
         what.access.keys > 0;
}

std::vector<EpochMix> play_epochs(const Scenario& s, std::int64_t epochs, std::int64_t budget) {
  return remembered_play({s, epochs, budget});
}

}  // namespace stallcast
