// stallcast explain SCENARIO: what holds the job back, and what each change would buy.
#include <memory>

#include "cli/command.h"
#include "cli/fail_if_option.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/scenario_options.h"
#include "core/answers/run_answer.h"
#include "core/report/assumed_inputs.h"
#include "core/report/next_steps.h"
#include "core/report/result_shape.h"
#include "core/report/result_text.h"

namespace stallcast {
namespace {

int explain_command(const ScenarioOptions& options, const FailIfTexts& fail_if, const Environment& environment) {
  require_place_for(options.output_path);
  require_place_for(options.trace_path);
  const std::optional<ScenarioInput> input = load_input(options, environment);
  nlohmann::ordered_json shape = result_shape();
  shape.update(assumed_ranges_shape());
  const auto conditions = read_fail_if(fail_if, shape, environment);
  if (!input || !conditions) return kExitBadInput;
  const std::optional<ResolvedScenario> resolved = resolve_input(*input, environment);
  if (!resolved || !is_one_training_job(*resolved, "explain", environment)) return kExitBadInput;
  const Loaded<std::vector<Rule>> rules = load_rules(input->catalogue.identity.directory);
  print_findings(rules.findings, environment.err);
  if (!rules.ok()) return kExitBadInput;
  Trace trace;
  RunOptions run = run_options(options, environment);
  if (!journal_is_fine(*resolved, run, environment)) return kExitBadInput;
  if (!options.trace_path.empty()) run.trace = &trace;
  ProgressLine progress(environment);
  run.progress = progress.callback();
  const ExplainAnswer answer =
      answer_explain(input->file, *resolved, *rules.value, input->catalogue, run, assumed_inputs(options));
  progress.clear();
  const auto document = explain_document(*resolved, answer);
  const AssumedRanges assumed{*resolved, answer.ranges, answer.widened_cost};
  deliver_result(
      document,
      render_text(resolved->scenario, answer.explanation, answer.advice, text_style(options, environment), &assumed) +
          next_after_explain(options.scenario_path, resolved->scenario, answer.explanation.result) +
          render_text(resolved->catalogue),
      trace, options, environment);
  return fail_if_code(*conditions, document, {}, environment);
}

}  // namespace

void add_explain_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("explain", "Show what limits a job, and what each change is worth");
  const auto options = std::make_shared<ScenarioOptions>();
  add_scenario_options(*command, *options);
  add_inputs_option(*command, *options);
  const auto fail_if = std::make_shared<FailIfTexts>();
  add_fail_if_option(*command, *fail_if);
  command->callback([&context, options, fail_if] {
    context.action = [&context, options, fail_if] { return explain_command(*options, *fail_if, context.environment); };
  });
}

}  // namespace stallcast
