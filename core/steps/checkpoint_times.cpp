#include "core/steps/checkpoint_times.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/checkpoint_stages.h"
#include "core/units/distribution.h"
#include "core/units/quantity.h"

namespace stallcast {
namespace {

double time_at(double amount, double rate) { return rate > 0.0 ? amount / rate : 0.0; }

double least_rate(std::initializer_list<double> rates) {
  double least = 0.0;
  for (const double rate : rates)
    if (rate > 0.0 && (least == 0.0 || rate < least)) least = rate;
  return least;
}

// What one device gets of bytes that are `all` together and `of_node` of the node that has most: a tier's own is for
// all nodes, or each node has one.
double of_device(const Scenario& s, double all, double of_node) {
  return s.storage.scope == TierScope::kPerNode ? of_node : all;
}

double card_of(const Scenario& s) {
  return s.storage.scope == TierScope::kPerNode ? 0.0 : s.cluster.usable_nic().base();
}

// `part` of the bytes of all writers on their way to storage.
double move_time(const Scenario& s, const CheckpointShape& shape, double part) {
  const double share = 1.0 - s.storage.noise;
  const BytesPerSecond tier = s.storage.duplex ? s.storage.write_bandwidth : s.storage.read_bandwidth;
  const double requests =
      s.dataset.request_size.base() > 0.0 ? std::ceil(part * shape.total / s.dataset.request_size.base()) : 1.0;
  const double sizes =
      std::max({time_at(shape.largest_node, least_rate({s.storage.client_write_bandwidth.base(), card_of(s)})),
                time_at(shape.largest_rank, writer_rate(s).base()),
                time_at(of_device(s, shape.total, shape.largest_node), tier.base() * share)});
  return std::max(part * sizes, time_at(requests, s.storage.write_iops.base()));
}

}  // namespace

double storage_write_time(const Scenario& s) {
  const CheckpointShape shape = checkpoint_shape(s);
  if (!s.checkpoint.to_storage) return time_at(shape.largest_rank, s.checkpoint.write_bandwidth.base());
  const WriteStages stages = write_stages(s);
  const auto moved = [&](double part) { return part > 0.0 ? move_time(s, shape, part) : 0.0; };
  const double before = s.checkpoint.first_level == CheckpointLevel::kStorage ? stages.before_s : 0.0;
  return before + std::max(shape.largest_rank * stages.make_s_per_byte, moved(stages.beside)) + moved(stages.after) +
         stages.files_s + stages.commit_s;
}

double storage_restore_time(const Scenario& s) {
  const CheckpointShape shape = checkpoint_shape(s);
  if (!s.checkpoint.to_storage) return time_at(shape.read_by_rank, s.checkpoint.write_bandwidth.base());
  const double share = (1.0 - s.storage.noise) * s.checkpoint.restore_efficiency;
  const double readers = shape.read_by_rank > 0.0 ? shape.read_total / shape.read_by_rank : 0.0;
  const double requests =
      s.dataset.request_size.base() > 0.0 ? std::ceil(shape.read_total / s.dataset.request_size.base()) : readers;
  const double read =
      std::max({time_at(shape.read_by_node, least_rate({s.storage.client_read_bandwidth.base(), card_of(s)})),
                time_at(shape.read_by_rank, reader_rate(s).base()),
                time_at(of_device(s, shape.read_total, shape.read_by_node), s.storage.read_bandwidth.base() * share),
                time_at(requests, s.storage.read_iops.base()), time_at(readers, s.storage.metadata_rate.base())});
  const double slow = 1.0 + chance_of_slow_server(s.storage) * (s.storage.slow_server_factor - 1.0);
  return quantile_of(s.storage.latency, 0.5) + quantile_of(s.storage.open_latency, 0.5) + read * slow +
         time_at(shape.passed_on_to_rank, s.cluster.gpu_link_bandwidth.base());
}

double first_level_restore_time(const Scenario& s) {
  const CheckpointShape shape = checkpoint_shape(s);
  switch (s.checkpoint.first_level) {
    case CheckpointLevel::kLocalNvme:
      return std::max(time_at(shape.largest_node, s.cluster.local_read_bandwidth.base()),
                      time_at(shape.largest_rank, s.checkpoint.load_bandwidth.base()));
    case CheckpointLevel::kPeerMemory:
      return time_at(shape.largest_node, s.cluster.usable_nic().base());
    case CheckpointLevel::kStorage:
      break;
  }
  return 0.0;
}

double first_level_write_time(const Scenario& s) {
  const CheckpointShape shape = checkpoint_shape(s);
  const double plan = s.checkpoint.plan_time.base();
  switch (s.checkpoint.first_level) {
    case CheckpointLevel::kLocalNvme:
      return plan + std::max(time_at(shape.largest_node, s.cluster.local_write_bandwidth.base()),
                             time_at(shape.largest_rank, s.checkpoint.serialize_bandwidth.base()));
    case CheckpointLevel::kPeerMemory:
      return plan + time_at(shape.largest_node, s.cluster.usable_nic().base());
    case CheckpointLevel::kStorage:
      break;
  }
  return 0.0;
}

double write_beside_time(const Scenario& s) {
  const bool tiered = s.checkpoint.first_level != CheckpointLevel::kStorage;
  const bool async = s.checkpoint.mode == CheckpointMode::kAsync;
  const double behind = write_stages(s).behind;
  const double flush = behind > 0.0 ? move_time(s, checkpoint_shape(s), behind) : 0.0;
  if (!async && !tiered) return flush;
  return storage_write_time(s) + flush + (async ? first_level_write_time(s) : 0.0);
}

}  // namespace stallcast
