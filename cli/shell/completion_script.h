// Completion scripts for shells, generated from a command line, so that they never lag behind it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace stallcast {

// Each completes commands, options, the words of options that take one of a list, and file names elsewhere.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace stallcast
