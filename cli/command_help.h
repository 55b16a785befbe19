// What --help says beyond options: what each command is for, in groups, with examples of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace stallcast {

// Puts every command of `program` into its group, and examples of it below its options.
void describe_commands(CLI::App& program);

// What `stallcast` alone says: where to start.
std::string where_to_start();

}  // namespace stallcast
