// --fail-if of commands that write points of a sweep: conditions on every one of them.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "cli/options/fail_if_option.h"
#include "cli/shell/environment.h"

namespace stallcast {

void add_fail_if_points_option(CLI::App& command, FailIfTexts& texts);

// The conditions, on what a point of a sweep has; with an error there are none and findings are printed.
std::optional<std::vector<Assertion>> read_fail_if_points(const FailIfTexts& texts, const Environment& environment);

// Says on standard error of how many of the finished points in `lines` each condition is true, and of which:
// kExitFine when of none, else kExitTargetsNotMet. A number that is not known counts as true; a configuration that
// cannot be has no numbers and is passed over.
int fail_if_points_code(const std::vector<Assertion>& conditions, const std::vector<std::string_view>& lines,
                        const Environment& environment);

}  // namespace stallcast
