#include "tests/faults/folder_state.h"

#include <regex>

#include "tests/faults/program_run.h"

namespace stallcast::faults {

std::string without_times(const std::string& text) {
  static const std::regex wall(
      R"re(("wall_s": ?)[-+.e0-9]+|(simulated|configurations) in [0-9.]+ [mun]?s|computed now.*|stallcast-faults-[A-Za-z0-9]+)re");
  return std::regex_replace(text, wall, "$1$2");
}

FolderState state_of(const std::filesystem::path& folder) {
  FolderState state;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (entry.is_directory()) {
      state[name + "/"] = "";
    } else {
      state[name] = without_times(content_of(entry.path()));
    }
  }
  return state;
}

}  // namespace stallcast::faults
