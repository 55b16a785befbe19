#include "cli/shell/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The command that was given, the innermost if it is one of several words.
const CLI::App& given_command(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : given_command(*given.back());
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = given_command(app);
  const std::string name = full_name(command);
  const std::vector<std::string> unknown = command.remaining();
  std::string text = fmt::format("stallcast: {}", error.what());
  if (!unknown.empty()) {
    const auto option =
        std::find_if(unknown.begin(), unknown.end(), [](const std::string& word) { return word.rfind('-', 0) == 0; });
    const bool is_option = option != unknown.end();
    const std::string word = is_option ? option->substr(0, option->find('=')) : unknown.front();
    const std::vector<std::string> commands = command_names(command);
    const std::string nearest = nearest_word(word, is_option ? long_names(command) : commands);
    if (is_option) {
      text = fmt::format("{}: unknown option '{}'", name, word);
    } else if (!commands.empty()) {
      text = fmt::format("{}: unknown command '{}'", name, word);
    } else {
      text = fmt::format("{}: unexpected argument '{}'", name, word);
    }
    if (!nearest.empty()) {
      text += fmt::format("; did you mean '{}'?", nearest);
    } else if (!is_option && !commands.empty()) {
      text += fmt::format("; commands are {}", name_list(word, commands, name + " --help"));
    }
  }
  return fmt::format("{}\nRun '{} --help' for what it takes.\n", text, name);
}

}  // namespace stallcast
