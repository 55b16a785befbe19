// stallcast report SCENARIO...: what to do and everything that speaks for it, as one file for a meeting.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/scenario_options.h"
#include "cli/options/target_options.h"
#include "cli/options/vary_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/questions/report_command.h"
#include "core/answers/report_file.h"
#include "core/plan/evaluate/accuracy.h"
#include "core/plan/review/review.h"
#include "core/report/review/review_document.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

struct ReportCommand {
  std::vector<std::string> paths;
  ScenarioOptions scenario;
  std::vector<std::string> vary;
  TargetOptions targets;
  std::string format;
  bool force = false;
};

// What makes this report again.
std::string command_line(const ReportCommand& o) {
  return report_command_line({o.paths,
                              {o.scenario.overrides, o.scenario.seed, o.scenario.precision},
                              o.scenario.catalogue.overlays,
                              o.vary,
                              o.targets,
                              o.format,
                              o.scenario.output_path});
}

// Files that are there already stay as they are, unless --force says otherwise.
void refuse_existing(const ReportCommand& o, ReportFormat format, Findings& findings) {
  for (const std::string& path : written_files(format, o.scenario.output_path)) {
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    if (status.type() == fs::file_type::none)
      throw WorldError(fmt::format("{}: cannot be looked at: {}", path, problem.message()));
    if (o.force || !fs::exists(status) || fs::is_character_file(status) || fs::is_fifo(status)) continue;
    findings.add({Severity::kError, "file_exists", path, "", fs::is_directory(status) ? "a folder" : "a file",
                  "a new name", "add --force to replace it", ""});
  }
}

// The scenarios, and the catalogue; nothing, with every finding printed, where one is wrong.
struct ReportInput {
  std::vector<ScenarioFile> files;
  Catalogue catalogue;
};
std::optional<ReportInput> read_input(const ReportCommand& o, const Environment& environment) {
  ReportInput out;
  bool fine = true;
  for (const std::string& path : o.paths) {
    ScenarioOptions one = o.scenario;
    one.scenario_path = path;
    std::optional<ScenarioInput> input = load_input(one, environment);
    fine = fine && input.has_value();
    if (!input) continue;
    out.files.push_back(std::move(input->file));
    out.catalogue = std::move(input->catalogue);
  }
  return fine ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Review> make_review(const ReportCommand& o, const ReportInput& input, SizeRequest targets,
                                  const Environment& environment) {
  ReviewRequest request;
  request.files = input.files;
  request.sizing = std::move(targets);
  request.run.stop = environment.stop;
  request.command = command_line(o);
  if (!o.vary.empty()) {
    const auto variables = read_variables(o.vary, input.files.front(), environment);
    if (!variables) return std::nullopt;
    request.variables = *variables;
  }
  Loaded<Accuracy> accuracy = load_accuracy(find_models_directory());
  print_findings(accuracy.findings, environment.err);
  if (!accuracy.ok()) return std::nullopt;
  request.accuracy = std::move(*accuracy.value);
  ProgressLine progress(environment);
  if (environment.err_is_terminal) {
    request.counted = [&](const char* what, std::int64_t done, std::int64_t wanted) {
      progress.show([&] { return fmt::format("{} of {} {}", done, wanted, what); });
    };
  }
  Loaded<Review> found = review(request, input.catalogue);
  progress.clear();
  print_findings(found.findings, environment.err);
  return std::move(found.value);
}

int report_command(const ReportCommand& o, const Environment& environment) {
  require_place_for(o.scenario.output_path);
  Findings findings;
  const std::optional<ReportFormat> format = report_format(o.format, o.scenario.output_path, findings);
  if (format) refuse_existing(o, *format, findings);
  SizeRequest targets;
  read_targets(o.targets, targets, findings);
  if (!o.vary.empty() && o.paths.size() > 1) {
    findings.add({Severity::kError, "one_scenario", "--vary", "", fmt::format("{} scenarios", o.paths.size()),
                  "one scenario", "leave it out: with several scenarios these are the options", ""});
  }
  print_findings(findings, environment.err);
  if (findings.has_errors()) return kExitBadInput;
  require_writer_of(*format);
  const std::optional<ReportInput> input = read_input(o, environment);
  if (!input) return kExitBadInput;
  const std::optional<Review> found = make_review(o, *input, std::move(targets), environment);
  if (environment.stop.stop_requested()) {
    environment.err << "stallcast: stopped; " << o.scenario.output_path << " was not written\n";
    return kExitWorldTrouble;
  }
  if (!found) return kExitBadInput;
  const Document document = review_document(*found);
  const std::optional<std::string> text =
      o.scenario.output_path == "-" ? report_text(document, *format) : std::optional<std::string>();
  if (text) {
    deliver(*text, "-", environment);
  } else {
    write_report(document, *format, o.scenario.output_path, environment.stop);
  }
  return found->options.front().missed ? kExitTargetsNotMet : kExitFine;
}

}  // namespace

void add_report_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "report", "Write what to do and everything that speaks for it, as one file for an architecture review");
  const auto o = std::make_shared<ReportCommand>();
  constexpr int kMostScenarios = 20;
  command
      ->add_option("SCENARIO", o->paths,
                   "Scenario files (JSON): the options of several, or one with a question (plan.vary, --vary)")
      ->required()
      ->expected(1, kMostScenarios);
  add_override_options(*command, o->scenario);
  add_vary_option(*command, o->vary);
  add_target_options(*command, o->targets);
  command
      ->add_option(
          "--format", o->format,
          "How to write it; as the name of the file ends when not given. slide: the first page alone, as a PDF of 16:9")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(report_format_names()));
  command->add_option("-o,--output", o->scenario.output_path, "File to write")->type_name("FILE")->required();
  command->add_flag("--force", o->force, "Replace a file that is there already");
  command->callback(
      [&context, o] { context.action = [&context, o] { return report_command(*o, context.environment); }; });
}

}  // namespace stallcast
