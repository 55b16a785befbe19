// stallcast compare SCENARIO SCENARIO...: what differs, what comes of it, and whether that is luck.
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/fail_if_option.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/several_scenarios.h"
#include "core/plan/comparison.h"
#include "core/plan/option_draws.h"
#include "core/report/comparison_json.h"
#include "core/report/comparison_text.h"
#include "core/report/option_draws_text.h"
#include "core/report/result_shape.h"

namespace stallcast {
namespace {

struct CompareCommand {
  SeveralScenarios scenarios;
  std::int64_t pairs = kPairs;
  std::int64_t replications = 0;
  FailIfTexts fail_if;
};

// The figure of a choice that a comparison decided by.
Figure deciding_figure(const Comparison& comparison) {
  const std::string& name = comparison.advice.by->name;
  if (name == "cost.total_usd") return Figure::kTotal;
  if (name == "effective_usd_per_useful_gpu_hour") return Figure::kGpuHour;
  return name == "time_to_train_s" ? Figure::kTime : Figure::kUtilization;
}

OptionDraws draws_of(const Comparison& comparison, const RunOptions& run) {
  std::vector<OptionToDraw> drawn;
  for (const Compared& one : comparison.scenarios) drawn.push_back({&one.resolved, &one.evaluation});
  return draw_options(drawn, run);
}

std::string output_of(const Comparison& comparison, const OptionDraws& draws, const ScenarioOptions& options,
                      const Environment& environment) {
  std::vector<std::string> labels;
  for (const Compared& one : comparison.scenarios) labels.push_back(one.label);
  const Figure by = deciding_figure(comparison);
  if (options.format == "json") {
    auto document = comparison_document(comparison);
    document["ranges"] = option_draws_json(draws, labels, by);
    return json_text(document);
  }
  if (options.format == "csv") return comparison_csv(comparison);
  return render_text(comparison, text_style(options, environment), compared_draws_text(draws, labels, by));
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
  const Comparison comparison = compare(std::move(*scenarios), compared);
  const OptionDraws draws = common.inputs == "ranges" ? draws_of(comparison, compared.run) : OptionDraws();
  progress.clear();
  deliver(output_of(comparison, draws, common, environment), common.output_path, environment);
  int code = kExitFine;
  for (const Compared& one : comparison.scenarios)
    code = std::max(code, fail_if_code(*conditions, scenario_result(one), {.name = one.label}, environment));
  return code;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "compare", "Put scenarios beside the first: inputs that differ, figures with paired differences, time and money");
  const auto options = std::make_shared<CompareCommand>();
  add_several_scenarios(*command, options->scenarios, 2);
  add_inputs_option(*command, options->scenarios.common);
  command
      ->add_option("--pairs", options->pairs,
                   "Runs of each scenario, in pairs with the same luck, that differences are taken over")
      ->type_name("N")
      ->check(CLI::Range(2, 1000));
  command
      ->add_option("--replications", options->replications,
                   "Calendars to draw where something interrupts the run at random")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  add_fail_if_option(*command, options->fail_if);
  command->callback([&context, options] {
    context.action = [&context, options] { return compare_command(*options, context.environment); };
  });
}

}  // namespace stallcast
