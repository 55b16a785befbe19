#include "core/answers/calibration_answer.h"

#include <utility>

#include "core/calibrate/read/read_write_probe.h"
#include "core/diagnose/benchmark_fit.h"
#include "core/probe/result/probe_json.h"
#include "core/report/measured/outcome_fit_text.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/concurrent_jobs.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

Loaded<CalibrationInput> read_calibration_input(const MeasuredFiles& files, const Catalogue* catalogue) {
  Findings findings;
  CalibrationInput input;
  for (const std::string& path : files.probes) {
    if (holds_write_probe(path)) continue;  // what it says depends on the scenario
    Loaded<ProbeResult> probe = load_probe(path);
    findings.append(probe.findings);
    if (probe.value) input.probes.push_back({path, std::move(*probe.value)});
  }
  for (const std::string& path : files.measured) {
    Loaded<Measurements> one = read_measurements(path, catalogue);
    findings.append(one.findings);
    if (one.value) input.measurements.push_back(std::move(*one.value));
  }
  if (files.probes.empty() && files.measured.empty())
    findings.add({Severity::kError, "nothing_measured", "", "", "no measurement",
                  "--probe, --fio, --profile, --record, --measured", "", ""});
  return {std::move(input), findings};
}

void add_write_probes(const MeasuredFiles& files, const Scenario& scenario, Loaded<CalibrationInput>& input) {
  for (const std::string& path : files.probes) {
    if (!holds_write_probe(path)) continue;
    Loaded<Measurements> measured = read_write_probe(path, scenario);
    input.findings.append(measured.findings);
    if (measured.value) input.value->measurements.push_back(std::move(*measured.value));
  }
}

Loaded<ResolvedScenario> resolve_document(const nlohmann::ordered_json& document, const std::string& name,
                                          const Catalogue& catalogue) {
  Loaded<ScenarioFile> file = parse_scenario(document, name);
  Loaded<ResolvedScenario> out;
  out.findings = file.findings;
  if (!file.value) return out;
  load_concurrent_jobs(*file.value, out.findings);
  if (out.findings.has_errors()) return out;
  Loaded<ResolvedScenario> resolved = resolve(*file.value, catalogue);
  out.findings.append(resolved.findings);
  if (!out.findings.has_errors()) out.value = std::move(resolved.value);
  return out;
}

Loaded<CalibrationAnswer> answer_calibrate(const nlohmann::ordered_json& document, const std::string& name,
                                           const ResolvedScenario& before, const CalibrationInput& input,
                                           const Catalogue& catalogue, const RunOptions& run) {
  Loaded<CalibrationAnswer> loaded;
  Loaded<Calibration> calibration = calibrate(document, before, input);
  loaded.findings.append(calibration.findings);
  if (!calibration.ok()) return loaded;
  CalibrationAnswer out{std::move(*calibration.value), {}, {}, {}};
  std::optional<ResolvedScenario> after;
  const auto resolve_again = [&] {
    Loaded<ResolvedScenario> resolved = resolve_document(out.calibration.document, name, catalogue);
    loaded.findings.append(resolved.findings);
    after = std::move(resolved.value);
    return after.has_value();
  };
  if (!resolve_again()) return loaded;
  out.before_fit = *after;
  RunOptions quiet = run;
  quiet.progress = nullptr;
  out.fit = fit_benchmark(out.calibration, input, out.before_fit, catalogue, quiet);
  if (out.fit && !resolve_again()) return loaded;
  if (before.concurrent_jobs.empty() && before.scenario.job == JobKind::kTraining) {
    const RunResult earlier = simulate(before.scenario, run);
    out.results = {earlier, simulate(after->scenario, run), after->scenario};
  }
  if (run.stop.stop_requested()) out.results.reset();
  loaded.value = std::move(out);
  return loaded;
}

nlohmann::ordered_json calibration_answer_document(const CalibrationAnswer& answer) {
  auto out = calibration_json(answer.calibration, answer.results ? &*answer.results : nullptr);
  out["outcome_fit"] = answer.fit ? outcome_fit_json(*answer.fit, answer.before_fit) : nlohmann::ordered_json();
  return out;
}

}  // namespace stallcast
