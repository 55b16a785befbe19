#include "core/scenario/resolve/resolve_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/checkpoint_stages.h"

namespace stallcast {
namespace {

constexpr std::array kParallelism = {"/model/tensor_parallel", "/model/pipeline_parallel", "/model/zero_stage"};

bool any_given(const ResolveContext& c, const auto& pointers) {
  return std::any_of(pointers.begin(), pointers.end(), [&](const char* pointer) { return c.given(pointer); });
}

void architecture(ResolveContext& c, const WorkloadRecord& r) {
  ModelSpec& m = c.out.scenario.model;
  const ModelFacts& facts = r.model;
  c.fill("/model/layers", m.layers, facts.layers, r);
  c.fill("/model/hidden_size", m.hidden_size, facts.hidden_size, r);
  c.fill("/model/ffn_hidden_size", m.ffn_hidden_size, facts.ffn_hidden_size, r);
  c.fill("/model/vocab_size", m.vocab_size, facts.vocab_size, r);
  c.fill("/model/attention_heads", m.attention_heads, facts.attention_heads, r);
  c.fill("/model/kv_heads", m.kv_heads, facts.kv_heads, r);
}

// As the record splits the model; evenly over all ranks where it cannot be split that way, unless somebody said how.
void parallelism(ResolveContext& c, const WorkloadRecord& r) {
  const ModelFacts& facts = r.model;
  Scenario& s = c.out.scenario;
  if (any_given(c, kParallelism) || !facts.tensor_parallel || !facts.pipeline_parallel || !facts.zero_stage) return;
  const std::int64_t replica = facts.tensor_parallel->value * facts.pipeline_parallel->value;
  if (replica > 0 && s.ranks() % replica == 0) {
    c.fill("/model/tensor_parallel", s.model.tensor_parallel, facts.tensor_parallel, r);
    c.fill("/model/pipeline_parallel", s.model.pipeline_parallel, facts.pipeline_parallel, r);
    c.fill("/model/zero_stage", s.model.zero_stage, facts.zero_stage, r);
    return;
  }
  c.fill("/model/zero_stage", s.model.zero_stage, std::int64_t{3}, r,
         {"assumed", "stallcast assumption", fmt::format("{} ranks are no multiple of {}", s.ranks(), replica), ""});
  c.warning(
      "assumed_parallelism", "/model/zero_stage", "nothing",
      "give /model/tensor_parallel, /model/pipeline_parallel and /model/zero_stage",
      fmt::format("{} splits its model over multiples of {} ranks; on {} every rank is taken to hold an equal part",
                  r.name, replica, s.ranks()));
}

void size(ResolveContext& c, const WorkloadRecord& r) {
  Scenario& s = c.out.scenario;
  const bool has_parameters = c.given("/model/parameters");
  const bool described = has_parameters || any_given(c, kArchitectureFields);
  if (r.model.stated()) {
    if (!has_parameters) architecture(c, r);
    return parallelism(c, r);
  }
  if (described) return;
  if (r.checkpoint_size) return c.fill("/checkpoint/size", s.checkpoint.size, r.checkpoint_size, r);
  c.fill("/model/parameters", s.model.parameters, r.parameters, r);
}

// What is saved of a parameter where nobody says how the model is trained.
void saved_bytes(ResolveContext& c) {
  constexpr std::array kSaying = {"/model/precision", "/model/optimizer", "/model/optimizer_bytes_per_parameter",
                                  "/checkpoint/size", "/checkpoint/size_per_writer"};
  ModelSpec& m = c.out.scenario.model;
  if (any_given(c, kSaying) || c.out.scenario.checkpoint.states_size() || model_parameters(m) <= 0.0) return;
  m.optimizer_bytes_per_parameter = optimizer_bytes(m);
  c.out.provenance["/model/optimizer_bytes_per_parameter"] = {
      Origin::kDefault,
      "",
      "mixed precision with Adam keeps FP32 weights and two moments (Rajbhandari et al. 2020): 12 bytes in addition to "
      "the weights; pure bfloat16 keeps 4, FP32 training 8 in addition to weights of 4",
      "assumed",
      "",
      4.0 / 12.0,
      14.0 / 12.0};
}

bool is_split_over_ranks(const ModelSpec& m) {
  return m.tensor_parallel > 1 || m.pipeline_parallel > 1 || m.zero_stage > 0;
}

// What the workload's ranks write with; else what PyTorch has for one writer, or for many where somebody says so or no
// rank has the whole model. Memory of other machines takes software of its own.
std::string usual_software(const ResolveContext& c) {
  const Scenario& s = c.out.scenario;
  if (s.checkpoint.first_level == CheckpointLevel::kPeerMemory) return "in_memory";
  const bool said = c.given("/checkpoint/writers"), all = s.checkpoint.writers == CheckpointWriters::kAll;
  if (said && !all) return "torch_save";
  if (c.workload != nullptr && !c.workload->checkpointer.empty()) return c.workload->checkpointer;
  return said || (!s.checkpoint.states_size() && is_split_over_ranks(s.model)) ? "torch_dcp" : "torch_save";
}

// Who writes is a part of what the software is.
void writers(ResolveContext& c, const CheckpointerRecord& r, bool named) {
  constexpr const char* kPointer = "/checkpoint/writers";
  if (c.given(kPointer) || r.writers.empty()) return;
  c.fill(kPointer, c.out.scenario.checkpoint.writers,
         r.writers == "all" ? CheckpointWriters::kAll : CheckpointWriters::kRank0, r,
         Evidence{"vendor", "its code", "", ""});
  if (!named)
    c.out.provenance[kPointer] = {Origin::kDefault, "", "stallcast assumption", "assumed",
                                  fmt::format("as {} writes", r.name)};
}

// A local disk has the page cache of its node before it. Bytes for other storage leave the node as they are made:
// clients of network file systems and of object stores send what is there.
void write_path(ResolveContext& c, const CheckpointerRecord& r) {
  CheckpointSpec& spec = c.out.scenario.checkpoint;
  if (!spec.to_storage || c.given("/checkpoint/write_path")) return;
  const std::string client = c.out.records.storage ? c.out.records.storage->client : "";
  const bool local = c.out.scenario.storage.scope == TierScope::kPerNode || client == "block" || client == "local";
  const std::string& word = local ? r.local_write : r.remote_write;
  const WritePath path = word == "synced"       ? WritePath::kSynced
                         : word == "page_cache" ? WritePath::kPageCache
                         : word == "whole"      ? WritePath::kWhole
                                                : WritePath::kDirect;
  c.fill("/checkpoint/write_path", spec.write_path, path, r, Evidence{"vendor", "its code", "", ""});
}

void replica_saving(ResolveContext& c, const CheckpointerRecord& r) {
  CheckpointSpec& spec = c.out.scenario.checkpoint;
  if (c.given("/checkpoint/replica_saving") || spec.writers == CheckpointWriters::kRank0) return;
  const ReplicaSaving saving = r.replica_saving == "parallel"              ? ReplicaSaving::kParallel
                               : r.replica_saving == "parallel_after_copy" ? ReplicaSaving::kParallelAfterCopy
                                                                           : ReplicaSaving::kFirst;
  c.fill("/checkpoint/replica_saving", spec.replica_saving, saving, r, Evidence{"vendor", "its code", "", ""});
}

// Writers that should be alike are not: machines, paths and servers differ.
void writer_spread(ResolveContext& c, const CheckpointerRecord& r) {
  constexpr const char* kPointer = "/checkpoint/writer_spread";
  constexpr double kSpread = 0.2, kLow = 0.25, kHigh = 2.0;
  CheckpointSpec& spec = c.out.scenario.checkpoint;
  if (r.writer_spread) return c.fill(kPointer, spec.writer_spread, r.writer_spread, r);
  if (c.given(kPointer) || spec.writers == CheckpointWriters::kRank0) return;
  spec.writer_spread = kSpread;
  c.out.provenance[kPointer] = {Origin::kDefault, "", "stallcast assumption", "assumed", "", kLow, kHigh};
}

// What writes, and what it costs. Where the rate of a writer is stated (to_storage false) nothing is added to it.
const CheckpointerRecord* software(ResolveContext& c) {
  CheckpointSpec& spec = c.out.scenario.checkpoint;
  constexpr const char* kSoftware = "/checkpoint/software";
  const bool named = c.given(kSoftware);
  const CheckpointerRecord* const record = c.checkpointer(kSoftware, spec.software, usual_software(c));
  if (record == nullptr) return nullptr;
  const CheckpointerRecord& r = *record;
  writers(c, r, named);
  if (!named && !spec.to_storage) return nullptr;
  if (!named) {
    spec.software = r.name;
    c.out.provenance[kSoftware] = {
        Origin::kDefault, "", "stallcast assumption", "assumed",
        "what the workload's ranks write with, or else what PyTorch has for one writer or for many"};
  }
  c.fill("/checkpoint/serialize_bandwidth", spec.serialize_bandwidth, r.serialize_bandwidth, r);
  c.fill("/checkpoint/load_bandwidth", spec.load_bandwidth, r.load_bandwidth, r);
  c.fill("/checkpoint/gather_bandwidth", spec.gather_bandwidth, r.gather_bandwidth, r);
  c.fill("/checkpoint/file_time", spec.file_time, r.file_time, r);
  c.fill("/checkpoint/commit_time", spec.commit_time, r.commit_time, r);
  replica_saving(c, r);
  write_path(c, r);
  if (r.plan_time_per_rank) {
    c.fill("/checkpoint/plan_time", spec.plan_time,
           r.plan_time_per_rank->value * static_cast<double>(c.out.scenario.ranks()), r,
           r.plan_time_per_rank->evidence);
  }
  writer_spread(c, r);
  return &r;
}

// What mounts a bucket uploads a file in parts while it is written, several at once, whatever software writes it. It is
// read part after part, as in training.
void streams_of_mount(ResolveContext& c, const TierRecord& tier) {
  CheckpointSpec& spec = c.out.scenario.checkpoint;
  if (!tier.upload_streams) return;
  c.fill("/checkpoint/streams", spec.streams, tier.upload_streams, tier);
  if (c.given("/checkpoint/read_streams")) return;
  spec.read_streams = 1;
  c.out.provenance["/checkpoint/read_streams"] = {Origin::kDefault, "", "stallcast assumption", "assumed",
                                                  "parts of a file that is read from a mount follow each other"};
}

// Libraries of object stores move a file in parts, several at once.
void streams(ResolveContext& c, const CheckpointerRecord* r) {
  constexpr std::int64_t kThreads = 10;
  if (c.given("/checkpoint/streams") || !c.out.records.storage) return;
  if (c.out.records.storage->client != "library") return streams_of_mount(c, *c.out.records.storage);
  if (r != nullptr) c.fill("/checkpoint/read_streams", c.out.scenario.checkpoint.read_streams, r->read_streams, *r);
  if (r != nullptr && r->streams) {
    c.fill("/checkpoint/streams", c.out.scenario.checkpoint.streams, r->streams, *r);
    return;
  }
  c.out.scenario.checkpoint.streams = kThreads;
  c.out.provenance["/checkpoint/streams"] = {Origin::kDefault, "",
                                             "s3transfer, TransferConfig: 10 threads (github.com/boto/s3transfer)",
                                             "vendor", "parts of 8 MiB of one file"};
}

// The copy of the largest rank's part to host memory, and what comes before it, by the slowest of the ranks that copy.
void snapshot(ResolveContext& c, const CheckpointerRecord* r) {
  Scenario& s = c.out.scenario;
  constexpr const char* kPointer = "/checkpoint/snapshot_time";
  const BytesPerSecond link = s.cluster.host_to_device_bandwidth;
  const CheckpointShape shape = checkpoint_shape(s);
  const double largest = shape.largest_snapshot;
  if (s.checkpoint.mode != CheckpointMode::kAsync || c.given(kPointer) || largest <= 0.0) return;
  const auto of_link = c.intervals.find("/cluster/host_to_device_bandwidth");
  const auto at = [&](IntervalEnd times, IntervalEnd rates) {
    const auto scaled = [](double value, const Evidence& evidence, IntervalEnd end) {
      return end != nullptr ? value * evidence.*end : value;
    };
    double rate = scaled(link.base(), of_link != c.intervals.end() ? of_link->second : Evidence{}, rates);
    double time = 0.0;
    if (r != nullptr && r->staging_time) time = scaled(r->staging_time->value.base(), r->staging_time->evidence, times);
    if (r != nullptr && r->staging_bandwidth) {
      const double staging = scaled(r->staging_bandwidth->value.base(), r->staging_bandwidth->evidence, rates);
      rate = rate > 0.0 ? std::min(rate, staging) : staging;
    }
    return rate > 0.0 ? time + largest / rate : time;
  };
  const double one = at(nullptr, nullptr);
  if (one <= 0.0) return;
  // The slowest of all: what a rank takes and how much they differ are not known, each by itself.
  const auto slowest = [&](double part) {
    return slowest_of(static_cast<double>(shape.writers), part * s.checkpoint.writer_spread);
  };
  const double value = one * slowest(1.0);
  const auto end = [&](double of_one, double of_spread) {
    return std::exp(std::hypot(std::log(of_one / one), std::log(of_spread / slowest(1.0))));
  };
  Provenance spread;
  if (const auto given = c.out.provenance.find("/checkpoint/writer_spread"); given != c.out.provenance.end())
    spread = given->second;
  s.checkpoint.snapshot_time = seconds(value);
  Provenance from{c.origin_of(kPointer), "", "", "", ""};
  if (const auto origin = c.out.provenance.find("/cluster/host_to_device_bandwidth"); origin != c.out.provenance.end())
    from = origin->second;
  if (r != nullptr && r->staging_bandwidth) {
    const Evidence& staging = r->staging_bandwidth->evidence;
    from = {Origin::kCatalogue, r->label(), staging.source, staging.kind, ""};
  }
  from.note = fmt::format("{:.4g} GB of the largest rank to host memory", largest * 1e-9);
  if (slowest(1.0) > 1.0)
    from.note += fmt::format("; the slowest of {} ranks takes {:.3g} times as long", shape.writers, slowest(1.0));
  Evidence interval;
  interval.kind = from.kind;
  interval = interval.with_ends(
      value, value / end(at(&Evidence::low_factor, &Evidence::high_factor), slowest(spread.low_factor)),
      value * end(at(&Evidence::high_factor, &Evidence::low_factor), slowest(spread.high_factor)));
  from.low_factor = interval.low_factor;
  from.high_factor = interval.high_factor;
  c.out.provenance[kPointer] = from;
  if (r != nullptr && r->staging_bandwidth) {
    c.note_interval(kPointer, interval, *r);
  } else {
    interval.kind = of_link != c.intervals.end() ? of_link->second.kind : "";
    c.set_interval(kPointer, interval);
  }
}

}  // namespace

void resolve_checkpoint(ResolveContext& context) {
  if (context.out.scenario.checkpoint.mode == CheckpointMode::kNone) return;
  const bool sized = context.given("/checkpoint/size") || context.given("/checkpoint/size_per_writer");
  if (context.workload != nullptr && !sized) size(context, *context.workload);
  saved_bytes(context);
  const CheckpointerRecord* const record = software(context);
  streams(context, record);
  snapshot(context, record);
}

}  // namespace stallcast
