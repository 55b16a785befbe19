// Where the shipped records and the overlays are.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/catalogue/catalogue.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

// Below a prefix; the build makes a folder of this name, too.
constexpr const char* kModelsBelowPrefix = STALLCAST_DATADIR "/stallcast/models";
constexpr const char* kInstalledModels = STALLCAST_FULL_DATADIR "/stallcast/models";

// Of the file itself, where a link leads to it; empty where the system does not tell.
fs::path executable_folder() {
  std::error_code problem;
  const fs::path executable = fs::read_symlink("/proc/self/exe", problem);
  return problem ? fs::path() : executable.parent_path();
}

// A folder called models that holds no tiers is somebody else's.
bool holds_records(const fs::path& folder) {
  std::error_code problem;
  return fs::is_directory(folder / "tiers", problem);
}

}  // namespace

std::vector<fs::path> environment_overlays() {
  std::vector<fs::path> overlays;
  const char* list = std::getenv("STALLCAST_CATALOGUE");
  if (list == nullptr) return overlays;
  const std::string_view text = list;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    if (end > start) overlays.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return overlays;
}

fs::path find_models_directory() {
  std::error_code problem;
  if (const char* chosen = std::getenv("STALLCAST_MODELS"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen, problem)) return chosen;
    throw WorldError(fmt::format("STALLCAST_MODELS is {}, which is not a directory", chosen));
  }
  const fs::path start = executable_folder();
  for (fs::path folder = start; folder.has_relative_path(); folder = folder.parent_path()) {
    const fs::path models = folder.parent_path() / kModelsBelowPrefix;
    if (holds_records(models)) return fs::weakly_canonical(models, problem);
  }
  if (holds_records(kInstalledModels)) return kInstalledModels;
  throw WorldError(
      fmt::format("no catalogue found; set STALLCAST_MODELS (looked for {} in the folders above {}, and for {})",
                  kModelsBelowPrefix, start.string(), kInstalledModels));
}

}  // namespace stallcast
