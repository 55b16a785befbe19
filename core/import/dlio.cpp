#include "core/import/dlio.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/catalogue/match_record.h"
#include "core/diagnostics/json_input.h"
#include "core/import/dlio_checkpoint.h"
#include "core/import/dlio_file.h"
#include "core/import/yaml_tree.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/scenario.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using namespace dlio;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;

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

// What DLIO's reader of a format does for a sample, and how many bytes it writes for one of `record_length`.
struct ReaderFormat {
  std::string_view name;    // dataset.format
  std::string_view record;  // of the catalogue; "" = the reader decodes nothing
  double stored_ratio;      // bytes of the file over those of the record; the data is noise
  bool whole_file;          // each sample loads its whole file, however many samples that holds
};
// JPEG: greyscale noise in Pillow's default quality takes 0.555 to 0.567 bytes a pixel, of 0.04 to 1 megapixel,
// measured here; CSV: 117 KB for 32,761 of them. PNG and zip do not make noise smaller.
constexpr std::array kReaderFormats{
    ReaderFormat{"jpeg", "jpeg", 0.56, true},
    ReaderFormat{"png", "png_noise", 1.0, true},
    ReaderFormat{"npz", "npz", 1.0, true},
    ReaderFormat{"npy", "npy", 1.0, true},
    ReaderFormat{"csv", "csv", 3.57, true},
    ReaderFormat{"hdf5", "hdf5", 1.0, false},
    ReaderFormat{"indexed_binary", "raw", 1.0, false},
    ReaderFormat{"mmap_indexed_binary", "raw", 1.0, false},
};
constexpr ReaderFormat kDecodesNothing{"", "", 1.0, false};

const ReaderFormat& reader_format(const std::string& name) {
  const auto found = std::find_if(kReaderFormats.begin(), kReaderFormats.end(),
                                  [&name](const ReaderFormat& format) { return format.name == name; });
  return found != kReaderFormats.end() ? *found : kDecodesNothing;
}

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
      if (checkpoint) training_checkpoints(in_, draft_);
    } else if (checkpoint) {
      checkpoints_only(in_, draft_);
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
    s.workload.batch_size = in_.count("reader.batch_size", 1, 1, most_of("/workload/batch_size"));
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
    const ReaderFormat& reader = reader_format(format);
    // With TensorFlow's and DALI's loaders a file is read once, from its first sample to its last.
    const bool whole_file = reader.whole_file && per_file > 1 && data_loader() == "pytorch";
    const double written = reader.stored_ratio == 1.0 ? length : std::round(length * reader.stored_ratio);
    const double stored = format == "synthetic" ? 0.0 : written;
    d.sample_size = generated_sizes(whole_file ? stored * static_cast<double>(per_file) : stored, stdev);
    if (whole_file) {
      in_.warn("approximated", "dataset.num_samples_per_file", fmt::format("{} in a file of {}", per_file, format),
               "DLIO's PyTorch reader loads a whole file for each of its samples, and so does the scenario");
    }
    if (format == "synthetic")
      in_.warn("assumed", "dataset.format", format, "synthetic data is not read: samples of 0 bytes");
    d.tensor_size = bytes(resize > 0.0 ? resize : length);
    if (const double most = most_of("/dataset/samples");
        static_cast<double>(files) * static_cast<double>(per_file) > most) {
      in_.error("out_of_range", "dataset.num_files_train", fmt::format("{} files of {} samples", files, per_file),
                fmt::format("{:g} samples in all", most));
    } else {
      d.samples = files * per_file;
    }
    d.samples_per_shard = whole_file ? 1 : per_file;
    draft_.give(
        {"/dataset/layout", "/dataset/samples", "/dataset/sample_size", "/dataset/tensor_size", "/dataset/shuffle"});
    if (!reader.record.empty() && !reader.whole_file) {
      d.layout = DatasetLayout::kRecords;
    } else {
      d.layout = d.samples_per_shard > 1 ? DatasetLayout::kShards : DatasetLayout::kFilePerSample;
    }
    decoding(reader);
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
  }

  // DLIO decodes what it reads and augments nothing; its TFRecord reader hands a ready tensor over.
  void decoding(const ReaderFormat& reader) {
    DatasetSpec& d = draft_.scenario.dataset;
    const auto preprocess = in_.time("reader.preprocess_time");
    if (preprocess) {
      d.decode_time = *preprocess;
      in_.warn("approximated", "reader.preprocess_time", "a sleep per sample",
               reader.record.empty() ? "simulated as CPU time of the worker"
                                     : "simulated as CPU time of the worker; what decoding takes is not added");
    }
    if (preprocess || reader.record.empty()) {
      draft_.give({"/dataset/decode_time"});
      return;
    }
    d.format = reader.record;
    d.augmentation = Augmentation::kNone;
    draft_.give({"/dataset/format", "/dataset/augmentation"});
  }

  std::string data_loader() {
    return lowered(in_.word("reader.data_loader", lowered(in_.word("framework", "tensorflow"))));
  }

  void loader() {
    LoaderSpec& l = draft_.scenario.loader;
    DatasetSpec& d = draft_.scenario.dataset;
    const std::string kind = data_loader();
    const std::string format = lowered(in_.word("dataset.format", "tfrecord"));
    const std::int64_t threads = in_.count("reader.read_threads", 1);
    const std::int64_t prefetch = in_.count("reader.prefetch_size", 2);
    l.num_workers = threads;
    l.prefetch_factor = threads > 0 && prefetch > 0 ? (prefetch + threads - 1) / threads : 2;
    draft_.give({"/loader/style", "/loader/num_workers"});
    if (kind == "pytorch") {
      l.framework = "dlio";
      draft_.give({"/loader/framework"});
    }
    if (kind == "pytorch" && threads == 0) return;  // loads inside next(): there is nothing to prefetch or to keep
    l.persistent_workers = true;
    draft_.give({"/loader/prefetch_factor", "/loader/persistent_workers"});
    if (kind == "pytorch") return;
    // Threads of one process, at least one of them even when read_threads is 0, that keep prefetch_size batches ready.
    const bool dali = kind == "dali" || kind == "native_dali";
    l.framework = dali ? "dali" : "tf_data";
    l.style = LoaderStyle::kThreads;
    l.num_workers = std::max<std::int64_t>(1, threads);
    l.prefetch_factor = std::max<std::int64_t>(1, prefetch);
    draft_.give({"/loader/framework"});
    if (kind != "tensorflow" && kind != "native_dali") {
      in_.warn("approximated", "reader.data_loader", kind,
               fmt::format("simulated as a pool of reader threads, as {} has them", l.framework));
    } else if (kind == "tensorflow" && format != "tfrecord" && threads > 1) {
      in_.warn("approximated", "reader.data_loader", fmt::format("{} of {}", kind, format),
               "its threads load whole batches each; simulated as threads that share every batch");
    }
    if (d.layout != DatasetLayout::kShards || d.shuffle != Shuffle::kGlobal) return;
    d.shuffle = Shuffle::kShard;
    const std::int64_t buffer = in_.count("reader.shuffle_size", 1024);
    if (buffer > 1 && lowered(in_.word("reader.sample_shuffle", "off")) != "off") {
      d.shuffle = Shuffle::kBuffer;
      d.shuffle_buffer = buffer;
      draft_.give({"/dataset/shuffle_buffer"});
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
    const double samples =
        static_cast<double>(in_.count("dataset.num_files_eval", 0)) * static_cast<double>(s.dataset.samples_per_shard);
    const auto step_samples =
        static_cast<double>(in_.count("reader.batch_size_eval", 1, 1)) * static_cast<double>(ranks());
    const auto time = in_.time("evaluation.eval_time");
    s.workload.validation_steps = static_cast<std::int64_t>(std::min(kMostCount, samples / step_samples));
    s.workload.validation_step_time = seconds(time ? mean_of(*time) : 0.0);
    draft_.give({"/workload/validation_steps", "/workload/validation_step_time"});
    in_.warn("approximated", "workflow.evaluation", fmt::format("{} steps per epoch", s.workload.validation_steps),
             "evaluation is simulated as computing only, after every epoch");
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
  const std::vector<std::string> parts = dotted_parts(path);
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
    if (!draft.given.contains(field.pointer)) continue;
    Json value = value_to_json(field, field.get(draft.scenario));
    value_from_json(field, value, file, findings);
    (field.group.empty() ? json : json[field.group])[field.name()] = std::move(value);
  }
  return json;
}

}  // namespace

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
