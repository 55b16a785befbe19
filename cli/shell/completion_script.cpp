#include "cli/shell/completion_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "cli/shell/command_tree.h"

namespace stallcast {
namespace {

// Separated by spaces; "" when the option's value is no choice.
std::string words_of(const CLI::Option& option) { return fmt::format("{}", fmt::join(choices(option), " ")); }

std::string names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

// Words that a command's first positional argument may be.
std::string positional_words(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_positional(*option)) return words_of(*option);
  }
  return "";
}

std::string option_names(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : spellings(*option)) all.push_back(name);
  }
  return fmt::format("{}", fmt::join(all, " "));
}

// Calls `visit` for every command, outermost first; `path` is " import dlio" for the innermost of three.
void for_each_command(const CLI::App& app, const std::string& path,
                      const std::function<void(const CLI::App&, const std::string&)>& visit) {
  visit(app, path);
  for (const CLI::App* command : commands_of(app)) for_each_command(*command, path + " " + command->get_name(), visit);
}

// Inside single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string descend;
  std::string offers;
  for_each_command(app, "", [&](const CLI::App& command, const std::string& path) {
    if (!path.empty()) descend += fmt::format("      {}) path={} ;;\n", shell_quoted(path), shell_quoted(path));
    std::string values;
    for (const CLI::Option* option : command.get_options()) {
      if (is_positional(*option) || !takes_value(*option)) continue;
      const std::string words = words_of(*option);
      values += fmt::format(
          "        {}) {} ;;\n", fmt::join(spellings(*option), "|"),
          words.empty() ? "COMPREPLY=($(compgen -f -- \"$current\")); return"
                        : fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\")); return", shell_quoted(words)));
    }
    if (!values.empty()) values = "      case \"$previous\" in\n" + values + "      esac\n";
    const std::vector<const CLI::App*> commands = commands_of(command);
    const std::string words = commands.empty() ? positional_words(command) : names_of(commands);
    offers += fmt::format("    {})\n{}      options={}; words={} ;;\n", shell_quoted(path), values,
                          shell_quoted(option_names(command)), shell_quoted(words));
  });
  return fmt::format(R"sh(# bash completion for {0}; put it where bash-completion looks, or source it
_{0}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path="" options="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
{1}    esac
  done
  COMPREPLY=()
  case "$path" in
{2}  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n "$words" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _{0} {0}
)sh",
                     app.get_name(), descend, offers);
}

std::string zsh_completion(const CLI::App& app) {
  const auto function_name = [&](const std::string& path) {
    std::string name = "_" + app.get_name() + path;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
  };
  // Help text inside _arguments' own brackets: those and colons are escaped.
  const auto help = [](const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  };
  std::string functions;
  for_each_command(app, "", [&](const CLI::App& command, const std::string& path) {
    std::string arguments;
    for (const CLI::Option* option : command.get_options()) {
      if (is_positional(*option)) continue;
      for (const std::string& name : spellings(*option)) {
        std::string spec = fmt::format("*{}[{}]", name, help(option->get_description()));
        if (takes_value(*option)) {
          const std::string words = words_of(*option);
          spec += fmt::format(":{}:{}", "value", words.empty() ? "_files" : "(" + words + ")");
        }
        arguments += " " + shell_quoted(spec);
      }
    }
    const std::vector<const CLI::App*> commands = commands_of(command);
    functions += function_name(path) + "() {\n";
    if (commands.empty()) {
      const std::string words = positional_words(command);
      functions += fmt::format("  _arguments{} {}\n}}\n", arguments,
                               shell_quoted("*:argument:" + (words.empty() ? "_files" : "(" + words + ")")));
      return;
    }
    std::string described;
    std::string cases;
    for (const CLI::App* inner : commands) {
      described += " " + shell_quoted(inner->get_name() + ":" + help(inner->get_description()));
      cases += fmt::format("      {}) {} ;;\n", inner->get_name(), function_name(path + " " + inner->get_name()));
    }
    functions += fmt::format(R"sh(  local line state
  local -a commands=({0})
  _arguments -C{1} '1:command:->command' '*::argument:->argument'
  case "$state" in
    command) _describe command commands ;;
    argument) case "$line[1]" in
{2}    esac ;;
  esac
}}
)sh",
                             described, arguments, cases);
  });
  return fmt::format("#compdef {0}\n{1}_{0} \"$@\"\n", app.get_name(), functions);
}

std::string fish_completion(const CLI::App& app) {
  std::string out = fmt::format("# fish completion for {}\n", app.get_name());
  for_each_command(app, "", [&](const CLI::App& command, const std::string& path) {
    const std::vector<const CLI::App*> commands = commands_of(command);
    // Seen: every word of this command's path. Not yet seen: any command inside it.
    std::string seen;
    std::string rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' ', 1), rest.size());
      seen += fmt::format("{}__fish_seen_subcommand_from{}", seen.empty() ? "" : "; and ", rest.substr(0, end));
      rest.erase(0, end);
    }
    std::string inside = seen;
    if (!commands.empty()) {
      inside += fmt::format("{}not __fish_seen_subcommand_from {}", inside.empty() ? "" : "; and ", names_of(commands));
    }
    for (const CLI::App* inner : commands) {
      out += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", app.get_name(), shell_quoted(inside),
                         inner->get_name(), shell_quoted(inner->get_description()));
    }
    if (commands.empty() && !positional_words(command).empty()) {
      out += fmt::format("complete -c {} -f -n {} -a {}\n", app.get_name(), shell_quoted(inside),
                         shell_quoted(positional_words(command)));
    }
    for (const CLI::Option* option : command.get_options()) {
      if (is_positional(*option)) continue;
      std::string line =
          fmt::format("complete -c {} -n {}", app.get_name(), shell_quoted(inside.empty() ? "true" : inside));
      for (const std::string& name : option->get_snames()) line += " -s " + name;
      for (const std::string& name : option->get_lnames()) line += " -l " + name;
      if (takes_value(*option)) {
        const std::string words = words_of(*option);
        line += words.empty() ? " -r" : " -x -a " + shell_quoted(words);
      }
      out += line + " -d " + shell_quoted(option->get_description()) + "\n";
    }
  });
  return out;
}

}  // namespace stallcast
