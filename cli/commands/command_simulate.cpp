// stallcast simulate SCENARIO: one run, as text, JSON or CSV.
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/options/fail_if_option.h"
#include "cli/options/scenario_options.h"
#include "cli/options/simulate_scenario.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/patience.h"
#include "cli/shell/progress_line.h"
#include "core/answers/jobs_answer.h"
#include "core/answers/run_answer.h"
#include "core/report/json/focus_csv.h"
#include "core/report/json/jobs_document.h"
#include "core/report/json/result_shape.h"
#include "core/report/text/jobs_text.h"
#include "core/report/text/next_steps.h"
#include "core/report/text/result_text.h"
#include "core/report/words/assumed_inputs.h"

namespace stallcast {
namespace {

struct FocusOptions {
  std::string path;
  std::string start;  // "2026-12-01", "" for today
};

struct SimulateOptions {
  ScenarioOptions scenario;
  FocusOptions focus;
  FailIfTexts fail_if;
  bool yes = false;
};

// Nothing unless `text` is a date that exists.
std::optional<std::chrono::sys_days> parse_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t count) {
    unsigned value = 0;
    const char* const end = text.data() + from + count;
    return std::from_chars(text.data() + from, end, value).ptr == end ? value : 0;  // 0 is no month and no day
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(number(5, 2)), std::chrono::day(number(8, 2))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// False, with a message, when there is nothing that could be written.
bool deliver_focus(const CostBreakdown& cost, const std::string& name, const FocusOptions& focus,
                   const Environment& environment) {
  if (!cost.run_is_sized) {
    environment.err << "stallcast: no forecast of costs: "
                    << (cost.run_ends
                            ? "the length of the run is not given; set dataset.samples or run.steps_per_epoch\n"
                            : "the run does not end, interruptions undo what it does\n");
    return false;
  }
  for (const UnknownCost& unknown : cost.unknown)
    environment.err << "stallcast: " << focus.path << " lacks what has no price: " << unknown_text(unknown) << '\n';
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  deliver(focus_csv(cost, name, parse_date(focus.start).value_or(today)), focus.path, environment);
  return true;
}

// Without the options that are for one training job.
bool can_run_together(const ResolvedScenario& resolved, const ScenarioOptions& options, const FocusOptions& focus,
                      const Environment& environment) {
  return (options.trace_path.empty() || is_one_training_job(resolved, "--trace", environment)) &&
         (options.journal_path.empty() || is_one_training_job(resolved, "--journal", environment)) &&
         (focus.path.empty() || is_one_training_job(resolved, "--focus", environment));
}

void deliver_jobs(const nlohmann::ordered_json& document, const ResolvedScenario& resolved, const std::string& text,
                  const ScenarioOptions& options, const Environment& environment) {
  const std::string out = options.format == "json"  ? document.dump(2) + "\n"
                          : options.format == "csv" ? jobs_csv(document)
                                                    : text + render_text(resolved.catalogue);
  deliver(out, options.output_path, environment);
}

nlohmann::ordered_json simulate_load(const ResolvedScenario& resolved, const ScenarioOptions& options,
                                     const Environment& environment) {
  const ServingAnswer answer = answer_serving(resolved, run_options(options, environment), assumed_inputs(options));
  auto document = serving_answer_document(resolved, answer);
  deliver_jobs(document, resolved,
               render_text(resolved, answer.result, answer.cost, text_style(options, environment), answer.ranges),
               options, environment);
  return document;
}

nlohmann::ordered_json simulate_together(const ResolvedScenario& resolved, const ScenarioOptions& options,
                                         const Environment& environment) {
  RunOptions run = run_options(options, environment);
  ProgressLine progress(environment);
  run.progress = progress.callback();
  const JobsAnswer answer = answer_jobs(resolved, run, assumed_inputs(options));
  progress.clear();
  auto document = jobs_answer_document(resolved, answer);
  deliver_jobs(document, resolved,
               render_text(resolved, answer.result, answer.cost, text_style(options, environment), answer.ranges),
               options, environment);
  return document;
}

int simulate_several(const ResolvedScenario& resolved, const SimulateOptions& options,
                     const std::vector<Assertion>& conditions, const Environment& environment) {
  if (!can_run_together(resolved, options.scenario, options.focus, environment)) return kExitBadInput;
  const auto document = resolved.concurrent_jobs.empty() ? simulate_load(resolved, options.scenario, environment)
                                                         : simulate_together(resolved, options.scenario, environment);
  return fail_if_code(conditions, document, {.checked = false}, environment);
}

int simulate_one(const ResolvedScenario& resolved, const SimulateOptions& all, const std::vector<Assertion>& conditions,
                 const Environment& environment) {
  const ScenarioOptions& options = all.scenario;
  Trace trace;
  RunOptions run = run_options(options, environment);
  if (!journal_is_fine(resolved, run, environment)) return kExitBadInput;
  if (!options.trace_path.empty()) run.trace = &trace;
  ProgressLine progress(environment);
  run.progress = progress.callback();
  std::optional<Patience> patience;
  if (!all.yes) {
    patience.emplace(resolved.scenario, environment.stop);
    run.stop = patience->stop();
    run.progress = patience->watch(std::move(run.progress));
  }
  const RunAnswer answer = answer_run(resolved, run, assumed_inputs(options));
  progress.clear();
  if (const std::optional<Finding> too_much = patience ? patience->finding() : std::nullopt) {
    Findings findings;
    findings.add(*too_much);
    print_findings(findings, environment.err);
    return kExitBadInput;
  }
  const auto document = run_document(resolved, answer);
  const AssumedRanges assumed{resolved, answer.ranges, answer.widened_cost};
  deliver_result(document,
                 render_text(resolved.scenario, answer.result, answer.bound, answer.cost,
                             text_style(options, environment), &assumed) +
                     next_after_simulate(options.scenario_path, resolved.scenario, answer.result) +
                     render_text(resolved.catalogue),
                 trace, options, environment);
  if (!all.focus.path.empty() && !deliver_focus(answer.cost, resolved.scenario.name, all.focus, environment))
    return kExitBadInput;
  return fail_if_code(conditions, document, {}, environment);
}

int simulate_command(const SimulateOptions& options, const Environment& environment) {
  require_place_for(options.focus.path);
  const std::optional<ResolvedScenario> resolved = load_resolved(options.scenario, environment);
  const bool one = resolved && resolved->concurrent_jobs.empty() && resolved->scenario.job == JobKind::kTraining;
  nlohmann::ordered_json shape;
  if (one) {
    shape = result_shape();
    shape.update(assumed_ranges_shape());
  }
  const auto conditions = read_fail_if(options.fail_if, shape, environment);
  if (!resolved || !conditions) return kExitBadInput;
  return one ? simulate_one(*resolved, options, *conditions, environment)
             : simulate_several(*resolved, options, *conditions, environment);
}

}  // namespace

int simulate_scenario(const ScenarioOptions& options, const Environment& environment) {
  SimulateOptions all;
  all.scenario = options;
  return simulate_command(all, environment);
}

void add_simulate_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "simulate", "Simulate a job, or several on one storage: GPU utilization and where the time goes");
  const auto options = std::make_shared<SimulateOptions>();
  add_scenario_options(*command, options->scenario);
  add_fail_if_option(*command, options->fail_if);
  add_inputs_option(*command, options->scenario);
  command->add_flag("--yes", options->yes, "Go on, however long it takes");
  FocusOptions& focus = options->focus;
  auto* path = command->add_option("--focus", focus.path, "Write the costs as a forecast in the columns of FOCUS 1.2")
                   ->type_name("OUT.csv")
                   ->check([](const std::string& text) { return text == "-" ? "a file is needed" : ""; });
  command->add_option("--focus-start", focus.start, "Day on which the forecast's job starts; today when not given")
      ->type_name("YYYY-MM-DD")
      ->needs(path)
      ->check([](const std::string& text) { return parse_date(text) ? "" : "a date like 2026-12-01 is needed"; });
  command->callback([&context, options] {
    context.action = [&context, options] { return simulate_command(*options, context.environment); };
  });
}

}  // namespace stallcast
