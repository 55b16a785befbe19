#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/scenario/check/check_context.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/host_memory.h"
#include "core/scenario/run_length.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::string size_text(double size) { return format_quantity(Dimension::kBytes, rounded(size)); }
std::string time_text(double time) { return format_quantity(Dimension::kTime, rounded(time)); }

// Training between two checkpoints; 0 when it is not known beforehand.
double interval_s(const Scenario& s) {
  const CheckpointSpec& c = s.checkpoint;
  switch (c.cadence) {
    case CheckpointCadence::kSteps:
      return as_number(c.interval_steps) * step_compute_s(s);
    case CheckpointCadence::kTime:
      return c.interval.base();
    case CheckpointCadence::kEpochs:
      return as_number(c.interval_epochs) * epoch_steps(s) * step_compute_s(s);
    case CheckpointCadence::kOptimal:
    case CheckpointCadence::kContinuous:
      return 0.0;
  }
  return 0.0;
}

// `size` at `rate`, where 0 is without limit.
double at_rate(double size, BytesPerSecond rate) { return rate.base() > 0.0 ? size / rate.base() : 0.0; }

// The least time to write one checkpoint to the storage tier, and to where it goes first.
double storage_write_s(const Scenario& s, const CheckpointShape& shape) {
  const StorageSpec& t = s.storage;
  if (!s.checkpoint.to_storage) return at_rate(shape.largest_rank, s.checkpoint.write_bandwidth);
  const double tier_bytes = t.scope == TierScope::kPerNode ? shape.largest_node : shape.total;
  return std::max({at_rate(tier_bytes, t.duplex ? t.write_bandwidth : t.read_bandwidth),
                   at_rate(shape.largest_node, t.client_write_bandwidth),
                   t.scope == TierScope::kPerNode ? 0.0 : at_rate(shape.largest_node, s.cluster.usable_nic())});
}

double first_write_s(const Scenario& s, const CheckpointShape& shape) {
  switch (s.checkpoint.first_level) {
    case CheckpointLevel::kStorage:
      return storage_write_s(s, shape);
    case CheckpointLevel::kLocalNvme:
      return at_rate(shape.largest_node, s.cluster.local_write_bandwidth);
    case CheckpointLevel::kPeerMemory:
      return at_rate(shape.largest_rank, s.cluster.gpu_link_bandwidth);
  }
  return 0.0;
}

const char* interval_pointer(CheckpointCadence cadence) {
  if (cadence == CheckpointCadence::kSteps) return "/checkpoint/interval_steps";
  return cadence == CheckpointCadence::kTime ? "/checkpoint/interval" : "/checkpoint/interval_epochs";
}

class CheckpointChecks : CheckContext {
 public:
  explicit CheckpointChecks(const CheckContext& context)
      : CheckContext(context), c_(s_.checkpoint), on_(c_.mode != CheckpointMode::kNone), shape_(checkpoint_shape(s_)) {}

  void run() {
    check_unused();
    if (!on_) return;
    check_cadence();
    check_size();
    check_model();
    check_levels();
    check_export();
    check_room();
    check_host_memory();
    check_pace();
  }

 private:
  std::string mode_is() const { return fmt::format("mode is {}", c_.mode == CheckpointMode::kSync ? "sync" : "async"); }

  void check_unused() {
    unused_group_unless(on_, "checkpoint", "mode is none", {"mode"});
    unused_group_unless(on_, "model", "/checkpoint/mode is none: only checkpoints hold the model");
    if (!on_) return;
    const bool async = c_.mode == CheckpointMode::kAsync;
    const bool levels = c_.first_level != CheckpointLevel::kStorage;
    unused_unless(!c_.to_storage, "/checkpoint/write_bandwidth", "to_storage is true");
    unused_unless(async, "/checkpoint/snapshot_time", "mode is not async");
    const bool cached = c_.write_path == WritePath::kPageCache || c_.write_path == WritePath::kSynced;
    unused_unless(cached, "/checkpoint/buffer_bandwidth", "write_path is neither page_cache nor synced");
    unused_unless(c_.writers == CheckpointWriters::kRank0, "/checkpoint/gather_bandwidth",
                  "every rank writes its part");
    const bool final = c_.to_storage && !levels;
    for (const char* pointer : {"/checkpoint/write_path", "/checkpoint/gather_bandwidth", "/checkpoint/file_time",
                                "/checkpoint/files_per_writer", "/checkpoint/commit_time"})
      unused_unless(final, pointer, levels ? "checkpoints go to another level first" : "to_storage is false");
    unused_unless(async || levels, "/checkpoint/when_busy", "training waits for each checkpoint");
    unused_unless(c_.export_every > 0, "/checkpoint/export_bandwidth", "export_every is 0");
    unused_unless(c_.cadence == CheckpointCadence::kSteps, "/checkpoint/interval_steps", "cadence is not steps");
    unused_unless(c_.cadence == CheckpointCadence::kTime, "/checkpoint/interval", "cadence is not time");
    unused_unless(c_.cadence == CheckpointCadence::kEpochs, "/checkpoint/interval_epochs", "cadence is not epochs");
    unused_unless(c_.cadence == CheckpointCadence::kOptimal, "/checkpoint/shortest_interval", "cadence is not optimal");
    unused_unless(c_.writers == CheckpointWriters::kAll, "/checkpoint/replica_saving", "rank 0 writes all");
    unused_unless(!c_.states_size(), "/checkpoint/replica_saving",
                  fmt::format("{} is written in equal parts", size_pointer()));
    unused_group_unless(!c_.states_size(), "model", fmt::format("{} says what is written", size_pointer()));
    if (c_.states_size()) return;
    for (const char* pointer : kArchitectureFields)
      unused_unless(s_.model.parameters <= 0.0, pointer, "/model/parameters says how large it is");
    unused_unless(s_.model.optimizer != Optimizer::kNone, "/model/optimizer_bytes_per_parameter", "optimizer is none");
  }

  void check_cadence() {
    if (c_.cadence == CheckpointCadence::kSteps && c_.interval_steps == 0) {
      error("missing_value", "/checkpoint/interval_steps", "1 or more", "give the steps between checkpoints",
            mode_is());
    }
    if (c_.cadence == CheckpointCadence::kTime && c_.interval.base() <= 0.0) {
      error("missing_value", "/checkpoint/interval", "more than 0 s",
            "give the training time between checkpoints, like \"30 min\"", "cadence is time");
    }
    const bool by_epochs = c_.cadence == CheckpointCadence::kEpochs;
    if ((by_epochs || c_.cadence == CheckpointCadence::kOptimal) && epoch_steps(s_) <= 0.0) {
      error("missing_value", "/run/steps_per_epoch", "1 or more", "give it, or /dataset/samples",
            by_epochs ? "cadence is epochs" : "cadence is optimal: the run must know its length");
    }
    if (c_.cadence == CheckpointCadence::kContinuous && c_.mode == CheckpointMode::kSync &&
        c_.first_level == CheckpointLevel::kStorage) {
      error("contradiction", "/checkpoint/cadence", "steps, time, epochs or optimal when mode is sync",
            "did you mean /checkpoint/mode \"async\"?",
            "training stands still while a checkpoint is written: it would do nothing else");
    }
    const FailureSpec& f = s_.failures;
    const bool interrupted = f.mtti.base() > 0.0 || f.per_1000_node_days > 0.0 || f.outage_mtti.base() > 0.0 ||
                             f.preemption_mtti.base() > 0.0 || s_.storage.mean_time_to_data_loss.base() > 0.0;
    if (c_.cadence == CheckpointCadence::kOptimal && !interrupted) {
      error("missing_value", "/failures/mtti", "more than 0 s", "give it, or /failures/per_1000_node_days",
            "cadence is optimal, and where nothing fails the best interval is never");
    }
  }

  void check_size() {
    if (c_.size.base() > 0.0 && c_.size_per_writer.base() > 0.0) {
      error("contradiction", "/checkpoint/size_per_writer", "0 B together with /checkpoint/size", "give one of the two",
            "size is of all writers together, size_per_writer of each");
    }
    if (!c_.states_size() && model_parameters(s_.model) <= 0.0) {
      const auto* first = std::find_if(kArchitectureFields.begin(), kArchitectureFields.end(),
                                       [&](const char* pointer) { return missing(pointer); });
      const bool described = std::any_of(kArchitectureFields.begin(), kArchitectureFields.end(),
                                         [&](const char* pointer) { return !missing(pointer); });
      if (described) {
        error("missing_value", *first, "1 or more", "give it, or /model/parameters",
              "layers, sizes, vocabulary and heads together say how large the model is");
      } else {
        error("missing_value", "/checkpoint/size", "more than 0 B",
              "give the size of all of it, like \"30 GB\", or /model/parameters, like 7e9", mode_is());
      }
    }
    if (!c_.to_storage && c_.write_bandwidth.base() <= 0.0) {
      error("missing_value", "/checkpoint/write_bandwidth", "more than 0 B/s",
            "give the rate of one writer, like \"2 GB/s\"", "to_storage is false");
    }
    if (c_.mode == CheckpointMode::kAsync && c_.snapshot_time.base() <= 0.0 && !given("/checkpoint/snapshot_time")) {
      warning("missing_value", "/checkpoint/snapshot_time", "", "give the time of the copy to host memory",
              "without it an async checkpoint never stops training");
    }
  }

  bool missing(const char* pointer) const { return std::get<std::int64_t>(find_field(pointer)->get(s_)) == 0; }

  // How the model is cut must come out even.
  void check_model() {
    const ModelSpec& m = s_.model;
    if (c_.states_size() || model_parameters(m) <= 0.0) return;
    const std::int64_t replica = m.tensor_parallel * m.pipeline_parallel;
    if (data_parallel(s_) == 0) {
      error("contradiction", m.tensor_parallel > 1 ? "/model/tensor_parallel" : "/model/pipeline_parallel",
            fmt::format("tensor_parallel * pipeline_parallel that divides {} ranks", s_.ranks()),
            "change one of them, or the machines",
            fmt::format("{} * {} = {} ranks hold one replica", m.tensor_parallel, m.pipeline_parallel, replica));
    }
    if (const std::int64_t d = data_parallel(s_); m.shard_ranks > 0 && d % m.shard_ranks != 0) {
      error("contradiction", "/model/shard_ranks", fmt::format("a number that divides {} data-parallel ranks", d),
            "give the GPUs of a node, or 0 for all ranks", fmt::format("{} does not divide them", m.shard_ranks));
    }
    if (m.parameters > 0.0) return;  // layers and heads are not looked at
    if (m.pipeline_parallel > m.layers) {
      error("contradiction", "/model/pipeline_parallel", fmt::format("up to {}", m.layers), "use fewer stages",
            fmt::format("{} layers cannot be dealt to more stages", m.layers));
    }
    if (m.attention_heads % m.tensor_parallel != 0) {
      error("contradiction", "/model/tensor_parallel", fmt::format("a divisor of {}", m.attention_heads),
            "change it, or /model/attention_heads", "each rank takes whole heads");
    }
    if (m.kv_heads > m.attention_heads) {
      error("contradiction", "/model/kv_heads", fmt::format("up to {}", m.attention_heads), "did you mix them up?",
            "heads of queries share those of keys and values");
    }
  }

  void check_levels() {
    const bool storage_first = c_.first_level == CheckpointLevel::kStorage;
    if (storage_first && c_.storage_every != 1) {
      error("contradiction", "/checkpoint/storage_every", "1 when first_level is storage",
            "did you mean /checkpoint/first_level \"local_nvme\"?", "every checkpoint goes to storage already");
    }
    if (c_.first_level == CheckpointLevel::kLocalNvme && s_.cluster.local_write_bandwidth.base() <= 0.0) {
      error("missing_value", "/cluster/local_write_bandwidth", "more than 0 B/s", "give it, or an instance with NVMe",
            "first_level is local_nvme");
    }
    if (c_.first_level == CheckpointLevel::kPeerMemory && s_.cluster.nodes < 2) {
      error("contradiction", "/checkpoint/first_level", "storage or local_nvme on one machine",
            "did you mean \"local_nvme\"?", "there is no other machine to hold a copy");
    }
  }

  void check_export() {
    if (c_.export_every == 0) return;
    if (s_.origin.tier.empty() && s_.origin.write_bandwidth.base() <= 0.0) {
      error("missing_value", "/origin/tier", "a tier, or /origin/write_bandwidth",
            "name where they are copied to, like \"gcs_standard\"", "export_every is not 0");
    }
  }

  // Beside the dataset: those that are kept, and the one that is being written.
  void check_room() {
    const StorageSpec& t = s_.storage;
    const double one = t.scope == TierScope::kPerNode ? shape_.largest_node : shape_.total;
    if (one <= 0.0) return;
    const double capacity = t.capacity.base();
    const double dataset = as_number(s_.dataset.samples) * mean_of(s_.dataset.sample_size);
    if (c_.to_storage && capacity > 0.0) {
      const double room = capacity - dataset;
      const std::string beside = dataset > 0.0 ? " next to the dataset" : "";
      const double kept = std::max(1.0, as_number(s_.cost.kept_checkpoints));
      if (one > capacity && !c_.states_size()) {
        error("does_not_fit", "/storage/capacity", fmt::format("at least {}", size_text(dataset + (kept + 1.0) * one)),
              "provision more", fmt::format("one checkpoint of the model takes {}", size_text(one)));
      } else if (one > capacity) {
        error("does_not_fit", size_pointer(), fmt::format("up to {} of all writers", size_text(capacity)),
              "provision more storage", fmt::format("one checkpoint takes {}", size_text(one)));
      } else if ((kept + 1.0) * one > room) {
        const bool asked = given("/cost/kept_checkpoints");
        warning("does_not_fit", asked ? "/cost/kept_checkpoints" : size_pointer(),
                asked ? fmt::format("up to {:.0f}", std::max(0.0, std::floor(room / one) - 1.0))
                      : fmt::format("up to {} of all writers", size_text(std::max(0.0, room) / 2.0)),
                asked ? "keep fewer, or provision more" : "provision more",
                fmt::format("one takes {}{}, and the one that is being written comes on top of {:.0f} kept",
                            size_text(one), beside, kept));
      }
    }
    const double local = s_.cluster.local_storage_per_node.base();
    if (c_.first_level == CheckpointLevel::kLocalNvme && local > 0.0 && 2.0 * shape_.largest_node > local) {
      error(
          "does_not_fit", "/checkpoint/first_level", fmt::format("local_nvme up to {}", size_text(local / 2.0)),
          "let more machines write, or write to storage",
          fmt::format("a machine writes {} and keeps the last one until it is there", size_text(shape_.largest_node)));
    }
  }

  const char* size_pointer() const {
    if (c_.size_per_writer.base() > 0.0) return "/checkpoint/size_per_writer";
    return c_.size.base() > 0.0 || s_.model.parameters <= 0.0 ? "/checkpoint/size" : "/model/parameters";
  }

  // Snapshots, and copies of another machine's.
  void check_host_memory() {
    const bool async = c_.mode == CheckpointMode::kAsync;
    const bool peer = c_.first_level == CheckpointLevel::kPeerMemory;
    const double memory = s_.cluster.memory_per_node.base();
    const double one = std::max(shape_.largest_node, shape_.largest_node_snapshot);
    const double need = (async || peer ? one : 0.0) + (peer ? one : 0.0);
    if (memory <= 0.0 || need <= 0.0) return;
    const double free = host_memory(s_).free.base();
    const char* pointer = peer ? "/checkpoint/first_level" : "/checkpoint/mode";
    const char* fix = peer ? "write to local_nvme or storage, or use more machines" : "use sync, or more machines";
    const std::string why =
        fmt::format("{} of a machine{} wait in its memory", size_text(need), peer ? " and of its peer" : "");
    if (need > memory) {
      error("does_not_fit", pointer, fmt::format("up to {} of memory", size_text(memory)), fix, why);
    } else if (need > free) {
      warning("does_not_fit", pointer, fmt::format("up to {} that the loaders leave", size_text(free)), fix, why);
    }
  }

  void check_pace() {
    const double interval = interval_s(s_);
    const double first = first_write_s(s_, shape_);
    const char* pointer = interval_pointer(c_.cadence);
    if (interval <= 0.0) return;
    const bool async = c_.mode == CheckpointMode::kAsync;
    const double stop = async ? c_.snapshot_time.base() : first;
    if (stop > interval) {
      warning("slow_checkpoint", pointer, fmt::format("more than {} of training", time_text(stop)),
              "write fewer or smaller checkpoints",
              fmt::format("{} of training, then {} of standing still at least", time_text(interval), time_text(stop)));
    } else if (async && first > interval) {
      warning("slow_checkpoint", pointer, fmt::format("more than {} of training", time_text(first)),
              "write fewer or smaller checkpoints",
              fmt::format("a checkpoint is due every {} and takes {} to write at least: {}", time_text(interval),
                          time_text(first),
                          c_.when_busy == WhenBusy::kWait ? "training waits for it" : "others are skipped"));
    }
    const double to_storage = storage_write_s(s_, shape_);
    if (c_.first_level != CheckpointLevel::kStorage && to_storage > as_number(c_.storage_every) * interval) {
      warning("slow_checkpoint", "/checkpoint/storage_every",
              fmt::format("{:.0f} or more", std::ceil(to_storage / interval)), "let fewer go on to storage",
              fmt::format("one takes {} to storage at least", time_text(to_storage)));
    }
    if (c_.export_every == 0) return;
    const double to_origin =
        std::max(at_rate(shape_.total, s_.origin.write_bandwidth), at_rate(shape_.total, c_.export_bandwidth));
    if (to_origin > as_number(c_.export_every * c_.storage_every) * interval) {
      warning("slow_checkpoint", "/checkpoint/export_every",
              fmt::format("{:.0f} or more", std::ceil(to_origin / (as_number(c_.storage_every) * interval))),
              "copy fewer", fmt::format("one takes {} to the origin at least", time_text(to_origin)));
    }
  }

  const CheckpointSpec& c_;
  bool on_;
  CheckpointShape shape_;
};

}  // namespace

void check_checkpoint(const CheckContext& context) { CheckpointChecks(context).run(); }

}  // namespace stallcast
