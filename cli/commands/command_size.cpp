// stallcast size SCENARIO: the cheapest configuration that keeps targets.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/fail_if_option.h"
#include "cli/options/scenario_options.h"
#include "cli/options/target_options.h"
#include "cli/options/vary_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "cli/shell/progress_line.h"
#include "core/answers/choice_answers.h"
#include "core/answers/questions/quantity_option.h"
#include "core/answers/questions/size_question.h"
#include "core/answers/timed_stop.h"
#include "core/report/json/result_document.h"
#include "core/report/json/result_shape.h"
#include "core/report/json/size_json.h"
#include "core/report/text/result_text.h"
#include "core/report/text/size_text.h"
#include "core/report/words/option_draws_text.h"

namespace stallcast {
namespace {

struct SizeOptions {
  ScenarioOptions scenario;
  std::vector<std::string> vary;
  SizeTexts asked;
  std::string time_limit;
  bool yes = false;
  FailIfTexts fail_if;
};

void add_size_options(CLI::App& command, SizeOptions& o) {
  add_input_options(command, o.scenario);
  add_inputs_option(command, o.scenario);
  add_vary_option(command, o.vary);
  add_target_options(command, o.asked.targets);
  command
      .add_option("--confidence", o.asked.confidence,
                  "Probability with which utilization, deadline and budget must be met; 0.95 when not given")
      ->type_name("P");
  command
      .add_option("--max-memory", o.asked.max_memory,
                  "Most memory of a node for its loaders; what the node has left when not given")
      ->type_name("BYTES");
  command
      .add_option("--quota", o.asked.quotas, "Most of gpus, nodes or storage capacity, as in gpus=64; may be repeated")
      ->type_name("gpus=N|nodes=N|capacity=BYTES")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--objective", o.asked.objective,
                  "What is best: total (cost of the run), gpu-hour (cost of a useful GPU-hour), time or utilization; "
                  "auto is total where the length of the run is given, else gpu-hour")
      ->type_name("WHAT")
      ->check(CLI::IsMember(size_objectives()));
  command
      .add_option(
          "--tolerance", o.asked.tolerance,
          "How far from the best the answer may be, as a fraction; 0.01 when not given, and 0 for the very best, "
          "which takes longer")
      ->type_name("FRACTION");
  command
      .add_option("--time-limit", o.time_limit,
                  "Stop searching after this time and tell the best so far, and how far it is from the best at most")
      ->type_name("TIME");
  command
      .add_option(
          "--front", o.asked.front,
          "How far to look for trade-offs of cost, utilization and time besides the answer: none; simulated, "
          "those among what the answer took; limited (when not given), by a sixteenth as many simulations again; full, "
          "until no configuration is missing, within the tolerance and as many points of utilization")
      ->type_name("SCOPE")
      ->check(CLI::IsMember(front_scopes()));
  command.add_option("--top", o.asked.top, "How many of the best to tell")->type_name("N")->check(CLI::Range(1, 1000));
  command.add_flag("--exhaustive", o.asked.exhaustive, "Simulate every configuration too, and compare");
  command.add_flag("--yes", o.yes, "Go on, however many configurations there are");
  command.add_option("--format", o.scenario.format, "How to print the result")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  command.add_option("-o,--output", o.scenario.output_path, "Write the result to a file instead of standard output")
      ->type_name("FILE");
  command.add_flag("--ascii", o.scenario.ascii, "Use no colour and no characters beyond ASCII");
  add_fail_if_option(
      command, o.fail_if,
      "End with exit code 4, after the answer was written, when a number of the chosen configuration, by "
      "its path in the JSON of simulate, is such, as in 'cost.total_usd > $500', or is not known; may be "
      "repeated");
}

// "612 of 12,900 decided, 40 simulated, best so far $2,702.90, about 20 s left"
class SizeProgress {
 public:
  explicit SizeProgress(const Environment& environment) : environment_(environment) {}
  SizeProgress(const SizeProgress&) = delete;
  SizeProgress& operator=(const SizeProgress&) = delete;
  ~SizeProgress() { clear(); }

  SearchWatch watch() {
    if (!environment_.err_is_terminal) return {};
    return [this](const SearchState& state) { show(state); };
  }
  void clear() {
    if (visible_) environment_.err << "\r\033[K" << std::flush;
    visible_ = false;
  }

 private:
  void show(const SearchState& state) {
    visible_ = true;
    std::string text = fmt::format("{}{} of {} configurations decided, {} runs", state.of_front ? "trade-offs: " : "",
                                   state.decided, state.points, state.simulations);
    if (state.best != nullptr) {
      const double utilization = state.best->figures.at(Figure::kUtilization);
      text += fmt::format(", best so far at {:.1f} % utilization", 100.0 * utilization);
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    if (state.decided > 0 && state.decided < state.points) {
      const double left =
          passed.count() * static_cast<double>(state.points - state.decided) / static_cast<double>(state.decided);
      text += fmt::format(", at most {} left", duration_text(left));
    }
    environment_.err << "\r\033[K" << text << std::flush;
  }

  const Environment& environment_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool visible_ = false;
};

std::optional<Space> read_space(const SizeOptions& o, const ScenarioInput& input, const Environment& environment) {
  std::vector<std::string> texts = o.vary;
  if (texts.empty() && input.file.scenario.plan.vary.empty()) {
    texts = usual_variables(input.file, input.catalogue);
    environment.err << "stallcast: nothing said what to vary, so size varies";
    for (const std::string& text : texts) environment.err << " --vary " << text;
    environment.err << '\n';
  }
  const auto variables = read_variables(texts, input.file, environment);
  if (!variables) return std::nullopt;
  Loaded<Space> space = make_space(input.file, *variables, {}, input.catalogue);
  print_findings(space.findings, environment.err);
  if (!space.ok()) return std::nullopt;
  return std::move(space.value);
}

int size_command(const SizeOptions& o, const Environment& environment) {
  require_place_for(o.scenario.output_path);
  Findings findings;
  SizeTexts asked = o.asked;
  asked.any_number = o.yes || !o.time_limit.empty();
  SizeRequest request = read_size_request(asked, findings);
  std::optional<double> limit_s;
  if (!o.time_limit.empty())
    limit_s = quantity_option("--time-limit", Dimension::kTime, o.time_limit,
                              {kShortestLimit, kLongestLimit, kLimitText}, findings);
  const auto conditions = read_fail_if(o.fail_if, result_shape(), environment);
  const std::optional<ScenarioInput> input = load_input(o.scenario, environment);
  const std::optional<Space> space = input ? read_space(o, *input, environment) : std::nullopt;
  if (input) add_planned_targets(input->file.scenario.plan, request);
  if (space) findings.append(check_request(input->file, *space, input->catalogue, request));
  print_findings(findings, environment.err);
  if (!space || !conditions || findings.has_errors()) return kExitBadInput;

  SizeProgress progress(environment);
  RunOptions run;
  const TimedStop stop(environment.stop, limit_s);
  run.stop = stop.token();
  const SizeAnswer answer =
      answer_size(input->file, *space, input->catalogue, request, run, assumed_inputs(o.scenario), progress.watch());
  progress.clear();
  const SizeResult& result = answer.result;
  const std::string out =
      o.scenario.format == "json"  ? json_text(size_answer_document(input->file, input->catalogue, answer))
      : o.scenario.format == "csv" ? size_csv(result)
                                   : render_text(result, input->file.scenario.name, text_style(o.scenario, environment),
                                                 chosen_draws_text(answer.draws, result.targets, result.objective)) +
                                         render_text(input->catalogue.identity);
  deliver(out, o.scenario.output_path, environment);
  if (result.best.empty() && result.complete) return kExitTargetsNotMet;
  return fail_if_code(*conditions, chosen_document(result), {.name = "the chosen configuration"}, environment);
}

}  // namespace

void add_size_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("size", "Find the cheapest configuration that meets targets");
  const auto options = std::make_shared<SizeOptions>();
  add_size_options(*command, *options);
  command->callback([&context, options] {
    context.action = [&context, options] { return size_command(*options, context.environment); };
  });
}

}  // namespace stallcast
