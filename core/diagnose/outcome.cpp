#include "core/diagnose/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/result/lost_time.h"

namespace stallcast {
namespace {

constexpr std::array kKinds{
    OutcomeKind{"gpu_utilization", Dimension::kFraction, "compute time of the GPUs over all of their time"},
    OutcomeKind{"gpu_busy", Dimension::kFraction, "the same once the loaders have started, as a monitor shows it"},
    OutcomeKind{"au", Dimension::kFraction, "compute time over wall time from the first iter() to the last step"},
    OutcomeKind{"au_steady", Dimension::kFraction, "the same without filling the queues"},
    OutcomeKind{"au_mlperf", Dimension::kFraction, "accelerator utilization as DLIO and MLPerf Storage count it"},
    OutcomeKind{"samples_per_s", Dimension::kRate, "samples of all ranks a second, over the whole run"},
    OutcomeKind{"it_per_s", Dimension::kRate, "steps a second once the loaders have started"},
    OutcomeKind{"step_time", Dimension::kTime, "time of a step, its wait for data included"},
    OutcomeKind{"data_time", Dimension::kTime, "time that a step waits in next() of the loader", true},
    OutcomeKind{"epoch_time", Dimension::kTime, "time of an epoch, mean"},
    OutcomeKind{"read_rate", Dimension::kByteRate, "bytes a second that all nodes read from storage"},
    OutcomeKind{"cpu_busy", Dimension::kFraction, "busy share of all cores of the nodes"},
};

constexpr std::array kInNext{LostTime::kStorageLatency, LostTime::kStreamCap,      LostTime::kClientCap,
                             LostTime::kTierBandwidth,  LostTime::kCacheBandwidth, LostTime::kRequestRate,
                             LostTime::kCpuDecode,      LostTime::kLoaderOrder,    LostTime::kLoaderOverhead};
constexpr std::array kBetweenSteps{LostTime::kStartup, LostTime::kCheckpoint, LostTime::kValidation,
                                   LostTime::kStaging, LostTime::kRework,     LostTime::kRecovery};

template <class Causes>
double lost_to(const RunResult& result, const Causes& causes) {
  double sum = 0.0;
  for (const LostTime cause : causes) sum += result.lost_fraction[index(cause)];
  return sum;
}

double steps_per_s(const RunResult& result, const Scenario& scenario) {
  return result.samples_per_s_steady /
         (static_cast<double>(scenario.workload.batch_size) * static_cast<double>(scenario.ranks()));
}

std::optional<double> if_positive(double value) { return value > 0.0 ? std::optional(value) : std::nullopt; }

// A value with its unit, or a plain number where the unit goes without saying.
std::optional<double> value_of(const OutcomeKind& kind, const std::string& value, const std::string& text,
                               Findings& findings) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool plain = error == std::errc() && end == value.data() + value.size();
  const bool without_unit = kind.dimension == Dimension::kRate || kind.dimension == Dimension::kFraction;
  QuantityReading read;
  if (plain && without_unit) {
    read.base = number;
  } else {
    read = parse_quantity(kind.dimension, value);
  }
  const double most = kind.dimension == Dimension::kFraction ? 1.0 : 1e18;
  if (read.base && (*read.base > 0.0 || (kind.can_be_zero && *read.base == 0.0)) && *read.base <= most)
    return read.base;
  if (read.base) {
    read.error_code = "out_of_range";
    read.allowed = kind.dimension == Dimension::kFraction ? "more than 0, at most 1 or 100 %"
                   : kind.can_be_zero                     ? "0 or more"
                                                          : "more than 0";
  }
  findings.add({Severity::kError, read.error_code, "--observed", "", fmt::format("\"{}\"", text), read.allowed,
                read.fix, read.why});
  return std::nullopt;
}

}  // namespace

std::span<const OutcomeKind> outcome_kinds() { return kKinds; }

const OutcomeKind* find_outcome_kind(std::string_view name) {
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [name](const OutcomeKind& kind) { return kind.name == name; });
  return found != kKinds.end() ? &*found : nullptr;
}

std::optional<double> predicted_outcome(std::string_view name, const RunResult& result, const Scenario& scenario) {
  if (name == "gpu_utilization") return result.gpu_utilization.mean;
  if (name == "gpu_busy") return result.gpu_utilization_steady.mean;
  if (name == "au") return result.au;
  if (name == "au_steady") return result.au_steady;
  if (name == "au_mlperf") return result.au_mlperf;
  if (name == "cpu_busy") return result.cpu_busy_fraction;
  if (name == "samples_per_s") return result.samples_per_s;
  const double rate = steps_per_s(result, scenario);
  if (name == "it_per_s") return if_positive(rate);
  if (name == "step_time") return rate > 0.0 ? std::optional(1.0 / rate) : std::nullopt;
  if (name == "data_time") {
    const double stepping = 1.0 - lost_to(result, kBetweenSteps);
    if (rate <= 0.0 || stepping <= 0.0) return std::nullopt;
    return lost_to(result, kInNext) / stepping / rate;
  }
  if (name == "epoch_time" && scenario.run.epochs > 0)
    return if_positive(result.time_to_train_s / static_cast<double>(scenario.run.epochs));
  if (name == "read_rate")
    return result.simulated_s > 0.0 ? std::optional(result.read_bytes / result.simulated_s) : std::nullopt;
  return std::nullopt;
}

Loaded<SeenOutcome> parse_seen(const std::string& text) {
  Loaded<SeenOutcome> out;
  const std::size_t equals = text.find('='), at = text.find('@');
  const std::string name = text.substr(0, std::min(equals, text.size()));
  if (equals == std::string::npos || equals == 0 || at < equals) {
    out.findings.add({Severity::kError, "bad_observation", "--observed", "", fmt::format("\"{}\"", text),
                      "NAME=VALUE, or NAME=VALUE@FIELD=VALUE", "write it like \"it_per_s=3\"", ""});
    return out;
  }
  const OutcomeKind* kind = find_outcome_kind(name);
  if (kind == nullptr) {
    std::vector<std::string> names;
    for (const OutcomeKind& one : kKinds) names.emplace_back(one.name);
    const std::string near = nearest_word(name, names);
    out.findings.add({Severity::kError, "unknown_outcome", "--observed", "", fmt::format("\"{}\"", name),
                      fmt::format("{}", fmt::join(names, ", ")),
                      near.empty() ? "" : fmt::format("did you mean \"{}\"?", near), ""});
    return out;
  }
  const std::string value = text.substr(equals + 1, at == std::string::npos ? at : at - equals - 1);
  const auto number = value_of(*kind, value, text, out.findings);
  if (!number) return out;
  SeenOutcome seen{{std::string(kind->name), *number, 0.0, std::string(kind->definition), "--observed"}, {}};
  for (std::size_t from = at; from != std::string::npos && from < text.size();) {
    const std::size_t comma = text.find(',', from + 1);
    seen.settings.push_back(text.substr(from + 1, comma == std::string::npos ? comma : comma - from - 1));
    from = comma;
  }
  out.value = std::move(seen);
  return out;
}

}  // namespace stallcast
