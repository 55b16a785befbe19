#include "core/model/storage/shared_storage.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/scenario/data_path.h"

namespace stallcast {

namespace {

std::size_t devices_of(const Scenario& s) {
  return s.storage.scope == TierScope::kPerNode ? static_cast<std::size_t>(s.cluster.nodes) : 1;
}

}  // namespace

double cap_of(BytesPerSecond rate) { return rate.base() > 0 ? rate.base() : FlowNetwork::kUnlimited; }

SharedStorage::SharedStorage(Simulator& sim, const Scenario& s)
    : sim_(&sim),
      network_(sim),
      duplex_(s.storage.duplex),
      refuses_(s.storage.retry_base.base() > 0 && s.storage.read_iops.base() > 0),
      bursts_(has_bursts(s.storage)),
      read_cap_(cap_of(bursts_ ? s.storage.burst_bandwidth : s.storage.read_bandwidth) * (1.0 - s.storage.noise)),
      write_cap_(cap_of(s.storage.write_bandwidth) * (1.0 - s.storage.noise)),
      requests_(devices_of(s), RateLimiter(s.storage.read_iops)),
      opens_(devices_of(s), RateLimiter(s.storage.metadata_rate)),
      writes_(s.storage.write_iops),
      refusing_(s.storage.read_iops),
      burst_(s.storage.read_bandwidth * (1.0 - s.storage.noise), s.storage.burst_credit) {
  const bool occupied = s.storage.scope == TierScope::kPerNode && std::isfinite(read_cap_) &&
                        (s.storage.latency_held_fraction > 0.0 || s.storage.request_time.base() > 0.0);
  device_bytes_per_s_ = read_cap_;
  if (s.storage.service_quantum.base() > 0 && std::isfinite(read_cap_)) {
    for (std::size_t d = 0; d < devices_of(s); ++d) {
      turns_.emplace_back(sim, read_cap_, s.storage.service_quantum);
      turns_.emplace_back(sim, std::isfinite(write_cap_) ? write_cap_ : read_cap_, s.storage.service_quantum);
    }
    read_cap_ = FlowNetwork::kUnlimited;  // the turns are the tier's limit; the fluid keeps the other caps
    if (!duplex_) write_cap_ = FlowNetwork::kUnlimited;
  }
  for (std::size_t d = 0; d < devices_of(s); ++d) {
    read_links_.push_back(add_link(read_cap_, LostTime::kTierBandwidth));
    write_links_.push_back(duplex_ ? add_link(write_cap_, LostTime::kTierBandwidth) : read_links_.back());
  }
  if (occupied) {
    held_fraction_ = s.storage.latency_held_fraction;
    request_time_s_ = s.storage.request_time.base();
    at_device_.assign(devices_of(s), 0);
    // Not behind the client's caps nor a stream's: it is the device that is busy. Where it gives turns its link has no
    // limit, and the class stays unused.
    for (const FlowNetwork::LinkId link : read_links_)
      occupied_class_.push_back(network_.add_class(std::array{link}, device_bytes_per_s_));
  }
  server_cache_link_ = add_link(cap_of(s.server_cache.read_bandwidth), LostTime::kCacheBandwidth);
}

FlowNetwork::LinkId SharedStorage::add_link(double capacity, LostTime cause) {
  causes_.push_back(cause);
  return network_.add_link(capacity);
}

LostTime SharedStorage::limit_of(FlowNetwork::ClassId cls) const {
  const FlowNetwork::LinkId bound = network_.bottleneck(cls);
  return bound == FlowNetwork::kOwnCap ? LostTime::kStreamCap : causes_[bound];
}

Task<void> SharedStorage::occupy(std::size_t device, double requests, double latency_s) {
  const auto here = static_cast<double>(++at_device_[device]);
  const double time_s = requests * request_time_s_ + held_fraction_ * latency_s / here;
  if (takes_turns()) {
    co_await turns(device, false).transfer(time_s * device_bytes_per_s_);
  } else {
    co_await network_.transfer(occupied_class_[device], time_s * device_bytes_per_s_);
  }
}

Task<void> TurnServer::transfer(double size) {
  while (size > 0) {
    const double part = std::min(size, turn_);
    size -= part;
    free_at_ = after(std::max(free_at_, sim_->now()), to_ns(part / rate_));
    co_await sim_->delay(free_at_ - sim_->now());
  }
}

}  // namespace stallcast
