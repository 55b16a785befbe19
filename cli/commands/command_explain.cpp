// stallcast explain SCENARIO: what holds the job back, and what each change would buy.
#include <memory>

#include "cli/options/fail_if_option.h"
#include "cli/options/scenario_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/questions/quantity_option.h"
#include "core/answers/run_answer.h"
#include "core/plan/explain/ruled_changes.h"
#include "core/plan/explain/shortest_way.h"
#include "core/report/json/advice_json.h"
#include "core/report/json/result_shape.h"
#include "core/report/text/advice_text.h"
#include "core/report/text/next_steps.h"
#include "core/report/text/result_text.h"
#include "core/report/words/assumed_inputs.h"

namespace stallcast {
namespace {

constexpr OptionRange kTarget = {0.01, 0.999, "1 % to 99.9 %"};

// The target of --to; nothing where it is not given.
Loaded<double> target_of(const std::string& text) {
  Loaded<double> out;
  if (!text.empty()) out.value = quantity_option("--to", Dimension::kFraction, text, kTarget, out.findings);
  return out;
}

int explain_command(const ScenarioOptions& options, const FailIfTexts& fail_if, const std::string& to,
                    const Environment& environment) {
  require_place_for(options.output_path);
  require_place_for(options.trace_path);
  const Loaded<double> target = target_of(to);
  print_findings(target.findings, environment.err);
  if (target.findings.has_errors()) return kExitBadInput;
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
  std::optional<ShortestWay> way;
  if (target.value)
    way = shortest_way(*resolved, answer.explanation, *target.value, run,
                       changes_by_rules(*rules.value, input->file, *resolved, input->catalogue));
  progress.clear();
  auto document = explain_document(*resolved, answer);
  if (way) document["shortest_way"] = shortest_way_json(*way);
  const AssumedRanges assumed{*resolved, answer.ranges, answer.widened_cost};
  deliver_result(
      document,
      render_text(resolved->scenario, answer.explanation, answer.advice, text_style(options, environment), &assumed) +
          (way ? "\n" + render_way(*way) : "") +
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
  const auto to = std::make_shared<std::string>();
  command
      ->add_option("--to", *to, "Show the shortest way to this GPU utilization, as in 90%: one change after the other")
      ->type_name("FRACTION");
  const auto fail_if = std::make_shared<FailIfTexts>();
  add_fail_if_option(*command, *fail_if);
  command->callback([&context, options, fail_if, to] {
    context.action = [&context, options, fail_if, to] {
      return explain_command(*options, *fail_if, *to, context.environment);
    };
  });
}

}  // namespace stallcast
