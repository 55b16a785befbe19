// stallcast calibrate SCENARIO --probe F ... -o OUT: a scenario with measured values in the place of assumed ones.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/options/catalogue_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/calibration_answer.h"
#include "core/calibrate/tier_record.h"
#include "core/diagnostics/json_input.h"
#include "core/report/measured/calibration_text.h"
#include "core/report/measured/outcome_fit_text.h"

namespace stallcast {
namespace {

struct CalibrateCommand {
  std::string scenario_path;
  std::vector<std::string> probes, measured;
  std::string output_path, tier_path;
  std::string format = "table";
  CatalogueOptions catalogue;
};

// "probe.json, fio_4k.json": what the record's numbers were read from.
std::string measurement_names(const CalibrateCommand& given) {
  std::string out;
  for (const auto* files : {&given.probes, &given.measured})
    for (const std::string& file : *files) out += (out.empty() ? "" : ", ") + file;
  return out;
}

void deliver_tier(const CalibrateCommand& given, const Calibration& calibration, const ResolvedScenario& before,
                  const Environment& environment) {
  if (given.tier_path.empty()) return;
  if (!calibration.fit) {
    environment.err << "stallcast: " << given.tier_path << " is not written: no operating points of the storage\n";
    return;
  }
  const std::string today = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
  TierLabel label;
  label.name = std::filesystem::path(given.tier_path).stem().string();
  label.title = fmt::format("{}, measured {}",
                            before.scenario.storage.tier.empty() ? "Storage" : before.scenario.storage.tier, today);
  label.source = {"stallcast calibrate", measurement_names(given), today, today};
  label.scope = before.scenario.storage.scope;
  deliver(json_text(tier_record(*calibration.fit, label)), given.tier_path, environment);
}

int calibrate_command(const CalibrateCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  require_place_for(given.tier_path);
  const Loaded<nlohmann::ordered_json> document = read_json_file(given.scenario_path);
  print_findings(document.findings, environment.err);
  const Loaded<Catalogue> catalogue = load_catalogue(given.catalogue);
  if (!catalogue.ok()) print_findings(catalogue.findings, environment.err);
  const MeasuredFiles files{given.probes, given.measured};
  Loaded<CalibrationInput> input = read_calibration_input(files, catalogue.ok() ? &*catalogue.value : nullptr);
  print_findings(input.findings, environment.err);
  if (!document.ok() || !catalogue.ok()) return kExitBadInput;
  const Loaded<ResolvedScenario> before = resolve_document(*document.value, given.scenario_path, *catalogue.value);
  print_findings(before.findings, environment.err);
  if (!before.ok() || !input.ok()) return kExitBadInput;
  input.findings = {};  // they were told
  add_write_probes(files, before.value->scenario, input);
  print_findings(input.findings, environment.err);
  if (!input.ok()) return kExitBadInput;

  RunOptions run;
  run.stop = environment.stop;
  ProgressLine progress(environment);
  run.progress = progress.callback();
  const Loaded<CalibrationAnswer> answered =
      answer_calibrate(*document.value, given.scenario_path, *before.value, *input.value, *catalogue.value, run);
  progress.clear();
  print_findings(answered.findings, environment.err);
  if (!answered.ok()) return kExitBadInput;
  const CalibrationAnswer& answer = *answered.value;
  if (environment.stop.stop_requested())
    environment.err << "stallcast: interrupted; the measured values are kept, predictions are left out\n";
  deliver_tier(given, answer.calibration, *before.value, environment);
  deliver(json_text(answer.calibration.document), given.output_path, environment);
  TextStyle style = environment.style;
  const bool to_stdout = !given.output_path.empty() && given.output_path != "-";
  if (!to_stdout) style.colour = false;
  std::string report;
  if (given.format == "json") {
    report = json_text(calibration_answer_document(answer));
  } else {
    report = render_text(answer.calibration, answer.results ? &*answer.results : nullptr, style);
    if (answer.fit && !answer.fit->explained) report += "\n" + unexplained_text();
  }
  if (to_stdout) {
    deliver(report, "", environment);
  } else {
    environment.err << report;
  }
  return kExitFine;
}

void add_files(CLI::App& command, const char* option, std::vector<std::string>& files, const char* help) {
  command.add_option(option, files, help)->type_name("FILE")->expected(1)->take_all()->allow_extra_args(false);
}

}  // namespace

void add_calibrate_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("calibrate", "Put measured values into a scenario, with their intervals");
  const auto given = std::make_shared<CalibrateCommand>();
  command->add_option("SCENARIO", given->scenario_path, "Scenario file (JSON)")->required();
  add_files(*command, "--probe", given->probes, "Result of stallcast probe, with or without --write; may be repeated");
  add_files(*command, "--fio,--profile,--record,--measured", given->measured,
            "Results of fio, elbencho, gdsio, DLIO, the PyTorch profiler (or a folder of ranks), DCGM, or "
            "stallcast_recorder.py, "
            "known by their content; may be repeated");
  command
      ->add_option("-o,--output", given->output_path,
                   "Write the scenario to a file, and the report to standard output; without it the scenario goes to "
                   "standard output and the report to standard error")
      ->type_name("OUT.json");
  command
      ->add_option("--tier", given->tier_path,
                   "Write the measured storage as a catalogue record too; it is named as the file")
      ->type_name("NAME.json");
  add_catalogue_option(*command, given->catalogue);
  command->add_option("--format", given->format, "Form of the report: table or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->callback([&context, given] {
    context.action = [&context, given] { return calibrate_command(*given, context.environment); };
  });
}

}  // namespace stallcast
