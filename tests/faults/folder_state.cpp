#include "tests/faults/folder_state.h"

#include <array>
#include <string_view>

#include "tests/faults/program_run.h"

namespace stallcast::faults {
namespace {

// Words after which two runs of one command differ, for as long as there are these characters.
struct Varying {
  std::string_view after, characters;
};
constexpr std::string_view kTime = " .0123456789munsih";
constexpr std::array kVarying = {
    Varying{"\"wall_s\":", " -+.e0123456789"}, Varying{"simulated in", kTime}, Varying{"configurations in", kTime},
    Varying{"stallcast-faults-", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"}};
constexpr std::string_view kWhen = "computed now";  // and the rest of the line

}  // namespace

// By hand: a regular expression takes longer for the page of a report than the program for making it.
std::string without_times(const std::string& text) {
  std::string kept = text;
  for (const auto& [after, characters] : kVarying) {
    for (std::size_t at = kept.find(after); at != std::string::npos; at = kept.find(after, at)) {
      at += after.size();
      const std::size_t end = kept.find_first_not_of(characters, at);
      kept.erase(at, end == std::string::npos ? end : end - at);
    }
  }
  for (std::size_t at = kept.find(kWhen); at != std::string::npos; at = kept.find(kWhen, at)) {
    at += kWhen.size();
    const std::size_t end = kept.find('\n', at);
    kept.erase(at, end == std::string::npos ? end : end - at);
  }
  return kept;
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
