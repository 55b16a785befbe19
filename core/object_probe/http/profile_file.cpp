#include "core/object_probe/http/profile_file.h"

#include <fmt/format.h>

#include <sstream>
#include <system_error>

#include "core/diagnostics/finding.h"
#include "core/diagnostics/json_input.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {}  // namespace

ProfileSections parse_profiles(std::string_view text) {
  ProfileSections sections;
  std::string section;
  bool in_block = false;  // below a key without a value
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool indented = !line.empty() && (line[0] == ' ' || line[0] == '\t');
    const std::string content(trimmed(line));
    if (content.empty() || content[0] == '#' || content[0] == ';' || (indented && in_block)) continue;
    const std::size_t equals = content.find('=');
    in_block = equals != std::string::npos && equals + 1 == content.size();
    if (content[0] == '[')
      section = trimmed(std::string_view(content).substr(1, content.find(']') - 1));
    else if (equals != std::string::npos && !in_block)
      sections[section][std::string(trimmed(content.substr(0, equals)))] = trimmed(content.substr(equals + 1));
  }
  return sections;
}

ProfileSections read_profiles(const std::filesystem::path& path) {
  std::error_code none;
  if (path.empty() || !std::filesystem::exists(path, none)) return {};
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  const Loaded<std::string> text = read_text_file(path, kMaxBytes);
  if (!text.ok()) throw WorldError(fmt::format("{} is larger than 1 MiB: no file of profiles", path.string()));
  return parse_profiles(*text.value);
}

}  // namespace stallcast
