// A storage system as all jobs on it see it: the links that carry their bytes, and the limits that they meet together.
//
// A job's view of it is a StorageTier (training) or a ServingModel: its nodes, each with private links to the system's.
// With one link shared by all and private ones beside it the network stays a star, which is solved fast.
#pragma once

#include <vector>

#include "core/engine/flow_network.h"
#include "core/model/storage_limits.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

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
  double read_cap() const { return read_cap_; }
  double write_cap() const { return duplex_ ? write_cap_ : read_cap_; }

  // Limits of requests.
  RateLimiter& requests(std::size_t device) { return requests_[device]; }
  RateLimiter& opens(std::size_t device) { return opens_[device]; }
  RateLimiter& writes() { return writes_; }
  bool refuses() const { return refuses_; }  // reads beyond read_iops are refused and tried again
  RefusingLimiter& refusing() { return refusing_; }

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
  std::vector<LostTime> causes_;               // by link
  std::vector<TurnServer> turns_;              // [reads, writes] of each device
  std::vector<RateLimiter> requests_, opens_;  // by device
  RateLimiter writes_;
  RefusingLimiter refusing_;
  BurstCredit burst_;
};

}  // namespace stallcast
