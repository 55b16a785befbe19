#include "cli/options/vary_options.h"

#include <utility>

#include "cli/shell/output.h"
#include "core/answers/questions/size_question.h"

namespace stallcast {

void add_vary_option(CLI::App& command, std::vector<std::string>& texts) {
  command
      .add_option(
          "--vary", texts,
          "Vary one field, as in loader.num_workers=4,8,16 or cluster.nodes=1..8 or storage.capacity=valid; may "
          "be repeated; plan.vary of the scenario when not given")
      ->type_name("PATH=a,b,c|lo..hi[:step]")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

std::optional<std::vector<Variable>> read_variables(const std::vector<std::string>& texts, const ScenarioFile& base,
                                                    const Environment& environment) {
  Loaded<std::vector<Variable>> variables = read_variables(texts, base);
  print_findings(variables.findings, environment.err);
  return std::move(variables.value);
}

}  // namespace stallcast
