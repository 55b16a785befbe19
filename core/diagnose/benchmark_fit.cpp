#include "core/diagnose/benchmark_fit.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// The job with the settings of the recorded run.
ResolvedScenario as_recorded(const Json& document, const Measurements& measured, const ResolvedScenario& job,
                             const Catalogue& catalogue) {
  Json recorded = document;
  for (const FieldMeasurement& field : measured.fields) {
    if (field.is_setting)
      recorded[Json::json_pointer(field.pointer)] = value_to_json(*find_field(field.pointer), field.value);
  }
  const Loaded<ScenarioFile> file = parse_scenario(recorded, "");
  if (!file.ok()) return job;
  Loaded<ResolvedScenario> resolved = resolve(*file.value, catalogue);
  return resolved.ok() ? *resolved.value : job;
}

ValueChange change_of(const FittedInput& input, const ResolvedScenario& job, const std::string& source) {
  const std::string& pointer = input.assumed.range.pointer;
  const Field& row = *find_field(pointer);
  const Provenance& from = input.assumed.from;
  return {pointer,
          value_text(row, row.get(job.scenario)),
          from.record.empty() ? "default" : fmt::format("{}, {}", from.record, from.kind),
          value_text(row, row.get(scaled(job.scenario, pointer, input.factor))),
          input.low_factor,
          input.high_factor,
          source};
}

}  // namespace

std::optional<OutcomeFit> fit_benchmark(Calibration& calibration, const CalibrationInput& input,
                                        const ResolvedScenario& job, const Catalogue& catalogue,
                                        const RunOptions& options) {
  if (!job.concurrent_jobs.empty() || job.scenario.job != JobKind::kTraining) return std::nullopt;
  std::vector<WatchedRun> runs;
  std::string source;
  for (const Measurements& measured : input.measurements) {
    if (measured.tool != "dlio") continue;
    WatchedRun run{as_recorded(calibration.document, measured, job, catalogue), {}};
    for (const Observation& seen : measured.observations)
      if (seen.quantity == "au_mlperf" && seen.value > 0.0) run.outcomes.push_back(seen);
    if (run.outcomes.empty()) continue;
    source += fmt::format("{}{:.1f} % of {}", source.empty() ? "fitted to an accelerator utilization of " : ", ",
                          100.0 * run.outcomes.front().value, measured.file);
    runs.push_back(std::move(run));
  }
  if (runs.empty()) return std::nullopt;
  OutcomeFit fit = fit_outcomes(runs, options);
  calibration.document = with_fit(calibration.document, job, fit);
  for (const FittedInput& one : fit.inputs) calibration.changes.push_back(change_of(one, job, source));
  return fit;
}

}  // namespace stallcast
