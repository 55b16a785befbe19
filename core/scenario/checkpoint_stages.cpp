#include "core/scenario/checkpoint_stages.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/host_memory.h"
#include "core/units/distribution.h"

namespace stallcast {
namespace {

constexpr double kBackgroundShare = 0.10;  // of free memory: the kernel starts to write
constexpr double kThrottleShare = 0.15;    // of free memory: it holds writers up

bool is_final(const CheckpointSpec& c) { return c.to_storage && c.first_level == CheckpointLevel::kStorage; }

double time_of_byte(BytesPerSecond rate) { return rate.base() > 0.0 ? 1.0 / rate.base() : 0.0; }

// Of a core that each writer of a node gets.
double core_share(const Scenario& s) {
  const double writers = s.checkpoint.writers == CheckpointWriters::kRank0 ? 1.0 : as_number(s.cluster.gpus_per_node);
  return s.cluster.cores_per_node > 0.0 ? std::min(1.0, s.cluster.cores_per_node / writers) : 1.0;
}

// What of a node's bytes does not fit in `share` of its free memory.
double beyond_memory(const Scenario& s, double node_bytes, double share) {
  if (s.cluster.memory_per_node.base() <= 0.0 || node_bytes <= 0.0) return 0.0;
  return std::max(0.0, 1.0 - share * host_memory(s).free.base() / node_bytes);
}

BytesPerSecond streams_at_most(BytesPerSecond one, std::int64_t count, BytesPerSecond software) {
  const BytesPerSecond streams = one * as_number(count);
  if (streams.base() <= 0.0) return software;
  return software.base() > 0.0 ? std::min(streams, software) : streams;
}

}  // namespace

double slowest_of(double ranks, double spread) {
  return ranks > 1.0 ? std::exp(spread * normal_quantile((ranks - 0.375) / (ranks + 0.25))) : 1.0;
}

double slowest_writer(const Scenario& s) {
  if (core_share(s) < 1.0) return 1.0;
  return slowest_of(as_number(checkpoint_shape(s).writers), s.checkpoint.writer_spread);
}

WriteStages write_stages(const Scenario& s) {
  const CheckpointSpec& c = s.checkpoint;
  const CheckpointShape shape = checkpoint_shape(s);
  WriteStages out;
  out.before_s = c.plan_time.base();
  if (!is_final(c)) return out;
  const auto ranks = as_number(s.ranks());
  if (c.gather_bandwidth.base() > 0.0 && c.writers == CheckpointWriters::kRank0 && ranks > 1.0)
    out.before_s += shape.total * (ranks - 1.0) / ranks / c.gather_bandwidth.base();
  out.files_s = as_number(c.files_per_writer) * c.file_time.base();
  out.commit_s = c.commit_time.base();
  if (c.write_path == WritePath::kDirect) return out;
  const double each = slowest_writer(s) / core_share(s);
  out.make_s_per_byte = time_of_byte(c.serialize_bandwidth) * each;
  if (c.write_path == WritePath::kWhole) return out;
  out.make_s_per_byte += time_of_byte(c.buffer_bandwidth) * each;
  if (c.write_path == WritePath::kSynced) {
    out.beside = beyond_memory(s, shape.largest_node, kBackgroundShare);
    out.after = 1.0 - out.beside;
  } else {
    out.beside = beyond_memory(s, shape.largest_node, kThrottleShare);
    out.after = 0.0;
    out.behind = 1.0 - out.beside;
  }
  return out;
}

BytesPerSecond writer_rate(const Scenario& s) {
  const bool while_moving = s.checkpoint.write_path == WritePath::kDirect || !is_final(s.checkpoint);
  const StorageSpec& t = s.storage;
  const BytesPerSecond stream = t.stream_write_bandwidth.base() > 0.0 ? t.stream_write_bandwidth : t.stream_bandwidth;
  const BytesPerSecond software = while_moving ? s.checkpoint.serialize_bandwidth * core_share(s) : BytesPerSecond();
  return streams_at_most(stream, s.checkpoint.streams, software) / slowest_writer(s);
}

BytesPerSecond reader_rate(const Scenario& s) {
  const CheckpointSpec& c = s.checkpoint;
  const CheckpointShape shape = checkpoint_shape(s);
  const double readers = shape.read_by_rank > 0.0 ? shape.read_total / shape.read_by_rank : 1.0;
  const double slowest = slowest_of(readers, c.writer_spread);
  const std::int64_t streams = c.read_streams > 0 ? c.read_streams : c.streams;
  const BytesPerSecond stream = s.storage.stream_bandwidth;
  if (c.write_path != WritePath::kWhole || !is_final(c))
    return streams_at_most(stream, streams, c.load_bandwidth) / slowest;
  const double time_s = time_of_byte(streams_at_most(stream, streams, {})) + time_of_byte(c.load_bandwidth);
  return bytes_per_second(time_s > 0.0 ? 1.0 / time_s : 0.0) / slowest;
}

}  // namespace stallcast
