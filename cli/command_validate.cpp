// stallcast validate MEASURED: predicted beside measured, case by case and in sum.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "core/report/validation_report.h"
#include "core/validate/validation.h"

namespace stallcast {
namespace {

struct ValidateCommand {
  std::string path;
  std::string draws = "recorded";
  std::string format = "table";
  std::string output_path;
};

int validate_command(const ValidateCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  const Loaded<MeasuredRuns> runs = load_measured_runs(given.path);
  print_findings(runs.findings, environment.err);
  if (!runs.ok()) return kExitBadInput;
  ValidationOptions options;
  options.draws = given.draws == "random" ? DrawSource::kRandom : DrawSource::kRecorded;
  options.stop = environment.stop;
  if (environment.err_is_terminal)
    options.progress = [&environment](std::size_t done, std::size_t total) {
      environment.err << fmt::format("\r{} of {} runs{}", done, total, done == total ? "\r\x1b[K" : "") << std::flush;
    };
  const Validation validation = validate_runs(*runs.value, options);
  deliver(given.format == "json" ? validation_json(validation).dump(2) + "\n" : render_validation_text(validation),
          given.output_path, environment);
  return kExitFine;
}

}  // namespace

void add_validate_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("validate", "Show predictions beside measured runs, and how far they are off");
  const auto given = std::make_shared<ValidateCommand>();
  command->add_option("MEASURED", given->path, "Measured runs: one JSON record per line")->required();
  command
      ->add_option("--draws", given->draws,
                   "recorded: replay the random values of each run's seed; random: use the distributions alone")
      ->type_name("SOURCE")
      ->check(CLI::IsMember({"recorded", "random"}))
      ->capture_default_str();
  command->add_option("--format", given->format, "table or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", given->output_path, "Write to a file instead of standard output")->type_name("FILE");
  command->callback([&context, given] {
    context.action = [&context, given] { return validate_command(*given, context.environment); };
  });
}

}  // namespace stallcast
