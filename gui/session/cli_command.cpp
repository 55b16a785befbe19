#include "gui/session/cli_command.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/plan/shell_words.h"
#include "core/scenario/field_value.h"

namespace stallcast::gui {
namespace {

// "loader.num_workers=8"
std::string assignment(const Field& field, const Scenario& scenario) {
  std::string path = field.pointer.substr(1);
  std::replace(path.begin(), path.end(), '/', '.');
  return path + "=" + value_text(field, field.get(scenario));
}

// What the file gives and no override changes.
ScenarioFile without_overrides(ScenarioFile file) {
  for (const std::string& pointer : file.overridden) file.given.erase(pointer);
  file.overridden.clear();
  return file;
}

}  // namespace

QString cliCommand(const Document& document) {
  const ScenarioFile& file = document.file();
  const std::set<std::string>& in_file = document.saved().given;
  const bool on_disk =
      !document.path().isEmpty() && std::includes(file.given.begin(), file.given.end(), in_file.begin(), in_file.end());
  std::vector<std::string> words = {"stallcast", "simulate", on_disk ? document.path().toStdString() : "/dev/stdin"};
  for (const Field& field : field_table()) {
    if (!file.overridden.contains(field.pointer)) continue;
    words.emplace_back("--set");
    words.push_back(assignment(field, file.scenario));
  }
  std::string command = shell_command(words);
  if (!on_disk) command += " <<'END'\n" + givenToJson(without_overrides(file)).dump(2) + "\nEND\n";
  return QString::fromStdString(command);
}

}  // namespace stallcast::gui
