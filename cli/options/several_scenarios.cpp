#include "cli/options/several_scenarios.h"

#include <utility>

namespace stallcast {

void add_several_scenarios(CLI::App& command, SeveralScenarios& options, int least,
                           const std::vector<std::string>& formats) {
  constexpr int kMost = 100;
  command.add_option("SCENARIO", options.paths, "Scenario files (JSON)")->required()->expected(least, kMost);
  add_override_options(command, options.common);
  add_output_options(command, options.common, formats);
}

std::optional<std::vector<ResolvedScenario>> load_several(const SeveralScenarios& options, std::string_view command,
                                                          const Environment& environment) {
  std::vector<ResolvedScenario> scenarios;
  bool fine = true;
  for (const std::string& path : options.paths) {
    ScenarioOptions one = options.common;
    one.scenario_path = path;
    std::optional<ResolvedScenario> resolved = load_resolved(one, environment);
    fine = fine && resolved && is_one_training_job(*resolved, command, environment);
    if (resolved) scenarios.push_back(std::move(*resolved));
  }
  if (!fine) return std::nullopt;
  return scenarios;
}

}  // namespace stallcast
