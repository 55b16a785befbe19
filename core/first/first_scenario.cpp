#include "core/first/first_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/match_record.h"
#include "core/catalogue/records/record.h"
#include "core/catalogue/records/records.h"
#include "core/first/told_text.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/scenario.h"
#include "core/units/plain_text.h"
#include "core/units/quantity.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kBytesPerToken = 4.0;           // as the records of language models store them
constexpr double kFlopsPerParameterToken = 6.0;  // forward and backward
constexpr double kUsualSequence = 4096.0;
constexpr std::int64_t kMostGpusPerMachine = 8;

std::string in_quotes(const std::string& text) { return fmt::format("\"{}\"", text); }

class Composer {
 public:
  Composer(const Told& told, const std::vector<CommentedValue>& known, const Catalogue& catalogue)
      : told_(told), catalogue_(catalogue) {
    for (const CommentedValue& value : known) give(value.pointer, value.value, value.comment);
  }

  Loaded<FirstScenario> run() {
    give("/format_version", kScenarioFormatVersion);
    const bool serves = !answer("replicas").empty();
    cluster(serves);
    if (serves) {
      serving();
    } else {
      training();
    }
    storage();
    price();
    name(serves);
    Loaded<FirstScenario> out;
    out.findings = std::move(findings_);
    if (!out.findings.has_errors()) out.value = std::move(out_);
    return out;
  }

 private:
  // --- what was told ---
  std::string answer(const char* key) const {
    const auto found = told_.find(key);
    return found == told_.end() ? "" : std::string(trimmed(found->second));
  }

  void error(const std::string& key, std::string code, std::string got, std::string allowed, std::string fix = "",
             std::string why = "") {
    findings_.add({Severity::kError, std::move(code), "--" + key, "", std::move(got), std::move(allowed),
                   std::move(fix), std::move(why)});
  }
  void missing(const std::string& key, const std::string& why) {
    const auto row =
        std::find_if(questions().begin(), questions().end(), [&](const Question& q) { return q.key == key; });
    error(key, "missing_answer", "nothing", "", fmt::format("add --{}, like {}", key, row->examples), why);
  }

  std::optional<double> quantity(const char* key, Dimension dimension, double least) {
    const std::string text = answer(key);
    if (text.empty()) return std::nullopt;
    const QuantityReading reading = parse_quantity(dimension, text);
    if (!reading.base) {
      error(key, reading.error_code, in_quotes(text), reading.allowed, reading.fix, reading.why);
      return std::nullopt;
    }
    if (*reading.base < least) {
      error(key, "out_of_range", in_quotes(text), fmt::format("{} or more", format_quantity(dimension, least)));
      return std::nullopt;
    }
    return reading.base;
  }

  // The record that an answer names; a finding where it names none.
  template <class R>
  const R* record(const char* key, const std::string& text, const std::map<std::string, R>& records, const char* kind,
                  std::string& note) {
    const RecordMatch match = match_record(text, all_of(records));
    if (match.assumed) {
      std::vector<std::string> others;
      for (const Record* other : match.others) others.push_back(other->name);
      const std::size_t shown = std::min<std::size_t>(3, others.size());
      note = fmt::format("{} can also mean {}", text,
                         fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
      if (others.size() > shown) note += fmt::format(" and {} others", others.size() - shown);
    }
    if (match.record == nullptr) matched_record(text, kind, all_of(records), fmt::format("--{}", key), "", findings_);
    return static_cast<const R*>(match.record);
  }

  // --- what is written ---
  CommentedValue* written(const std::string& pointer) {
    const auto found = std::find_if(out_.values.begin(), out_.values.end(),
                                    [&](const CommentedValue& value) { return value.pointer == pointer; });
    return found == out_.values.end() ? nullptr : &*found;
  }
  bool has(const std::string& pointer) { return written(pointer) != nullptr; }
  void put(CommentedValue value) {
    if (CommentedValue* old = written(value.pointer)) {
      *old = std::move(value);
    } else {
      out_.values.push_back(std::move(value));
    }
  }
  void give(const std::string& pointer, Json value, std::string comment = "") {
    put({pointer, std::move(value), std::move(comment), false});
  }
  void assume(const std::string& pointer, Json value, std::string why) {
    if (!has(pointer)) put({pointer, std::move(value), std::move(why), true});
  }
  // A value of a field in the form that a file has.
  void give_quantity(const std::string& pointer, double base, const std::string& comment = "") {
    const Field& field = *find_field(pointer);
    give(pointer, format_quantity(field.dimension, base, field.counted), comment);
  }
  void take_out(const std::string& pointer) {
    std::erase_if(out_.values, [&](const CommentedValue& value) { return value.pointer == pointer; });
  }

  // --- the machines ---
  void cluster(bool serves) {
    const std::string text = answer("gpus");
    GpuCount gpus;
    if (const auto read = read_gpu_count(text, catalogue_)) {
      gpus = *read;
    } else if (!text.empty()) {
      return error("gpus", "not_gpus", in_quotes(text), "a number and a GPU", "write it like 16xH100");
    }
    if (text.empty() && answer("instance").empty()) {
      if (!has("/cluster/instance") && !has("/cluster/gpu")) missing("gpus", "how busy the GPUs are depends on them");
      return;
    }
    for (const char* pointer : {"/cluster/cores_per_node", "/cluster/gpus_per_node", "/cluster/nodes"}) {
      const CommentedValue* known = written(pointer);
      const bool whole = known != nullptr && known->value.is_number_integer();
      if (pointer == std::string("/cluster/nodes") && whole && gpus.count == 0) continue;
      if (pointer == std::string("/cluster/gpus_per_node") && whole && gpus.count == 0)
        gpus.count = known->value.get<std::int64_t>() * nodes_known();
      take_out(pointer);
    }
    std::string note;
    const GpuRecord* gpu = nullptr;
    if (!gpus.gpu.empty()) {
      gpu = record("gpus", gpus.gpu, catalogue_.gpus, "gpu", note);
      if (gpu == nullptr) return;
    }
    if (const InstanceRecord* machine = instance(gpu, gpus.count)) return rented(*machine, gpu, gpus.count, serves);
    if (findings_.has_errors()) return;
    if (gpu == nullptr) return missing("gpus", "a machine of your own is described by its GPUs");
    own(*gpu, gpus.count, note, serves);
  }

  std::int64_t nodes_known() {
    const CommentedValue* nodes = written("/cluster/nodes");
    return nodes != nullptr && nodes->value.is_number_integer() ? nodes->value.get<std::int64_t>() : 1;
  }

  // The machine to rent, or null where it is one's own, or where there is an error.
  const InstanceRecord* instance(const GpuRecord* gpu, std::int64_t count) {
    const std::string text = answer("instance");
    if (!text.empty() && means_own_machine(text)) return nullptr;
    if (!text.empty()) return record("instance", text, catalogue_.instances, "instance", machine_note_);
    const TierRecord* tier = record_of(answer("storage"), catalogue_.tiers);
    if (gpu == nullptr || tier == nullptr) return nullptr;
    const InstanceRecord* usual =
        usual_instance(catalogue_, tier->provider, gpu->name, std::max<std::int64_t>(1, count));
    if (usual != nullptr) machine_note_ = fmt::format("assumed: the cloud of the storage, with {}", gpu->title);
    machine_assumed_ = usual != nullptr;
    return usual;
  }

  void rented(const InstanceRecord& machine, const GpuRecord* gpu, std::int64_t count, bool serves) {
    if (gpu != nullptr && gpu->name != machine.gpu) {
      return error("instance", "contradiction", in_quotes(machine.name), fmt::format("a machine with {}", gpu->title),
                   "", fmt::format("it has {}", machine.gpu));
    }
    const std::int64_t each = machine.gpus.value;
    put({"/cluster/instance", machine.name,
         machine_note_.empty() ? machine.title : machine.title + "; " + machine_note_, machine_assumed_});
    gpu_title_ = title_of(machine.gpu);
    gpu_name_ = machine.gpu;
    if (count == 0) count = each * (serves ? 1 : nodes_known());
    if (count > each && count % each != 0) {
      return error("gpus", "out_of_range", fmt::format("{} GPUs", count),
                   fmt::format("whole machines of {} GPUs", each),
                   fmt::format("write {} or {}", count / each * each, (count / each + 1) * each), machine.title);
    }
    gpus_ = count;
    if (count < each)
      give("/cluster/gpus_per_node", count, fmt::format("of the machine's {}, all of which are paid for", each));
    nodes(std::max<std::int64_t>(1, count / each), serves);
  }

  void own(const GpuRecord& gpu, std::int64_t count, const std::string& note, bool serves) {
    give("/cluster/gpu", gpu.name, note.empty() ? gpu.title : fmt::format("{}; {}", gpu.title, note));
    gpu_title_ = gpu.title;
    gpu_name_ = gpu.name;
    if (count == 0) count = serves ? kMostGpusPerMachine : 1;
    std::int64_t each = std::min(count, kMostGpusPerMachine);
    while (count % each != 0) --each;
    gpus_ = count;
    give("/cluster/gpus_per_node", each, count > each ? "assumed: machines of up to eight GPUs" : "");
    nodes(count / each, serves);
  }

  // Of each replica, or of the job.
  void nodes(std::int64_t count, bool serves) {
    const auto replicas = serves ? quantity("replicas", Dimension::kCount, 1.0) : std::nullopt;
    if (serves && !replicas) return;
    give("/cluster/nodes", replicas ? count * static_cast<std::int64_t>(*replicas) : count);
  }

  std::string title_of(const std::string& gpu) const {
    const auto found = catalogue_.gpus.find(gpu);
    return found == catalogue_.gpus.end() ? gpu : found->second.title;
  }

  // --- the job ---
  void training() {
    model();
    dataset();
    loader();
    checkpoints();
    if (const auto epochs = quantity("epochs", Dimension::kCount, 1.0)) {
      give("/run/epochs", static_cast<std::int64_t>(*epochs));
    } else if (answer("epochs").empty()) {
      assume("/run/epochs", 1, "assumed: one pass over the dataset");
    }
  }

  void model() {
    const auto step = quantity("step-time", Dimension::kTime, 1e-6);
    const auto batch = quantity("batch-size", Dimension::kCount, 1.0);
    if (step) give_quantity("/workload/step_time", *step);
    if (batch) give("/workload/batch_size", static_cast<std::int64_t>(*batch));
    const std::string text = answer("model");
    if (text.empty()) {
      if (!has("/workload/step_time") && !has("/workload/name") && !has("/workload/flops_per_sample"))
        missing("model", "its step time decides how much data the GPUs want; --step-time says it, too");
      return;
    }
    workload_ = record_of(text, catalogue_.workloads);
    if (workload_ != nullptr) return named_model(text);
    parameters_ = parameters_in_name(text);
    if (parameters_) return model_by_parameters();
    if (step || has("/workload/step_time")) return;  // known by its own time alone
    std::string note;
    record("model", text, catalogue_.workloads, "workload", note);
    error("model", "unknown_model", in_quotes(text), "a workload of the catalogue, or its step time",
          "add --step-time and --batch-size, or write how many parameters it has: 7B");
  }

  void named_model(const std::string& text) {
    std::string note;
    workload_ = record("model", text, catalogue_.workloads, "workload", note);
    const WorkloadRecord* real = record_of(workload_->real_job, catalogue_.workloads);
    if (real != nullptr) {
      note = fmt::format("assumed for {}, which is a benchmark that leaves decoding out", workload_->name);
      workload_ = real;
    }
    put({"/workload/name", workload_->name, note.empty() ? workload_->title : workload_->title + "; " + note,
         real != nullptr});
    if (workload_->parameters) parameters_ = workload_->parameters->value;
    rate_at_other_batch();
  }

  // A record's step time is for its own batch; of another batch the rate is what stays.
  void rate_at_other_batch() {
    const CommentedValue* batch = written("/workload/batch_size");
    const auto time = workload_->step_time.find(gpu_name_);
    if (batch == nullptr || time == workload_->step_time.end() || has("/workload/step_time")) return;
    if (batch->value.get<std::int64_t>() == workload_->batch_size.value) return;
    const double rate = static_cast<double>(workload_->batch_size.value) / time->second.value.base();
    give("/workload/step_time_form", "samples_per_s");
    give("/workload/samples_per_s_per_gpu", format_quantity(Dimension::kRate, rounded(rate, 4), "samples"),
         fmt::format("the record's rate, at batches of {}", workload_->batch_size.value));
  }

  // A decoder-only transformer that no record describes.
  void model_by_parameters() {
    const double sequence = sequence_length();
    const double flops = kFlopsPerParameterToken * *parameters_ * sequence;
    if (has("/workload/step_time") || has("/workload/samples_per_s_per_gpu")) return;
    give("/workload/step_time_form", "flops");
    give("/workload/flops_per_sample", format_quantity(Dimension::kFlops, rounded(flops, 4)),
         fmt::format("6 operations a parameter and token, {} tokens a sample", format_number(sequence)));
    assume("/workload/mfu", 0.4, "assumed: share of the GPU's peak that training reaches");
    assume("/workload/batch_size", 1, "assumed: sequences per GPU and step");
  }

  double sequence_length() {
    if (const auto told = quantity("sequence-length", Dimension::kCount, 1.0)) return *told;
    if (workload_ != nullptr && workload_->sample_size.value.base() > 0.0)
      return workload_->sample_size.value.base() / kBytesPerToken;
    return kUsualSequence;
  }

  // --- the data ---
  void dataset() {
    samples();
    sample_size();
    layout();
    const std::string format = answer("sample-format");
    if (!format.empty()) {
      std::string note;
      if (const FormatRecord* r = record("sample-format", format, catalogue_.formats, "format", note))
        give("/dataset/format", r->name, r->title);
    } else if (workload_ == nullptr && parameters_) {
      assume("/dataset/format", "tokens", "assumed: text that is tokenized beforehand");
    }
  }

  void samples() {
    std::string text = answer("samples");
    if (text.empty()) return;
    const std::string word = lowered(text);
    double tokens = 1.0;
    for (const std::string_view ending : {"tokens", "token", "samples", "images", "files"}) {
      if (!word.ends_with(ending)) continue;
      if (ending.starts_with("token")) tokens = sequence_length();
      text = std::string(trimmed(std::string_view(text).substr(0, text.size() - ending.size())));
      break;
    }
    const QuantityReading reading = parse_quantity(Dimension::kCount, text);
    if (!reading.base) {
      return error("samples", reading.error_code, in_quotes(answer("samples")),
                   "a number like 1.28M, or tokens like 2T tokens", reading.fix, reading.why);
    }
    const double count = std::floor(*reading.base / tokens);
    if (count < 1.0) return error("samples", "out_of_range", in_quotes(answer("samples")), "1 sample or more");
    give("/dataset/samples", static_cast<std::int64_t>(count),
         tokens > 1.0 ? fmt::format("{} of {} each", answer("samples"), format_number(tokens)) : "");
  }

  void sample_size() {
    if (const auto size = quantity("sample-size", Dimension::kBytes, 1.0))
      return give_quantity("/dataset/sample_size", *size);
    if (!answer("sample-size").empty() || workload_ != nullptr || has("/dataset/sample_size")) return;
    if (parameters_) {
      const double size = sequence_length() * kBytesPerToken;
      return assume("/dataset/sample_size", format_quantity(Dimension::kBytes, size),
                    fmt::format("assumed: {} tokens of 4 bytes", format_number(sequence_length())));
    }
    missing("sample-size", "nothing says how much is read for a sample");
  }

  void layout() {
    const std::string text = answer("layout");
    if (text.empty()) {
      if (workload_ == nullptr && parameters_)
        assume("/dataset/layout", "records", "assumed: samples at random places of large files");
      return;
    }
    const Field& field = *find_field("/dataset/layout");
    Findings found;
    const auto value = value_from_text(field, text, "--layout", found);
    if (!value) {
      std::vector<std::string> words = {"folder", "tfrecord", "webdataset", "mds", "parquet", "hdf5"};
      return error("layout", "unknown_word", in_quotes(text), name_list(text, words));
    }
    const std::string word = value_to_json(field, *value).get<std::string>();
    give("/dataset/layout", word, plain_letters(word) == plain_letters(text) ? "" : text);
    const std::string letters = plain_letters(text);
    if (answer("loader").empty()) {
      if (letters == "webdataset") assume("/loader/framework", "webdataset", "assumed: the loader of this format");
      if (letters == "mds") assume("/loader/framework", "mosaic_streaming", "assumed: the loader of this format");
    }
    if (word != "shards" || has("/dataset/samples_per_shard") || (workload_ != nullptr && workload_->samples_per_shard))
      return;
    // Shards of about 256 MiB: WebDataset's documentation advises 100 MB to 1 GB.
    constexpr double kShard = 256.0 * 1024 * 1024;
    const double size = sample_bytes();
    if (size <= 0.0) return;
    assume("/dataset/samples_per_shard", static_cast<std::int64_t>(std::max(1.0, std::round(kShard / size))),
           "assumed: shards of about 256 MiB");
  }

  // Mean bytes of a sample, as far as they are known.
  double sample_bytes() {
    if (const CommentedValue* value = written("/dataset/sample_size")) {
      if (value->value.is_string())
        return parse_quantity(Dimension::kBytes, value->value.get<std::string>()).base.value_or(0.0);
    }
    return workload_ != nullptr ? workload_->sample_size.value.base() : 0.0;
  }
  double sample_count() {
    const CommentedValue* value = written("/dataset/samples");
    if (value != nullptr && value->value.is_number()) return value->value.get<double>();
    return workload_ != nullptr && workload_->samples ? static_cast<double>(workload_->samples->value) : 0.0;
  }

  void loader() {
    if (!answer("loader").empty()) {
      std::string note;
      if (const LoaderRecord* r = record("loader", answer("loader"), catalogue_.loaders, "loader", note))
        give("/loader/framework", r->name);
    }
    if (const auto workers = quantity("workers", Dimension::kCount, 0.0))
      give("/loader/num_workers", static_cast<std::int64_t>(*workers), "per GPU");
  }

  void checkpoints() {
    const std::string text = answer("checkpoint-every");
    if (text.empty()) return;
    const std::string word = lowered(text);
    std::string steps = text;
    for (const std::string_view ending : {"steps", "step"})
      if (word.ends_with(ending)) {
        steps = std::string(trimmed(std::string_view(text).substr(0, text.size() - ending.size())));
        break;
      }
    const QuantityReading count = parse_quantity(Dimension::kCount, steps);
    const QuantityReading time = parse_quantity(Dimension::kTime, text);
    if (!(count.base && *count.base >= 1.0) && !(time.base && *time.base > 0.0)) {
      return error("checkpoint-every", "not_a_cadence", in_quotes(text), "a time like 30min, or steps like 500 steps",
                   time.fix);
    }
    if (!has("/checkpoint/mode")) assume("/checkpoint/mode", "async", "assumed: training goes on while it is written");
    give("/checkpoint/cadence", time.base ? "time" : "steps");
    if (time.base) {
      give_quantity("/checkpoint/interval", *time.base);
    } else {
      give("/checkpoint/interval_steps", static_cast<std::int64_t>(*count.base));
    }
    if (workload_ == nullptr && parameters_)
      give("/model/parameters", static_cast<std::int64_t>(*parameters_),
           fmt::format("as the name says: {}", answer("model")));
    if (const auto size = quantity("checkpoint-size", Dimension::kBytes, 1.0)) {
      give_quantity("/checkpoint/size", *size);
    } else if (!parameters_ && !(workload_ != nullptr && workload_->checkpoint_size) && !has("/checkpoint/size")) {
      missing("checkpoint-size", "nothing says how many parameters the model has");
    }
    if (gpus_ > kMostGpusPerMachine)
      assume("/checkpoint/writers", "all", "assumed: every GPU's process writes its part");
  }

  void serving() {
    constexpr double kBytesPerParameter = 2.0;  // bf16
    give("/job", "serving");
    if (!answer("model").empty()) {
      workload_ = record_of(answer("model"), catalogue_.workloads);
      parameters_ = workload_ != nullptr && workload_->parameters ? std::optional(workload_->parameters->value)
                                                                  : parameters_in_name(answer("model"));
    }
    if (!parameters_)
      return error("model", "unknown_model", in_quotes(answer("model")), "a model whose number of parameters is known",
                   "write it into the name: 70B");
    give("/serving/weights", format_quantity(Dimension::kBytes, rounded(*parameters_ * kBytesPerParameter, 4)),
         fmt::format("{} parameters of 2 bytes", short_count(*parameters_)));
  }

  static std::string short_count(double count) {
    return count >= 1e9 ? fmt::format("{} billion", format_number(rounded(count / 1e9)))
                        : fmt::format("{} million", format_number(rounded(count / 1e6)));
  }

  // --- storage and money ---
  void storage() {
    const std::string text = answer("storage");
    if (text.empty()) {
      if (!has("/storage/tier") && !has("/storage/read_bandwidth"))
        missing("storage", "what it delivers is what this is about");
      return;
    }
    if (text.starts_with("/") || text.find("://") != std::string::npos) {
      return error(
          "storage", "not_a_tier", in_quotes(text), "what kind of storage it is: nfs, lustre, S3, ...", "",
          fmt::format("stallcast probe {} -o probe.json measures it, and stallcast calibrate puts that into the "
                      "scenario",
                      text));
    }
    std::string note;
    const TierRecord* tier = record("storage", text, catalogue_.tiers, "tier", note);
    if (tier == nullptr) return;
    storage_title_ = tier->title;
    for (const char* pointer : {"/storage/read_bandwidth", "/storage/capacity"}) take_out(pointer);
    put({"/storage/tier", tier->name, note.empty() ? tier->title : tier->title + "; " + note, !note.empty()});
    const auto told = quantity("capacity", Dimension::kBytes, 1.0);
    if (!is_provisioned(*tier)) {
      if (told) error("capacity", "not_sold", in_quotes(answer("capacity")), "nothing", "leave it out", tier->title);
      return;
    }
    if (told) return give_quantity("/storage/capacity", *told);
    if (!answer("capacity").empty()) return;
    const double dataset = sample_count() * sample_bytes();
    const double least = tier->capacity_min ? tier->capacity_min->value.base() : 0.0;
    if (least <= 0.0 && dataset <= 0.0) return missing("capacity", tier->title + " is bought by its size");
    const std::vector<Bytes> sizes = nearest_capacities(*tier, bytes(std::max(dataset, least)));
    if (sizes.empty()) return;
    const bool holds = sizes.back().base() >= dataset;
    assume("/storage/capacity", format_quantity(Dimension::kBytes, sizes.back().base()),
           holds ? "assumed: the smallest size sold that holds the dataset"
                 : "assumed: the largest size sold; the dataset is larger");
  }

  void price() {
    const std::string text = answer("price-per-gpu-hour");
    if (text.empty()) return;
    for (const Dimension dimension : {Dimension::kUsdPerHour, Dimension::kUsd, Dimension::kNone}) {
      const QuantityReading reading = parse_quantity(dimension, text);
      if (!reading.base || *reading.base <= 0.0) continue;
      return give("/cost/gpu_hour_price", format_quantity(Dimension::kUsdPerHour, *reading.base));
    }
    error("price-per-gpu-hour", "not_a_price", in_quotes(text), "dollars, like 2.50");
  }

  void name(bool serves) {
    if (has("/name")) return;
    std::string text = !answer("model").empty() ? answer("model") : std::string("Training job");
    if (serves) text = "Serving " + answer("model");
    if (gpu_title_.starts_with("NVIDIA ")) gpu_title_.erase(0, 7);
    if (!gpu_title_.empty())
      text +=
          serves ? fmt::format(" on {} machines", answer("replicas")) : fmt::format(" on {} x {}", gpus_, gpu_title_);
    if (!storage_title_.empty()) text += " from " + storage_title_.substr(0, storage_title_.find(','));
    out_.name = text;
    give("/name", text);
  }

  const Told& told_;
  const Catalogue& catalogue_;
  FirstScenario out_;
  Findings findings_;
  const WorkloadRecord* workload_ = nullptr;
  std::optional<double> parameters_;
  std::int64_t gpus_ = 0;
  std::string gpu_name_, gpu_title_, storage_title_, machine_note_;
  bool machine_assumed_ = false;
};

}  // namespace

Json FirstScenario::document() const {
  Json json = Json::object();
  for (const Field& field : field_table()) {
    for (const CommentedValue& value : values)
      if (value.pointer == field.pointer) (field.group.empty() ? json : json[field.group])[field.name()] = value.value;
  }
  return json;
}

std::string FirstScenario::text() const {
  return commented_file(values,
                        "A first scenario, as stallcast new wrote it: what was told, and what had to be assumed.\n"
                        "stallcast explain-field says what a field means, stallcast simulate what comes of a change.");
}

Loaded<FirstScenario> first_scenario(const Told& told, const std::vector<CommentedValue>& known,
                                     const Catalogue& catalogue) {
  return Composer(told, known, catalogue).run();
}

Findings wrong_answer(const std::string& key, const Told& told, const std::vector<CommentedValue>& known,
                      const Catalogue& catalogue) {
  Findings out;
  const Findings all = first_scenario(told, known, catalogue).findings;
  for (const Finding& finding : all.list())
    if (finding.file == "--" + key && finding.code != "missing_answer") out.add(finding);
  return out;
}

}  // namespace stallcast
