#include "core/diagnose/unknowns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "core/calibrate/fit/storage_fit.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::optional<double> value_of(const std::vector<Observation>& seen, std::string_view quantity) {
  const auto found =
      std::find_if(seen.begin(), seen.end(), [quantity](const Observation& one) { return one.quantity == quantity; });
  return found != seen.end() ? std::optional(found->value) : std::nullopt;
}

// Of a step of one rank, its wait for data included.
std::optional<double> step_seen(const Scenario& s, const std::vector<Observation>& seen) {
  if (const auto step = value_of(seen, "step_time")) return step;
  if (const auto rate = value_of(seen, "it_per_s")) return 1.0 / *rate;
  if (const auto rate = value_of(seen, "samples_per_s"))
    return static_cast<double>(s.workload.batch_size) * static_cast<double>(s.ranks()) / *rate;
  return std::nullopt;
}

struct Guess {
  double value, low, high;
  std::string_view from;
};

std::optional<Guess> step_time(const Scenario& s, const std::vector<Observation>& seen) {
  const auto step = step_seen(s, seen);
  if (!step) return std::nullopt;
  if (const auto wait = value_of(seen, "data_time"); wait && *wait < *step)
    return Guess{*step - *wait, 0.8, 1.2, "the step that was seen, less its wait for data"};
  for (const std::string_view name : {"gpu_busy", "gpu_utilization", "au", "au_steady", "au_mlperf"}) {
    if (const auto busy = value_of(seen, name))
      return Guess{*step * *busy, 0.8, 1.2, "the share of the step in which the GPU was busy"};
  }
  return Guess{0.5 * *step, 0.1, 2.0, "half of the step that was seen, which does not tell computing from waiting"};
}

}  // namespace

std::vector<PlacedUnknown> place_unknowns(nlohmann::ordered_json& document, const ScenarioFile& file,
                                          const std::vector<Observation>& seen) {
  std::vector<PlacedUnknown> out;
  const std::set<std::string> given = file.given_anywhere();
  const Scenario& s = file.scenario;
  const auto place = [&](const std::string& pointer, const Guess& guess) {
    const double value = rounded(guess.value, kFittedDigits);
    document[nlohmann::ordered_json::json_pointer(pointer)] = format_quantity(Dimension::kTime, value);
    document["run"]["uncertain"].push_back(uncertain_input_text({pointer, guess.low, guess.high}));
    const auto text = [](double time) { return format_quantity(Dimension::kTime, rounded(time, 3)); };
    out.push_back({pointer, fmt::format("{}, may be {} to {}: {}", text(value), text(value * guess.low),
                                        text(value * guess.high), guess.from)});
  };
  const bool no_workload = s.workload.name.empty();
  if (no_workload && s.workload.step_time_form == StepTimeForm::kTime && !given.contains("/workload/step_time")) {
    if (const auto guess = step_time(s, seen)) place("/workload/step_time", *guess);
  }
  if (no_workload && s.dataset.format.empty() && !given.contains("/dataset/decode_time") &&
      s.loader.decode_on == DecodeDevice::kCpu) {
    place("/dataset/decode_time", {2e-3, 0.02, 50.0, "nobody says what preparing a sample takes"});
  }
  // Storage that is only said to be there: a millisecond is what reads of files over a network wait for, a tenth of it
  // local NVMe, ten times as much a busy server; a fit may go on to an object store, where what was seen says so.
  const bool by_hand = s.storage.tier.empty() && std::any_of(given.begin(), given.end(), [](const std::string& field) {
                         return field.starts_with("/storage/");
                       });
  if (by_hand && !given.contains("/storage/latency"))
    place("/storage/latency", {1e-3, 0.1, 10.0, "nobody says how long a read of this storage waits"});
  return out;
}

}  // namespace stallcast
