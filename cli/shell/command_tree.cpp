#include "cli/shell/command_tree.h"

#include <cctype>
#include <sstream>

namespace stallcast {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool is_positional(const CLI::Option& option) { return spellings(option).empty(); }
bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

namespace {

// CLI11 puts what each validator says of itself behind a colon: words in braces, or a range that begins with its type.
std::size_t end_of_name(const std::string& type) {
  for (std::size_t i = 0; i + 1 < type.size(); ++i) {
    if (type[i] == ':' && (type[i + 1] == '{' || std::isupper(static_cast<unsigned char>(type[i + 1])))) return i;
  }
  return type.size();
}

}  // namespace

std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, end_of_name(type));
}

std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) return words;
  std::istringstream between(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(between, word, ',');) words.push_back(word);
  return words;
}

std::string value_range(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t end = end_of_name(type);
  return end == type.size() || !choices(option).empty() ? "" : type.substr(end + 1);
}

}  // namespace stallcast
