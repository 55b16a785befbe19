// stallcast diagnose SCENARIO --observed it_per_s=3 ...: the inputs that make the simulation show what was seen, and
// what holds that job back.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/diagnosis.h"
#include "cli/options/scenario_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/answers/diagnosis.h"
#include "core/diagnostics/json_input.h"
#include "core/report/words/text_layout.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

struct DiagnoseCommand {
  ScenarioOptions scenario;
  std::vector<std::string> observed, logs;
  std::string fitted_path;
};

int diagnose_command(const DiagnoseCommand& given, const Environment& environment) {
  require_place_for(given.fitted_path);
  require_place_for(given.scenario.output_path);
  const Loaded<std::vector<SeenOutcome>> seen = read_seen({given.observed, given.logs});
  print_findings(seen.findings, environment.err);
  const std::string& name = given.scenario.scenario_path;
  const Loaded<nlohmann::ordered_json> document = read_json_file(name);
  print_findings(document.findings, environment.err);
  const Loaded<Catalogue> catalogue = load_catalogue(given.scenario.catalogue);
  if (!catalogue.ok()) print_findings(catalogue.findings, environment.err);
  if (!document.ok() || !catalogue.ok()) return kExitBadInput;
  const Loaded<DiagnosisQuestion> question = read_diagnosis(
      *document.value, name, {given.scenario.overrides, given.scenario.seed, ""}, *seen.value, *catalogue.value);
  print_findings(question.findings, environment.err);
  if (!seen.ok() || !question.ok()) return kExitBadInput;
  for (const WatchedRun& run : question.value->runs)
    if (!is_one_training_job(run.job, "diagnose", environment)) return kExitBadInput;
  const auto answer = diagnose(*question.value, *catalogue.value, given.scenario, environment);
  if (!answer) return kExitBadInput;
  if (!given.fitted_path.empty()) deliver(json_text(answer->fitted), given.fitted_path, environment);
  if (given.scenario.format == "json") {
    deliver(json_text(diagnosis_document(*question.value, *answer)), given.scenario.output_path, environment);
  } else {
    std::string text;
    for (const PlacedUnknown& one : question.value->placed)
      text += labelled(text.empty() ? "Not given" : "", fmt::format("{} {}", dotted_name(one.pointer), one.text));
    if (!text.empty()) text += "\n";
    text += diagnosis_text(*question.value, *answer, text_style(given.scenario, environment));
    deliver(text, given.scenario.output_path, environment);
  }
  return kExitFine;
}

}  // namespace

void add_diagnose_command(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("diagnose", "Find the inputs that explain what a running job shows, and what limits it");
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
