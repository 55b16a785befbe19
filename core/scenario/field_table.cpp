#include "core/scenario/field_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/scenario/field_value.h"

namespace stallcast {
namespace {

constexpr double kTenYears = 3650.0 * 86400.0;  // s
constexpr double kMostBytes = 1e18;             // in one system
constexpr double kMostSampleBytes = 1e15;
constexpr double kMostBytesPerSecond = 1e16;
constexpr double kMostPerSecond = 1e12;
constexpr double kMostCount = 1e15;

constexpr Dimension dimension_of(Seconds) { return Dimension::kTime; }
constexpr Dimension dimension_of(Bytes) { return Dimension::kBytes; }
constexpr Dimension dimension_of(BytesPerSecond) { return Dimension::kByteRate; }
constexpr Dimension dimension_of(PerSecond) { return Dimension::kRate; }
constexpr Dimension dimension_of(Flops) { return Dimension::kFlops; }
constexpr Dimension dimension_of(FlopsPerSecond) { return Dimension::kFlopRate; }

// The member that a path of member pointers leads to: path <&Scenario::loader, &LoaderSpec::num_workers> of a scenario
// `s` is s.loader.num_workers. (The expression folds over `.*`; clang-format would run its dots together.)
// clang-format off
template <auto... Path>
auto& member(Scenario& s) { return (s .* ... .* Path); }
template <auto... Path>
const auto& member(const Scenario& s) { return (s .* ... .* Path); }
// clang-format on
template <auto... Path>
using MemberOf = std::remove_cvref_t<decltype(member<Path...>(std::declval<Scenario&>()))>;

Field row(std::string pointer, FieldKind kind, std::string help) {
  Field field;
  const std::size_t slash = pointer.rfind('/');
  field.group = slash == 0 ? "" : pointer.substr(1, slash - 1);
  field.pointer = std::move(pointer);
  field.kind = kind;
  field.help = std::move(help);
  return field;
}

// For members that FieldValue holds as they are.
template <auto... Path>
Field plain(std::string pointer, FieldKind kind, std::string help) {
  Field field = row(std::move(pointer), kind, std::move(help));
  field.get = [](const Scenario& s) { return FieldValue(std::in_place_type<MemberOf<Path...>>, member<Path...>(s)); };
  field.set = [](Scenario& s, const FieldValue& value) { member<Path...>(s) = std::get<MemberOf<Path...>>(value); };
  return field;
}

template <auto... Path>
Field text(std::string pointer, std::string help) {
  return plain<Path...>(std::move(pointer), FieldKind::kText, std::move(help));
}

template <auto... Path>
Field boolean(std::string pointer, std::string help) {
  return plain<Path...>(std::move(pointer), FieldKind::kBoolean, std::move(help));
}

template <auto... Path>
Field integer(std::string pointer, double min, double max, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kInteger, std::move(help));
  field.dimension = Dimension::kCount;
  field.range = {min, max};
  return field;
}

template <auto... Path>
Field number(std::string pointer, Dimension dimension, FieldRange range, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kNumber, std::move(help));
  field.dimension = dimension;
  field.range = range;
  return field;
}

template <auto... Path>
Field distribution(std::string pointer, Dimension dimension, double max, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kDistribution, std::move(help));
  field.dimension = dimension;
  field.range = {0.0, max};
  return field;
}

template <auto... Path>
Field curve(std::string pointer, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kCurve, std::move(help));
  field.dimension = Dimension::kTime;
  field.range = {0.0, kTenYears};
  return field;
}

template <auto... Path>
Field linear_cost(std::string pointer, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kLinearCost, std::move(help));
  field.dimension = Dimension::kTime;
  field.range = {-kTenYears, kTenYears};
  return field;
}

template <auto... Path>
Field quantity(std::string pointer, double max, std::string help, std::string counted = "") {
  using Member = MemberOf<Path...>;
  Field field = row(std::move(pointer), FieldKind::kQuantity, std::move(help));
  field.dimension = dimension_of(Member());
  field.range = {0.0, max};
  field.counted = std::move(counted);
  field.get = [](const Scenario& s) { return FieldValue(member<Path...>(s).base()); };
  field.set = [](Scenario& s, const FieldValue& value) {
    member<Path...>(s) = Member::from_base(std::get<double>(value));
  };
  return field;
}

template <auto... Path>
Field choice(std::string pointer, std::vector<std::string> words, std::string help) {
  using Member = MemberOf<Path...>;
  Field field = row(std::move(pointer), FieldKind::kEnum, std::move(help));
  field.words = std::move(words);
  field.get = [](const Scenario& s) { return FieldValue(static_cast<std::int64_t>(member<Path...>(s))); };
  field.set = [](Scenario& s, const FieldValue& value) {
    member<Path...>(s) = static_cast<Member>(std::get<std::int64_t>(value));
  };
  return field;
}

void add_cluster(std::vector<Field>& t) {
  using C = ClusterSpec;
  constexpr auto in = &Scenario::cluster;
  t.push_back(
      text<in, &C::instance>("/cluster/instance", "Catalogue record of the machine; empty for one described here."));
  t.push_back(integer<in, &C::nodes>("/cluster/nodes", 1, 100000, "Machines in the job."));
  t.push_back(integer<in, &C::gpus_per_node>("/cluster/gpus_per_node", 1, 64, "GPUs per machine, one rank each."));
  t.push_back(number<in, &C::cores_per_node>("/cluster/cores_per_node", Dimension::kNone, {0.0, 4096.0, true},
                                             "CPU cores per machine that loader workers and trainer processes share."));
  t.push_back(
      choice<in, &C::core_sharing>("/cluster/core_sharing", {"processor_sharing", "one_queue", "queue_per_core"},
                                   "How runnable processes share cores: evenly at every instant, in turns from one "
                                   "queue, or in turns from a queue per core."));
  t.push_back(quantity<in, &C::time_slice>("/cluster/time_slice", 10.0,
                                           "Turn of a process on a core while others wait for it."));
  t.push_back(quantity<in, &C::memory_per_node>("/cluster/memory_per_node", kMostSampleBytes,
                                                "RAM per machine; 0 = not stated."));
  t.push_back(
      quantity<in, &C::nic_bandwidth>("/cluster/nic_bandwidth", kMostBytesPerSecond,
                                      "Network rate per machine and direction that storage can use; 0 = unlimited."));
  t.push_back(
      quantity<in, &C::host_to_device_bandwidth>("/cluster/host_to_device_bandwidth", kMostBytesPerSecond,
                                                 "Host to GPU copy rate per GPU (PCIe); 0 = the copy takes no time."));
  t.push_back(
      quantity<in, &C::gpu_link_bandwidth>("/cluster/gpu_link_bandwidth", kMostBytesPerSecond,
                                           "Rate per GPU of the all-reduce between machines; 0 = it takes no time."));
  t.push_back(quantity<in, &C::gpu_peak>("/cluster/gpu_peak", 1e21,
                                         "Dense peak of one GPU at training precision; 0 = not stated."));
  t.push_back(quantity<in, &C::local_storage_per_node>("/cluster/local_storage_per_node", kMostBytes,
                                                       "NVMe that comes with each machine; 0 = none."));
  t.push_back(quantity<in, &C::local_read_bandwidth>("/cluster/local_read_bandwidth", kMostBytesPerSecond,
                                                     "Read rate of that NVMe per machine; 0 = none."));
  t.push_back(quantity<in, &C::local_write_bandwidth>("/cluster/local_write_bandwidth", kMostBytesPerSecond,
                                                      "Write rate of that NVMe per machine; 0 = none."));
}

void add_workload(std::vector<Field>& t) {
  using W = WorkloadSpec;
  constexpr auto in = &Scenario::workload;
  t.push_back(text<in, &W::name>("/workload/name", "Catalogue record of the workload; empty for one described here."));
  t.push_back(integer<in, &W::batch_size>("/workload/batch_size", 1, 1e7, "Samples per rank and micro-step."));
  t.push_back(choice<in, &W::step_time_form>("/workload/step_time_form", {"time", "samples_per_s", "flops"},
                                             "How the compute time of a step is given."));
  t.push_back(
      distribution<in, &W::step_time>("/workload/step_time", Dimension::kTime, kTenYears,
                                      "Compute time of one micro-step, drawn per step and rank; used by form time."));
  t.push_back(quantity<in, &W::samples_per_s_per_gpu>(
      "/workload/samples_per_s_per_gpu", kMostPerSecond,
      "Samples one GPU computes when data is always there; used by form samples_per_s.", "samples"));
  t.push_back(quantity<in, &W::flops_per_sample>("/workload/flops_per_sample", 1e24,
                                                 "Operations per sample, forward and backward; used by form flops."));
  t.push_back(
      number<in, &W::mfu>("/workload/mfu", Dimension::kFraction, {0.0, 1.0, true},
                          "Model FLOPs utilization, the part of the peak that computing reaches; used by form flops."));
  t.push_back(quantity<in, &W::step_return_cpu>(
      "/workload/step_return_cpu", kTenYears,
      "CPU of the trainer at the end of a step, counted as compute (emulated accelerators); 0 = a real GPU."));
  t.push_back(integer<in, &W::gradient_accumulation>("/workload/gradient_accumulation", 1, 1e6,
                                                     "Micro-steps between gradient barriers."));
  t.push_back(quantity<in, &W::gradient_bytes>("/workload/gradient_bytes", kMostSampleBytes,
                                               "All-reduced per step; 0 = none."));
  t.push_back(number<in, &W::allreduce_overlap>("/workload/allreduce_overlap", Dimension::kFraction, {0.0, 1.0},
                                                "Part of the all-reduce that is hidden behind computing."));
  t.push_back(quantity<in, &W::barrier_time>("/workload/barrier_time", kTenYears,
                                             "Cost of the barrier when all ranks arrive together."));
  t.push_back(integer<in, &W::validation_steps>("/workload/validation_steps", 0, 1e12,
                                                "Steps per epoch that compute without loading."));
  t.push_back(quantity<in, &W::validation_step_time>("/workload/validation_step_time", kTenYears,
                                                     "Time of one validation step."));
}

void add_dataset(std::vector<Field>& t) {
  using D = DatasetSpec;
  constexpr auto in = &Scenario::dataset;
  t.push_back(choice<in, &D::layout>("/dataset/layout", {"file_per_sample", "shards", "records", "columnar"},
                                     "How samples lie in files."));
  t.push_back(integer<in, &D::samples>("/dataset/samples", 0, kMostCount,
                                       "Samples in the dataset; 0 = as many as the run needs."));
  t.push_back(distribution<in, &D::sample_size>("/dataset/sample_size", Dimension::kBytes, kMostSampleBytes,
                                                "Bytes of a sample on storage."));
  t.push_back(integer<in, &D::samples_per_shard>("/dataset/samples_per_shard", 1, 1e12,
                                                 "Samples per shard, or per row group when columnar."));
  t.push_back(integer<in, &D::shards_per_rank>(
      "/dataset/shards_per_rank", 0, 1e12,
      "Shards a rank reads per epoch, iterable loaders; 0 = samples / samples_per_shard / ranks."));
  t.push_back(number<in, &D::wanted_fraction>("/dataset/wanted_fraction", Dimension::kFraction, {0.0, 1.0, true},
                                              "Part of a row group's bytes that is wanted, when columnar."));
  t.push_back(quantity<in, &D::request_size>("/dataset/request_size", kMostSampleBytes,
                                             "Largest read request; 0 = a whole sample in one request."));
  t.push_back(choice<in, &D::shuffle>("/dataset/shuffle", {"none", "global", "shard", "buffer"},
                                      "Order of samples in an epoch."));
  t.push_back(integer<in, &D::shuffle_buffer>("/dataset/shuffle_buffer", 0, 1e12,
                                              "Samples in the shuffle buffer, for shuffle buffer."));
  t.push_back(distribution<in, &D::decode_time>("/dataset/decode_time", Dimension::kTime, kTenYears,
                                                "CPU time per sample to decode and augment, alone on a core."));
  t.push_back(number<in, &D::decode_size_correlation>("/dataset/decode_size_correlation", Dimension::kNone, {-1.0, 1.0},
                                                      "Rank correlation of decode time with sample size."));
  t.push_back(quantity<in, &D::tensor_size>("/dataset/tensor_size", kMostSampleBytes,
                                            "Bytes a sample hands to the trainer; 0 = its mean size on storage."));
}

void add_loader(std::vector<Field>& t) {
  using L = LoaderSpec;
  constexpr auto in = &Scenario::loader;
  t.push_back(choice<in, &L::style>("/loader/style", {"map", "iterable"}, "PyTorch dataset style."));
  t.push_back(integer<in, &L::num_workers>("/loader/num_workers", 0, 1024,
                                           "Worker processes per rank; 0 loads inside next()."));
  t.push_back(
      integer<in, &L::prefetch_factor>("/loader/prefetch_factor", 1, 10000, "Batches per worker handed out ahead."));
  t.push_back(
      boolean<in, &L::persistent_workers>("/loader/persistent_workers", "Keep the workers from epoch to epoch."));
  t.push_back(boolean<in, &L::in_order>("/loader/in_order",
                                        "Deliver batches in index order; false takes whichever is ready first."));
  t.push_back(boolean<in, &L::pin_memory>("/loader/pin_memory", "A thread copies batches to pinned memory."));
  t.push_back(quantity<in, &L::pin_bandwidth>("/loader/pin_bandwidth", kMostBytesPerSecond,
                                              "Copy rate of that thread; 0 = no time."));
  t.push_back(
      choice<in, &L::start_method>("/loader/start_method", {"fork", "spawn"}, "How worker processes are started."));
  t.push_back(quantity<in, &L::worker_batch_cpu>(
      "/loader/worker_batch_cpu", kTenYears, "CPU per batch in the worker beyond decoding: collate, shared memory."));
  t.push_back(quantity<in, &L::consumer_batch_cpu>("/loader/consumer_batch_cpu", kTenYears,
                                                   "CPU per batch in the training process: receive, map, free."));
  t.push_back(quantity<in, &L::inline_batch_cpu>("/loader/inline_batch_cpu", kTenYears,
                                                 "CPU per batch of collation when num_workers is 0."));
  t.push_back(quantity<in, &L::pipe_time>(
      "/loader/pipe_time", kTenYears,
      "Wall time per batch of one worker with nothing to load and a consumer always asking."));
  t.push_back(curve<in, &L::next_ready>(
      "/loader/next_ready",
      "Duration of next() when a batch is ready, by how long both sides were idle: [gap, time] pairs."));
  t.push_back(quantity<in, &L::next_stored>(
      "/loader/next_stored", kTenYears, "Duration of next() when the batch was received earlier, out of its turn."));
  t.push_back(linear_cost<in, &L::start_call>("/loader/start_call",
                                              "Time of iter(), which starts the workers one after the other."));
  t.push_back(linear_cost<in, &L::start_ready>("/loader/start_ready",
                                               "From the start of iter() until the last worker is ready."));
  t.push_back(linear_cost<in, &L::start_first>("/loader/start_first",
                                               "From the start of iter() until a first, empty batch is returned."));
  t.push_back(linear_cost<in, &L::shutdown>("/loader/shutdown", "End of an epoch without persistent workers."));
  t.push_back(linear_cost<in, &L::reset>("/loader/reset", "iter() again with persistent workers."));
}

void add_storage(std::vector<Field>& t) {
  using S = StorageSpec;
  constexpr auto in = &Scenario::storage;
  t.push_back(
      text<in, &S::tier>("/storage/tier", "Catalogue record of the storage tier; empty for one described here."));
  t.push_back(choice<in, &S::scope>("/storage/scope", {"shared", "per_node"},
                                    "One system that all share, or a device in every machine."));
  t.push_back(quantity<in, &S::capacity>("/storage/capacity", kMostBytes,
                                         "Provisioned capacity, which sets bandwidth by the tier's rule."));
  t.push_back(quantity<in, &S::read_bandwidth>("/storage/read_bandwidth", kMostBytesPerSecond,
                                               "Read rate in all, or per machine with scope per_node; 0 = unlimited."));
  t.push_back(quantity<in, &S::write_bandwidth>("/storage/write_bandwidth", kMostBytesPerSecond,
                                                "Write rate likewise; 0 = unlimited."));
  t.push_back(boolean<in, &S::duplex>("/storage/duplex",
                                      "Reads and writes have their own rates; false: they share read_bandwidth."));
  t.push_back(quantity<in, &S::client_read_bandwidth>("/storage/client_read_bandwidth", kMostBytesPerSecond,
                                                      "Read rate that one machine can reach; 0 = unlimited."));
  t.push_back(quantity<in, &S::client_write_bandwidth>("/storage/client_write_bandwidth", kMostBytesPerSecond,
                                                       "Write rate that one machine can reach; 0 = unlimited."));
  t.push_back(
      quantity<in, &S::stream_bandwidth>("/storage/stream_bandwidth", kMostBytesPerSecond,
                                         "Rate of one request stream once its first byte is there; 0 = unlimited."));
  t.push_back(quantity<in, &S::read_iops>("/storage/read_iops", kMostPerSecond, "Read requests in all; 0 = unlimited.",
                                          "IOPS"));
  t.push_back(quantity<in, &S::metadata_rate>("/storage/metadata_rate", kMostPerSecond,
                                              "File opens in all; 0 = unlimited.", "ops"));
  t.push_back(distribution<in, &S::latency>("/storage/latency", Dimension::kTime, kTenYears,
                                            "From a request to its first byte."));
  t.push_back(distribution<in, &S::open_latency>("/storage/open_latency", Dimension::kTime, kTenYears,
                                                 "Per file or shard opened."));
  t.push_back(quantity<in, &S::service_quantum>("/storage/service_quantum", 10.0,
                                                "Turn of a reader at the tier's full rate, round robin; 0 = a fluid."));
  t.push_back(number<in, &S::noise>("/storage/noise", Dimension::kFraction, {0.0, 0.99},
                                    "Part of the bandwidth that neighbours take."));
}

void add_checkpoint(std::vector<Field>& t) {
  using C = CheckpointSpec;
  constexpr auto in = &Scenario::checkpoint;
  t.push_back(choice<in, &C::mode>("/checkpoint/mode", {"none", "sync", "async"},
                                   "No checkpoints, training stops while one is written, or only while it is copied."));
  t.push_back(integer<in, &C::interval_steps>("/checkpoint/interval_steps", 0, 1e12,
                                              "Steps from one checkpoint to the next; 0 = never."));
  t.push_back(quantity<in, &C::size>("/checkpoint/size", kMostSampleBytes, "Written per writer."));
  t.push_back(
      choice<in, &C::writers>("/checkpoint/writers", {"rank0", "all"}, "Who writes: rank 0, or every rank its part."));
  t.push_back(quantity<in, &C::snapshot_time>("/checkpoint/snapshot_time", kTenYears,
                                              "The part of an async checkpoint that stops training."));
  t.push_back(quantity<in, &C::write_bandwidth>("/checkpoint/write_bandwidth", kMostBytesPerSecond,
                                                "Rate per writer, when not written to the storage tier."));
  t.push_back(
      boolean<in, &C::to_storage>("/checkpoint/to_storage", "Write through the storage tier, contending with reads."));
}

void add_run(std::vector<Field>& t) {
  using R = RunSpec;
  constexpr auto in = &Scenario::run;
  t.push_back(integer<in, &R::epochs>("/run/epochs", 1, 1e9, "Passes over the dataset."));
  t.push_back(integer<in, &R::steps_per_epoch>("/run/steps_per_epoch", 0, 1e12,
                                               "Steps per rank; 0 = samples / (batch_size * ranks)."));
  t.push_back(
      boolean<in, &R::whole_run>("/run/whole_run", "Simulate every step instead of stopping at the asked precision."));
  t.push_back(number<in, &R::precision>("/run/precision", Dimension::kFraction, {1e-6, 0.5},
                                        "Half-width of the 95 % interval of GPU utilization to reach, as a fraction."));
  t.push_back(integer<in, &R::seed>("/run/seed", 0, 9007199254740991.0,
                                    "Start of the random numbers: the same seed gives the same result."));
  t.push_back(integer<in, &R::max_steps>("/run/max_steps", 1, 1e12,
                                         "Simulated steps per rank before giving up on the precision."));
}

std::vector<Field> make_table() {
  std::vector<Field> t;
  t.push_back(integer<&Scenario::format_version>("/format_version", 1, 1, "Version of this file format."));
  t.push_back(text<&Scenario::name>("/name", "Short name, shown in reports."));
  t.push_back(text<&Scenario::description>("/description", "What this scenario is for."));
  add_cluster(t);
  add_workload(t);
  add_dataset(t);
  add_loader(t);
  add_storage(t);
  add_checkpoint(t);
  add_run(t);
  return t;
}

}  // namespace

const std::vector<Field>& field_table() {
  static const std::vector<Field> table = make_table();
  return table;
}

const Field* find_field(std::string_view pointer) {
  static const std::unordered_map<std::string_view, const Field*> by_pointer = [] {
    std::unordered_map<std::string_view, const Field*> map;
    for (const Field& field : field_table()) map.emplace(field.pointer, &field);
    return map;
  }();
  const auto found = by_pointer.find(pointer);
  return found == by_pointer.end() ? nullptr : found->second;
}

std::string allowed_values(const Field& field) {
  switch (field.kind) {
    case FieldKind::kText:
      return "";
    case FieldKind::kBoolean:
      return "true or false";
    case FieldKind::kEnum:
      return fmt::format("{}", fmt::join(field.words, ", "));
    default:
      return range_text(field.dimension, field.range, field.counted);
  }
}

std::string field_help() {
  const Scenario defaults;
  std::string out;
  std::string group = "-";
  for (const Field& field : field_table()) {
    if (field.group != group) {
      group = field.group;
      if (!group.empty()) out += fmt::format("\n{}\n", group);
    }
    const std::string allowed = allowed_values(field);
    const std::string standard = value_text(field, field.get(defaults));
    out += fmt::format("  {:<36} {}{}default {}\n      {}\n", field.pointer, allowed, allowed.empty() ? "" : "; ",
                       standard.empty() ? "\"\"" : standard, field.help);
  }
  return out;
}

}  // namespace stallcast
