// The command line as a function, so that tests run what ships.
#pragma once

#include <iosfwd>

#include "cli/shell/environment.h"

namespace stallcast {

// Runs one command line, program name first, and returns its exit code. Nothing is thrown.
int run_cli(int argc, const char* const* argv, const Environment& environment);

// The same away from a terminal: no progress, no colour, block characters in bars.
int run_cli(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace stallcast
