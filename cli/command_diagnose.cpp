// stallcast diagnose SCENARIO --observed it_per_s=3 ...: the inputs that make the simulation show what was seen, and
// what holds that job back.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/scenario_options.h"
#include "core/diagnose/log_lines.h"
#include "core/diagnose/outcome.h"
#include "core/diagnose/outcome_fit.h"
#include "core/diagnose/unknowns.h"
#include "core/diagnostics/json_input.h"
#include "core/plan/advice.h"
#include "core/plan/explain.h"
#include "core/report/outcome_fit_text.h"
#include "core/report/result_document.h"
#include "core/report/result_text.h"
#include "core/scenario/field_table.h"
#include "core/scenario/field_value.h"
#include "core/scenario/resolve.h"
#include "core/scenario/scenario_file.h"
#include "core/scenario/uncertain_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

struct DiagnoseCommand {
  ScenarioOptions scenario;
  std::vector<std::string> observed, logs;
  std::string fitted_path;
};

constexpr std::size_t kMostLogBytes = std::size_t{64} << 20;

Loaded<std::vector<SeenOutcome>> seen_outcomes(const DiagnoseCommand& given) {
  Loaded<std::vector<SeenOutcome>> out;
  std::vector<SeenOutcome> seen;
  for (const std::string& text : given.observed) {
    Loaded<SeenOutcome> one = parse_seen(text);
    out.findings.append(one.findings);
    if (one.value) seen.push_back(std::move(*one.value));
  }
  for (const std::string& path : given.logs) {
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

// The document with the overrides in it.
std::optional<ScenarioFile> read_document(const DiagnoseCommand& given, Json& document,
                                          const Environment& environment) {
  const Loaded<Json> read = read_json_file(given.scenario.scenario_path);
  print_findings(read.findings, environment.err);
  if (!read.ok()) return std::nullopt;
  document = *read.value;
  Loaded<ScenarioFile> file = parse_scenario(document, given.scenario.scenario_path);
  if (file.value) {
    for (const std::string& text : given.scenario.overrides) apply_override(*file.value, text, file.findings);
    if (!given.scenario.seed.empty()) apply_override(*file.value, "run.seed=" + given.scenario.seed, file.findings);
    for (const std::string& pointer : file.value->overridden) {
      const Field& row = *find_field(pointer);
      document[Json::json_pointer(pointer)] = value_to_json(row, row.get(file.value->scenario));
    }
  }
  print_findings(file.findings, environment.err);
  if (!file.ok()) return std::nullopt;
  return std::move(file.value);
}

std::optional<ResolvedScenario> resolved(const Json& document, const std::string& name,
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

// The runs that were watched, each with its own settings; the scenario's own is the first.
std::optional<std::vector<WatchedRun>> watched_runs(const std::vector<SeenOutcome>& seen, const Json& document,
                                                    const std::string& name, const Catalogue& catalogue,
                                                    const Environment& environment) {
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
    auto job = resolved(document, name, settings[r], catalogue, environment, r == 0);
    if (!job || !is_one_training_job(*job, "diagnose", environment)) return std::nullopt;
    runs[r].job = std::move(*job);
  }
  return runs;
}

int diagnose_command(const DiagnoseCommand& given, const Environment& environment) {
  require_place_for(given.fitted_path);
  require_place_for(given.scenario.output_path);
  Json document;
  const auto seen = seen_outcomes(given);
  print_findings(seen.findings, environment.err);
  const std::optional<ScenarioFile> file = read_document(given, document, environment);
  const Loaded<Catalogue> catalogue = load_catalogue(given.scenario.catalogue);
  if (!catalogue.ok()) print_findings(catalogue.findings, environment.err);
  if (!seen.ok() || !file || !catalogue.ok()) return kExitBadInput;

  std::vector<Observation> own;
  for (const SeenOutcome& one : *seen.value)
    if (one.settings.empty()) own.push_back(one.outcome);
  const std::vector<PlacedUnknown> placed = place_unknowns(document, *file, own);
  const std::string& name = given.scenario.scenario_path;
  const auto runs = watched_runs(*seen.value, document, name, *catalogue.value, environment);
  if (!runs) return kExitBadInput;

  ProgressLine progress(environment);
  RunOptions options = run_options(given.scenario, environment);
  const OutcomeFit fit = fit_outcomes(*runs, options);
  const Json fitted = with_fit(document, runs->front().job, fit);
  const auto job = resolved(fitted, name, {}, *catalogue.value, environment, false);
  const Loaded<std::vector<Rule>> rules = load_rules(catalogue.value->identity.directory);
  print_findings(rules.findings, environment.err);
  if (!job || !rules.ok()) return kExitBadInput;
  Loaded<ScenarioFile> fitted_file = parse_scenario(fitted, name);
  options.progress = progress.callback();
  const Explanation explanation = explain(*job, options);
  const Advice advice = advise(*fitted_file.value, *job, explanation, *rules.value, *catalogue.value, options);
  progress.clear();

  if (!given.fitted_path.empty()) deliver(json_text(fitted), given.fitted_path, environment);
  if (given.scenario.format == "json") {
    Json out =
        explanation_document(explanation, advice, scenario_to_json(job->scenario), provenance_to_json(job->provenance));
    out["fit"] = outcome_fit_json(fit, runs->front().job);
    out["catalogue"] = catalogue_to_json(job->catalogue);
    deliver(json_text(out), given.scenario.output_path, environment);
  } else {
    std::string text;
    for (const PlacedUnknown& one : placed)
      text += labelled(text.empty() ? "Not given" : "", fmt::format("{} {}", dotted_name(one.pointer), one.text));
    if (!text.empty()) text += "\n";
    text += render_text(fit, runs->front().job) + "\n" +
            render_text(job->scenario, explanation, advice, text_style(given.scenario, environment)) +
            render_text(job->catalogue);
    deliver(text, given.scenario.output_path, environment);
  }
  return kExitFine;
}

}  // namespace

void add_diagnose_command(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("diagnose", "Find the inputs that explain what a running job shows, and what holds it back");
  const auto given = std::make_shared<DiagnoseCommand>();
  add_input_options(*command, given->scenario);
  std::string names;
  for (const OutcomeKind& kind : outcome_kinds()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  command
      ->add_option("--observed", given->observed,
                   "A figure of the running job, as in it_per_s=3 or data_time=\"217 ms\"; with other settings as in "
                   "it_per_s=4.1@loader.num_workers=4; may be repeated. Out of " +
                       names)
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option(
          "--log", given->logs,
          "Lines of the job's logger (tqdm, Lightning, torchvision, timm, MMEngine, Hugging Face); may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--write", given->fitted_path,
                   "Write the scenario with the fitted values and what is left of their ranges")
      ->type_name("OUT.json");
  command->add_option("--format", given->scenario.format, "How to print the result")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command
      ->add_option("-o,--output", given->scenario.output_path, "Write the result to a file instead of standard output")
      ->type_name("FILE");
  command->add_flag("--ascii", given->scenario.ascii, "Draw bars with # and use no colour");
  command->callback([&context, given] {
    context.action = [&context, given] { return diagnose_command(*given, context.environment); };
  });
}

}  // namespace stallcast
