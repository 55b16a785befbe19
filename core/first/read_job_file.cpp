#include "core/first/read_job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/calibrate/read/measurements.h"
#include "core/diagnostics/json_input.h"
#include "core/first/told_text.h"
#include "core/import/dlio.h"
#include "core/import/yaml_tree.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostJobFileBytes = std::size_t{1} << 20;

// What a key of a configuration says: the answer to a question, or a field.
struct Meaning {
  std::string_view key;     // as the tool calls it, its last part where it is nested
  std::string_view answer;  // key of Told; "" where it is a field
  std::string_view field;
};
constexpr std::array kMeanings{
    Meaning{"per_device_train_batch_size", "batch-size", ""},
    Meaning{"train_micro_batch_size_per_gpu", "batch-size", ""},
    Meaning{"micro_batch_size", "batch-size", ""},
    Meaning{"batch_size", "batch-size", ""},
    Meaning{"train_batch_size", "batch-size", ""},
    Meaning{"num_train_epochs", "epochs", ""},
    Meaning{"max_epochs", "epochs", ""},
    Meaning{"epochs", "epochs", ""},
    Meaning{"dataloader_num_workers", "workers", ""},
    Meaning{"num_workers", "workers", ""},
    Meaning{"workers", "workers", ""},
    Meaning{"model_name_or_path", "model", ""},
    Meaning{"model_name", "model", ""},
    Meaning{"model", "model", ""},
    Meaning{"arch", "model", ""},
    Meaning{"max_seq_length", "sequence-length", ""},
    Meaning{"seq_length", "sequence-length", ""},
    Meaning{"block_size", "sequence-length", ""},
    Meaning{"max_steps", "", "/run/steps_per_epoch"},
    Meaning{"gradient_accumulation_steps", "", "/workload/gradient_accumulation"},
    Meaning{"accumulate_grad_batches", "", "/workload/gradient_accumulation"},
    Meaning{"dataloader_prefetch_factor", "", "/loader/prefetch_factor"},
    Meaning{"prefetch_factor", "", "/loader/prefetch_factor"},
    Meaning{"dataloader_persistent_workers", "", "/loader/persistent_workers"},
    Meaning{"persistent_workers", "", "/loader/persistent_workers"},
    Meaning{"dataloader_pin_memory", "", "/loader/pin_memory"},
    Meaning{"pin_memory", "", "/loader/pin_memory"},
    Meaning{"stage", "", "/model/zero_stage"},
    Meaning{"zero_stage", "", "/model/zero_stage"},
};

std::optional<std::int64_t> whole_number_in(std::string_view text) {
  std::int64_t value = 0;
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class JobReader {
 public:
  explicit JobReader(std::string file) : file_(std::move(file)) {}

  // A key with its value, as a file or an argument of a command has it. What has no meaning here is passed over.
  void say(std::string key, const std::string& text) {
    std::replace(key.begin(), key.end(), '-', '_');
    const auto found = std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& m) { return m.key == key; });
    if (found == kMeanings.end() || trimmed(text).empty()) return;
    if (!found->answer.empty()) return answer(std::string(found->answer), text);
    field(*find_field(found->field), text);
  }

  void answer(const std::string& key, const std::string& text) {
    std::string plain(trimmed(text));
    if (lowered(plain) == "auto" || lowered(plain) == "null") return;  // for that tool alone
    // "3.0" epochs
    if (plain.ends_with(".0") && key == "epochs") plain.resize(plain.size() - 2);
    job_.told.emplace(key, plain);
  }

  void field(const Field& field, const std::string& text) {
    std::string plain = lowered(trimmed(text));
    if (field.kind == FieldKind::kInteger) {
      const auto number = whole_number_in(plain);
      if (!number || *number < static_cast<std::int64_t>(field.range.min) || *number <= 0) return;  // -1: no such limit
    }
    Findings ignored;  // a value like "auto" is for that tool alone
    const auto value = value_from_text(field, plain, file_, ignored);
    if (!value) return;
    const auto same = [&](const CommentedValue& old) { return old.pointer == field.pointer; };
    if (std::none_of(job_.values.begin(), job_.values.end(), same))
      job_.values.push_back({field.pointer, value_to_json(field, *value), "", false});
  }

  void gpus(std::int64_t nodes, std::int64_t per_node, const std::string& gpu) {
    if (nodes < 1 || per_node < 1) return;
    job_.told.emplace("gpus",
                      gpu.empty() ? fmt::format("{}", nodes * per_node) : fmt::format("{}x{}", nodes * per_node, gpu));
  }

  JobFile take(std::string tool) {
    job_.tool = std::move(tool);
    for (CommentedValue& value : job_.values)
      if (value.comment.empty()) value.comment = "from " + file_;
    return std::move(job_);
  }

 private:
  std::string file_;
  JobFile job_;
};

// Every scalar below `node` with the last part of its path, in the order of the file.
void say_all(const YamlNode& node, JobReader& reader) {
  for (const YamlNode::Member& member : node.members) {
    if (member.value.kind == YamlNode::Kind::kScalar) reader.say(member.key, member.value.scalar);
    if (member.value.kind == YamlNode::Kind::kMap) say_all(member.value, reader);
  }
}

std::string scalar_at(const YamlNode& root, std::initializer_list<const char*> path) {
  const YamlNode* node = &root;
  for (const char* key : path) {
    node = node->kind == YamlNode::Kind::kMap ? node->find(key) : nullptr;
    if (node == nullptr) return "";
  }
  return node->kind == YamlNode::Kind::kScalar ? node->scalar : "";
}

// --- Slurm ---

struct SlurmOption {
  std::string name, value;
};

// Of "#SBATCH --gres=gpu:h100:8", "#SBATCH -N 4".
std::vector<SlurmOption> slurm_options(const std::string& line) {
  std::vector<SlurmOption> out;
  std::istringstream words(line.substr(line.find("#SBATCH") + 7));
  for (std::string word; words >> word;) {
    if (word.starts_with("#")) break;
    const std::size_t equals = word.find('=');
    if (word.starts_with("-")) {
      out.push_back({word.substr(0, equals), equals == std::string::npos ? "" : word.substr(equals + 1)});
    } else if (!out.empty() && out.back().value.empty()) {
      out.back().value = word;
    }
  }
  return out;
}

// "gpu:h100:8", "h100:8", "8"
GpuCount slurm_gpus(std::string text) {
  if (text.starts_with("gpu:")) text.erase(0, 4);
  text = text.substr(0, text.find_first_of(",("));
  const std::size_t colon = text.rfind(':');
  GpuCount out;
  if (colon == std::string::npos) {
    if (const auto count = whole_number_in(text)) out.count = *count;
    return out;
  }
  out.gpu = text.substr(0, colon);
  out.count = whole_number_in(text.substr(colon + 1)).value_or(0);
  return out;
}

// "--batch-size 32" and "--batch-size=32" of a command line.
void say_arguments(const std::string& line, JobReader& reader) {
  std::istringstream words(line);
  std::string name;
  for (std::string word; words >> word;) {
    if (word.starts_with("#")) return;
    if (!word.starts_with("--")) {
      if (!name.empty() && word != "\\") reader.say(name, word);
      name.clear();
      continue;
    }
    const std::size_t equals = word.find('=');
    name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
    if (equals == std::string::npos) continue;
    reader.say(name, word.substr(equals + 1));
    name.clear();
  }
}

JobFile read_slurm(const std::string& text, const std::string& file) {
  JobReader reader(file);
  std::int64_t nodes = 1, tasks = 0;
  GpuCount per_node, in_all, per_task;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string_view plain = trimmed(line);
    if (!plain.starts_with("#SBATCH")) {
      if (!plain.starts_with("#")) say_arguments(line, reader);
      continue;
    }
    for (const SlurmOption& option : slurm_options(std::string(plain))) {
      if (option.name == "--nodes" || option.name == "-N") nodes = whole_number_in(option.value).value_or(nodes);
      if (option.name == "--ntasks-per-node") tasks = whole_number_in(option.value).value_or(0);
      if (option.name == "--gpus-per-node" || option.name == "--gres") per_node = slurm_gpus(option.value);
      if (option.name == "--gpus-per-task") per_task = slurm_gpus(option.value);
      if (option.name == "--gpus" || option.name == "-G") in_all = slurm_gpus(option.value);
    }
  }
  if (per_node.count == 0 && per_task.count > 0 && tasks > 0) per_node = {per_task.count * tasks, per_task.gpu};
  if (in_all.count > 0) {
    reader.gpus(1, in_all.count, in_all.gpu);
  } else {
    reader.gpus(nodes, per_node.count, per_node.gpu);
  }
  return reader.take("Slurm script");
}

// --- configurations ---

std::optional<JobFile> read_configuration(const YamlNode& root, const std::string& file) {
  JobReader reader(file);
  if (const YamlNode* trainer = root.find("trainer"); trainer != nullptr && trainer->kind == YamlNode::Kind::kMap) {
    const auto devices = whole_number_in(scalar_at(root, {"trainer", "devices"}));
    const auto nodes = whole_number_in(scalar_at(root, {"trainer", "num_nodes"}));
    if (devices) reader.gpus(nodes.value_or(1), *devices, "");
    say_all(root, reader);
    return reader.take("Lightning configuration");
  }
  if (root.find("compute_environment") != nullptr || root.find("distributed_type") != nullptr) {
    if (const auto processes = whole_number_in(scalar_at(root, {"num_processes"}))) reader.gpus(1, *processes, "");
    say_all(root, reader);
    return reader.take("Accelerate configuration");
  }
  for (const char* key : {"per_device_train_batch_size", "num_train_epochs", "train_micro_batch_size_per_gpu",
                          "zero_optimization", "dataloader_num_workers"}) {
    if (root.find(key) == nullptr) continue;
    say_all(root, reader);
    return reader.take(root.find("zero_optimization") != nullptr ? "DeepSpeed configuration"
                                                                 : "Hugging Face arguments");
  }
  return std::nullopt;
}

bool is_dlio(const YamlNode& root) {
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  return has("workload") || ((has("reader") || has("data_reader")) && (has("dataset") || has("train"))) ||
         (has("workflow") && has("model"));
}

// Every leaf of a scenario document but what depends on the number of GPUs.
Loaded<JobFile> read_dlio_workload(const std::string& text, const std::string& file, const Catalogue& catalogue) {
  const Loaded<Json> scenario = import_dlio_text(text, file, {}, catalogue);
  Loaded<JobFile> out;
  for (const Finding& finding : scenario.findings.list())
    if (finding.code != "assumed") out.findings.add(finding);  // machines and storage are asked for
  if (!scenario.value) return out;
  JobFile job;
  job.tool = "DLIO workload";
  for (const Field& field : field_table()) {
    if (field.group == "cluster" || field.group == "storage" || field.pointer == "/run/steps_per_epoch") continue;
    if (field.pointer == "/format_version") continue;
    const Json::json_pointer pointer(field.pointer);
    if (scenario.value->contains(pointer))
      job.values.push_back({field.pointer, scenario.value->at(pointer), "", false});
  }
  out.value = std::move(job);
  return out;
}

Loaded<JobFile> read_measured(const std::filesystem::path& path, const Catalogue& catalogue) {
  const Loaded<Measurements> measured = read_measurements(path, &catalogue);
  Loaded<JobFile> out;
  for (Finding finding : measured.findings.list()) {
    if (finding.code == "unknown_format")
      finding.allowed =
          "a Slurm script, a configuration of Hugging Face, Accelerate, DeepSpeed or Lightning, a DLIO "
          "workload, a record of stallcast_recorder.py, or a result that calibrate reads";
    out.findings.add(finding);
  }
  if (!measured.value) return out;
  JobFile job;
  job.tool = measured.value->tool;
  for (const FieldMeasurement& value : measured.value->fields)
    job.values.push_back({value.pointer, value_to_json(*find_field(value.pointer), value.value),
                          (value.is_setting ? "as it ran: " : "measured: ") + value.source, false});
  out.value = std::move(job);
  return out;
}

}  // namespace

Loaded<JobFile> read_job_file(const std::filesystem::path& path, const Catalogue& catalogue) {
  if (std::filesystem::is_directory(path)) return read_measured(path, catalogue);
  const Loaded<std::string> text = read_text_file(path, kMostJobFileBytes);
  if (!text.value) return read_measured(path, catalogue);  // large, or no text: a trace
  const std::string file = path.string();
  if (text.value->find("#SBATCH") != std::string::npos) return {read_slurm(*text.value, file), {}};
  const std::string ending = lowered(path.extension().string());
  const bool yaml = ending == ".yaml" || ending == ".yml";
  if (yaml || ending == ".json") {
    const Loaded<YamlNode> tree = parse_yaml(*text.value, file);
    if (tree.value && tree.value->kind == YamlNode::Kind::kMap) {
      if (is_dlio(*tree.value) && yaml) return read_dlio_workload(*text.value, file, catalogue);
      if (auto job = read_configuration(*tree.value, file)) return {std::move(job), {}};
    }
    if (yaml && !tree.value) return {std::nullopt, tree.findings};
  }
  return read_measured(path, catalogue);
}

Told merged_answers(const Told& over, const Told& under, const Catalogue& catalogue) {
  Told out = over;
  out.insert(under.begin(), under.end());
  const auto a = over.find("gpus"), b = under.find("gpus");
  if (a == over.end() || b == under.end()) return out;
  const auto first = read_gpu_count(a->second, catalogue), second = read_gpu_count(b->second, catalogue);
  if (!first || !second) return out;
  const std::int64_t count = first->count > 0 ? first->count : second->count;
  const std::string gpu = !first->gpu.empty() ? first->gpu : second->gpu;
  if (count > 0) out["gpus"] = gpu.empty() ? fmt::format("{}", count) : fmt::format("{} x {}", count, gpu);
  return out;
}

}  // namespace stallcast
