// stallcast emit SCENARIO: what it takes to build the chosen configuration, and to test what was said of it.
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/options/scenario_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/diagnostics/atomic_file.h"
#include "core/plan/emit/emit.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolve.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

struct EmitCommand {
  ScenarioOptions scenario;
  std::string target = "all";
  bool force = false;
};

// Where each file goes: into a folder when there are several or the path is one, else to the path itself.
std::vector<fs::path> places_of(const std::vector<EmittedFile>& files, const std::string& path) {
  std::error_code ignored;
  const bool folder = files.size() > 1 || path.ends_with('/') || fs::is_directory(path, ignored);
  std::vector<fs::path> places;
  for (const EmittedFile& file : files) places.push_back(folder ? fs::path(path) / file.name : fs::path(path));
  return places;
}

// A finding for each file that is there already.
Findings existing(const std::vector<fs::path>& places) {
  Findings findings;
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::exists(fs::symlink_status(place, ignored)))
      findings.add({Severity::kError, "file_exists", place.string(), "", "a file", "a new file",
                    "add --force to replace it", ""});
  return findings;
}

int write_files(const std::vector<EmittedFile>& files, const EmitCommand& given, const Environment& environment) {
  const std::string& path = given.scenario.output_path;
  const std::vector<fs::path> places = places_of(files, path);
  const Findings findings = given.force ? Findings() : existing(places);
  print_findings(findings, environment.err);
  if (findings.has_errors()) return kExitBadInput;
  if (files.size() > 1 || path.ends_with('/')) fs::create_directories(path);
  for (const fs::path& place : places) require_place_for(place.string());
  AtomicFiles written;
  for (std::size_t i = 0; i < files.size(); ++i) {
    AtomicFile& file = written.add(places[i], files[i].text);
    if (places[i].extension() == ".sh") file.make_executable();
  }
  written.finish();
  for (const fs::path& place : places) environment.err << "stallcast: wrote " << place.string() << "\n";
  return kExitFine;
}

// Several files after one another are for reading: each under its name.
int print_files(const std::vector<EmittedFile>& files, const Environment& environment) {
  std::string text;
  for (const EmittedFile& file : files)
    text +=
        (files.size() > 1 ? "#### " + file.name + "\n" : std::string()) + file.text + (files.size() > 1 ? "\n" : "");
  deliver(text, "", environment);
  return kExitFine;
}

int emit_command(const EmitCommand& given, const Environment& environment) {
  const std::optional<ScenarioInput> input = load_input(given.scenario, environment);
  if (!input) return kExitBadInput;
  Loaded<ResolvedScenario> resolved = resolve(input->file, input->catalogue);
  print_findings(resolved.findings, environment.err);
  if (!resolved.ok() || !is_one_training_job(*resolved.value, "emit", environment)) return kExitBadInput;
  std::optional<RunResult> result;
  if (needs_result(given.target)) {
    ProgressLine progress(environment);
    RunOptions run = run_options(given.scenario, environment);
    run.progress = progress.callback();
    result = simulate(resolved.value->scenario, run);
  }
  const Loaded<std::vector<EmittedFile>> files =
      emit_files(*resolved.value, result ? &*result : nullptr, given.target, given.scenario.scenario_path);
  print_findings(files.findings, environment.err);
  if (!files.ok()) return kExitBadInput;
  const std::string& path = given.scenario.output_path;
  return path.empty() || path == "-" ? print_files(*files.value, environment)
                                     : write_files(*files.value, given, environment);
}

}  // namespace

void add_emit_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "emit", "Write provisioning commands, loader and checkpoint settings, and benchmarks that test the prediction");
  const auto given = std::make_shared<EmitCommand>();
  add_input_options(*command, given->scenario);
  command->add_option("--for", given->target, "What to write")
      ->type_name("TARGET")
      ->check(CLI::IsMember(emit_targets()))
      ->capture_default_str();
  command
      ->add_option("-o,--output", given->scenario.output_path,
                   "Folder to write to, or file where there is only one; standard output when not given")
      ->type_name("DIR|FILE");
  command->add_flag("--force", given->force, "Replace files that are there already");
  command->callback(
      [&context, given] { context.action = [&context, given] { return emit_command(*given, context.environment); }; });
}

}  // namespace stallcast
