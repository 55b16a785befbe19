// stallcast validate MEASURED: predicted beside measured, case by case and in sum.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/options/catalogue_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/cases/case_prediction.h"
#include "core/cases/cases_report.h"
#include "core/report/measured/saves_report.h"
#include "core/report/measured/validation_report.h"
#include "core/report/words/mlperf_text.h"
#include "core/validate/measured_saves.h"
#include "core/validate/mlperf_table.h"
#include "core/validate/mlperf_tests.h"
#include "core/validate/validation.h"

namespace stallcast {
namespace {

struct ValidateCommand {
  CatalogueOptions catalogue;
  std::string path;
  std::string draws = "recorded";
  std::string format = "table";
  std::string output_path;
};

std::function<void(std::size_t, std::size_t)> progress_of(const Environment& environment) {
  if (!environment.err_is_terminal) return {};
  return [&environment](std::size_t done, std::size_t total) {
    environment.err << fmt::format("\r{} of {}{}", done, total, done == total ? "\r\x1b[K" : "") << std::flush;
  };
}

int validate_mlperf(const ValidateCommand& given, const Environment& environment) {
  const Loaded<MlperfTable> table = load_mlperf_table(given.path);
  print_findings(table.findings, environment.err);
  if (!table.ok()) return kExitBadInput;
  const MlperfReport report = run_mlperf_tests(*table.value, progress_of(environment));
  deliver(given.format == "json" ? mlperf_json(report).dump(2) + "\n" : render_mlperf_text(report), given.output_path,
          environment);
  return kExitFine;
}

int validate_cases(const ValidateCommand& given, const Catalogue& catalogue, const Environment& environment) {
  Loaded<std::vector<PublishedCase>> published;
  if (std::filesystem::is_directory(given.path)) {
    published = load_published_cases(given.path);
  } else {
    Loaded<PublishedCase> one = load_published_case(given.path);
    published.findings = std::move(one.findings);
    if (one.value) published.value.emplace(1, std::move(*one.value));
  }
  print_findings(published.findings, environment.err);
  if (!published.ok()) return kExitBadInput;
  CaseOptions options;
  options.stop = environment.stop;
  options.progress = progress_of(environment);
  const Loaded<std::vector<PredictedCase>> cases = predict_cases(*published.value, catalogue, options);
  print_findings(cases.findings, environment.err);
  if (!cases.ok()) return kExitBadInput;
  deliver(given.format == "json" ? cases_json(*cases.value).dump(2) + "\n" : render_cases_text(*cases.value),
          given.output_path, environment);
  return kExitFine;
}

int validate_measured_saves(const ValidateCommand& given, const Environment& environment) {
  const Loaded<std::vector<MeasuredSave>> saves = load_measured_saves(given.path);
  print_findings(saves.findings, environment.err);
  if (!saves.ok()) return kExitBadInput;
  const SaveValidation validation = validate_saves(*saves.value, progress_of(environment), environment.stop);
  deliver(given.format == "json" ? saves_json(validation).dump(2) + "\n" : render_saves_text(validation),
          given.output_path, environment);
  return kExitFine;
}

int validate_command(const ValidateCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  if (given.path.ends_with(".csv")) return validate_mlperf(given, environment);
  const Loaded<Catalogue> catalogue = load_catalogue(given.catalogue);
  print_findings(catalogue.findings, environment.err);
  if (!catalogue.ok()) return kExitBadInput;
  if (given.path.ends_with(".json") || std::filesystem::is_directory(given.path))
    return validate_cases(given, *catalogue.value, environment);
  if (holds_measured_saves(given.path)) return validate_measured_saves(given, environment);
  const Loaded<MeasuredRuns> runs = load_measured_runs(given.path, &*catalogue.value);
  print_findings(runs.findings, environment.err);
  if (!runs.ok()) return kExitBadInput;
  ValidationOptions options;
  options.draws = given.draws == "random" ? DrawSource::kRandom : DrawSource::kRecorded;
  options.stop = environment.stop;
  options.progress = progress_of(environment);
  const Validation validation = validate_runs(*runs.value, options);
  deliver(given.format == "json" ? validation_json(validation).dump(2) + "\n" : render_validation_text(validation),
          given.output_path, environment);
  return kExitFine;
}

}  // namespace

void add_validate_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("validate", "Compare predictions with measured runs, and show their errors");
  const auto given = std::make_shared<ValidateCommand>();
  command
      ->add_option("MEASURED", given->path,
                   "Measured runs or checkpoints: one JSON record per line, a table of MLPerf Storage results (.csv), "
                   "or published cases: "
                   "a file (.json) or a directory of them")
      ->required();
  command
      ->add_option("--draws", given->draws,
                   "recorded: replay the random values of each run's seed; random: use the distributions alone")
      ->type_name("SOURCE")
      ->check(CLI::IsMember({"recorded", "random"}))
      ->capture_default_str();
  add_catalogue_option(*command, given->catalogue);
  command->add_option("--format", given->format, "table or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", given->output_path, "Write to a file instead of standard output")
      ->type_name("FILE");
  command->callback([&context, given] {
    context.action = [&context, given] { return validate_command(*given, context.environment); };
  });
}

}  // namespace stallcast
