// What to say about a command line that cannot be understood.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace stallcast {

// One or two lines ending in a newline: what is wrong, the nearest command or option, where to find help.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace stallcast
