#include "tests/layers/layer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

namespace stallcast::layers {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::set<std::string> words_in_backticks(const std::string& cell) {
  static const std::regex word("`([a-z_/]+)`");
  std::set<std::string> words;
  for (std::sregex_iterator it(cell.begin(), cell.end(), word), end; it != end; ++it) words.insert((*it)[1]);
  return words;
}

// What stands between the quotes or angle brackets of an #include line, and which of the two.
struct IncludeLine {
  std::string target;
  bool quoted = false;
};

std::optional<IncludeLine> parse_include(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::smatch match;
  if (!std::regex_match(line, match, pattern)) return std::nullopt;
  return IncludeLine{match[2], match[1] == "\""};
}

// Qt headers are <QWidget>, <QtCore/QString>, <qobject.h>; CLI11's are under CLI/.
bool is_shell_library(const std::string& target) {
  static const std::regex pattern(R"((Q[A-Z]|Qt|CLI/|CLI11|q[a-z]+\.h).*)");
  return std::regex_match(target, pattern);
}

// "core/model/loader/draws.h" -> "model/loader"; "" when the path has no folder below core.
std::string core_folder(const std::string& path) {
  static const std::regex pattern("core/(.+)/[^/]*");
  std::smatch match;
  return std::regex_match(path, match, pattern) ? match[1].str() : "";
}

// Whether a row's last column, naming `named`, means the row of `folder`: itself, or a room of it.
bool means(const std::string& named, const std::string& folder) {
  return folder == named || folder.starts_with(named + "/");
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace

LayerTable parse_layer_table(std::string_view markdown) {
  static const std::regex row(R"(^\| `([a-z_/]+)` \|.*\|([^|]*)\|\s*$)");
  LayerTable table;
  for (const std::string& line : lines_of(markdown)) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    table.folders.push_back(match[1]);
    table.may_include[match[1]] = words_in_backticks(match[2]);
  }
  return table;
}

std::vector<std::string> table_problems(const LayerTable& table) {
  std::vector<std::string> problems;
  std::set<std::string> earlier;
  for (const std::string& folder : table.folders) {
    for (const std::string& named : table.may_include.at(folder)) {
      const bool found =
          std::any_of(earlier.begin(), earlier.end(), [&](const std::string& row) { return means(named, row); });
      if (!found) problems.push_back(fmt::format("row {} names {}, which is no earlier row", folder, named));
    }
    if (!earlier.insert(folder).second) problems.push_back(fmt::format("row {} is listed twice", folder));
  }
  return problems;
}

std::set<std::string> reachable_folders(const LayerTable& table, const std::string& folder) {
  std::set<std::string> reached;
  if (!table.may_include.contains(folder)) return reached;
  std::vector<std::string> open{folder};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (!reached.insert(next).second) continue;
    const std::set<std::string>& names = table.may_include.at(next);
    for (const std::string& row : table.folders) {
      if (row == next) break;  // what comes after it is not meant
      if (std::any_of(names.begin(), names.end(), [&](const std::string& named) { return means(named, row); }))
        open.push_back(row);
    }
  }
  return reached;
}

std::vector<std::string> include_problems(const LayerTable& table, const std::string& path, std::string_view source) {
  const std::string folder = core_folder(path);
  if (!table.may_include.contains(folder)) return {path + ": folder core/" + folder + " has no row in core/README.md"};
  const std::set<std::string> allowed = reachable_folders(table, folder);

  std::vector<std::string> problems;
  int line_number = 0;
  for (const std::string& line : lines_of(source)) {
    ++line_number;
    const std::optional<IncludeLine> include = parse_include(line);
    if (!include) continue;
    const std::string place = path + ":" + std::to_string(line_number) + ": ";
    const std::string included_folder = core_folder(include->target);
    if (is_shell_library(include->target)) {
      problems.push_back(place + "core has no Qt and no CLI11, but includes " + include->target);
    } else if (!included_folder.empty()) {
      if (!allowed.contains(included_folder)) {
        problems.push_back(place + folder + " may include " + joined(allowed) + "; got " + include->target);
      }
    } else if (include->quoted) {
      problems.push_back(place + "own headers are included as \"core/FOLDER/FILE\"; got \"" + include->target + "\"");
    }
  }
  return problems;
}

std::vector<std::string> types_defined(std::string_view header) {
  static const std::regex definition(R"(^(?:struct|class|union|enum class|enum) (\w+)[^;]*\{.*)");
  std::vector<std::string> names;
  for (const std::string& line : lines_of(header)) {
    std::smatch match;
    if (std::regex_match(line, match, definition)) names.push_back(match[1]);
  }
  return names;
}

std::vector<MainPathStep> parse_main_path(std::string_view markdown) {
  static const std::regex step(R"(^[0-9]+\. `([a-z_]+)` in `([a-z_/]+\.h)`.*)");
  std::vector<MainPathStep> steps;
  for (const std::string& line : lines_of(markdown)) {
    std::smatch match;
    if (std::regex_match(line, match, step)) steps.push_back({match[1], match[2]});
  }
  return steps;
}

}  // namespace stallcast::layers
