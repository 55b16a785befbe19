#include "core/import/dlio.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/diagnostics/json_input.h"
#include "core/import/yaml_tree.h"
#include "core/scenario/field_table.h"
#include "core/scenario/field_value.h"
#include "core/scenario/scenario.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;
constexpr double kMostCount = 1e15;

// Keys that DLIO reads, by section. What a scenario has no use for is in the list too: it is known, and nothing is
// said.
const std::map<std::string, std::vector<std::string>>& known_keys() {
  static const std::map<std::string, std::vector<std::string>> keys = {
      {"",
       {"model", "framework", "workflow", "dataset", "reader", "data_reader", "train", "evaluation", "checkpoint",
        "output", "metric", "storage", "profiling", "defaults", "hydra", "workload"}},
      {"model",
       {"name", "type", "model_size", "model_size_bytes", "num_layers", "layer_parameters", "optimization_groups",
        "transformer", "parallelism", "model_datatype", "optimizer_datatype"}},
      {"model.transformer", {"hidden_size", "ffn_hidden_size", "vocab_size", "num_attention_heads", "num_kv_heads"}},
      {"model.parallelism", {"tensor", "pipeline", "data", "zero_stage"}},
      {"workflow", {"generate_data", "train", "evaluation", "checkpoint", "profiling"}},
      {"dataset",
       {"record_length",
        "record_length_stdev",
        "record_length_resize",
        "record_length_bytes",
        "record_length_bytes_stdev",
        "record_length_bytes_resize",
        "record_dims",
        "record_element_type",
        "num_files_train",
        "num_files_eval",
        "num_samples_per_file",
        "num_subfolders_train",
        "num_subfolders_eval",
        "format",
        "data_folder",
        "file_prefix",
        "keep_files",
        "compression",
        "compression_level",
        "enable_chunking",
        "chunk_size",
        "hdf5",
        "generation_buffer_size"}},
      {"reader",
       {"data_loader",
        "batch_size",
        "batch_size_eval",
        "read_threads",
        "computation_threads",
        "prefetch_size",
        "file_shuffle",
        "sample_shuffle",
        "shuffle_size",
        "transfer_size",
        "read_type",
        "file_access",
        "preprocess_time",
        "preprocess_time_stdev",
        "odirect",
        "multiprocessing_context",
        "pin_memory",
        "dont_use_mmap",
        "data_loader_classname",
        "reader_classname",
        "data_loader_sampler",
        "transformed_record_dims",
        "transformed_record_element_type"}},
      {"train",
       {"epochs", "computation_time", "computation_time_stdev", "total_training_steps", "seed", "seed_change_epoch"}},
      {"evaluation", {"eval_time", "eval_time_stdev", "eval_after_epoch", "epochs_between_evals"}},
      {"checkpoint",
       {"checkpoint_folder", "checkpoint_after_epoch", "epochs_between_checkpoints", "steps_between_checkpoints",
        "num_checkpoints_write", "num_checkpoints_read", "time_between_checkpoints", "type", "mode", "fsync",
        "rank_sync", "recovery_rank_shift", "randomize_tensor", "ksm", "model_size"}},
      {"metric", {"au", "exclude_start_steps", "exclude_end_steps"}},
      {"output", {"folder", "log_file", "metric"}}};
  return keys;
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::optional<double> number_in(std::string text) {
  std::erase(text, '_');  // YAML allows 1_000
  if (text.starts_with("+")) text.erase(0, 1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// A workload file, asked for values by "section.key"; what is wrong with them is collected.
class WorkloadFile {
 public:
  WorkloadFile(YamlNode root, std::string file, Findings& findings)
      : root_(std::move(root)), file_(std::move(file)), findings_(findings) {}

  const YamlNode* find(const std::string& path) const {
    const YamlNode* node = &root_;
    for (const std::string& key : split(path)) {
      const YamlNode* next = node->find(key);
      if (next == nullptr && key == "reader" && node == &root_) next = node->find("data_reader");
      if (next == nullptr) return nullptr;
      node = next;
    }
    return node->kind == YamlNode::Kind::kNull ? nullptr : node;
  }

  bool has(const std::string& path) const { return find(path) != nullptr; }

  std::string word(const std::string& path, const std::string& fallback) {
    const YamlNode* node = find(path);
    if (node == nullptr) return fallback;
    if (node->kind == YamlNode::Kind::kScalar) return node->scalar;
    wrong(path, *node, "a word");
    return fallback;
  }

  double number(const std::string& path, double fallback) {
    const YamlNode* node = find(path);
    if (node == nullptr) return fallback;
    if (node->kind == YamlNode::Kind::kScalar) {
      if (const auto value = number_in(node->scalar)) return *value;
    }
    wrong(path, *node, "a number");
    return fallback;
  }

  // A whole number between `low` and 1e15. -1 stands for "none" in DLIO; ask with low = -1 where it may.
  std::int64_t count(const std::string& path, std::int64_t fallback, std::int64_t low = 0) {
    const YamlNode* node = find(path);
    if (node == nullptr) return fallback;
    const auto value = node->kind == YamlNode::Kind::kScalar ? number_in(node->scalar) : std::nullopt;
    if (!value || *value != std::floor(*value) || *value < static_cast<double>(low) || *value > kMostCount) {
      wrong(path, *node, fmt::format("a whole number, {} to 1e15", low));
      return fallback;
    }
    return static_cast<std::int64_t>(*value);
  }

  double size(const std::string& path, double fallback) {
    const double value = number(path, fallback);
    if (value >= 0.0 && value <= kMostCount) return value;
    wrong(path, *find(path), "bytes, 0 to 1e15");
    return fallback;
  }

  bool flag(const std::string& path, bool fallback) {
    const YamlNode* node = find(path);
    if (node == nullptr) return fallback;
    const std::string text = lowered(node->scalar);
    for (const char* yes : {"true", "yes", "on", "y"}) {
      if (text == yes) return true;
    }
    for (const char* no : {"false", "no", "off", "n"}) {
      if (text == no) return false;
    }
    wrong(path, *node, "True or False");
    return fallback;
  }

  // Seconds: a number, or a map with a type. `path` + "_stdev" belongs to it.
  std::optional<Distribution> time(const std::string& path) {
    const YamlNode* node = find(path);
    if (node == nullptr) return std::nullopt;
    if (node->kind != YamlNode::Kind::kMap) return spread(number(path, 0.0), number(path + "_stdev", 0.0), path);
    for (const auto& [key, value] : node->members) {
      static const std::set<std::string> known = {"type", "mean", "stdev", "min", "max", "shape", "scale", "lam"};
      if (known.count(key) == 0) unknown(path + "." + key, value, {known.begin(), known.end()});
    }
    const std::string type = lowered(word(path + ".type", "normal"));
    const auto part = [&](const char* name) { return number(path + "." + name, 0.0); };
    Distribution d;
    if (type == "normal") return spread(part("mean"), part("stdev"), path);
    if (type == "uniform") {
      d.kind = DistributionKind::kUniform;
      d.low = part("min");
      d.high = part("max");
      if (d.low < 0.0 || d.high < d.low) wrong(path, *node, "0 <= min <= max");
    } else if (type == "gamma") {
      d.kind = DistributionKind::kGamma;
      d.shape = part("shape");
      d.mean = d.shape * part("scale");
      if (d.shape <= 0.0 || d.mean < 0.0) wrong(path, *node, "shape and scale above 0");
    } else if (type == "exponential") {
      d.kind = DistributionKind::kExponential;
      d.mean = part("scale");
      if (d.mean < 0.0) wrong(path, *node, "scale of 0 or more");
    } else if (type == "poisson") {
      const double lam = part("lam");
      if (lam < 0.0) wrong(path, *node, "lam of 0 or more");
      warn("approximated", path, fmt::format("poisson with mean {}", lam),
           "a normal with the same mean and deviation is used");
      return spread(lam, std::sqrt(std::max(lam, 0.0)), path);
    } else {
      wrong(path, *node, "type normal, uniform, gamma, exponential or poisson");
    }
    return d;
  }

  std::vector<double> numbers(const std::string& path) {
    std::vector<double> values;
    const YamlNode* node = find(path);
    if (node == nullptr) return values;
    const std::vector<YamlNode> one = {*node};
    for (const YamlNode& item : node->kind == YamlNode::Kind::kSequence ? node->items : one) {
      const auto value = item.kind == YamlNode::Kind::kScalar ? number_in(item.scalar) : std::nullopt;
      if (value && *value >= 0.0 && *value <= kMostCount) {
        values.push_back(*value);
      } else {
        wrong(path, item, "a list of numbers, 0 to 1e15");
      }
    }
    return values;
  }

  void check_keys() {
    check_keys("", root_);
    for (const auto& [section, keys] : known_keys()) {
      if (section.empty()) continue;
      const YamlNode* node = find(section);
      if (node == nullptr) continue;
      if (node->kind == YamlNode::Kind::kMap) {
        check_keys(section, *node);
      } else if (section != "model") {  // `model: unet3d` is the old spelling
        wrong(section, *node, "a map of settings");
      }
    }
  }

  void warn(const std::string& code, const std::string& path, const std::string& got, const std::string& why) {
    findings_.add({Severity::kWarning, code, file_, pointer(path), got, "", "", why});
  }
  void error(const std::string& code, const std::string& path, const std::string& got, const std::string& allowed,
             const std::string& why = "") {
    findings_.add({Severity::kError, code, file_, pointer(path), got, allowed, "", why});
  }

 private:
  static std::string pointer(const std::string& path) {
    std::string text;
    if (!path.empty()) {
      for (const std::string& key : split(path)) text += "/" + pointer_token(key);
    }
    return text;
  }

  static std::string shown(const YamlNode& node) {
    const std::string place = node.place();
    std::string text = node.kind == YamlNode::Kind::kScalar     ? fmt::format("\"{}\"", node.scalar)
                       : node.kind == YamlNode::Kind::kSequence ? "a list"
                       : node.kind == YamlNode::Kind::kMap      ? "a map"
                                                                : "nothing";
    return place.empty() ? text : fmt::format("{} at {}", text, place);
  }

  void wrong(const std::string& path, const YamlNode& node, const std::string& allowed) {
    if (!reported_.insert(path).second) return;
    const bool interpolated = node.kind == YamlNode::Kind::kScalar && node.scalar.find("${") != std::string::npos;
    error("wrong_value", path, shown(node), allowed,
          interpolated ? "references to other settings are not followed; write the value" : "");
  }

  void unknown(const std::string& path, const YamlNode& node, const std::vector<std::string>& known) {
    const std::string key = split(path).back();
    const std::string near = nearest_word(key, known);
    findings_.add({Severity::kWarning, "unknown_key", file_, pointer(path), shown(node), "",
                   near.empty() ? "" : fmt::format("did you mean \"{}\"?", near), "ignored, as DLIO does"});
  }

  void check_keys(const std::string& section, const YamlNode& node) {
    const auto& known = known_keys().at(section);
    for (const auto& [key, value] : node.members) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      unknown(section.empty() ? key : section + "." + key, value, known);
    }
  }

  std::optional<Distribution> spread(double mean, double sd, const std::string& path) {
    if (mean < 0.0 || sd < 0.0) {
      wrong(path, *find(path), "a time and a deviation of 0 or more, in seconds");
      return std::nullopt;
    }
    Distribution d = Distribution::constant(mean);
    if (sd > 0.0) {
      d.kind = DistributionKind::kNormal;
      d.sd = sd;
    }
    return d;
  }

  YamlNode root_;
  std::string file_;
  Findings& findings_;
  std::set<std::string> reported_;
};

double element_bytes(const std::string& type) {
  static const std::map<std::string, double> bytes_of = {
      {"int8", 1},    {"uint8", 1},    {"bool", 1},  {"int16", 2},   {"uint16", 2}, {"fp16", 2},    {"bf16", 2},
      {"float16", 2}, {"bfloat16", 2}, {"int32", 4}, {"uint32", 4},  {"fp32", 4},   {"float32", 4}, {"float", 4},
      {"int64", 8},   {"uint64", 8},   {"fp64", 8},  {"float64", 8}, {"double", 8}};
  const auto found = bytes_of.find(lowered(type));
  return found == bytes_of.end() ? 0.0 : found->second;
}

// How a file's size varies when DLIO writes it: both sides of an array are drawn from
// normal(sqrt(length), stdev / (2 sqrt(length))), and the size is their product.
Distribution generated_sizes(double length, double stdev) {
  Distribution d = Distribution::constant(length);
  if (stdev <= 0.0 || length <= 0.0) return d;
  const double side = stdev / (2.0 * length);
  const double relative = std::sqrt((1.0 + side * side) * (1.0 + side * side) - 1.0);
  if (relative < 0.1) {
    d.kind = DistributionKind::kNormal;
    d.sd = length * relative;
  } else {  // the product of two normals is skewed about as a gamma is, and never negative
    d.kind = DistributionKind::kGamma;
    d.shape = 1.0 / (relative * relative);
  }
  return d;
}

// The scenario under construction: values, and which of them are to be written.
struct Draft {
  Scenario scenario;
  std::set<std::string> given;
  void give(std::initializer_list<const char*> pointers) { given.insert(pointers.begin(), pointers.end()); }
};

class Importer {
 public:
  Importer(WorkloadFile& in, const DlioOptions& options, const Catalogue& catalogue, Findings& findings)
      : in_(in), options_(options), catalogue_(catalogue), findings_(findings) {}

  Draft run() {
    Scenario& s = draft_.scenario;
    in_.check_keys();
    const YamlNode* model = in_.find("model");
    s.name = model != nullptr && model->kind == YamlNode::Kind::kScalar ? in_.word("model", "dlio")
                                                                        : in_.word("model.name", "dlio");
    s.description = "Imported from a DLIO workload file.";
    draft_.give({"/format_version", "/name", "/description"});
    cluster();
    storage();
    const bool train = in_.flag("workflow.train", true);
    const bool checkpoint = in_.flag("workflow.checkpoint", false);
    if (train && (has_dataset() || !checkpoint)) {
      training();
      if (checkpoint) training_checkpoints();
    } else if (checkpoint) {
      checkpoints_only();
    } else {
      in_.error("nothing_to_simulate", "workflow", "train and checkpoint are off", "train: True or checkpoint: True",
                "this file only generates data");
    }
    return std::move(draft_);
  }

 private:
  bool has_dataset() const { return in_.has("dataset") || in_.has("reader"); }

  void cluster() {
    ClusterSpec& c = draft_.scenario.cluster;
    c.nodes = options_.nodes;
    c.gpus_per_node = options_.gpus_per_node > 0 ? options_.gpus_per_node : 1;
    draft_.give({"/cluster/nodes"});
    if (!options_.instance.empty()) {
      c.instance = options_.instance;
      draft_.give({"/cluster/instance"});
      const InstanceRecord* instance =
          find_record(catalogue_.instances, c.instance, "instance", "--instance", "", findings_);
      if (instance != nullptr && options_.gpus_per_node <= 0) c.gpus_per_node = instance->gpus.value;
      if (options_.gpus_per_node > 0) draft_.give({"/cluster/gpus_per_node"});
    } else {
      draft_.give({"/cluster/gpus_per_node", "/cluster/cores_per_node"});
      const auto threads = static_cast<double>(in_.count("reader.read_threads", 1));
      c.cores_per_node = static_cast<double>(c.gpus_per_node) * (threads + 1.0);
      findings_.add({Severity::kWarning, "assumed", "", "/cluster/cores_per_node", fmt::format("{}", c.cores_per_node),
                     "", "name an instance, or correct it",
                     "no machine is named: a core for every reader and trainer is assumed"});
    }
  }

  void storage() {
    const std::string type = lowered(in_.word("storage.storage_type", "local_fs"));
    if (!options_.tier.empty()) {
      draft_.scenario.storage.tier = options_.tier;
      draft_.give({"/storage/tier"});
      find_record(catalogue_.tiers, options_.tier, "tier", "--tier", "", findings_);
    } else {
      findings_.add({Severity::kWarning, "assumed", "", "/storage", fmt::format("storage_type {}", type), "",
                     "name a tier, or add its bandwidth and latency",
                     "the workload file does not say what its storage can do; unlimited"});
    }
  }

  std::int64_t ranks() const { return std::max<std::int64_t>(1, draft_.scenario.ranks()); }

  void training() {
    Scenario& s = draft_.scenario;
    s.workload.batch_size = in_.count("reader.batch_size", 1, 1);
    draft_.give({"/workload/batch_size", "/workload/step_time"});
    if (const auto step = in_.time("train.computation_time")) {
      s.workload.step_time = *step;
    } else if (!in_.has("train.computation_time")) {
      in_.error("missing_value", "train.computation_time", "nothing", "seconds per batch, or a map with mean and stdev",
                "without it the accelerator never computes");
    }
    dataset();
    loader();
    length_of_run();
    evaluation();
  }

  double record_length() {
    if (const std::vector<double> dims = in_.numbers("dataset.record_dims"); !dims.empty()) {
      const std::string type = in_.word("dataset.record_element_type", "uint8");
      double length = element_bytes(type);
      if (length == 0.0) {
        in_.warn("assumed", "dataset.record_element_type", type, "not a type known here; one byte is assumed");
        length = 1.0;
      }
      for (const double dim : dims) length *= dim;
      return length;
    }
    return in_.size("dataset.record_length_bytes", in_.size("dataset.record_length", 65536));
  }

  void dataset() {
    DatasetSpec& d = draft_.scenario.dataset;
    const double length = record_length();
    const double stdev = in_.size("dataset.record_length_bytes_stdev", in_.size("dataset.record_length_stdev", 0));
    const double resize = in_.size("dataset.record_length_bytes_resize", in_.size("dataset.record_length_resize", 0));
    const std::int64_t files = in_.count("dataset.num_files_train", 8);
    const std::int64_t per_file = in_.count("dataset.num_samples_per_file", 1, 1);
    const std::string format = lowered(in_.word("dataset.format", "tfrecord"));
    d.sample_size = generated_sizes(format == "synthetic" ? 0.0 : length, stdev);
    if (format == "synthetic")
      in_.warn("assumed", "dataset.format", format, "synthetic data is not read: samples of 0 bytes");
    d.tensor_size = bytes(resize > 0.0 ? resize : length);
    if (static_cast<double>(files) * static_cast<double>(per_file) > kMostCount) {
      in_.error("out_of_range", "dataset.num_files_train", fmt::format("{} files of {} samples", files, per_file),
                "1e15 samples in all");
    } else {
      d.samples = files * per_file;
    }
    d.samples_per_shard = per_file;
    draft_.give(
        {"/dataset/layout", "/dataset/samples", "/dataset/sample_size", "/dataset/tensor_size", "/dataset/shuffle"});
    const std::set<std::string> random_access = {"hdf5", "indexed_binary", "mmap_indexed_binary"};
    if (random_access.count(format) != 0) {
      d.layout = DatasetLayout::kRecords;
    } else {
      d.layout = per_file > 1 ? DatasetLayout::kShards : DatasetLayout::kFilePerSample;
    }
    if (d.layout == DatasetLayout::kShards) draft_.give({"/dataset/samples_per_shard"});
    const auto shuffles = [&](const char* path) {
      const std::string how = lowered(in_.word(path, "off"));
      return how != "off" && how != "false";
    };
    d.shuffle =
        shuffles("reader.file_shuffle") || shuffles("reader.sample_shuffle") ? Shuffle::kGlobal : Shuffle::kNone;
    if (in_.has("reader.transfer_size")) {
      d.request_size = bytes(in_.size("reader.transfer_size", 0));
      draft_.give({"/dataset/request_size"});
    }
    if (const auto preprocess = in_.time("reader.preprocess_time")) {
      d.decode_time = *preprocess;
      draft_.give({"/dataset/decode_time"});
      in_.warn("approximated", "reader.preprocess_time", "a sleep per sample", "simulated as CPU time of the worker");
    }
  }

  void loader() {
    LoaderSpec& l = draft_.scenario.loader;
    DatasetSpec& d = draft_.scenario.dataset;
    const std::string framework = lowered(in_.word("framework", "tensorflow"));
    const std::string kind = lowered(in_.word("reader.data_loader", framework));
    const std::int64_t threads = in_.count("reader.read_threads", 1);
    const std::int64_t prefetch = in_.count("reader.prefetch_size", 2);
    l.num_workers = threads;
    l.prefetch_factor = threads > 0 && prefetch > 0 ? (prefetch + threads - 1) / threads : 2;
    draft_.give({"/loader/style", "/loader/num_workers"});
    if (kind == "pytorch" && threads == 0) return;  // loads inside next(): there is nothing to prefetch or to keep
    l.persistent_workers = true;
    draft_.give({"/loader/prefetch_factor", "/loader/persistent_workers"});
    if (kind == "pytorch") return;
    // Threads of one process that read ahead: at least one of them even when read_threads is 0.
    l.num_workers = std::max<std::int64_t>(1, threads);
    l.prefetch_factor = std::max<std::int64_t>(1, (prefetch + l.num_workers - 1) / l.num_workers);
    if (kind != "tensorflow") {
      in_.warn("approximated", "reader.data_loader", kind, "simulated as reader threads that load whole batches");
    }
    if (d.layout != DatasetLayout::kShards) return;
    l.style = LoaderStyle::kIterable;
    if (d.shuffle == Shuffle::kGlobal) {
      d.shuffle = Shuffle::kShard;
      const std::int64_t buffer = in_.count("reader.shuffle_size", 1024);
      if (buffer > 1 && lowered(in_.word("reader.sample_shuffle", "off")) != "off") {
        d.shuffle = Shuffle::kBuffer;
        d.shuffle_buffer = buffer;
        draft_.give({"/dataset/shuffle_buffer"});
      }
    }
    // A rank reads its share of the files; with fewer files than ranks DLIO deals out records, and every rank opens
    // one.
    d.shards_per_rank = std::max<std::int64_t>(1, d.samples / std::max<std::int64_t>(1, d.samples_per_shard) / ranks());
    draft_.give({"/dataset/shards_per_rank"});
    if (l.num_workers > d.shards_per_rank) {
      in_.warn("approximated", "reader.read_threads",
               fmt::format("{} threads for {} files per rank", l.num_workers, d.shards_per_rank),
               "as many readers as files are simulated");
      l.num_workers = d.shards_per_rank;
    }
  }

  void length_of_run() {
    Scenario& s = draft_.scenario;
    s.run.epochs = in_.count("train.epochs", 1, 1);
    s.run.seed = in_.count("train.seed", 123);
    const std::int64_t cap = in_.count("train.total_training_steps", -1, -1);
    const double per_epoch = std::floor(static_cast<double>(s.dataset.samples) /
                                        (static_cast<double>(s.workload.batch_size) * static_cast<double>(ranks())));
    s.run.steps_per_epoch = static_cast<std::int64_t>(per_epoch);
    if (s.run.steps_per_epoch == 0) {
      in_.error(
          "too_few_samples", "dataset.num_files_train",
          fmt::format("{} samples for {} ranks with batches of {}", s.dataset.samples, ranks(), s.workload.batch_size),
          fmt::format("at least {} samples", ranks() * s.workload.batch_size), "an epoch would have no step");
    }
    if (cap > 0) s.run.steps_per_epoch = std::min(s.run.steps_per_epoch, cap);
    draft_.give({"/run/epochs", "/run/steps_per_epoch", "/run/seed"});
  }

  void evaluation() {
    if (!in_.flag("workflow.evaluation", false)) return;
    Scenario& s = draft_.scenario;
    const std::int64_t samples = in_.count("dataset.num_files_eval", 0) * s.dataset.samples_per_shard;
    const std::int64_t batch = in_.count("reader.batch_size_eval", 1, 1);
    const auto time = in_.time("evaluation.eval_time");
    s.workload.validation_steps = samples / batch / ranks();
    s.workload.validation_step_time = seconds(time ? mean_of(*time) : 0.0);
    draft_.give({"/workload/validation_steps", "/workload/validation_step_time"});
    in_.warn("approximated", "workflow.evaluation", fmt::format("{} steps per epoch", s.workload.validation_steps),
             "evaluation is simulated as computing only, after every epoch");
  }

  // Bytes of a whole checkpoint and whether all ranks write it.
  struct CheckpointShape {
    double size = 0.0;  // of all writers together
    bool all_ranks = false;
  };

  CheckpointShape checkpoint_shape() {
    CheckpointShape shape;
    shape.all_ranks = lowered(in_.word("checkpoint.type", "rank_zero")) == "all_ranks";
    const auto world = static_cast<double>(ranks());
    const double layers = number_at_least_0("model.num_layers", 0);
    if (in_.has("model.transformer") && layers > 0.0) {
      const TransformerShape transformer = {
          layers,
          number_at_least_0("model.transformer.hidden_size", 2048),
          number_at_least_0("model.transformer.ffn_hidden_size", 8192),
          number_at_least_0("model.transformer.vocab_size", 32000),
          std::max(1.0, number_at_least_0("model.transformer.num_attention_heads", 32)),
          number_at_least_0("model.transformer.num_kv_heads", 8)};
      const double model_bytes = datatype("model.model_datatype", "fp16");
      const double optimizer_bytes = datatype("model.optimizer_datatype", "fp32");
      // Every rank adds 3 x 5 vectors of the hidden size in fp32.
      shape.size = transformer_parameters(transformer) * (model_bytes + 3.0 * optimizer_bytes) +
                   world * 15.0 * transformer.hidden * 4.0;
      shape.all_ranks = true;
      return shape;
    }
    double per_writer = in_.size("model.model_size_bytes", 0);
    if (per_writer == 0.0) {
      per_writer = in_.size("model.model_size", in_.size("checkpoint.model_size", 0));
      if (per_writer > 0.0)
        in_.warn("old_key", "model.model_size", fmt::format("{}", per_writer),
                 "recent DLIO reads model_size_bytes only and would write 10240 bytes");
    }
    double elements = 0.0;
    for (const double n : in_.numbers("model.layer_parameters")) elements += n * std::max(1.0, layers);
    for (const double n : in_.numbers("model.optimization_groups")) elements += n;
    if (elements > 0.0)
      in_.warn("assumed", "model.layer_parameters", fmt::format("{} elements", elements), "4 bytes each");
    per_writer += 4.0 * elements;
    if (per_writer == 0.0) per_writer = 10240.0;
    shape.size = shape.all_ranks ? per_writer * world : per_writer;
    return shape;
  }

  double number_at_least_0(const std::string& path, double fallback) { return in_.size(path, fallback); }

  double datatype(const std::string& path, const std::string& fallback) {
    const std::string type = in_.word(path, fallback);
    const double size = element_bytes(type);
    if (size > 0.0) return size;
    in_.error("wrong_value", path, fmt::format("\"{}\"", type), "int8, fp16, bf16, fp32 or fp64");
    return element_bytes(fallback);
  }

  void write_checkpoint(std::int64_t interval_steps) {
    CheckpointSpec& c = draft_.scenario.checkpoint;
    const CheckpointShape shape = checkpoint_shape();
    c.mode = CheckpointMode::kSync;
    c.interval_steps = interval_steps;
    c.writers = shape.all_ranks ? CheckpointWriters::kAll : CheckpointWriters::kRank0;
    c.size = bytes(std::round(shape.all_ranks ? shape.size / static_cast<double>(ranks()) : shape.size));
    draft_.give({"/checkpoint/mode", "/checkpoint/interval_steps", "/checkpoint/writers", "/checkpoint/size"});
  }

  void training_checkpoints() {
    const std::int64_t steps = in_.count("checkpoint.steps_between_checkpoints", -1, -1);
    const std::int64_t epochs = std::max<std::int64_t>(1, in_.count("checkpoint.epochs_between_checkpoints", 1, -1));
    const double by_epochs = static_cast<double>(epochs) * static_cast<double>(draft_.scenario.run.steps_per_epoch);
    write_checkpoint(steps > 0 ? steps : static_cast<std::int64_t>(std::min(by_epochs, 1e12)));
    if (steps <= 0 && in_.count("checkpoint.checkpoint_after_epoch", 1, -1) > epochs) {
      in_.warn("approximated", "checkpoint.checkpoint_after_epoch", in_.word("checkpoint.checkpoint_after_epoch", ""),
               "checkpoints are simulated from the first interval on");
    }
  }

  // No training: write a checkpoint, wait, write the next. A step is the wait; it loads next to nothing.
  void checkpoints_only() {
    Scenario& s = draft_.scenario;
    const double wait = in_.number("checkpoint.time_between_checkpoints", 0);
    const std::int64_t writes = in_.count("checkpoint.num_checkpoints_write", -1, -1);
    s.run.steps_per_epoch = writes > 0 ? writes : 10;
    if (writes <= 0)
      in_.warn("assumed", "checkpoint.num_checkpoints_write", fmt::format("{}", writes),
               "10 checkpoints are simulated");
    s.run.whole_run = true;
    s.workload.step_time = Distribution::constant(wait > 0.0 ? wait : 1e-3);
    s.dataset.sample_size = Distribution::constant(1.0);
    s.loader.num_workers = 0;
    draft_.give({"/workload/batch_size", "/workload/step_time", "/dataset/sample_size", "/loader/num_workers",
                 "/run/steps_per_epoch", "/run/whole_run"});
    write_checkpoint(1);
    if (in_.count("checkpoint.num_checkpoints_read", 0, -1) > 0) {
      in_.warn("not_simulated", "checkpoint.num_checkpoints_read", in_.word("checkpoint.num_checkpoints_read", ""),
               "writing is simulated, reading back is not");
    }
    const double parts = in_.size("model.parallelism.tensor", 1) * in_.size("model.parallelism.pipeline", 1);
    if (parts > static_cast<double>(ranks())) {
      in_.warn("few_ranks", "model.parallelism", fmt::format("{} ranks", ranks()),
               fmt::format("the model is cut into {} parts; the whole checkpoint is divided among the ranks there are",
                           parts));
    }
  }

  WorkloadFile& in_;
  const DlioOptions& options_;
  const Catalogue& catalogue_;
  Findings& findings_;
  Draft draft_;
};

// "++workload.reader.read_threads=12" put into the tree.
void apply_override(const std::string& text, YamlNode& root, Findings& findings) {
  std::string path = text.substr(0, text.find('='));
  while (path.starts_with("+") || path.starts_with(" ")) path.erase(0, 1);
  if (path.starts_with("workload.")) path.erase(0, 9);
  const std::vector<std::string> parts = split(path);
  const bool empty_part = std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (text.find('=') == std::string::npos || empty_part || parts.size() > 8) {
    findings.add({Severity::kError, "bad_override", "", "", fmt::format("\"{}\"", text), "++workload.SECTION.KEY=VALUE",
                  "", ""});
    return;
  }
  const Loaded<YamlNode> value = parse_yaml(text.substr(text.find('=') + 1), text);
  if (!value.value) {
    findings.append(value.findings);
    return;
  }
  const bool old_reader = root.find("reader") == nullptr && root.find("data_reader") != nullptr;
  std::vector<std::string> target = parts;
  if (old_reader && target.front() == "reader") target.front() = "data_reader";
  root.at_path(target) = *value.value;
}

// The fields given, as a scenario file; findings where a value is beyond what a scenario allows.
Json scenario_json(const Draft& draft, const std::string& file, Findings& findings) {
  Json json = Json::object();
  for (const Field& field : field_table()) {
    if (draft.given.count(field.pointer) == 0) continue;
    Json value = value_to_json(field, field.get(draft.scenario));
    value_from_json(field, value, file, findings);
    (field.group.empty() ? json : json[field.group])[field.name()] = std::move(value);
  }
  return json;
}

}  // namespace

double transformer_parameters(const TransformerShape& shape) {
  const double h = shape.hidden;
  const double kv = std::floor(h / shape.heads) * shape.kv_heads;  // whole head sizes, as DLIO divides
  return 2.0 * shape.vocab * h + h + shape.layers * (2.0 * h + h * (h + 2.0 * kv) + h * h + 3.0 * shape.ffn * h);
}

Loaded<Json> import_dlio_text(const std::string& text, const std::string& file, const DlioOptions& options,
                              const Catalogue& catalogue) {
  Loaded<Json> result;
  Loaded<YamlNode> tree = parse_yaml(text, file);
  result.findings.append(tree.findings);
  if (!tree.value) return result;
  YamlNode root = std::move(*tree.value);
  if (const YamlNode* nested = root.find("workload"); nested != nullptr && nested->kind == YamlNode::Kind::kMap) {
    YamlNode inner = *nested;  // the copy is made before the outer map, which holds it, goes away
    root = std::move(inner);
  }
  if (root.kind != YamlNode::Kind::kMap) {
    result.findings.add(
        {Severity::kError, "wrong_type", file, "", "no map of settings", "a DLIO workload file", "", ""});
    return result;
  }
  if (options.nodes < 1 || options.gpus_per_node < 0 || options.nodes > 100000 || options.gpus_per_node > 64) {
    result.findings.add({Severity::kError, "out_of_range", "", "",
                         fmt::format("{} nodes with {} GPUs", options.nodes, options.gpus_per_node),
                         "1 to 100000 nodes, 0 to 64 GPUs each", "", ""});
    return result;
  }
  for (const std::string& line : options.overrides) apply_override(line, root, result.findings);
  WorkloadFile in(std::move(root), file, result.findings);
  const Draft draft = Importer(in, options, catalogue, result.findings).run();
  if (result.findings.has_errors()) return result;
  Json json = scenario_json(draft, file, result.findings);
  if (!result.findings.has_errors()) result.value = std::move(json);
  return result;
}

Loaded<Json> import_dlio(const std::filesystem::path& path, const DlioOptions& options, const Catalogue& catalogue) {
  const Loaded<std::string> text = read_text_file(path, kMostFileBytes);
  if (!text.value) {
    Loaded<Json> result;
    result.findings = text.findings;
    return result;
  }
  return import_dlio_text(*text.value, path.string(), options, catalogue);
}

}  // namespace stallcast
