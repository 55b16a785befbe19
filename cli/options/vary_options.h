// --vary: the fields that a plan varies.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/shell/environment.h"
#include "core/plan/space/variable.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// Adds --vary, which may be repeated.
void add_vary_option(CLI::App& command, std::vector<std::string>& texts);

// The variables; those of the scenario itself (plan.vary) where there are no texts. Nothing, with every finding
// printed, where one is wrong.
std::optional<std::vector<Variable>> read_variables(const std::vector<std::string>& texts, const ScenarioFile& base,
                                                    const Environment& environment);

}  // namespace stallcast
