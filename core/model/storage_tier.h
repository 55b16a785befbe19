// The storage tier as a run sees it: request limits, first-byte latency, and bytes through stream, client and tier
// caps.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/engine/flow_network.h"
#include "core/engine/simulator.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Requests served one after the other at a fixed rate: the n-th waits for those before it.
class RateLimiter {
 public:
  explicit RateLimiter(PerSecond rate) : interval_s_(rate.base() > 0 ? 1.0 / rate.base() : 0.0) {}

  // When `count` requests that arrive at `now` have been admitted. **Range** >= now.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a time in ns and a number of requests
  SimTime admit(SimTime now, double count) {
    if (interval_s_ == 0.0) return now;
    const double start = std::max(to_seconds(now), free_at_s_);
    free_at_s_ = start + interval_s_ * count;
    return std::max(now, to_ns(start));
  }

 private:
  double interval_s_;
  double free_at_s_ = 0.0;
};

// A device that serves its users in turns at its full rate: each books its next turn when its last one ends.
class TurnServer {
 public:
  TurnServer(Simulator& sim, double rate, Seconds quantum) : sim_(&sim), rate_(rate), turn_(rate * quantum.base()) {}
  Simulator& simulator() { return *sim_; }
  Task<void> transfer(double size);

 private:
  Simulator* sim_;
  double rate_;  // bytes/s
  double turn_;  // bytes
  SimTime free_at_ = 0;
};

class StorageTier {
 public:
  StorageTier(Simulator& sim, const Scenario& scenario);

  Simulator& simulator() { return *sim_; }

  // A read is made of these parts, in this order: wait until admit_*(), wait for the first byte, move() the bytes.

  // When the metadata service takes up an open that is asked for now. **Range** >= now.
  SimTime admit_open() { return metadata_limit_.admit(sim_->now(), 1.0); }

  // When a read of `size` bytes that is asked for now is taken up, request limits considered. **Range** >= now.
  SimTime admit_read(double size) {
    const double count = request_size_ > 0 ? std::max(1.0, std::ceil(size / request_size_)) : 1.0;
    requests_ += count;
    read_bytes_ += size;
    return requests_limit_.admit(sim_->now(), count);
  }

  // Whether reads wait for turns of the tier's device, and whether they share bandwidth.
  bool takes_turns() const { return !turns_.empty(); }
  bool shares_bandwidth() const { return limited_read_; }

  // co_await: `size` bytes by turns of the device, or at the fair rate of node `node`.
  Task<void> move_in_turns(std::int64_t node, double size) { return turns(node, false).transfer(size); }
  auto move(std::int64_t node, double size) {
    return network_.transfer(read_class_[static_cast<std::size_t>(node)], size);
  }

  // Writes `size` bytes from node `node`.
  Task<void> write(std::int64_t node, double size);

  double read_bytes() const { return read_bytes_; }
  double written_bytes() const { return written_bytes_; }
  double requests() const { return requests_; }

  // Which cap limits node `node`'s reads now, or did when it last read.
  LostTime read_limit(std::int64_t node) const;

 private:
  TurnServer& turns(std::int64_t node, bool write) {
    const std::size_t device = spec_->scope == TierScope::kPerNode ? static_cast<std::size_t>(node) : 0;
    return turns_[2 * device + (write && spec_->duplex ? 1 : 0)];
  }

  Simulator* sim_;
  const StorageSpec* spec_;
  double request_size_;
  FlowNetwork network_;
  std::vector<TurnServer> turns_;  // the tier's own rate when it has a service quantum: [reads, writes] of each device
  RateLimiter requests_limit_;
  RateLimiter metadata_limit_;
  bool limited_read_ = false;  // some cap applies to reads
  bool limited_write_ = false;
  std::vector<FlowNetwork::ClassId> read_class_;  // by node
  std::vector<FlowNetwork::ClassId> write_class_;
  std::vector<FlowNetwork::LinkId> tier_links_;
  double read_bytes_ = 0.0;
  double written_bytes_ = 0.0;
  double requests_ = 0.0;
};

}  // namespace stallcast
