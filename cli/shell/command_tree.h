// What completions and manual pages say of a command line, read from its own structure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stallcast {

// Those that help lists, in its order.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// {"-o", "--output"}; empty for a positional argument.
std::vector<std::string> spellings(const CLI::Option& option);
bool is_positional(const CLI::Option& option);
bool takes_value(const CLI::Option& option);

// "N" of "N:INT in [1 - 100]": what the value is called.
std::string value_name(const CLI::Option& option);
// The words that the value may be; empty where it is no choice.
std::vector<std::string> choices(const CLI::Option& option);
// "INT in [1 - 100]" of the above: what else is asked of the value; "" where nothing is.
std::string value_range(const CLI::Option& option);

}  // namespace stallcast
