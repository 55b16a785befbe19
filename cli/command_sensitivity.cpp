// stallcast sensitivity SCENARIO...: what the result depends on, and at which values the advice changes.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/several_scenarios.h"
#include "core/plan/input_range.h"
#include "core/plan/sensitivity_study.h"
#include "core/report/sensitivity_json.h"
#include "core/report/sensitivity_text.h"

namespace stallcast {
namespace {

struct SensitivityCommand {
  SeveralScenarios scenarios;
  std::vector<std::string> figures, inputs;
  std::string by, condition;
  std::int64_t samples = 0;
  double furthest = 10.0;
};

struct Question {
  InputsOfEach inputs;
  std::vector<const Kpi*> figures;
  BreakEvenOptions break_even;
};

const Kpi* read_figure(const char* option, const std::string& name, Findings& findings) {
  const Kpi* kpi = find_kpi(name);
  if (kpi != nullptr) return kpi;
  std::vector<std::string> names;
  for (const Kpi& one : kpi_table()) names.push_back(one.name);
  const std::string nearest = nearest_word(name, names);
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  findings.add({Severity::kError, "unknown_figure", option, "", "\"" + name + "\"", all,
                nearest.empty() ? "" : "did you mean " + nearest + "?", ""});
  return nullptr;
}

void read_condition(const SensitivityCommand& options, BreakEvenOptions& out, Findings& findings) {
  if (options.condition.empty()) return;
  if (options.scenarios.paths.size() > 1) {
    findings.add({Severity::kError, "one_scenario", "--until", "", "", "one scenario",
                  "leave it out: of several the best one is asked for, by --by", ""});
    return;
  }
  Loaded<Assertion> condition = parse_assertion(options.condition, "--until");
  findings.append(condition.findings);
  if (condition.value && read_figure("--until", condition.value->path, findings) != nullptr)
    out.condition = std::move(condition.value);
}

// An interval is for every scenario that has such a value; it is wrong where none takes it.
void read_input(const std::string& text, const std::vector<ResolvedScenario>& scenarios, InputsOfEach& given,
                Findings& findings) {
  Findings refused;
  bool taken = false;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    Loaded<UncertainInput> input = parse_input_range(text, scenarios[i]);
    if (input.value) given[i].push_back(std::move(*input.value));
    taken = taken || input.ok();
    if (!input.ok() && refused.empty()) refused = std::move(input.findings);
  }
  if (!taken) findings.append(refused);
}

std::optional<Question> read_question(const SensitivityCommand& options, const std::vector<ResolvedScenario>& scenarios,
                                      const Environment& environment) {
  Findings findings;
  Question out;
  InputsOfEach given(scenarios.size());
  for (const std::string& text : options.inputs) read_input(text, scenarios, given, findings);
  for (const std::string& name : options.figures)
    if (const Kpi* kpi = read_figure("--kpi", name, findings)) out.figures.push_back(kpi);
  if (out.figures.empty()) out.figures = {find_kpi("gpu_utilization"), find_kpi("effective_usd_per_useful_gpu_hour")};
  if (!options.by.empty()) out.break_even.by = read_figure("--by", options.by, findings);
  read_condition(options, out.break_even, findings);
  print_findings(findings, environment.err);
  if (findings.has_errors()) return std::nullopt;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    out.inputs.push_back(uncertain_inputs(scenarios[i].scenario, given[i]));
    for (const UncertainInput& input : out.inputs.back()) out.break_even.more.push_back(input.pointer);
  }
  return out;
}

std::string output_of(const SensitivityStudy& study, const ScenarioOptions& options, const Environment& environment) {
  if (options.format == "json") return json_text(sensitivity_document(study));
  if (options.format == "csv") return sensitivity_csv(study);
  return render_text(study, text_style(options, environment));
}

int sensitivity_command(const SensitivityCommand& options, const Environment& environment) {
  const ScenarioOptions& common = options.scenarios.common;
  auto scenarios = load_several(options.scenarios, "sensitivity", environment);
  if (!scenarios) return kExitBadInput;
  std::optional<Question> question = read_question(options, *scenarios, environment);
  if (!question) return kExitBadInput;
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
  repeatable("--kpi", options->figures, "Figure to look at, as in cost.total_usd; may be repeated")->type_name("NAME");
  repeatable("--input", options->inputs,
             "90 % interval of an input, as in storage.latency=\"1 ms..4 ms\" or workload.step_time=x0.9..x1.2; of "
             "every scenario that has such a value")
      ->type_name("PATH=LOW..HIGH");
  command
      ->add_option("--samples", options->samples,
                   "Samples of the shares of variance, each a run for every input and two; a power of two is best")
      ->type_name("N")
      ->check(CLI::Range(2, 1 << 20));
  command->add_option("--by", options->by, "Figure that decides between several scenarios; their cost if not given")
      ->type_name("NAME");
  command
      ->add_option("--until", options->condition,
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
