#include "core/calibrate/read/read_dlio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/calibrate/read/reader_tools.h"
#include "core/scenario/fields/field_table.h"
#include "core/units/binary_multiples.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// A number, or the numbers of an array, under a name in any mix of cases; none when it is not there.
std::vector<double> numbers(const Json& object, const char* key, const std::string& pointer, NumberRange range,
                            ReaderFindings& problems) {
  const Json* found = find_any_case(object, key);
  std::vector<double> values;
  if (found == nullptr) return values;
  const Json list = found->is_array() ? *found : Json::array({*found});
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name = found->is_array() ? std::to_string(i) : key;
    const std::string place = found->is_array() ? pointer + "/" + key : pointer;
    if (const auto value = problems.number(Json{{name, list[i]}}, name, place, true, range)) values.push_back(*value);
  }
  return values;
}

// An outcome: the mean and deviation DLIO states, or those of its values per epoch.
void observe(const Json& metric, const char* quantity, const char* mean_key, const char* sd_key, const char* list_key,
             double unit, NumberRange range, const char* definition, Measurements& measured, ReaderFindings& problems) {
  const auto mean = numbers(metric, mean_key, "/metric", range, problems);
  const auto each = numbers(metric, list_key, "/metric", range, problems);
  const auto sd = numbers(metric, sd_key, "/metric", {}, problems);
  if (mean.empty() && each.empty()) return;
  const double value = mean.empty() ? mean_of(each) : mean.front();
  const double spread = sd.empty() ? standard_deviation_of(each) : sd.front();
  measured.observations.push_back({quantity, value * unit, spread * unit, definition, measured.file});
}

void add_field(const char* pointer, FieldValue value, const char* key, Measurements& measured) {
  measured.fields.push_back({pointer, std::move(value), 1.0, 1.0, measured.file + ": " + key});
}

// A whole number that goes in; fields of a benchmark are exact.
std::optional<double> whole(const Json& root, const char* key, ReaderFindings& problems) {
  const auto values = numbers(root, key, "", {1, 1e12}, problems);
  if (values.empty() || values.front() != std::floor(values.front())) return std::nullopt;
  return values.front();
}

void read_fields(const Json& root, Measurements& measured, ReaderFindings& problems) {
  const auto ranks = whole(root, "num_accelerators", problems), hosts = whole(root, "num_hosts", problems);
  if (ranks && hosts && std::fmod(*ranks, *hosts) == 0) {
    add_field("/cluster/nodes", static_cast<std::int64_t>(*hosts), "num_hosts", measured);
    add_field("/cluster/gpus_per_node", static_cast<std::int64_t>(*ranks / *hosts), "num_accelerators / num_hosts",
              measured);
  }
  const auto memory = numbers(root, "host_memory_GB", "", {1e-3, 1e7}, problems);
  if (!memory.empty()) {
    add_field("/cluster/memory_per_node", *std::min_element(memory.begin(), memory.end()) * kGiB, "host_memory_GB",
              measured);
  }
  const auto files = whole(root, "num_files_train", problems), per_file = whole(root, "num_samples_per_file", problems);
  if (!files || !per_file) return;
  const double samples = *files * *per_file;
  if (const double most = find_field("/dataset/samples")->range.max; samples > most) {
    problems.error("out_of_range", "/num_files_train", fmt::format("{:.0f} files of {:.0f} samples", *files, *per_file),
                   fmt::format("{:g} samples in all", most));
    return;
  }
  add_field("/dataset/samples", static_cast<std::int64_t>(samples), "num_files_train * num_samples_per_file", measured);
  if (*per_file > 1) {
    add_field("/dataset/samples_per_shard", static_cast<std::int64_t>(*per_file), "num_samples_per_file", measured);
  }
}

Loaded<Measurements> finish(Measurements measured, const char* place, const char* wanted, ReaderFindings& problems) {
  if (measured.observations.empty() && !problems.list().has_errors()) {
    problems.error("missing_key", place, "no outcome", wanted, "", "a run that failed leaves none");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  return {std::move(measured), problems.list()};
}

// What a part of an epoch is: DLIO numbers them, "block1", "ckpt2", "save_ckpt1".
const char* part_quantity(const std::string& name) {
  const std::string small = lowered(name);
  if (small.starts_with("eval")) return "eval_s";
  if (small.starts_with("ckpt") || small.starts_with("save_ckpt")) return "checkpoint_s";
  if (small.starts_with("load_ckpt")) return "restore_s";
  return nullptr;
}

}  // namespace

bool looks_like_dlio_summary(const Json& root) {
  return root.is_object() && find_any_case(root, "metric") != nullptr &&
         find_any_case(root, "num_accelerators") != nullptr;
}

bool looks_like_dlio_epochs(const Json& root) {
  if (!root.is_object() || root.empty()) return false;
  return std::all_of(root.begin(), root.end(),
                     [](const Json& epoch) { return epoch.is_object() && find_any_case(epoch, "start") != nullptr; }) &&
         root.items().begin().key().find_first_not_of("0123456789") == std::string::npos;
}

Loaded<Measurements> read_dlio_summary(const Json& root, const std::string& file) {
  ReaderFindings problems(file);
  Measurements measured;
  measured.file = file;
  measured.tool = "dlio";
  const Json* metric = find_any_case(root, "metric");
  const Json nothing = Json::object();
  const Json& out = metric != nullptr && metric->is_object() ? *metric : nothing;
  observe(out, "au_mlperf", "train_au_mean_percentage", "train_au_stdev_percentage", "train_au_percentage", 0.01,
          {0, 105}, "compute time / time of the epoch without its first and last steps, mean over ranks and epochs",
          measured, problems);
  observe(out, "samples_per_s", "train_throughput_mean_samples_per_second", "train_throughput_stdev_samples_per_second",
          "train_throughput_samples_per_second", 1.0, {}, "samples of all ranks / the same time, mean over epochs",
          measured, problems);
  observe(out, "read_bytes_per_s", "train_io_mean_MB_per_second", "train_io_stdev_MB_per_second", "", kMiB, {},
          "samples_per_s times the record length; DLIO's MB are MiB", measured, problems);
  observe(out, "checkpoint_s", "save_checkpoint_duration_mean_seconds", "save_checkpoint_duration_stdev_seconds",
          "save_checkpoint_duration_seconds", 1.0, {}, "time to write a checkpoint", measured, problems);
  observe(out, "restore_s", "load_checkpoint_duration_mean_seconds", "load_checkpoint_duration_stdev_seconds",
          "load_checkpoint_duration_seconds", 1.0, {}, "time to read a checkpoint back", measured, problems);
  read_fields(root, measured, problems);
  const auto cached = numbers(root, "potential_caching", "", {0, 1}, problems);
  if (std::any_of(cached.begin(), cached.end(), [](double host) { return host > 0; })) {
    problems.warn("page_cache", "/potential_caching", "the dataset fits in the memory of a host",
                  "a dataset larger than memory", "", "epochs after the first may have been read from memory");
  }
  return finish(std::move(measured), "/metric", "train_au_mean_percentage or train_throughput_mean_samples_per_second",
                problems);
}

Loaded<Measurements> read_dlio_epochs(const Json& root, const std::string& file) {
  ReaderFindings problems(file);
  Measurements measured;
  measured.file = file;
  measured.tool = "dlio";
  std::map<std::string, std::vector<double>> times;
  const auto add = [&](const char* quantity, const Json& part, const std::string& pointer) {
    const Json* duration = find_any_case(part, "duration");
    if (duration == nullptr) return;  // it was cut short
    if (duration->is_number()) {
      if (const auto value = problems.number(part, "duration", pointer, true)) times[quantity].push_back(*value);
    } else if (duration->is_string()) {
      const auto value = problems.number(duration->get<std::string>(), pointer + "/duration");
      if (value) times[quantity].push_back(*value);
    } else {
      problems.error("wrong_type", pointer + "/duration", duration->dump().substr(0, 60), "seconds");
    }
  };
  for (const auto& [number, epoch] : root.items()) {
    add("epoch_s", epoch, "/" + number);
    for (const auto& [name, part] : epoch.items()) {
      const char* quantity = part_quantity(name);
      if (quantity != nullptr && part.is_object()) add(quantity, part, "/" + number + "/" + name);
    }
  }
  for (const auto& [quantity, values] : times) {
    measured.observations.push_back({quantity, mean_of(values), standard_deviation_of(values),
                                     fmt::format("mean of {}, by the clock of rank 0", values.size()), file});
  }
  return finish(std::move(measured), "", "epochs with a duration", problems);
}

}  // namespace stallcast
