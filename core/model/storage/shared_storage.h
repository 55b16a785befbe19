// A storage system as all jobs on it see it: the links that carry their bytes, and the limits that they meet together.
//
// A job's view of it is a StorageTier (training) or a ServingModel: its nodes, each with private links to the system's.
// With one link shared by all and private ones beside it the network stays a star, which is solved fast.
#pragma once

#include <vector>

#include "core/engine/flow_network.h"
#include "core/engine/process.h"
#include "core/engine/simulator.h"
#include "core/model/storage/storage_limits.h"
#include "core/result/lost_time.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity.h"

namespace stallcast {

// The limit that a rate is, where 0 stands for none.
double cap_of(BytesPerSecond rate);

class SharedStorage {
 public:
  // The system that `scenario.storage` describes, with the RAM of its servers (`scenario.server_cache`). A tier in
  // every node has a device for each of the scenario's nodes; any other is one device.
  SharedStorage(Simulator& sim, const Scenario& scenario);
  SharedStorage(const SharedStorage&) = delete;
  SharedStorage& operator=(const SharedStorage&) = delete;

  Simulator& simulator() { return *sim_; }
  FlowNetwork& network() { return network_; }
  const FlowNetwork& network() const { return network_; }

  // A link of one job, with what a read that it limits waits for. **Units** bytes/s
  FlowNetwork::LinkId add_link(double capacity, LostTime cause);
  // Which cap limits a class now, or did when it last moved anything.
  LostTime limit_of(FlowNetwork::ClassId cls) const;

  // The system's own links and their capacities, which are unlimited where its device gives turns. Reads and writes
  // share one link unless they are duplex.
  FlowNetwork::LinkId read_link(std::size_t device) const { return read_links_[device]; }
  FlowNetwork::LinkId write_link(std::size_t device) const { return write_links_[device]; }
  FlowNetwork::LinkId server_cache_link() const { return server_cache_link_; }
  std::size_t devices() const { return read_links_.size(); }  // one for all nodes, or one of each
  double read_cap() const { return read_cap_; }
  double write_cap() const { return duplex_ ? write_cap_ : read_cap_; }

  // Limits of requests.
  RateLimiter& requests(std::size_t device) { return requests_[device]; }
  RateLimiter& opens(std::size_t device) { return opens_[device]; }
  RateLimiter& writes() { return writes_; }
  bool refuses() const { return refuses_; }  // reads beyond read_iops are refused and tried again
  RefusingLimiter& refusing() { return refusing_; }

  // Whether a read takes time of its device beside its bytes: per request, and the held part of its latency. Such a
  // read waits for the rest of its latency, then for occupy(), then for its bytes, and then calls release().
  bool is_occupied() const { return !occupied_class_.empty(); }
  // The part of a latency that overlaps with others' reads.
  double overlapping(double latency_s) const { return (1.0 - held_fraction_) * latency_s; }
  // co_await: the time of the device that `requests` requests of one read take, and the held part of its latency.
  // **Model** as so many bytes at the device's bandwidth, which it shares with all who read: request_time for each
  // request, and held latency / reads at the device, itself included, so that those there bear one latency together.
  Task<void> occupy(std::size_t device, double requests, double latency_s);
  void release(std::size_t device) { --at_device_[device]; }

  bool bursts() const { return bursts_; }
  BurstCredit& burst() { return burst_; }

  // The device that serves its readers in turns, when it has a service quantum.
  bool takes_turns() const { return !turns_.empty(); }
  TurnServer& turns(std::size_t device, bool write) { return turns_[2 * device + (write && duplex_ ? 1 : 0)]; }

 private:
  Simulator* sim_;
  FlowNetwork network_;
  bool duplex_;
  bool refuses_;
  bool bursts_;
  double read_cap_, write_cap_;                                // bytes/s
  std::vector<FlowNetwork::LinkId> read_links_, write_links_;  // by device
  FlowNetwork::LinkId server_cache_link_ = 0;
  std::vector<LostTime> causes_;   // by link
  std::vector<TurnServer> turns_;  // [reads, writes] of each device
  double held_fraction_ = 0.0;     // of latencies
  double request_time_s_ = 0.0;
  double device_bytes_per_s_ = 0.0;
  std::vector<FlowNetwork::ClassId> occupied_class_;  // by device; empty = reads are nothing but latency and bytes
  std::vector<std::int64_t> at_device_;               // reads that occupy it or move bytes
  std::vector<RateLimiter> requests_, opens_;         // by device
  RateLimiter writes_;
  RefusingLimiter refusing_;
  BurstCredit burst_;
};

}  // namespace stallcast
