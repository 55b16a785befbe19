// stallcast schema: the JSON Schema of scenario files, for editors.
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

void add_schema_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of scenario files");
  command->callback([&context] {
    context.action = [&context] {
      deliver(scenario_schema().dump(2) + "\n", "", context.environment);
      return kExitFine;
    };
  });
}

}  // namespace stallcast
