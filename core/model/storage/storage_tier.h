// Storage as a run sees it: which level of the cache chain answers a read, request limits, first-byte latency, and
// bytes through stream, client, NIC, device and tier caps.
//
// A read that the tier answers and nothing else has to know of is made of parts that the loader awaits itself, its
// innermost loop: admit_read(), the first byte, move(). Any other read is one read(): of a cache, of the origin, with a
// fill on its way, or where the tier refuses requests.
//
// The tier is one job's view of a SharedStorage, which other jobs may use too: the job's nodes with their cards and
// clients, its caches, its counters.
//
// All levels share one flow network: what a node's card carries from a peer it does not carry from the tier. A node's
// reads of its peers' parts of a partitioned cache go through its own card and its own device, which stands for theirs:
// every node serves as much to others as it takes from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/engine/flow_network.h"
#include "core/engine/process.h"
#include "core/engine/random_stream.h"
#include "core/engine/sim_time.h"
#include "core/engine/simulator.h"
#include "core/model/storage/phase_clock.h"
#include "core/model/storage/read_plan.h"
#include "core/model/storage/shared_storage.h"
#include "core/model/storage/storage_limits.h"
#include "core/result/lost_time.h"
#include "core/result/read_level.h"
#include "core/scenario/scenario.h"
#include "core/units/distribution.h"

namespace stallcast {

// Where a read is answered.
struct ReadSource {
  ReadLevel level = ReadLevel::kStorage;
  bool fills_node = false;
  bool plain = true;  // the loader's own loop does it

  // Nothing beyond the node is asked to open a file that the node has.
  bool opens_remotely() const {
    return level != ReadLevel::kPageCache && level != ReadLevel::kNodeCache && level != ReadLevel::kPeerCache;
  }
};

// One request of a sample. `latency_s` is what the draws say of the tier.
struct ReadRequest {
  std::int64_t rank = 0;
  std::int64_t node = 0;
  std::int64_t number = 0;  // of the sample
  double size = 0.0;        // of each that it stands for
  double latency_s = 0.0;   // likewise
  double in_a_row = 1.0;    // how many that is, one after the other
  double bytes() const { return in_a_row * size; }
};

class StorageTier {
 public:
  // A storage system for this job alone. `plan` says which levels answer, and outlives the tier; null: storage answers
  // all. `seed` is the run's. `job`: what the scenario's nodes stand for, whose slowest writer is the slowest of more;
  // null: they stand for themselves.
  StorageTier(Simulator& sim, const Scenario& scenario, const ReadPlan* plan = nullptr, std::uint64_t seed = 0,
              const Scenario* job = nullptr);
  // On a system that other jobs use too, which outlives the tier. Built before anything is read.
  StorageTier(SharedStorage& shared, const Scenario& scenario, const ReadPlan* plan = nullptr, std::uint64_t seed = 0,
              const Scenario* job = nullptr);

  Simulator& simulator() { return *sim_; }

  // Who answers the reads of sample `number` of a rank, which is about to be read with the `count` - 1 after it; the
  // same for all of its requests, and for all samples of its shard when those are read one after the other.
  ReadSource source_of(std::int64_t rank, std::int64_t number, std::int64_t count = 1) {
    samples_ += count;
    return always_plain_ ? ReadSource{} : draw_source(rank, number);
  }
  // Whether the file or shard that sample `number` is in must be opened beyond the node.
  bool opens_remotely(std::int64_t rank, std::int64_t number) const {
    return always_plain_ || draw_source(rank, number).opens_remotely();
  }

  // co_await: a request answered by `source`, which is not plain. `clock` learns what it waits for.
  Task<void> read(ReadRequest request, ReadSource source, PhaseClock& clock);

  // A plain read is made of these parts, in this order: wait until admit_*(), wait for the first byte, move() the
  // bytes.

  // When the metadata service (of node `node`, where each has a device) takes up an open that is asked for now.
  // **Range** >= now.
  SimTime admit_open(std::int64_t node, double files = 1.0) {
    return shared_->opens(device_of(node)).admit(sim_->now(), files);
  }

  // When a read of `size` bytes that node `node` asks for now is taken up, request limits considered; and `in_a_row` of
  // them, one after the other. **Range** >= now.
  SimTime admit_read(std::int64_t node, double size, double in_a_row = 1.0) {
    const double count = in_a_row * requests_of(size);
    requests_ += count;
    read_bytes_ += in_a_row * size;
    return shared_->requests(device_of(node)).admit(sim_->now(), count);
  }

  // Whether reads wait for turns of the tier's device, and whether they share bandwidth.
  bool takes_turns() const { return takes_turns_; }
  bool shares_bandwidth() const { return limited_read_; }

  // co_await: `size` bytes by turns of the device, or at the fair rate of node `node`.
  Task<void> move_in_turns(std::int64_t node, double size) {
    return shared_->turns(device_of(node), false).transfer(size);
  }
  auto move(std::int64_t node, double size) {
    return network_->transfer(read_class_[static_cast<std::size_t>(node)], size);
  }

  // Whether a read takes time of its device beside its bytes. Then, between admit_read() and the bytes: a wait of
  // overlapping() instead of the latency, and occupy(); release() after the bytes.
  bool is_occupied() const { return is_occupied_; }
  double overlapping(double latency_s) const { return shared_->overlapping(latency_s); }
  Task<void> occupy(std::int64_t node, double size, double latency_s, double in_a_row = 1.0) {
    return shared_->occupy(device_of(node), in_a_row * requests_of(size), in_a_row * latency_s);
  }
  void release(std::int64_t node) { shared_->release(device_of(node)); }

  // Writes `size` bytes from node `node`, and counts `counted` as written.
  Task<void> write(std::int64_t node, double size, double counted);
  Task<void> write(std::int64_t node, double size) { return write(node, size, size); }
  // Likewise from one that no node stands for: over the storage alone, at most at `rate`. Before the run, once.
  void add_lone_writer(double rate);
  Task<void> write_alone(double size);

  // Writes `size` bytes from node `node` to the first level of checkpoints: its NVMe, which fills of its cache use too
  // (and storage that is that NVMe), or the next node's memory, over the cards that reads use. Every node takes in as
  // much as it gives away. No time where nothing limits it, or the first level is storage.
  Task<void> write_first_level(std::int64_t node, double size);

  // From now on a second stands for so many of the run: credit for bursts and a copy of the dataset change as many
  // times as fast.
  void stand_for(double seconds) {
    stands_for_ = seconds;
    shared_->burst().stand_for(seconds);
  }

  std::int64_t samples() const { return samples_; }  // whose reads have begun
  double read_bytes() const { return read_bytes_; }  // by the tier itself
  double busy_s() const;                             // of its devices at the least, with what was read so far
  double written_bytes() const { return written_bytes_; }
  double requests() const { return requests_; }
  double refused_requests() const { return refused_; }
  double write_requests() const { return write_requests_; }
  double copied() const { return copied_; }  // share of the dataset that has come from the origin, of all copies
  double origin_bytes_of_run() const { return origin_bytes_of_run_; }  // each as often as it stands for
  double copied_s() const { return copied_s_; }                        // time of the run that it took
  // Bytes and requests that each level answered.
  LevelShares level_bytes() const;
  LevelShares level_requests() const;

  // Which cap limits node `node`'s reads now, or did when it last read.
  LostTime read_limit(std::int64_t node) const;

 private:
  struct Shape;  // links and classes before they are reduced to those that matter
  struct Links;  // those of them that a node's reads and writes may take
  StorageTier(std::unique_ptr<SharedStorage> own, SharedStorage* shared, const Scenario& scenario, const ReadPlan* plan,
              std::uint64_t seed, const Scenario* job);

  double requests_of(double size) const {
    return request_size_ > 0 ? std::max(1.0, std::ceil(size / request_size_)) : 1.0;
  }
  ReadSource draw_source(std::int64_t rank, std::int64_t number) const;
  static Process copy_dataset(Simulator& sim, StorageTier& tier, std::int64_t connection);
  Task<void> write_over(FlowNetwork::ClassId cls, std::size_t device, double size, double counted);
  void wire_plain();
  void wire_levels();
  void add_node_links(Shape& shape, std::size_t node, Links& links) const;
  void wire_reads(Shape& shape, const Links& links, const LevelShares& used, std::size_t node);
  void wire_copy(Shape& shape, const Links& links, std::size_t node);
  void wire_checkpoints(Shape& shape, const Links& links, std::size_t node);
  const Distribution& latency_of(ReadLevel level) const;

  // A shared tier is one device for all nodes.
  std::size_t device_of(std::int64_t node) const {
    return spec_->scope == TierScope::kPerNode ? static_cast<std::size_t>(node) : 0;
  }

  std::unique_ptr<SharedStorage> own_;  // the system, when it is this job's alone
  SharedStorage* shared_;
  Simulator* sim_;
  const StorageSpec* spec_;
  double request_size_;
  FlowNetwork* network_;
  bool takes_turns_;
  bool is_occupied_;
  double writer_cap_;          // of one writer's stream to storage
  bool limited_read_ = false;  // some cap applies to reads
  bool limited_write_ = false;
  std::vector<FlowNetwork::ClassId> read_class_;  // by node
  std::vector<FlowNetwork::ClassId> write_class_;
  std::vector<FlowNetwork::ClassId> first_level_class_;  // by node; none where checkpoints go to storage first
  double read_bytes_ = 0.0;
  double written_bytes_ = 0.0;
  double requests_ = 0.0;
  double refused_ = 0.0;
  double write_requests_ = 0.0;
  std::int64_t samples_ = 0;

  // Levels. **Shape** classes: [node][level][fills the node cache], kNoClass where nothing limits them.
  static constexpr FlowNetwork::ClassId kNoClass = UINT32_MAX;
  const Scenario* scenario_;
  const ReadPlan* plan_ = nullptr;
  bool always_plain_ = true;
  bool tier_plain_ = true;  // reads of the tier that fill nothing are the loader's own
  ReadPlan own_plan_;       // all from storage, where its reads are not plain and no plan is given
  double origin_bytes_of_run_ = 0.0;
  double copied_ = 1.0;
  std::vector<double> copied_to_;  // likewise by device: of one copy
  double copied_s_ = 0.0;
  double copied_connections_ = 0.0;               // whose part has come
  std::int64_t done_copying_ = 0;                 // connections
  std::vector<FlowNetwork::ClassId> copy_class_;  // by device
  FlowNetwork::ClassId lone_class_ = kNoClass;
  Sweeps sweeps_;
  std::vector<LevelCuts> cuts_;  // [mix][part]
  double stands_for_ = 1.0;
  struct RankStreams {
    RandomStream level, latency, back_off;
  };
  std::vector<RankStreams> streams_;  // by rank
  std::vector<FlowNetwork::ClassId> level_class_;
  LevelShares level_bytes_{}, level_requests_{};  // of read()
  RateLimiter origin_limit_;
};

}  // namespace stallcast
