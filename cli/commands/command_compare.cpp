// stallcast compare SCENARIO SCENARIO...: what differs, what comes of it, and whether that is luck.
#include <algorithm>
#include <memory>

#include "cli/options/fail_if_option.h"
#include "cli/options/several_scenarios.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/choice_answers.h"
#include "core/report/json/comparison_json.h"
#include "core/report/json/result_shape.h"
#include "core/report/text/comparison_markdown.h"
#include "core/report/text/comparison_text.h"
#include "core/report/words/option_draws_text.h"

namespace stallcast {
namespace {

struct CompareCommand {
  SeveralScenarios scenarios;
  std::int64_t pairs = kPairs;
  std::int64_t replications = 0;
  FailIfTexts fail_if;
};

std::string output_of(const ComparisonAnswer& answer, const ScenarioOptions& options, const Environment& environment) {
  if (options.format == "json") return json_text(comparison_answer_document(answer));
  if (options.format == "csv") return comparison_csv(answer.comparison);
  if (options.format == "markdown") return comparison_markdown(answer.comparison);
  return render_text(answer.comparison, text_style(options, environment),
                     compared_draws_text(answer.draws, answer.labels, answer.by));
}

int compare_command(const CompareCommand& options, const Environment& environment) {
  const ScenarioOptions& common = options.scenarios.common;
  auto scenarios = load_several(options.scenarios, "compare", environment);
  const auto conditions = read_fail_if(options.fail_if, result_shape(), environment);
  if (!scenarios || !conditions) return kExitBadInput;
  CompareOptions compared;
  compared.run = run_options(common, environment);
  compared.run.replications = options.replications;
  compared.pairs = options.pairs;
  ProgressLine progress(environment);
  compared.counted = progress.counter("runs");
  const ComparisonAnswer answer = answer_compare(std::move(*scenarios), compared, assumed_inputs(common));
  progress.clear();
  deliver(output_of(answer, common, environment), common.output_path, environment);
  int code = kExitFine;
  for (const Compared& one : answer.comparison.scenarios) {
    if (code == kExitWorldTrouble) break;  // stopped, which one line says
    code = std::max(code, fail_if_code(*conditions, scenario_result(one), {.name = one.label}, environment));
  }
  return code;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "compare",
      "Compare scenarios with the first: inputs that differ, results with paired differences, time and money");
  const auto options = std::make_shared<CompareCommand>();
  add_several_scenarios(*command, options->scenarios, 2, {"table", "json", "csv", "markdown"});
  add_inputs_option(*command, options->scenarios.common);
  command
      ->add_option("--pairs", options->pairs,
                   "Runs of each scenario, in pairs with the same random numbers, that differences are taken over")
      ->type_name("N")
      ->check(CLI::Range(2, 1000));
  command->add_option("--replications", options->replications, "Whole runs to simulate, where interruptions are random")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  add_fail_if_option(*command, options->fail_if);
  command->callback([&context, options] {
    context.action = [&context, options] { return compare_command(*options, context.environment); };
  });
}

}  // namespace stallcast
