#include "core/calibrate/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/calibrate/storage_fields.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// What a measurement can settle, and which one does. Fields at 0 where 0 means "none" are no assumption.
struct Measurable {
  const char* pointer = nullptr;
  const char* measured_by = nullptr;
  bool is_always_there = false;  // at 0 it was forgotten
};
constexpr const char* kProbe = "stallcast probe";
constexpr const char* kRecorder = "stallcast_recorder.py in the training script";
constexpr const char* kProfile = "a PyTorch profiler trace";
constexpr Measurable kMeasurable[] = {
    {"/workload/step_time", kProfile, true},
    {"/workload/samples_per_s_per_gpu", kProfile},
    {"/dataset/sample_size", kRecorder},
    {"/dataset/request_size", kProbe},
    {"/dataset/decode_time", kRecorder, true},
    {"/loader/worker_batch_cpu", kRecorder},
    {"/loader/consumer_batch_cpu", kRecorder},
    {"/loader/pipe_time", kRecorder},
    {"/loader/next_ready", kRecorder},
    {"/loader/start_first", kRecorder},
    {"/cluster/host_to_device_bandwidth", kProfile},
    {"/storage/read_bandwidth", kProbe},
    {"/storage/client_read_bandwidth", kProbe},
    {"/storage/stream_bandwidth", kProbe},
    {"/storage/request_time", kProbe},
    {"/storage/latency", kProbe},
    {"/storage/open_latency", kProbe},
};

// A factor beyond which a measured value is not the named tier's: latencies of one service differ by client and load,
// by less than this; those of two kinds of storage by more.
constexpr double kAnotherStorage = 5.0;

// An interval beyond this factor of its value, either way, is no measurement of it.
constexpr double kMostFactorOfMeasured = 10.0;

Json::json_pointer pointer_of(const std::string& text) { return Json::json_pointer(text); }

// "2 GB/s", or for a distribution "lognormal, mean 41.6 us".
std::string shown(const Field& field, const FieldValue& value) {
  const auto* distribution = std::get_if<Distribution>(&value);
  if (distribution == nullptr || distribution->kind == DistributionKind::kConstant) return value_text(field, value);
  return fmt::format("{}, mean {}", distribution_word(distribution->kind),
                     format_quantity(field.dimension, rounded(mean_of(*distribution), kFittedDigits)));
}

std::string origin_text(const ResolvedScenario& resolved, const std::string& pointer) {
  const auto found = resolved.provenance.find(pointer);
  if (found == resolved.provenance.end()) return "default";
  switch (found->second.origin) {
    case Origin::kFile:
      return "the file";
    case Origin::kOverride:
      return "--set";
    case Origin::kDefault:
      return "default";
    case Origin::kCatalogue:
      break;
  }
  return found->second.kind.empty() ? found->second.record
                                    : fmt::format("{}, {}", found->second.record, found->second.kind);
}

bool comes_from_the_user(const ResolvedScenario& resolved, const std::string& pointer) {
  const auto found = resolved.provenance.find(pointer);
  return found != resolved.provenance.end() &&
         (found->second.origin == Origin::kFile || found->second.origin == Origin::kOverride);
}

class Calibrator {
 public:
  Calibrator(const Json& document, const ResolvedScenario& before, const CalibrationInput& input)
      : before_(before), input_(input) {
    out_.document = document;
  }

  Loaded<Calibration> run() {
    for (const ProbeFile& probe : input_.probes) refuse(probe);
    if (findings_.has_errors()) return {std::nullopt, findings_};
    fit_points();
    for (const Measurements& measured : input_.measurements) {
      for (const FieldMeasurement& field : measured.fields) take(of_a_core_alone(field, measured));
      std::copy(measured.observations.begin(), measured.observations.end(), std::back_inserter(out_.observations));
    }
    if (measured_.empty() && out_.observations.empty() && !findings_.has_errors())
      findings_.add({Severity::kError, "nothing_measured", "", "",
                     out_.fit ? fmt::format("{} operating points, which determine no value", out_.fit->residuals.size())
                              : "no measurement that a scenario has a field for",
                     "a probe, fio results, a profile, a record of training", "", ""});
    if (findings_.has_errors()) return {std::nullopt, findings_};
    std::erase_if(order_, [&](const std::string& pointer) { return stays(measured_.at(pointer)) && forget(pointer); });
    for (const std::string& pointer : order_) apply(measured_.at(pointer));
    write_intervals();
    list_open_values();
    return {std::move(out_), findings_};
  }

 private:
  void refuse(const ProbeFile& probe) {
    if (!probe.probe.refused()) return;
    std::string reasons;
    for (const ProbeFlaw& flaw : probe.probe.flaws)
      if (flaw.weight == ProbeFlaw::Weight::kRefuse) reasons += (reasons.empty() ? "" : "; ") + flaw.text;
    findings_.add({Severity::kError, "probe_refused", probe.file, "/flaws", reasons, "a probe without such flaws",
                   "probe again once that is changed", ""});
  }

  void fit_points() {
    FittedPoints fitted;
    FitOptions options;
    const auto add = [&](const std::vector<ReadPoint>& more, const std::string& file) {
      if (more.empty()) return;
      fitted.points.insert(fitted.points.end(), more.begin(), more.end());
      fitted.files += (fitted.files.empty() ? "" : ", ") + file;
    };
    for (const ProbeFile& probe : input_.probes) {
      add(probe.probe.points, probe.file);
      options.widen = std::max(options.widen, probe.probe.widen());
    }
    for (const Measurements& measured : input_.measurements) add(measured.reads, measured.file);
    if (fitted.points.empty()) return;
    Loaded<StorageFit> fit = fit_storage(fitted.points, options);
    findings_.append(fit.findings);
    if (!fit.ok()) return;
    for (const FieldMeasurement& field : storage_fields(*fit.value, fitted, before_.scenario)) take(field);
    out_.fit = std::move(fit.value);
  }

  // Decoding is recorded while workers compute on other cores, where these have a lower clock than one alone.
  FieldMeasurement of_a_core_alone(FieldMeasurement field, const Measurements& recorded) const {
    if (field.pointer != "/dataset/decode_time" || recorded.tool != kRecorderTool) return field;
    double processes = 1.0;
    for (const FieldMeasurement& setting : recorded.fields) {
      if (setting.pointer != "/loader/num_workers" && setting.pointer != "/cluster/gpus_per_node") continue;
      processes *= static_cast<double>(std::max<std::int64_t>(1, std::get<std::int64_t>(setting.value)));
    }
    const double clock = before_.scenario.cluster.clock_of(processes);
    if (clock >= 1.0) return field;
    const Field& row = *find_field(field.pointer);
    Scenario recorded_in;
    row.set(recorded_in, field.value);
    field.value = row.get(scaled(recorded_in, field.pointer, clock));
    field.source += fmt::format(", made that of a core alone: {} workers slow each other", format_number(processes));
    return field;
  }

  // Whether a scenario can hold the value; else its findings, with where it was measured.
  bool in_range(const FieldMeasurement& field) {
    const Field& row = *find_field(field.pointer);
    Findings wrong;
    if (value_from_json(row, value_to_json(row, field.value), "", wrong)) return true;
    for (Finding finding : wrong.list()) {
      finding.why = fmt::format("measured: {}", field.source);
      findings_.add(std::move(finding));
    }
    return false;
  }

  void take(const FieldMeasurement& field) {
    if (!in_range(field)) return;
    if (field.low_factor < 1.0 / kMostFactorOfMeasured || field.high_factor > kMostFactorOfMeasured) {
      findings_.add({Severity::kWarning, "not_determined", "", field.pointer,
                     fmt::format("{}, 90 % interval {:.3g} to {:.3g} times that ({})",
                                 value_text(*find_field(field.pointer), field.value), field.low_factor,
                                 field.high_factor, field.source),
                     fmt::format("at most {:g} times either way", kMostFactorOfMeasured), "measure it longer",
                     "the value stays as it was"});
      return;
    }
    const auto [place, is_new] = measured_.emplace(field.pointer, field);
    if (is_new) {
      order_.push_back(field.pointer);
      return;
    }
    if (field.is_setting && field.value == place->second.value) return;
    const Field& row = *find_field(field.pointer);
    findings_.add({Severity::kWarning, "measured_twice", "", field.pointer,
                   fmt::format("{} ({}) and {} ({})", value_text(row, place->second.value), place->second.source,
                               value_text(row, field.value), field.source),
                   "", "name the better one last", "the last one counts"});
    place->second = field;
  }

  // Whether the file keeps its own: a setting that it gives, or one that is the same.
  bool stays(const FieldMeasurement& measured) {
    if (!measured.is_setting) return false;
    const Field& row = *find_field(measured.pointer);
    const FieldValue own = row.get(before_.scenario);
    if (own == measured.value) return true;
    const bool of_the_instance =
        row.group == "cluster" && before_.provenance.at(measured.pointer).origin == Origin::kCatalogue;
    if (!comes_from_the_user(before_, measured.pointer) && !of_the_instance) return false;
    findings_.add({Severity::kWarning, "another_setting", "", measured.pointer,
                   fmt::format("{} ({}), {} ({})", value_text(row, own), origin_text(before_, measured.pointer),
                               value_text(row, measured.value), measured.source),
                   "", "remove it from the file to take the recorded one",
                   "the file's stays; what was observed is of the recorded run"});
    return true;
  }

  bool forget(const std::string& pointer) { return measured_.erase(pointer) != 0; }

  void apply(const FieldMeasurement& measured) {
    const Field& row = *find_field(measured.pointer);
    const FieldValue before = row.get(before_.scenario);
    out_.changes.push_back({measured.pointer, shown(row, before), origin_text(before_, measured.pointer),
                            shown(row, measured.value), measured.low_factor, measured.high_factor, measured.source,
                            measured.is_setting});
    warn_of_another_storage(measured, before);
    out_.document[pointer_of(measured.pointer)] = value_to_json(row, measured.value);
    // A step time counts only where the step is given as a time.
    if (measured.pointer == "/workload/step_time") out_.document[pointer_of("/workload/step_time_form")] = "time";
  }

  void warn_of_another_storage(const FieldMeasurement& measured, const FieldValue& before) {
    const auto origin = before_.provenance.find(measured.pointer);
    if (origin == before_.provenance.end() || origin->second.origin != Origin::kCatalogue) return;
    const auto size_of = [](const FieldValue& value) {
      if (const auto* distribution = std::get_if<Distribution>(&value)) return mean_of(*distribution);
      const auto* number = std::get_if<double>(&value);
      return number != nullptr ? *number : 0.0;
    };
    const double was = size_of(before), is = size_of(measured.value);
    if (!measured.pointer.starts_with("/storage/") || was <= 0.0 || is <= 0.0) return;
    if (std::max(was / is, is / was) < kAnotherStorage) return;
    const Field& row = *find_field(measured.pointer);
    findings_.add({Severity::kWarning, "another_storage", "", measured.pointer,
                   fmt::format("{} measured, {} in {}", value_text(row, measured.value), value_text(row, before),
                               origin->second.record),
                   "", "check that what was measured is the storage that the scenario names",
                   fmt::format("they differ by a factor of {:.3g}", std::max(was / is, is / was))});
  }

  // run.uncertain: entries of measured fields are replaced, others stay.
  void write_intervals() {
    std::vector<std::string> texts;
    for (const std::string& text : before_.scenario.run.uncertain) {
      const Loaded<std::vector<UncertainInput>> parsed = parse_uncertain_inputs({text}, "");
      const bool replaced = parsed.ok() && measured_.contains(parsed.value->front().pointer);
      if (!replaced) texts.push_back(text);
    }
    for (const std::string& pointer : order_) {
      const FieldMeasurement& field = measured_.at(pointer);
      if (const auto text = measured_interval_text(pointer, field.low_factor, field.high_factor))
        texts.push_back(*text);
    }
    if (!texts.empty() || !before_.scenario.run.uncertain.empty()) out_.document["run"]["uncertain"] = texts;
  }

  void list_open_values() {
    const Scenario defaults;
    for (const Measurable& measurable : kMeasurable) {
      const std::string pointer = measurable.pointer;
      if (measured_.contains(pointer) || comes_from_the_user(before_, pointer)) continue;
      const Field& row = *find_field(pointer);
      const FieldValue value = row.get(before_.scenario);
      const bool nothing = value == row.get(defaults) && origin_text(before_, pointer) == "default";
      if (nothing && !measurable.is_always_there) continue;  // unlimited, or unused
      if (measured_here(pointer)) continue;
      out_.still_assumed.push_back({pointer, shown(row, value), origin_text(before_, pointer), measurable.measured_by});
    }
  }

  // What a record measured on another machine is an assumption about this one; an overlay's is in run.uncertain.
  bool measured_here(const std::string& pointer) const {
    const auto known = parse_uncertain_inputs(before_.scenario.run.uncertain, "");
    return known.value && std::any_of(known.value->begin(), known.value->end(),
                                      [&pointer](const UncertainInput& input) { return input.pointer == pointer; });
  }

  const ResolvedScenario& before_;
  const CalibrationInput& input_;
  Calibration out_;
  Findings findings_;
  std::map<std::string, FieldMeasurement> measured_;
  std::vector<std::string> order_;  // of measured_, as first named
};

}  // namespace

Loaded<Calibration> calibrate(const Json& document, const ResolvedScenario& before, const CalibrationInput& input) {
  return Calibrator(document, before, input).run();
}

}  // namespace stallcast
