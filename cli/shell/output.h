// Where results go.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "cli/shell/environment.h"
#include "core/answers/json_text.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// Throws WorldError now if `path` cannot become a file because its directory is missing or it is itself a directory, so
// that nobody waits for a result that cannot be kept. "" and "-" are standard output.
void require_place_for(const std::string& path);

// Writes the whole result to `path`, complete or not at all, or to standard output for "" and "-".
// A reader that went away (`stallcast ... | head`) is no error.
// **Errors** WorldError with the system's reason.
void deliver(std::string_view text, const std::string& path, const Environment& environment);

// What was written to standard output so far has left this process. As deliver.
void flush_result(const Environment& environment);

// One finding after the other on standard error.
void print_findings(const Findings& findings, std::ostream& err);

}  // namespace stallcast
