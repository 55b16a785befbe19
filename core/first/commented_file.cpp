#include "core/first/commented_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/fields/field_table.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

struct CommentedLine {
  std::string text;
  std::string comment;
};

// With a comma after each but the last, and comments in one column.
std::string joined_lines(const std::vector<CommentedLine>& lines, const std::string& indent) {
  constexpr std::size_t kMostColumns = 60;  // further right no comment moves for the sake of another
  std::size_t width = 0;
  for (const CommentedLine& line : lines)
    if (!line.comment.empty() && line.text.size() < kMostColumns) width = std::max(width, line.text.size() + 1);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = lines[i].text + (i + 1 < lines.size() ? "," : "");
    if (!lines[i].comment.empty()) text = fmt::format("{:<{}}  // {}", text, width, lines[i].comment);
    out += indent + text + "\n";
  }
  return out;
}

std::string quoted_json(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string commented_file(const std::vector<CommentedValue>& values, const std::string& heading) {
  std::vector<std::string> parts;
  std::vector<CommentedLine> group_lines;
  std::string group;
  const auto close = [&] {
    if (group_lines.empty()) return;
    parts.push_back(group.empty()
                        ? joined_lines(group_lines, "  ")
                        : fmt::format("  {}: {{\n{}  }}\n", quoted_json(group), joined_lines(group_lines, "    ")));
    group_lines.clear();
  };
  for (const Field& field : field_table()) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const CommentedValue& v) { return v.pointer == field.pointer; });
    if (found == values.end()) continue;
    if (field.group != group) close();
    group = field.group;
    group_lines.push_back({fmt::format("{}: {}", quoted_json(field.name()),
                                       found->value.dump(-1, ' ', false, Json::error_handler_t::replace)),
                           found->comment});
  }
  close();
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string part = parts[i];
    if (i + 1 < parts.size()) {  // the comma goes before a comment of the last line
      const std::size_t last_line = part.rfind('\n', part.size() - 2);
      const std::size_t begin = last_line == std::string::npos ? 0 : last_line + 1;
      const std::size_t comment = part.find("  // ", begin);
      const bool inside = comment != std::string::npos && part[begin] == ' ' && part.compare(begin, 3, "  }") != 0;
      std::size_t end = inside ? comment : part.size() - 1;
      while (end > begin && part[end - 1] == ' ') --end;
      part.insert(end, ",");
    }
    out += part;
  }
  std::string comments;
  for (std::size_t start = 0; start < heading.size();) {
    const std::size_t end = std::min(heading.find('\n', start), heading.size());
    comments += "// " + heading.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return comments + "{\n" + out + "}\n";
}

}  // namespace stallcast
