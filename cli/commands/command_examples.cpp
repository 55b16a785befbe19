// stallcast examples [NAME] [-o FILE]: the scenarios that come along.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnostics/json_input.h"
#include "core/first/example_files.h"

namespace stallcast {
namespace {

struct ExamplesCommand {
  std::string name, output_path;
  bool force = false;
};

int examples_command(const ExamplesCommand& given, const Environment& environment) {
  const std::vector<ExampleFile> examples = example_files(find_models_directory());
  if (given.name.empty()) {
    deliver(examples_text(examples), given.output_path, environment);
    environment.err << "\nstallcast examples NAME prints one, and with -o job.json copies it.\n";
    return kExitFine;
  }
  const Loaded<ExampleFile> example = find_example(given.name, examples);
  print_findings(example.findings, environment.err);
  if (!example.ok()) return kExitBadInput;
  const Loaded<std::string> text = read_text_file(example.value->path, std::size_t{16} << 20);
  print_findings(text.findings, environment.err);
  if (!text.ok()) return kExitBadInput;
  require_place_for(given.output_path);
  std::error_code ignored;
  const bool to_file = !given.output_path.empty() && given.output_path != "-";
  if (to_file && !given.force && std::filesystem::exists(given.output_path, ignored)) {
    environment.err << fmt::format("stallcast examples: {} exists; choose another name, or add --force to replace it\n",
                                   given.output_path);
    return kExitBadInput;
  }
  deliver(*text.value, given.output_path, environment);
  if (to_file)
    environment.err << fmt::format("Wrote {}. Try: stallcast simulate {}\n", given.output_path, given.output_path);
  return kExitFine;
}

}  // namespace

void add_examples_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("examples", "List the scenarios that come along, or copy one");
  const auto given = std::make_shared<ExamplesCommand>();
  command->add_option("NAME", given->name, "Scenario to print or copy: its name, its number, or a part of its name");
  command->add_option("-o,--output", given->output_path, "Write it to a file instead of standard output")
      ->type_name("FILE");
  command->add_flag("--force", given->force, "Replace the file if it exists");
  command->callback([&context, given] {
    context.action = [&context, given] { return examples_command(*given, context.environment); };
  });
}

}  // namespace stallcast
