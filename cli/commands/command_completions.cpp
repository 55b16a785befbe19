// stallcast completions SHELL: a completion script made from the command line's own structure.
#include <memory>

#include "cli/shell/command.h"
#include "cli/shell/completion_script.h"
#include "cli/shell/output.h"

namespace stallcast {

void add_completions_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("completions", "Print a completion script for a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&context, shell] {
    context.action = [&context, shell] {
      const CLI::App& program = context.program;
      deliver(*shell == "bash"  ? bash_completion(program)
              : *shell == "zsh" ? zsh_completion(program)
                                : fish_completion(program),
              "", context.environment);
      return kExitFine;
    };
  });
}

}  // namespace stallcast
