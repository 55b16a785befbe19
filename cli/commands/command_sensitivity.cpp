// stallcast sensitivity SCENARIO...: what the result depends on, and at which values the advice changes.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/options/several_scenarios.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/questions/sensitivity_question.h"
#include "core/report/json/sensitivity_json.h"
#include "core/report/text/sensitivity_text.h"

namespace stallcast {
namespace {

struct SensitivityCommand {
  SeveralScenarios scenarios;
  SensitivityTexts asked;
  std::int64_t samples = 0;
  double furthest = 10.0;
};

std::string output_of(const SensitivityStudy& study, const ScenarioOptions& options, const Environment& environment) {
  if (options.format == "json") return json_text(sensitivity_document(study));
  if (options.format == "csv") return sensitivity_csv(study);
  return render_text(study, text_style(options, environment));
}

int sensitivity_command(const SensitivityCommand& options, const Environment& environment) {
  const ScenarioOptions& common = options.scenarios.common;
  auto scenarios = load_several(options.scenarios, "sensitivity", environment);
  if (!scenarios) return kExitBadInput;
  Loaded<SensitivityQuestion> read = read_sensitivity_question(options.asked, *scenarios);
  print_findings(read.findings, environment.err);
  if (!read.ok()) return kExitBadInput;
  SensitivityQuestion* question = &*read.value;
  ProgressLine progress(environment);
  SensitivityOptions inputs;
  inputs.run = run_options(common, environment);
  inputs.figures = question->figures;
  inputs.samples = options.samples;
  inputs.counted = progress.counter("runs with other inputs");
  question->break_even.run = run_options(common, environment);
  question->break_even.furthest = options.furthest;
  question->break_even.counted = progress.counter("inputs turned up and down");
  const SensitivityStudy study =
      study_sensitivity(std::move(*scenarios), question->inputs, inputs, question->break_even);
  progress.clear();
  deliver(output_of(study, common, environment), common.output_path, environment);
  return kExitFine;
}

}  // namespace

void add_sensitivity_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("sensitivity",
                                         "Say which uncertain inputs a result, or the difference between the best two, "
                                         "depends on, and at which values the "
                                         "advice changes");
  const auto options = std::make_shared<SensitivityCommand>();
  add_several_scenarios(*command, options->scenarios, 1);
  const auto repeatable = [&](const char* name, std::vector<std::string>& texts, const char* help) {
    return command->add_option(name, texts, help)->expected(1)->take_all()->allow_extra_args(false);
  };
  repeatable("--kpi", options->asked.figures, "Figure to look at, as in cost.total_usd; may be repeated")
      ->type_name("NAME");
  repeatable("--input", options->asked.inputs,
             "90 % interval of an input, as in storage.latency=\"1 ms..4 ms\" or workload.step_time=x0.9..x1.2; of "
             "every scenario that has such a value")
      ->type_name("PATH=LOW..HIGH");
  command
      ->add_option("--samples", options->samples,
                   "Samples of the shares of variance, each a run for every input and two; a power of two is best")
      ->type_name("N")
      ->check(CLI::Range(2, 1 << 20));
  command
      ->add_option("--by", options->asked.by, "Figure that decides between several scenarios; their cost if not given")
      ->type_name("NAME");
  command
      ->add_option("--until", options->asked.condition,
                   "Of one scenario: find where this becomes true or false, as in 'gpu_utilization<0.9'")
      ->type_name("CONDITION");
  command->add_option("--within", options->furthest, "Turn inputs down to 1/FACTOR and up to FACTOR times their value")
      ->type_name("FACTOR")
      ->check(CLI::Range(1.01, 1000.0));
  command->callback([&context, options] {
    context.action = [&context, options] { return sensitivity_command(*options, context.environment); };
  });
}

}  // namespace stallcast
