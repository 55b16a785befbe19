// stallcast new OUT.json: a scenario from a few answers, and the first result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/options/catalogue_options.h"
#include "cli/options/scenario_options.h"
#include "cli/options/simulate_scenario.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/diagnostics/atomic_file.h"
#include "core/first/first_scenario.h"
#include "core/first/read_job_file.h"
#include "core/report/words/text_layout.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

// Findings about answers, not about answers that are missing.
std::size_t wrong_answers(const Findings& findings) {
  std::size_t wrong = 0;
  for (const Finding& finding : findings.list()) wrong += finding.code != "missing_answer" ? 1 : 0;
  return wrong;
}

struct NewCommand {
  std::string output_path;
  std::map<std::string, std::string> answers;  // of the options; "" = not given
  std::vector<std::string> from;
  bool force = false, write_only = false;
  ScenarioOptions first;  // how the first result is printed
};

Told given_answers(const NewCommand& given) {
  Told told;
  for (const auto& [key, text] : given.answers)
    if (!text.empty()) told.emplace(key, text);
  return told;
}

// "What is it?" until there is an answer that can be read; false at the end of the input.
bool ask(const Question& question, Told& told, const std::vector<CommentedValue>& known, const Catalogue& catalogue,
         const Environment& environment) {
  const std::string key(question.key);
  const std::vector<std::string> choices = choices_for(key, told, catalogue);
  const std::string standard = default_answer(key, told, catalogue);
  environment.err << fmt::format("\n{}\n", question.ask);
  environment.err << fmt::format(
      "  {}\n",
      wrapped(choices.empty() ? std::string(question.examples) : fmt::format("{}", fmt::join(choices, ", ")), 2, 2));
  while (true) {
    environment.err << (standard.empty() ? "> " : fmt::format("[{}] > ", standard)) << std::flush;
    std::string line;
    if (!std::getline(*environment.in, line)) return false;
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (line.empty()) line = standard;
    if (line.empty()) return true;  // may stay open; what needs an answer is told at the end
    told[key] = line;
    const Findings wrong = wrong_answer(key, told, known, catalogue);
    if (wrong.empty()) return true;
    for (const Finding& finding : wrong.list()) {
      const std::string text = render_finding(finding);
      environment.err << text.substr(std::min(text.find('\n') + 1, text.size())) << '\n';
    }
    told.erase(key);
  }
}

// False when the person went away.
bool ask_all(Told& told, const std::vector<CommentedValue>& known, const Catalogue& catalogue,
             const Environment& environment) {
  environment.err << "Seven questions about your job. Enter takes what stands in brackets.\n";
  for (const Question& question : questions())
    if (!question.ask.empty() && !told.contains(std::string(question.key)))
      if (!ask(question, told, known, catalogue, environment)) return false;
  environment.err << '\n';
  return true;
}

std::string shown(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void tell_assumptions(const FirstScenario& scenario, const std::string& path, const Environment& environment) {
  environment.err << fmt::format("Wrote {}.", path);
  std::string lines;
  std::vector<CommentedValue> values = scenario.values;
  std::sort(values.begin(), values.end(), [](const CommentedValue& a, const CommentedValue& b) {
    return find_field(a.pointer) < find_field(b.pointer);  // rows of one table, in the order of the file
  });
  for (const CommentedValue& value : values) {
    if (!value.assumed) continue;
    std::string why = value.comment;
    if (const std::size_t word = why.find("assumed: "); word != std::string::npos) why.erase(word, 9);
    const std::string lead = fmt::format("  {} {}: ", dotted_name(value.pointer), shown(value.value));
    lines += lead + wrapped(why, 4, columns_of(lead)) + "\n";
  }
  environment.err << (lines.empty() ? "\n\n" : fmt::format(" You did not say, so it assumes:\n{}\n", lines));
}

// What the files say, the one named first before the others.
std::optional<JobFile> read_files(const NewCommand& given, const Catalogue& catalogue, const Environment& environment) {
  JobFile all;
  bool good = true;
  for (const std::string& path : given.from) {
    const Loaded<JobFile> job = read_job_file(path, catalogue);
    print_findings(job.findings, environment.err);
    good = good && job.ok();
    if (!job.value) continue;
    std::string found;
    for (const auto& [key, text] : job.value->told)
      found += fmt::format("{}{} {}", found.empty() ? "" : ", ", key, text);
    for (const CommentedValue& value : job.value->values)
      found += fmt::format("{}{}", found.empty() ? "" : ", ", dotted_name(value.pointer));
    environment.err << wrapped(
                           fmt::format("{} ({}): {}.", path, job.value->tool, found.empty() ? "nothing of use" : found),
                           2, 0)
                    << '\n';
    all.told = merged_answers(all.told, job.value->told, catalogue);
    for (const CommentedValue& value : job.value->values) {
      bool is_new = true;
      for (const CommentedValue& old : all.values) is_new = is_new && old.pointer != value.pointer;
      if (is_new) all.values.push_back(value);
    }
  }
  if (!good) return std::nullopt;
  return all;
}

bool has_place(const NewCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  std::error_code ignored;
  if (given.force || !std::filesystem::exists(given.output_path, ignored)) return true;
  environment.err << fmt::format("stallcast new: {} exists; choose another name, or add --force to replace it\n",
                                 given.output_path);
  return false;
}

int new_command(const NewCommand& given, const Environment& environment) {
  if (!has_place(given, environment)) return kExitBadInput;
  const Loaded<Catalogue> catalogue = load_catalogue(given.first.catalogue);
  if (!catalogue.ok()) {
    print_findings(catalogue.findings, environment.err);
    return kExitBadInput;
  }
  const std::optional<JobFile> files = read_files(given, *catalogue.value, environment);
  if (!files) return kExitBadInput;
  Told told = merged_answers(given_answers(given), files->told, *catalogue.value);
  Loaded<FirstScenario> scenario = first_scenario(told, files->values, *catalogue.value);
  const bool may_ask = environment.in != nullptr && !told.contains("replicas");
  if (!scenario.ok() && may_ask && wrong_answers(scenario.findings) == 0) {
    if (!ask_all(told, files->values, *catalogue.value, environment)) {
      environment.err << "\nstallcast new: no more answers; nothing is written\n";
      return kExitBadInput;
    }
    scenario = first_scenario(told, files->values, *catalogue.value);
  }
  print_findings(scenario.findings, environment.err);
  if (!scenario.ok()) {
    environment.err << "stallcast new --help lists every option; nothing is written.\n";
    return kExitBadInput;
  }
  write_file_atomically(given.output_path, scenario.value->text());
  tell_assumptions(*scenario.value, given.output_path, environment);
  if (given.write_only) return kExitFine;
  ScenarioOptions first = given.first;
  first.scenario_path = given.output_path;
  return simulate_scenario(first, environment);
}

}  // namespace

void add_new_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("new", "Write a first scenario from a few answers, and give its first result");
  const auto given = std::make_shared<NewCommand>();
  command->add_option("OUT", given->output_path, "Scenario file to write (JSON)")->type_name("OUT.json")->required();
  for (const Question& question : questions()) {
    const std::string key(question.key);
    command->add_option("--" + key, given->answers[key], std::string(question.help))
        ->type_name(std::string(question.value));
  }
  command
      ->add_option("--from", given->from,
                   "Take what a file says: a Slurm script, a configuration of Hugging Face, Accelerate, DeepSpeed or "
                   "Lightning, a DLIO workload, a record of stallcast_recorder.py; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command->add_flag("--force", given->force, "Replace the file if it exists");
  command->add_flag("--write-only", given->write_only, "Write the file, and simulate nothing");
  add_catalogue_option(*command, given->first.catalogue);
  add_inputs_option(*command, given->first);
  add_output_options(*command, given->first);
  command->callback(
      [&context, given] { context.action = [&context, given] { return new_command(*given, context.environment); }; });
}

}  // namespace stallcast
