#include "core/scenario/fields/field_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

struct FieldName {
  std::string_view pointer, title;
  std::string_view one = {};  // of a number of things: a single one, inside a sentence
};
constexpr std::array kFieldNames = std::to_array<FieldName>({
    {"/storage/capacity", "Storage capacity"},
    {"/storage/prices", "Price of the storage"},  // all that a tier charges, which break-even turns as one
    {"/storage/tier", "Storage tier"},
    {"/loader/framework", "Loader software"},
    {"/loader/style", "Loader style"},
    {"/loader/num_workers", "Loader workers per GPU", "loader worker per GPU"},
    {"/loader/prefetch_factor", "Batches prefetched per worker", "batch prefetched per worker"},
    {"/loader/persistent_workers", "Persistent workers"},
    {"/loader/in_order", "In-order delivery"},
    {"/loader/pin_memory", "Pinned memory"},
    {"/loader/read_ahead", "Samples read ahead per worker", "sample read ahead per worker"},
    {"/loader/interleave", "Files read at once", "file read at once"},
    {"/loader/decode_on", "Decoding device"},
    {"/loader/host_decode_time", "CPU time left by GPU decoding"},
    {"/loader/gpudirect", "GPUDirect in the loader"},
    {"/loader/start_method", "Start method of workers"},
    {"/loader/wait_cpu", "Extra CPU time after a wait for a read"},
    {"/loader/worker_batch_cpu", "CPU time of a worker per batch"},
    {"/loader/consumer_batch_cpu", "CPU time of the training process per batch"},
    {"/loader/inline_batch_cpu", "CPU time per batch without workers"},
    {"/loader/next_ready", "Time of next() with a batch ready"},
    {"/loader/pipe_time", "Time of a batch in the pipe"},
    {"/loader/pin_bandwidth", "Copy rate into pinned memory"},
    {"/loader/start_call", "Time to start the workers"},
    {"/loader/start_ready", "Time until workers are ready"},
    {"/loader/start_first", "Time until the first batch is begun"},
    {"/loader/start_cpu", "CPU time to start a worker"},
    {"/loader/shutdown", "Time to stop the workers"},
    {"/loader/reset", "Time to reset the loader"},
    {"/checkpoint/mode", "Checkpoint mode"},
    {"/checkpoint/cadence", "Checkpoint cadence"},
    {"/checkpoint/writers", "Checkpoint writers"},
    {"/checkpoint/software", "Checkpoint software"},
    {"/checkpoint/replica_saving", "Who saves what replicas hold alike"},
    {"/checkpoint/first_level", "First level of checkpoints"},
    {"/checkpoint/interval_steps", "Steps between checkpoints", "step between checkpoints"},
    {"/checkpoint/interval", "Time between checkpoints"},
    {"/checkpoint/shortest_interval", "Shortest time between checkpoints"},
    {"/checkpoint/interval_epochs", "Epochs between checkpoints", "epoch between checkpoints"},
    {"/checkpoint/size", "Size of a checkpoint"},
    {"/checkpoint/streams", "Parts of a checkpoint written at once", "part of a checkpoint written at once"},
    {"/checkpoint/snapshot_time", "Time an asynchronous checkpoint stops training"},
    {"/checkpoint/commit_time", "Time to commit a checkpoint"},
    {"/checkpoint/writer_spread", "Spread of a checkpoint's writers"},
    {"/checkpoint/file_time", "Time per file of a checkpoint"},
    {"/checkpoint/gather_bandwidth", "Rate at which rank 0 gathers a checkpoint"},
    {"/checkpoint/buffer_bandwidth", "Rate of a checkpoint into the page cache"},
    {"/checkpoint/serialize_bandwidth", "Serialising rate of a checkpoint writer"},
    {"/checkpoint/load_bandwidth", "Rate at which a rank loads a checkpoint"},
    {"/checkpoint/plan_time", "Time to plan a checkpoint"},
    {"/plan/min_utilization", "GPU utilization at least"},
    {"/plan/deadline", "Time to train at most"},
    {"/plan/budget", "Total cost at most"},
    {"/cluster/instance", "Machine type"},
    {"/cluster/gpu", "GPU model"},
    {"/cluster/cpu", "CPU model"},
    {"/cluster/core_speed", "Speed of a core"},
    {"/cluster/all_core_clock", "Clock of a core while all compute"},
    {"/cluster/gpus_per_node", "GPUs per node", "GPU per node"},
    {"/cluster/nodes", "Nodes", "node"},
    {"/cluster/cores_per_node", "Cores per node", "core per node"},
    {"/cluster/memory_per_node", "Memory of a node"},
    {"/cluster/nic_bandwidth", "Network bandwidth of a node"},
    {"/cluster/nic_efficiency", "Usable share of the network"},
    {"/cluster/host_to_device_bandwidth", "Copy rate from host to GPU"},
    {"/cluster/gpu_link_bandwidth", "Rate between the GPUs of machines"},
    {"/cluster/local_read_bandwidth", "Read bandwidth of a node's own disks"},
    {"/cluster/local_write_bandwidth", "Write bandwidth of a node's own disks"},
    {"/workload/name", "Model that is trained"},
    {"/workload/batch_size", "Batch size per GPU"},
    {"/workload/step_time", "Compute time of a step"},
    {"/workload/samples_per_s_per_gpu", "Samples per second that a GPU computes"},
    {"/workload/barrier_time", "Time of the barrier of a step"},
    {"/cost/node_price", "Price of a node"},
    {"/dataset/layout", "Dataset layout"},
    {"/dataset/format", "Sample format"},
    {"/dataset/shuffle", "Shuffle"},
    {"/dataset/samples_per_shard", "Samples per shard", "sample per shard"},
    {"/dataset/request_size", "Size of a read request"},
    {"/dataset/sample_size", "Size of a sample"},
    {"/dataset/decode_time", "Time to decode a sample"},
    {"/dataset/tensor_size", "Size of a decoded sample"},
    {"/dataset/samples", "Samples of the dataset", "sample of the dataset"},
    {"/failures/mtti", "Mean time to interruption"},
    {"/failures/detection_time", "Time to detect a failure"},
    {"/failures/restart_time", "Time to restart"},
    {"/failures/replacement_time", "Time to replace a machine"},
    {"/staging/method", "Staging method"},
    {"/staging/bandwidth", "Staging bandwidth"},
    {"/staging/files_per_s", "Files staged per second", "file staged per second"},
    {"/page_cache/capacity", "Size of the page cache"},
    {"/run/epochs", "Epochs", "epoch"},
});

// What several kinds of storage have.
struct Place {
  std::string_view group, of;
};
constexpr std::array kPlaces = std::to_array<Place>({{"/storage/", " of the storage"},
                                                     {"/origin/", " of the origin"},
                                                     {"/page_cache/", " of the page cache"},
                                                     {"/node_cache/", " of the node cache"},
                                                     {"/server_cache/", " of the server's cache"},
                                                     {"/regional_cache/", " of the regional cache"}});
constexpr std::array kStorageNames = std::to_array<FieldName>({
    {"policy", "Policy"},
    {"capacity", "Capacity"},
    {"servers", "Servers", "server"},
    {"provisioned_bandwidth", "Provisioned bandwidth"},
    {"provisioned_iops", "Provisioned requests per second", "provisioned request per second"},
    {"read_bandwidth", "Read bandwidth"},
    {"write_bandwidth", "Write bandwidth"},
    {"burst_bandwidth", "Burst bandwidth"},
    {"client_read_bandwidth", "Read bandwidth per client"},
    {"client_write_bandwidth", "Write bandwidth per client"},
    {"stream_bandwidth", "Bandwidth per connection"},
    {"stream_write_bandwidth", "Write bandwidth per connection"},
    {"read_iops", "Read requests per second", "read request per second"},
    {"write_iops", "Write requests per second", "write request per second"},
    {"metadata_rate", "Files opened per second", "file opened per second"},
    {"latency", "Latency"},
    {"open_latency", "Time to open a file"},
    {"list_latency", "Time to list files"},
    {"retry_base", "First wait before a retry"},
    {"retry_max", "Longest wait before a retry"},
    {"mean_time_to_data_loss", "Mean time to data loss"},
});

struct Name {
  std::string title, one;
};

constexpr std::array kAcronyms = std::to_array<std::string_view>(
    {"cpu", "gpu", "gpus", "id", "iops", "mtti", "nic", "numa", "ttl", "usd", "dlio", "io"});

// "Run seed" of "run/seed".
std::string in_words(std::string_view key) {
  std::string out;
  for (std::size_t from = 0; from < key.size();) {
    const std::size_t to = std::min(key.find_first_of("_/", from), key.size());
    std::string word(key.substr(from, to - from));
    if (std::find(kAcronyms.begin(), kAcronyms.end(), word) != kAcronyms.end()) {
      for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      if (word == "GPUS") word = "GPUs";
    } else if (out.empty()) {
      word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    }
    out += (out.empty() ? "" : " ") + word;
    from = to + 1;
  }
  return out;
}

// No title for fields without a name of their own.
Name name_of(std::string_view pointer) {
  for (const FieldName& name : kFieldNames)
    if (name.pointer == pointer) return {std::string(name.title), std::string(name.one)};
  for (const Place& place : kPlaces) {
    if (!pointer.starts_with(place.group)) continue;
    for (const FieldName& name : kStorageNames)
      if (name.pointer == pointer.substr(place.group.size()))
        return {std::string(name.title) + std::string(place.of),
                name.one.empty() ? "" : std::string(name.one) + std::string(place.of)};
  }
  return {};
}

// "CPU time" stays as it is.
std::string inside_sentence(std::string title) {
  const bool is_acronym = title.size() > 1 && std::isupper(static_cast<unsigned char>(title[1])) != 0;
  if (!is_acronym) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

bool is_switch(std::string_view pointer) {
  const Field* const field = find_field(pointer);
  return field != nullptr && field->kind == FieldKind::kBoolean;
}

}  // namespace

std::string field_title(std::string_view pointer) {
  std::string title = name_of(pointer).title;
  return title.empty() ? in_words(pointer.substr(std::min<std::size_t>(1, pointer.size()))) : title;
}

std::string field_label(std::string_view pointer) {
  std::string title = name_of(pointer).title;
  if (title.empty()) return in_words(pointer.substr(pointer.rfind('/') + 1));
  for (const Place& place : kPlaces)
    if (pointer.starts_with(place.group) && title.ends_with(place.of)) title.resize(title.size() - place.of.size());
  return title;
}

std::string field_noun(std::string_view pointer) {
  const Name name = name_of(pointer);
  if (name.title.empty()) return dotted_name(pointer);
  return (name.one.empty() ? "the " : "the number of ") + inside_sentence(name.title);
}

std::string field_with_value(std::string_view pointer, const std::string& value) {
  const Name name = name_of(pointer);
  if (name.title.empty()) return dotted_name(pointer) + " " + value;
  const std::string words = inside_sentence(name.title);
  if (is_switch(pointer)) return words + (value == "true" ? " on" : " off");
  if (name.one.empty()) return "a " + words + " of " + value;
  return value + " " + (value == "1" ? name.one : words);
}

std::string change_phrase(std::string_view pointer, const std::string& value) {
  const std::string title = name_of(pointer).title;
  if (title.empty()) return "set " + dotted_name(pointer) + " to " + value;
  if (is_switch(pointer)) return (value == "true" ? "turn on " : "turn off ") + inside_sentence(title);
  for (const Place& place : kPlaces)  // "use the node cache (lru)"
    if (pointer == std::string(place.group) + "policy")
      return value == "none" ? "turn off" + std::string(place.of.substr(3))
                             : fmt::format("use{} ({})", place.of.substr(3), value);
  return "use " + field_with_value(pointer, value);
}

}  // namespace stallcast
