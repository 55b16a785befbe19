// stallcast diagnose SCENARIO --observed it_per_s=3 ...: the inputs that make the simulation show what was seen, and
// what holds that job back.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/diagnosis.h"
#include "cli/output.h"
#include "cli/scenario_options.h"
#include "core/diagnose/outcome.h"
#include "core/diagnose/outcome_fit.h"
#include "core/diagnose/unknowns.h"
#include "core/report/text_layout.h"
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
    auto job = resolve_document(document, name, settings[r], catalogue, environment, r == 0);
    if (!job || !is_one_training_job(*job, "diagnose", environment)) return std::nullopt;
    runs[r].job = std::move(*job);
  }
  return runs;
}

int diagnose_command(const DiagnoseCommand& given, const Environment& environment) {
  require_place_for(given.fitted_path);
  require_place_for(given.scenario.output_path);
  Json document;
  auto seen = seen_outcomes(given.observed, given.logs);
  if (seen.ok() && seen.value->empty()) {
    seen.findings.add({Severity::kError, "nothing_observed", "", "", "no figure of the job",
                       "--observed it_per_s=3, --observed data_time=\"217 ms\", or --log with lines of its logger", "",
                       ""});
  }
  print_findings(seen.findings, environment.err);
  const std::optional<ScenarioFile> file = read_document(given.scenario, document, environment);
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

  const auto diagnosis = diagnose_runs(document, name, *runs, *catalogue.value, given.scenario, environment);
  if (!diagnosis) return kExitBadInput;
  if (!given.fitted_path.empty()) deliver(json_text(diagnosis->document), given.fitted_path, environment);
  if (given.scenario.format == "json") {
    deliver(json_text(diagnosis_json(*diagnosis)), given.scenario.output_path, environment);
  } else {
    std::string text;
    for (const PlacedUnknown& one : placed)
      text += labelled(text.empty() ? "Not given" : "", fmt::format("{} {}", dotted_name(one.pointer), one.text));
    if (!text.empty()) text += "\n";
    text += diagnosis_text(*diagnosis, text_style(given.scenario, environment));
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
  add_seen_options(*command, given->observed, given->logs);
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
