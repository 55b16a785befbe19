#include "core/calibrate/read/read_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/calibrate/read/reader_tools.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

// One sample of a metric.
struct Sample {
  std::string_view name;
  std::map<std::string, std::string> labels;
  std::string_view value;
};

struct WatchedField {
  const char* name;
  double full;  // the value that means always
  const char* quantity;
  const char* definition;
};
constexpr std::array<WatchedField, 3> kFields = {
    {{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1.0, "gpu_utilization",
      "DCGM: fraction of time the graphics or compute engine was active"},
     {"DCGM_FI_PROF_SM_ACTIVE", 1.0, "sm_active",
      "DCGM: fraction of time a multiprocessor had a warp, mean over all of them"},
     {"DCGM_FI_DEV_GPU_UTIL", 100.0, "any_kernel_resident",
      "DCGM: fraction of time any kernel was resident, waiting ones included; not a utilization of compute"}}};

// Values for "blank": 32 and 64 bits, integers and real numbers, each with reasons counted up.
bool is_blank(double value) {
  const auto near = [value](double blank) { return value >= blank && value <= blank * (1 + 1e-8) + 16; };
  return near(2147483632.0) || near(9223372036854775792.0) || near(140737488355328.0);
}

// Cuts `{a="b",c="d"}` off the front of `text`; false when it does not end or is malformed.
bool take_labels(std::string_view& text, std::map<std::string, std::string>& labels) {
  if (!text.starts_with('{')) return true;
  std::size_t i = 1;
  const auto skip = [&](std::string_view set) { i = std::min(text.find_first_not_of(set, i), text.size()); };
  while (true) {
    skip(" \t,");
    if (i < text.size() && text[i] == '}') break;
    const std::size_t equals = text.find('=', i);
    if (equals == std::string_view::npos) return false;
    const std::string name(trimmed(text.substr(i, equals - i)));
    i = equals + 1;
    skip(" \t");
    if (i >= text.size() || text[i] != '"') return false;
    std::string value;
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;  // \" \\ \n: told apart nowhere below
      value += text[i];
    }
    if (i >= text.size()) return false;
    ++i;
    labels[name] = value;
  }
  text.remove_prefix(i + 1);
  return true;
}

// False when the line is no sample.
bool take_sample(std::string_view line, Sample& sample) {
  const std::size_t end = line.find_first_of("{ \t");
  if (end == std::string_view::npos) return false;
  sample.name = line.substr(0, end);
  line = trimmed(line.substr(end));
  if (!take_labels(line, sample.labels)) return false;
  line = trimmed(line);
  sample.value = line.substr(0, line.find_first_of(" \t"));  // a timestamp or an exemplar may follow
  return !sample.value.empty();
}

// What tells GPUs, and parts of a partitioned GPU, apart.
std::string gpu_of(const Sample& sample) {
  std::string key;
  for (const char* label : {"Hostname", "hostname", "instance", "UUID", "gpu", "GPU_I_ID"}) {
    const auto found = sample.labels.find(label);
    if (found != sample.labels.end()) key += found->second + "/";
  }
  return key;
}

using ValuesByGpu = std::map<std::string, std::vector<double>>;

Observation observation_of(const ValuesByGpu& values, const WatchedField& field, const std::string& file) {
  std::vector<double> means;
  std::size_t samples = 0;
  for (const auto& [gpu, of_gpu] : values) {
    means.push_back(mean_of(of_gpu));
    samples += of_gpu.size();
  }
  return {field.quantity, mean_of(means), standard_deviation_of(means), field.definition,
          fmt::format("{}: {}, {} GPUs, {} samples", file, field.name, means.size(), samples)};
}

}  // namespace

bool looks_like_metrics(std::string_view text) {
  const auto lines = split(text, '\n');
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.starts_with("DCGM_FI_") || line.starts_with("# TYPE ") || line.starts_with("# HELP ");
  });
}

Loaded<Measurements> read_metrics(std::string_view text, const std::string& file) {
  ReaderFindings problems(file);
  if (!problems.is_utf8(text)) return {std::nullopt, problems.list()};
  std::array<ValuesByGpu, kFields.size()> values;
  const auto lines = split(text, '\n');
  std::size_t blank = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (!line.starts_with("DCGM_FI_")) continue;
    const std::string place = fmt::format("line {}", i + 1);
    Sample sample;
    if (!take_sample(line, sample)) {
      problems.error("wrong_row", place, std::string(line.substr(0, 80)), "name{label=\"value\"} number");
      continue;
    }
    for (std::size_t field = 0; field < kFields.size(); ++field) {
      if (sample.name != kFields[field].name) continue;
      const auto value = problems.number(sample.value, place, {0, 1e19});
      if (!value) continue;
      if (is_blank(*value)) {
        ++blank;
      } else if (*value > kFields[field].full * 1.01) {
        problems.error("out_of_range", place, std::string(sample.value), fmt::format("0 to {}", kFields[field].full));
      } else {
        values[field][gpu_of(sample)].push_back(std::min(*value / kFields[field].full, 1.0));
      }
    }
  }
  if (blank > 0) {
    problems.warn("not_supported", "", fmt::format("{} values that stand for \"not supported\"", blank), "figures", "",
                  "they are left out");
  }
  Measurements measured;
  measured.file = file;
  measured.tool = "dcgm";
  for (std::size_t field = 0; field < kFields.size(); ++field) {
    if (!values[field].empty()) measured.observations.push_back(observation_of(values[field], kFields[field], file));
  }
  if (values[0].empty() && !values[1].empty()) measured.observations.front().quantity = "gpu_utilization";
  if (measured.observations.empty() && !problems.list().has_errors()) {
    problems.error("missing_key", "", "no busy fraction of a GPU",
                   "DCGM_FI_PROF_GR_ENGINE_ACTIVE, DCGM_FI_PROF_SM_ACTIVE or DCGM_FI_DEV_GPU_UTIL",
                   "enable them in the exporter's list of counters");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  return {std::move(measured), problems.list()};
}

}  // namespace stallcast
