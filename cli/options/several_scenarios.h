// The options of commands that look at several scenarios at once.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/scenario_options.h"
#include "cli/shell/environment.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct SeveralScenarios {
  std::vector<std::string> paths;
  ScenarioOptions common;  // scenario_path is not looked at
};

// Adds SCENARIO, `least` or more of them, then what add_override_options() and add_output_options() have.
void add_several_scenarios(CLI::App& command, SeveralScenarios& options, int least,
                           const std::vector<std::string>& formats = {"table", "json", "csv"});

// Every scenario with the overrides in it, everything filled in; with an error in any there is none, and the findings
// of all are printed. `command` says what each has to be one training job for.
// **Errors** WorldError
std::optional<std::vector<ResolvedScenario>> load_several(const SeveralScenarios& options, std::string_view command,
                                                          const Environment& environment);

}  // namespace stallcast
