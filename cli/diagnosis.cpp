#include "cli/diagnosis.h"

#include <utility>

#include "cli/output.h"
#include "cli/progress_line.h"
#include "core/diagnose/log_lines.h"
#include "core/diagnostics/json_input.h"
#include "core/report/outcome_fit_text.h"
#include "core/report/result_document.h"
#include "core/report/result_text.h"
#include "core/scenario/field_table.h"
#include "core/scenario/field_value.h"
#include "core/scenario/resolve.h"
#include "core/scenario/scenario_file.h"

namespace stallcast {

using nlohmann::ordered_json;

void add_seen_options(CLI::App& command, std::vector<std::string>& observed, std::vector<std::string>& logs) {
  std::string names;
  for (const OutcomeKind& kind : outcome_kinds()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  command
      .add_option("--observed", observed,
                  "A figure of the running job, as in it_per_s=3 or data_time=\"217 ms\"; with other settings as in "
                  "it_per_s=4.1@loader.num_workers=4; may be repeated. Out of " +
                      names)
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option(
          "--log", logs,
          "Lines of the job's logger (tqdm, Lightning, torchvision, timm, MMEngine, Hugging Face); may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

Loaded<std::vector<SeenOutcome>> seen_outcomes(const std::vector<std::string>& observed,
                                               const std::vector<std::string>& logs) {
  constexpr std::size_t kMostLogBytes = std::size_t{64} << 20;
  Loaded<std::vector<SeenOutcome>> out;
  std::vector<SeenOutcome> seen;
  for (const std::string& text : observed) {
    Loaded<SeenOutcome> one = parse_seen(text);
    out.findings.append(one.findings);
    if (one.value) seen.push_back(std::move(*one.value));
  }
  for (const std::string& path : logs) {
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
  out.value = std::move(seen);
  return out;
}

std::optional<ScenarioFile> with_overrides(ordered_json& document, const std::string& name,
                                           const ScenarioOptions& options, const Environment& environment) {
  Loaded<ScenarioFile> file = parse_scenario(document, name);
  if (file.value) {
    for (const std::string& text : options.overrides) apply_override(*file.value, text, file.findings);
    if (!options.seed.empty()) apply_override(*file.value, "run.seed=" + options.seed, file.findings);
    for (const std::string& pointer : file.value->overridden) {
      const Field& row = *find_field(pointer);
      document[ordered_json::json_pointer(pointer)] = value_to_json(row, row.get(file.value->scenario));
    }
  }
  print_findings(file.findings, environment.err);
  if (!file.ok()) return std::nullopt;
  return std::move(file.value);
}

std::optional<ScenarioFile> read_document(const ScenarioOptions& options, ordered_json& document,
                                          const Environment& environment) {
  const Loaded<ordered_json> read = read_json_file(options.scenario_path);
  print_findings(read.findings, environment.err);
  if (!read.ok()) return std::nullopt;
  document = *read.value;
  return with_overrides(document, options.scenario_path, options, environment);
}

std::optional<ResolvedScenario> resolve_document(const ordered_json& document, const std::string& name,
                                                 const std::vector<std::string>& settings, const Catalogue& catalogue,
                                                 const Environment& environment, bool tell) {
  Loaded<ScenarioFile> file = parse_scenario(document, name);
  if (!file.value) return std::nullopt;
  for (const std::string& setting : settings) apply_override(*file.value, setting, file.findings);
  Loaded<ResolvedScenario> out = resolve(*file.value, catalogue);
  Findings findings = file.findings;
  findings.append(out.findings);
  if (tell || findings.has_errors()) print_findings(findings, environment.err);
  if (findings.has_errors()) return std::nullopt;
  return std::move(out.value);
}

std::optional<Diagnosis> diagnose_runs(const ordered_json& document, const std::string& name,
                                       const std::vector<WatchedRun>& runs, const Catalogue& catalogue,
                                       const ScenarioOptions& scenario, const Environment& environment) {
  ProgressLine progress(environment);
  RunOptions options = run_options(scenario, environment);
  Diagnosis out;
  out.before = runs.front().job;
  out.fit = fit_outcomes(runs, options);
  out.document = with_fit(document, out.before, out.fit);
  auto job = resolve_document(out.document, name, {}, catalogue, environment, false);
  const Loaded<std::vector<Rule>> rules = load_rules(catalogue.identity.directory);
  print_findings(rules.findings, environment.err);
  if (!job || !rules.ok()) return std::nullopt;
  out.job = std::move(*job);
  const Loaded<ScenarioFile> fitted_file = parse_scenario(out.document, name);
  options.progress = progress.callback();
  out.explanation = explain(out.job, options);
  out.advice = advise(*fitted_file.value, out.job, out.explanation, *rules.value, catalogue, options);
  progress.clear();
  return out;
}

std::string diagnosis_text(const Diagnosis& diagnosis, const TextStyle& style) {
  return render_text(diagnosis.fit, diagnosis.before) + "\n" +
         render_text(diagnosis.job.scenario, diagnosis.explanation, diagnosis.advice, style) +
         render_text(diagnosis.job.catalogue);
}

ordered_json diagnosis_json(const Diagnosis& diagnosis) {
  ordered_json out =
      explanation_document(diagnosis.explanation, diagnosis.advice, scenario_to_json(diagnosis.job.scenario),
                           provenance_to_json(diagnosis.job.provenance));
  out["fit"] = outcome_fit_json(diagnosis.fit, diagnosis.before);
  out["catalogue"] = catalogue_to_json(diagnosis.job.catalogue);
  return out;
}

}  // namespace stallcast
