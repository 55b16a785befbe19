#include "core/model/storage_tier.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stallcast {

namespace {

double cap_of(BytesPerSecond rate) { return rate.base() > 0 ? rate.base() : FlowNetwork::kUnlimited; }

}  // namespace

StorageTier::StorageTier(Simulator& sim, const Scenario& s)
    : sim_(&sim),
      spec_(&s.storage),
      request_size_(s.dataset.request_size.base()),
      network_(sim),
      requests_limit_(s.storage.read_iops),
      metadata_limit_(s.storage.metadata_rate) {
  const double share = 1.0 - s.storage.noise;
  double read_cap = cap_of(s.storage.read_bandwidth) * share;
  double write_cap = cap_of(s.storage.write_bandwidth) * share;
  if (s.storage.service_quantum.base() > 0 && std::isfinite(read_cap)) {
    const std::int64_t devices = s.storage.scope == TierScope::kPerNode ? s.cluster.nodes : 1;
    for (std::int64_t d = 0; d < devices; ++d) {
      turns_.emplace_back(sim, read_cap, s.storage.service_quantum);
      turns_.emplace_back(sim, std::isfinite(write_cap) ? write_cap : read_cap, s.storage.service_quantum);
    }
    read_cap = FlowNetwork::kUnlimited;  // the turns are the tier's limit; the fluid keeps the other caps
    if (!s.storage.duplex) write_cap = FlowNetwork::kUnlimited;
  }
  const double stream = cap_of(s.storage.stream_bandwidth);
  // A node's own device is not behind its network card.
  const bool per_node = s.storage.scope == TierScope::kPerNode;
  const double nic = per_node ? FlowNetwork::kUnlimited : cap_of(s.cluster.nic_bandwidth);
  const double client_read = std::min(cap_of(s.storage.client_read_bandwidth), nic);
  const double client_write = std::min(cap_of(s.storage.client_write_bandwidth), nic);
  limited_read_ = std::isfinite(std::min({read_cap, client_read, stream}));
  limited_write_ = std::isfinite(std::min({s.storage.duplex ? write_cap : read_cap, client_write, stream}));
  FlowNetwork::LinkId tier_read = 0, tier_write = 0;
  for (std::int64_t node = 0; node < s.cluster.nodes; ++node) {
    if (node == 0 || per_node) {
      tier_read = network_.add_link(read_cap);
      tier_write = s.storage.duplex ? network_.add_link(write_cap) : tier_read;
      tier_links_.push_back(tier_read);
      tier_links_.push_back(tier_write);
    }
    const std::array read_path{tier_read, network_.add_link(client_read)};
    const std::array write_path{tier_write, network_.add_link(client_write)};
    if (limited_read_) read_class_.push_back(network_.add_class(read_path, stream));
    if (limited_write_) write_class_.push_back(network_.add_class(write_path, stream));
  }
}

LostTime StorageTier::read_limit(std::int64_t node) const {
  if (!limited_read_) return LostTime::kTierBandwidth;
  const FlowNetwork::LinkId link = network_.bottleneck(read_class_[static_cast<std::size_t>(node)]);
  if (link == FlowNetwork::kOwnCap) return LostTime::kStreamCap;
  return std::find(tier_links_.begin(), tier_links_.end(), link) != tier_links_.end() ? LostTime::kTierBandwidth
                                                                                      : LostTime::kClientCap;
}

Task<void> TurnServer::transfer(double size) {
  while (size > 0) {
    const double part = std::min(size, turn_);
    size -= part;
    free_at_ = std::max(free_at_, sim_->now()) + to_ns(part / rate_);
    co_await sim_->delay(free_at_ - sim_->now());
  }
}

Task<void> StorageTier::write(std::int64_t node, double size) {
  written_bytes_ += size;
  if (!turns_.empty() && size > 0) co_await turns(node, true).transfer(size);
  if (limited_write_ && size > 0) co_await network_.transfer(write_class_[static_cast<std::size_t>(node)], size);
}

}  // namespace stallcast
