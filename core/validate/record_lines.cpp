#include "core/validate/record_lines.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

// Why `line` is no record, or "".
std::string reason_against(const std::string& line, const std::string& file, std::size_t number,
                           const std::function<void(const nlohmann::json&, std::size_t)>& add) {
  try {
    const Loaded<nlohmann::ordered_json> parsed = parse_json_text(line, file);
    if (!parsed.ok()) return parsed.findings.list().front().got;
    add(*parsed.value, number);
    return "";
  } catch (const nlohmann::json::exception& problem) {
    return problem.what();
  } catch (const BadRecord& problem) {
    return problem.what();
  }
}

}  // namespace

Loaded<bool> for_each_record(const std::filesystem::path& path, const std::string& what,
                             const std::function<void(const nlohmann::json& record, std::size_t line)>& add) {
  Loaded<std::string> text = read_text_file(path, kMostRecordBytes);
  if (!text.value) return {std::nullopt, std::move(text.findings)};
  Loaded<bool> out{true, {}};
  std::istringstream in(std::move(*text.value));
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string why = reason_against(line, path.string(), number, add);
    if (why.empty()) continue;
    out.findings.add({.code = "bad_record",
                      .file = path.string(),
                      .pointer = fmt::format("line {}", number),
                      .got = line.substr(0, 60),
                      .allowed = what,
                      .fix = "",
                      .why = std::move(why)});
  }
  return out;
}

}  // namespace stallcast
