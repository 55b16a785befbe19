#include "core/run/checkpoint_behaviour.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/model/checkpointer.h"
#include "core/model/represented.h"
#include "core/model/training_model.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/data_path.h"

namespace stallcast {
namespace {

double time_at(double amount, double rate) { return rate > 0.0 ? amount / rate : 0.0; }

double least_rate(std::initializer_list<double> rates) {
  double least = 0.0;
  for (const double rate : rates)
    if (rate > 0.0 && (least == 0.0 || rate < least)) least = rate;
  return least;
}

double devices_of(const Scenario& s) {
  return s.storage.scope == TierScope::kPerNode ? static_cast<double>(s.cluster.nodes) : 1.0;
}

double card_of(const Scenario& s) {
  return s.storage.scope == TierScope::kPerNode ? 0.0 : s.cluster.nic_bandwidth.base();
}

// One run of `steps` steps from a cold start: its length, and its checkpoints.
struct Trial {
  double wall_s = 0.0;
  std::vector<CheckpointLog> checkpoints;
};

Trial try_out(const Scenario& job, std::int64_t steps, const Regime* regime, std::uint64_t seed,
              const RunOptions& options) {
  const Representatives group =
      options.exact ? Representatives{job.cluster.nodes, job.cluster.nodes} : representatives_of(job);
  Scenario s = represented(job, group);
  s.run.epochs = std::numeric_limits<std::int32_t>::max();
  s.storage.burst_bandwidth = BytesPerSecond();
  std::optional<ReadPlan> plan;
  if (regime != nullptr) {
    plan = regime->plan;
    plan->copy_bytes = 0.0;
  }
  TrainingModel model(s, seed, nullptr, nullptr, plan ? &*plan : nullptr, &job);
  model.simulator().end_on(options.stop);
  model.run(steps, [&](std::int64_t done) { return (done & 15) != 0 || !options.stop.stop_requested(); });
  Trial out;
  if (!model.log().end_s.empty()) out.wall_s = model.log().end_s.back();
  out.checkpoints = model.checkpointer().log();
  return out;
}

// The same scenario with every rank's part `times` smaller.
Scenario shortened(const Scenario& s, double times) {
  if (times <= 1.0) return s;
  Scenario out = s;
  out.checkpoint.size = bytes(checkpoint_shape(s).total / times);
  out.checkpoint.size_per_writer = Bytes();
  return out;
}

}  // namespace

double storage_write_time(const Scenario& s) {
  const CheckpointShape shape = checkpoint_shape(s);
  const double share = 1.0 - s.storage.noise;
  if (!s.checkpoint.to_storage) return time_at(shape.largest_rank, s.checkpoint.write_bandwidth.base());
  const BytesPerSecond tier = s.storage.duplex ? s.storage.write_bandwidth : s.storage.read_bandwidth;
  const double requests =
      s.dataset.request_size.base() > 0.0 ? std::ceil(shape.total / s.dataset.request_size.base()) : 1.0;
  return std::max({time_at(shape.largest_node, least_rate({s.storage.client_write_bandwidth.base(), card_of(s)})),
                   time_at(shape.largest_rank, s.storage.stream_bandwidth.base()),
                   time_at(shape.total / devices_of(s), tier.base() * share),
                   time_at(requests, s.storage.write_iops.base())});
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
                time_at(shape.read_by_rank, s.storage.stream_bandwidth.base()),
                time_at(shape.read_total / devices_of(s), s.storage.read_bandwidth.base() * share),
                time_at(requests, s.storage.read_iops.base()), time_at(readers, s.storage.metadata_rate.base())});
  const double slow = 1.0 + chance_of_slow_server(s.storage) * (s.storage.slow_server_factor - 1.0);
  return quantile_of(s.storage.latency, 0.5) + quantile_of(s.storage.open_latency, 0.5) + read * slow +
         time_at(shape.passed_on_to_rank, s.cluster.gpu_link_bandwidth.base());
}

double first_level_restore_time(const Scenario& s) {
  const CheckpointShape shape = checkpoint_shape(s);
  switch (s.checkpoint.first_level) {
    case CheckpointLevel::kLocalNvme:
      return time_at(shape.largest_node, s.cluster.local_read_bandwidth.base());
    case CheckpointLevel::kPeerMemory:
      return time_at(shape.largest_node, s.cluster.nic_bandwidth.base());
    case CheckpointLevel::kStorage:
      break;
  }
  return 0.0;
}

CheckpointBehaviour checkpoint_behaviour(const Scenario& s, double step_s, double interval_steps, const Regime* regime,
                                         std::uint64_t seed, const RunOptions& options) {
  constexpr std::int64_t kCheckpoints = 8;
  CheckpointBehaviour out;
  const CheckpointShape shape = checkpoint_shape(s);
  out.size = shape.total;
  out.restore_s = storage_restore_time(s);
  out.first_level_restore_s = first_level_restore_time(s);
  out.export_s = export_time(s, shape.total);
  const bool tiered = s.checkpoint.first_level != CheckpointLevel::kStorage;
  const bool beside = s.checkpoint.mode == CheckpointMode::kAsync || tiered;
  const double alone_s = storage_write_time(s);
  const double flush_steps = beside ? alone_s / step_s : 0.0;
  const double times = std::max(1.0, flush_steps / kMostFlushSteps);
  Scenario with = shortened(s, times);
  with.checkpoint.cadence = CheckpointCadence::kSteps;
  with.checkpoint.storage_every = 1;
  with.checkpoint.export_every = 0;
  with.checkpoint.when_busy = WhenBusy::kWait;
  const auto ahead = static_cast<double>(batches_ahead(s));
  const double apart = std::max({4.0 * ahead, 16.0, 1.5 * flush_steps / times});
  const double interval = interval_steps >= 1.5 * flush_steps && interval_steps < apart ? interval_steps : apart;
  with.checkpoint.interval_steps = std::max<std::int64_t>(1, std::llround(interval));
  Scenario without = s;
  without.checkpoint.mode = CheckpointMode::kNone;

  const std::int64_t steps = (kCheckpoints + 1) * with.checkpoint.interval_steps - 1;
  const Trial trial = try_out(with, steps, regime, seed, options);
  const Trial clear = try_out(without, steps, regime, seed, options);
  double stop = 0.0, write = 0.0, drain = 0.0, first = 0.0, stored = 0.0;
  for (const CheckpointLog& entry : trial.checkpoints) {
    stop += entry.resumed_s - entry.due_s - entry.backlog_s;
    const double begun = s.checkpoint.mode == CheckpointMode::kSync ? entry.due_s : entry.resumed_s;
    if (entry.first_level_s >= 0.0) {
      write += entry.first_level_s - begun;
      first += 1.0;
      if (tiered && entry.storage_s >= 0.0) {
        drain += entry.storage_s - entry.first_level_s;
        stored += 1.0;
      }
    }
  }
  const auto count = static_cast<double>(trial.checkpoints.size());
  if (count == 0.0) return out;  // stopped
  out.stop_s = stop / count;
  out.slowdown_s = ((trial.wall_s - clear.wall_s) / count - out.stop_s) * times;
  if (std::abs(out.slowdown_s) < 1e-9 * trial.wall_s) out.slowdown_s = 0.0;
  // A part that was simulated shortened takes as many times longer as it does alone.
  const double stretch = times > 1.0 ? alone_s / std::max(1e-12, storage_write_time(with)) : 1.0;
  if (first > 0.0) out.write_s = write / first * stretch;
  if (stored > 0.0) out.storage_s = drain / stored * stretch;
  if (tiered && times > 1.0 && first > 0.0)
    out.write_s = time_at(shape.largest_node, s.checkpoint.first_level == CheckpointLevel::kLocalNvme
                                                  ? s.cluster.local_write_bandwidth.base()
                                                  : s.cluster.nic_bandwidth.base());
  return out;
}

}  // namespace stallcast
