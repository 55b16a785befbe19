#include "cli/vary_options.h"

#include <utility>

#include "cli/output.h"

namespace stallcast {

void add_vary_option(CLI::App& command, std::vector<std::string>& texts) {
  command
      .add_option(
          "--vary", texts,
          "Vary one field, as in loader.num_workers=4,8,16 or cluster.nodes=1..8 or storage.capacity=valid; may "
          "be repeated")
      ->type_name("PATH=a,b,c|lo..hi[:step]")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

std::optional<std::vector<Variable>> read_variables(const std::vector<std::string>& texts, const ScenarioFile& base,
                                                    const Environment& environment) {
  std::vector<Variable> variables;
  Findings findings;
  for (const std::string& text : texts) {
    Loaded<Variable> variable = parse_variable(text, base);
    findings.append(variable.findings);
    if (variable.value) variables.push_back(std::move(*variable.value));
  }
  print_findings(findings, environment.err);
  if (findings.has_errors()) return std::nullopt;
  return variables;
}

}  // namespace stallcast
