#include "cli/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/diagnostics/atomic_file.h"

namespace stallcast {
namespace {

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

}  // namespace

void require_place_for(const std::string& path) {
  if (is_standard_output(path)) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw WorldError(fmt::format("{}: is a directory, not a file to write", path));
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
    throw WorldError(fmt::format("{}: there is no directory {}", path, directory.string()));
  }
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void deliver(std::string_view text, const std::string& path, const Environment& environment) {
  if (!is_standard_output(path)) return write_file_atomically(path, text);
  errno = 0;
  environment.out << text << std::flush;
  if (environment.out || errno == EPIPE) return;
  throw WorldError(fmt::format("standard output: cannot be written: {}", errno != 0 ? std::strerror(errno) : "closed"));
}

void print_findings(const Findings& findings, std::ostream& err) {
  for (const Finding& finding : findings.list()) err << render_finding(finding) << "\n";
}

}  // namespace stallcast
