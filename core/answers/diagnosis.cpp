#include "core/answers/diagnosis.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/diagnose/log_lines.h"
#include "core/diagnostics/json_input.h"
#include "core/report/json/result_document.h"
#include "core/report/measured/outcome_fit_text.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/resolve/resolve.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLogBytes = std::size_t{64} << 20;

// The scenario with the settings in it; `document` gets them, too.
std::optional<ScenarioFile> with_settings(Json& document, const std::string& name, const Settings& settings,
                                          Findings& findings) {
  Loaded<ScenarioFile> file = parse_scenario(document, name);
  if (file.value) {
    for (const std::string& text : settings.overrides) apply_override(*file.value, text, file.findings);
    if (!settings.seed.empty()) apply_override(*file.value, "run.seed=" + settings.seed, file.findings);
    for (const std::string& pointer : file.value->overridden) {
      const Field& row = *find_field(pointer);
      document[Json::json_pointer(pointer)] = value_to_json(row, row.get(file.value->scenario));
    }
  }
  findings.append(file.findings);
  if (!file.ok()) return std::nullopt;
  return std::move(file.value);
}

// Warnings are told of the first of several runs only: they are the same of all.
std::optional<ResolvedScenario> resolved(const Json& document, const std::string& name,
                                         const std::vector<std::string>& settings, const Catalogue& catalogue,
                                         bool tell, Findings& told) {
  Loaded<ScenarioFile> file = parse_scenario(document, name);
  if (!file.value) return std::nullopt;
  for (const std::string& setting : settings) apply_override(*file.value, setting, file.findings);
  Loaded<ResolvedScenario> out = resolve(*file.value, catalogue);
  Findings findings = file.findings;
  findings.append(out.findings);
  if (tell || findings.has_errors()) told.append(findings);
  if (findings.has_errors()) return std::nullopt;
  return std::move(out.value);
}

// The runs that were watched, each with its own settings.
std::optional<std::vector<WatchedRun>> watched_runs(const std::vector<SeenOutcome>& seen, const Json& document,
                                                    const std::string& name, const Catalogue& catalogue,
                                                    Findings& findings) {
  std::vector<std::vector<std::string>> settings{{}};
  std::vector<WatchedRun> runs(1);
  for (const SeenOutcome& one : seen) {
    const auto known = std::find(settings.begin(), settings.end(), one.settings);
    const auto at = static_cast<std::size_t>(known - settings.begin());
    if (known == settings.end()) {
      settings.push_back(one.settings);
      runs.emplace_back();
    }
    runs[at].outcomes.push_back(one.outcome);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    auto job = resolved(document, name, settings[r], catalogue, r == 0, findings);
    if (!job) return std::nullopt;
    runs[r].job = std::move(*job);
  }
  return runs;
}

}  // namespace

Loaded<std::vector<SeenOutcome>> read_seen(const SeenTexts& texts) {
  Loaded<std::vector<SeenOutcome>> out;
  std::vector<SeenOutcome> seen;
  for (const std::string& text : texts.observed) {
    Loaded<SeenOutcome> one = parse_seen(text);
    out.findings.append(one.findings);
    if (one.value) seen.push_back(std::move(*one.value));
  }
  for (const std::string& path : texts.logs) {
    const Loaded<std::string> text = read_text_file(path, kMostLogBytes);
    out.findings.append(text.findings);
    if (!text.value) continue;
    const std::vector<Observation> lines = read_log_lines(*text.value, path);
    if (lines.empty()) {
      out.findings.add({Severity::kError, "nothing_observed", path, "", "no line with a figure",
                        "lines such as \"3.02it/s\" or \"time: 0.34 data: 0.21\"", "", ""});
    }
    for (const Observation& line : lines) seen.push_back({line, {}});
  }
  if (seen.empty() && !out.findings.has_errors()) {
    out.findings.add({Severity::kError, "nothing_observed", "", "", "no figure of the job",
                      "--observed it_per_s=3, --observed data_time=\"217 ms\", or --log with lines of its logger", "",
                      ""});
  }
  out.value = std::move(seen);
  return out;
}

Loaded<DiagnosisQuestion> read_diagnosis(const Json& document, const std::string& name, const Settings& settings,
                                         const std::vector<SeenOutcome>& seen, const Catalogue& catalogue) {
  Loaded<DiagnosisQuestion> loaded;
  DiagnosisQuestion out{document, name, {}, {}};
  const std::optional<ScenarioFile> file = with_settings(out.document, name, settings, loaded.findings);
  if (!file) return loaded;
  std::vector<Observation> own;
  for (const SeenOutcome& one : seen)
    if (one.settings.empty()) own.push_back(one.outcome);
  out.placed = place_unknowns(out.document, *file, own);
  auto runs = watched_runs(seen, out.document, name, catalogue, loaded.findings);
  if (!runs) return loaded;
  out.runs = std::move(*runs);
  loaded.value = std::move(out);
  return loaded;
}

Loaded<DiagnosisAnswer> answer_diagnose(const DiagnosisQuestion& question, const std::vector<Rule>& rules,
                                        const Catalogue& catalogue, const RunOptions& run) {
  Loaded<DiagnosisAnswer> loaded;
  DiagnosisAnswer out;
  RunOptions quiet = run;
  quiet.progress = nullptr;
  out.fit = fit_outcomes(question.runs, quiet);
  out.fitted = with_fit(question.document, question.runs.front().job, out.fit);
  auto job = resolved(out.fitted, question.name, {}, catalogue, false, loaded.findings);
  if (!job) return loaded;
  out.job = std::move(*job);
  const Loaded<ScenarioFile> file = parse_scenario(out.fitted, question.name);
  out.explanation = explain(out.job, run);
  out.advice = advise(*file.value, out.job, out.explanation, rules, catalogue, run);
  loaded.value = std::move(out);
  return loaded;
}

Json diagnosis_document(const DiagnosisQuestion& question, const DiagnosisAnswer& answer) {
  Json out = explanation_document(answer.explanation, answer.advice, scenario_to_json(answer.job.scenario),
                                  provenance_to_json(answer.job.provenance));
  out["fit"] = outcome_fit_json(answer.fit, question.runs.front().job);
  out["catalogue"] = catalogue_to_json(answer.job.catalogue);
  return out;
}

}  // namespace stallcast
