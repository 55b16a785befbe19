#include "core/import/dlio_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/field_table.h"
#include "core/units/plain_text.h"

namespace stallcast::dlio {
namespace {

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

std::optional<double> number_in(std::string text) {
  std::erase(text, '_');  // YAML allows 1_000
  if (text.starts_with("+")) text.erase(0, 1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

double most_of(std::string_view field_pointer) { return find_field(field_pointer)->range.max; }

std::vector<std::string> dotted_parts(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

double element_bytes(const std::string& type) {
  static const std::map<std::string, double> bytes_of = {
      {"int8", 1},    {"uint8", 1},    {"bool", 1},  {"int16", 2},   {"uint16", 2}, {"fp16", 2},    {"bf16", 2},
      {"float16", 2}, {"bfloat16", 2}, {"int32", 4}, {"uint32", 4},  {"fp32", 4},   {"float32", 4}, {"float", 4},
      {"int64", 8},   {"uint64", 8},   {"fp64", 8},  {"float64", 8}, {"double", 8}};
  const auto found = bytes_of.find(lowered(type));
  return found == bytes_of.end() ? 0.0 : found->second;
}

const YamlNode* WorkloadFile::find(const std::string& path) const {
  const YamlNode* node = &root_;
  for (const std::string& key : dotted_parts(path)) {
    const YamlNode* next = node->find(key);
    if (next == nullptr && key == "reader" && node == &root_) next = node->find("data_reader");
    if (next == nullptr) return nullptr;
    node = next;
  }
  return node->kind == YamlNode::Kind::kNull ? nullptr : node;
}

bool WorkloadFile::has(const std::string& path) const { return find(path) != nullptr; }

std::string WorkloadFile::word(const std::string& path, const std::string& fallback) {
  const YamlNode* node = find(path);
  if (node == nullptr) return fallback;
  if (node->kind == YamlNode::Kind::kScalar) return node->scalar;
  wrong(path, *node, "a word");
  return fallback;
}

double WorkloadFile::number(const std::string& path, double fallback) {
  const YamlNode* node = find(path);
  if (node == nullptr) return fallback;
  if (node->kind == YamlNode::Kind::kScalar) {
    if (const auto value = number_in(node->scalar)) return *value;
  }
  wrong(path, *node, "a number");
  return fallback;
}

std::int64_t WorkloadFile::count(const std::string& path, std::int64_t fallback, std::int64_t low, double most) {
  const YamlNode* node = find(path);
  if (node == nullptr) return fallback;
  const auto value = node->kind == YamlNode::Kind::kScalar ? number_in(node->scalar) : std::nullopt;
  if (!value || *value != std::floor(*value) || *value < static_cast<double>(low) || *value > most) {
    wrong(path, *node, fmt::format("a whole number, {} to {:g}", low, most));
    return fallback;
  }
  return static_cast<std::int64_t>(*value);
}

double WorkloadFile::size(const std::string& path, double fallback) {
  const double value = number(path, fallback);
  if (value >= 0.0 && value <= kMostCount) return value;
  wrong(path, *find(path), "bytes, 0 to 1e15");
  return fallback;
}

bool WorkloadFile::flag(const std::string& path, bool fallback) {
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

std::optional<Distribution> WorkloadFile::time(const std::string& path) {
  const YamlNode* node = find(path);
  if (node == nullptr) return std::nullopt;
  if (node->kind != YamlNode::Kind::kMap) return spread(number(path, 0.0), number(path + "_stdev", 0.0), path);
  for (const auto& [key, value] : node->members) {
    static const std::set<std::string> known = {"type", "mean", "stdev", "min", "max", "shape", "scale", "lam"};
    if (!known.contains(key)) unknown(path + "." + key, value, {known.begin(), known.end()});
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

std::vector<double> WorkloadFile::numbers(const std::string& path) {
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

void WorkloadFile::check_keys() {
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

void WorkloadFile::warn(const std::string& code, const std::string& path, const std::string& got,
                        const std::string& why) {
  findings_.add({Severity::kWarning, code, file_, pointer(path), got, "", "", why});
}

void WorkloadFile::error(const std::string& code, const std::string& path, const std::string& got,
                         const std::string& allowed, const std::string& why) {
  findings_.add({Severity::kError, code, file_, pointer(path), got, allowed, "", why});
}

std::string WorkloadFile::pointer(const std::string& path) {
  std::string text;
  if (!path.empty()) {
    for (const std::string& key : dotted_parts(path)) text += "/" + pointer_token(key);
  }
  return text;
}

std::string WorkloadFile::shown(const YamlNode& node) {
  const std::string place = node.place();
  std::string text = node.kind == YamlNode::Kind::kScalar     ? fmt::format("\"{}\"", node.scalar)
                     : node.kind == YamlNode::Kind::kSequence ? "a list"
                     : node.kind == YamlNode::Kind::kMap      ? "a map"
                                                              : "nothing";
  return place.empty() ? text : fmt::format("{} at {}", text, place);
}

void WorkloadFile::wrong(const std::string& path, const YamlNode& node, const std::string& allowed) {
  if (!reported_.insert(path).second) return;
  const bool interpolated = node.kind == YamlNode::Kind::kScalar && node.scalar.find("${") != std::string::npos;
  error("wrong_value", path, shown(node), allowed,
        interpolated ? "references to other settings are not followed; write the value" : "");
}

void WorkloadFile::unknown(const std::string& path, const YamlNode& node, const std::vector<std::string>& known) {
  const std::string key = dotted_parts(path).back();
  const std::string near = nearest_word(key, known);
  findings_.add({Severity::kWarning, "unknown_key", file_, pointer(path), shown(node), "",
                 near.empty() ? "" : fmt::format("did you mean \"{}\"?", near), "ignored, as DLIO does"});
}

void WorkloadFile::check_keys(const std::string& section, const YamlNode& node) {
  const auto& known = known_keys().at(section);
  for (const auto& [key, value] : node.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    unknown(section.empty() ? key : section + "." + key, value, known);
  }
}

std::optional<Distribution> WorkloadFile::spread(double mean, double sd, const std::string& path) {
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

}  // namespace stallcast::dlio
