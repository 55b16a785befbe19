// stallcast explain-field [PATH]: what a field of a scenario means, and what it may be.
#include <memory>

#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/scenario/fields/field_text.h"

namespace stallcast {

void add_explain_field_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("explain-field", "Say what a field of a scenario means, or list fields");
  const auto path = std::make_shared<std::string>();
  command->add_option("PATH", *path, "Field like storage.capacity, a group like storage, or a word to look for");
  command->callback([&context, path] {
    context.action = [&context, path]() -> int {
      const Loaded<std::string> text = field_text(*path);
      print_findings(text.findings, context.environment.err);
      if (!text.ok()) return kExitBadInput;
      deliver(*text.value, "", context.environment);
      return kExitFine;
    };
  });
}

}  // namespace stallcast
