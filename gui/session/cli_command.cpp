#include "gui/session/cli_command.h"

#include <QFileInfo>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/sweep/shell_words.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast::gui {
namespace {

// "loader.num_workers=8"
std::string assignment(const Field& field, const Scenario& scenario) {
  return dotted_name(field.pointer) + "=" + value_text(field, field.get(scenario));
}

// What the file gives and no override changes.
ScenarioFile without_overrides(ScenarioFile file) {
  for (const std::string& pointer : file.overridden) file.given.erase(pointer);
  file.overridden.clear();
  return file;
}

// Whether everything that the file gives is given still.
bool is_on_disk(const Document& document) {
  const std::set<std::string>& now = document.file().given;
  const std::set<std::string>& then = document.saved().given;
  return !document.path().isEmpty() && std::includes(now.begin(), now.end(), then.begin(), then.end());
}

}  // namespace

bool hasCliCommand(const Document& document) {
  return is_on_disk(document) || document.file().scenario.run.concurrent_jobs.empty();
}

QString cliCommand(const Document& document, const std::string& command, const std::vector<std::string>& options) {
  const ScenarioFile& file = document.file();
  const bool on_disk = is_on_disk(document);
  const std::string path = QFileInfo(document.path()).absoluteFilePath().toStdString();
  std::vector<std::string> words = {"stallcast", command, on_disk ? path : "/dev/stdin"};
  const std::vector<std::filesystem::path> of_environment = environment_overlays();
  for (const std::string& overlay : document.catalogue().identity.overlays) {
    if (std::find(of_environment.begin(), of_environment.end(), overlay) != of_environment.end()) continue;
    words.emplace_back("--catalogue");
    words.push_back(overlay);
  }
  for (const Field& field : field_table()) {
    if (!file.overridden.contains(field.pointer)) continue;
    words.emplace_back("--set");
    words.push_back(assignment(field, file.scenario));
  }
  words.insert(words.end(), options.begin(), options.end());
  std::string text = shell_command(words);
  if (!on_disk) text += " <<'END'\n" + givenToJson(without_overrides(file)).dump(2) + "\nEND\n";
  return QString::fromStdString(text);
}

}  // namespace stallcast::gui
