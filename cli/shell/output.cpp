#include "cli/shell/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/diagnostics/atomic_file.h"

namespace stallcast {
namespace {

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

// False where there is nothing. **Errors** WorldError when nobody can tell.
bool leads_to_directory(const std::filesystem::path& path) {
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::none)
    throw WorldError(fmt::format("{}: cannot be looked at: {}", path.string(), problem.message()));
  return std::filesystem::is_directory(status);
}

}  // namespace

void require_place_for(const std::string& path) {
  if (is_standard_output(path)) return;
  if (leads_to_directory(path)) throw WorldError(fmt::format("{}: is a directory, not a file to write", path));
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty() && !leads_to_directory(directory))
    throw WorldError(fmt::format("{}: there is no directory {}", path, directory.string()));
}

void flush_result(const Environment& environment) {
  environment.out << std::flush;
  if (environment.out || errno == EPIPE) return;
  throw WorldError(fmt::format("standard output: cannot be written: {}", errno != 0 ? std::strerror(errno) : "closed"));
}

void deliver(std::string_view text, const std::string& path, const Environment& environment) {
  if (!is_standard_output(path)) return write_file_atomically(path, text);
  errno = 0;
  environment.out << text;
  flush_result(environment);
}

void print_findings(const Findings& findings, std::ostream& err) {
  for (const Finding& finding : findings.list()) err << render_finding(finding) << "\n";
}

}  // namespace stallcast
