// stallcast size SCENARIO: the cheapest configuration that keeps targets.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/fail_if_option.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/quantity_option.h"
#include "cli/scenario_options.h"
#include "cli/target_options.h"
#include "cli/vary_options.h"
#include "core/plan/evaluation.h"
#include "core/plan/option_draws.h"
#include "core/plan/size.h"
#include "core/report/option_draws_text.h"
#include "core/report/result_document.h"
#include "core/report/result_shape.h"
#include "core/report/result_text.h"
#include "core/report/size_json.h"
#include "core/report/size_text.h"

namespace stallcast {
namespace {

struct SizeOptions {
  ScenarioOptions scenario;
  std::vector<std::string> vary, quotas;
  TargetOptions targets;
  std::string confidence, max_memory, tolerance, time_limit, objective = "auto", front = "limited";
  std::int64_t top = 1;
  bool exhaustive = false, yes = false;
  FailIfTexts fail_if;
};

void add_size_options(CLI::App& command, SizeOptions& o) {
  add_input_options(command, o.scenario);
  add_inputs_option(command, o.scenario);
  add_vary_option(command, o.vary);
  add_target_options(command, o.targets);
  command
      .add_option("--confidence", o.confidence,
                  "Probability with which utilization, deadline and budget are kept; 0.95 when not given")
      ->type_name("P");
  command
      .add_option("--max-memory", o.max_memory,
                  "Most memory of a node for its loaders; what the node has left when not given")
      ->type_name("BYTES");
  command.add_option("--quota", o.quotas, "Most of gpus, nodes or storage capacity, as in gpus=64; may be repeated")
      ->type_name("gpus=N|nodes=N|capacity=BYTES")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--objective", o.objective,
                  "What is best: total (cost of the run), gpu-hour (cost of a useful GPU-hour), time or utilization; "
                  "auto is total where the length of the run is given, else gpu-hour")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"auto", "total", "gpu-hour", "time", "utilization"}));
  command
      .add_option(
          "--tolerance", o.tolerance,
          "How far from the best the answer may be, as a fraction; 0.01 when not given, and 0 for the very best, "
          "which takes longer")
      ->type_name("FRACTION");
  command
      .add_option("--time-limit", o.time_limit,
                  "Stop searching after this time and tell the best so far, and how far it is from the best at most")
      ->type_name("TIME");
  command
      .add_option(
          "--front", o.front,
          "How far to look for trade-offs of cost, utilization and time beside the answer: none; simulated, "
          "those among what the answer took; limited (when not given), by a sixteenth as many simulations again; full, "
          "until no configuration is missing, within the tolerance and as many points of utilization")
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"none", "simulated", "limited", "full"}));
  command.add_option("--top", o.top, "How many of the best to tell")->type_name("N")->check(CLI::Range(1, 1000));
  command.add_flag("--exhaustive", o.exhaustive, "Simulate every configuration too, and compare");
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

// A stop that comes when the user asks for it, or when the time is over.
class TimedStop {
 public:
  TimedStop(const std::stop_token& asked, std::optional<double> limit_s)
      : forward_(asked, [this] { source_.request_stop(); }) {
    if (!limit_s) return;
    timer_ = std::jthread([this, limit_s](const std::stop_token& over) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any wake;
      wake.wait_for(lock, over, std::chrono::duration<double>(*limit_s), [] { return false; });
      if (!over.stop_requested()) source_.request_stop();
    });
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;
};

void add_quota(const std::string& text, SizeRequest& request, Findings& findings) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool capacity = name == "capacity";
  if (value.empty() || (!capacity && name != "gpus" && name != "nodes")) {
    const std::string nearest = nearest_word(name, {"gpus", "nodes", "capacity"});
    findings.add({Severity::kError, "not_a_quota", "--quota", "", text, "gpus=N, nodes=N or capacity=BYTES",
                  nearest.empty() || value.empty() ? "" : fmt::format("did you mean {}={}?", nearest, value), ""});
    return;
  }
  const auto read = quantity_option("--quota", capacity ? Dimension::kBytes : Dimension::kCount, value,
                                    {1.0, kPositive.high, "1 or more"}, findings);
  const Figure figure = capacity ? Figure::kCapacity : name == "gpus" ? Figure::kGpus : Figure::kNodes;
  if (read) request.targets.push_back({figure, *read});
}

SizeRequest read_request(const SizeOptions& o, Findings& findings) {
  SizeRequest request;
  read_targets(o.targets, request, findings);
  if (!o.max_memory.empty())
    if (const auto most = quantity_option("--max-memory", Dimension::kBytes, o.max_memory, kPositive, findings))
      request.targets.push_back({Figure::kMemory, *most});
  for (const std::string& quota : o.quotas) add_quota(quota, request, findings);
  const auto number = [&](const char* option, const std::string& text, double& value, const OptionRange& range) {
    if (text.empty()) return;
    if (const auto read = quantity_option(option, Dimension::kFraction, text, range, findings)) value = *read;
  };
  number("--confidence", o.confidence, request.confidence, {0.5, 0.999999, "0.5 to less than 1"});
  number("--tolerance", o.tolerance, request.tolerance, {0.0, 0.2, "0 to 0.2"});
  constexpr std::array<std::pair<const char*, Figure>, 4> kObjectives = {{{"total", Figure::kTotal},
                                                                          {"gpu-hour", Figure::kGpuHour},
                                                                          {"time", Figure::kTime},
                                                                          {"utilization", Figure::kUtilization}}};
  for (const auto& [word, figure] : kObjectives)
    if (o.objective == word) request.objective = figure;
  for (const FrontScope scope : {FrontScope::kNone, FrontScope::kSimulated, FrontScope::kLimited, FrontScope::kFull})
    if (o.front == front_scope_name(scope)) request.front = scope;
  request.top = o.top;
  request.exhaustive = o.exhaustive;
  if (o.yes || !o.time_limit.empty()) request.most_points = std::numeric_limits<std::int64_t>::max();
  return request;
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

// The chosen configuration and those that are told beside it: the next best, and the best of other tiers.
struct ToldConfigurations {
  std::vector<std::string> labels;
  std::vector<ResolvedScenario> resolved;
  std::vector<Evaluation> evaluations;
};

ToldConfigurations told_configurations(const SizeResult& result, const ScenarioInput& input, const RunOptions& run) {
  constexpr std::size_t kMost = 4;
  ToldConfigurations out;
  const auto add = [&](const SizedPoint& point) {
    if (out.labels.size() == kMost) return;
    Loaded<ResolvedScenario> resolved = resolve_at(input.file, point.point, input.catalogue);
    if (!resolved.ok()) return;
    const ResolvedScenario as_given = with_inputs_as_given(*resolved.value);
    out.labels.push_back(point_text(point.point));
    out.evaluations.push_back(evaluate(as_given, run));
    out.resolved.push_back(std::move(*resolved.value));
  };
  if (result.best.empty()) return out;
  for (const SizedPoint& point : result.best) add(point);
  for (const TierAnswer& tier : result.tiers)
    if (tier.best) add(*tier.best);
  return out;
}

OptionDraws draws_of(const ToldConfigurations& told, const RunOptions& run) {
  std::vector<OptionToDraw> options;
  for (std::size_t i = 0; i < told.labels.size(); ++i) options.push_back({&told.resolved[i], &told.evaluations[i]});
  return draw_options(options, run);
}

int size_command(const SizeOptions& o, const Environment& environment) {
  require_place_for(o.scenario.output_path);
  Findings findings;
  SizeRequest request = read_request(o, findings);
  std::optional<double> limit_s;
  if (!o.time_limit.empty())
    limit_s = quantity_option("--time-limit", Dimension::kTime, o.time_limit, {0.1, 3.2e7, "0.1 s to 370 d"}, findings);
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
  const SizeResult result = size(input->file, *space, input->catalogue, request, run, progress.watch());
  OptionDraws draws;
  ToldConfigurations told;
  if (o.scenario.inputs == "ranges" && !run.stop.stop_requested()) {
    told = told_configurations(result, *input, run);
    draws = draws_of(told, run);
  }
  progress.clear();
  nlohmann::ordered_json document = size_document(result, static_cast<std::uint64_t>(input->file.scenario.run.seed));
  document["ranges"] = option_draws_json(draws, told.labels, result.objective, result.targets);
  document["catalogue"] = catalogue_to_json(input->catalogue.identity);
  const std::string out = o.scenario.format == "json" ? json_text(document)
                          : o.scenario.format == "csv"
                              ? size_csv(result)
                              : render_text(result, input->file.scenario.name, text_style(o.scenario, environment),
                                            chosen_draws_text(draws, result.targets, result.objective)) +
                                    render_text(input->catalogue.identity);
  deliver(out, o.scenario.output_path, environment);
  if (result.best.empty() && result.complete) return kExitTargetsNotMet;
  return fail_if_code(*conditions, chosen_document(result), {.name = "the chosen configuration"}, environment);
}

}  // namespace

void add_size_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("size", "Find the cheapest configuration that keeps targets");
  const auto options = std::make_shared<SizeOptions>();
  add_size_options(*command, *options);
  command->callback([&context, options] {
    context.action = [&context, options] { return size_command(*options, context.environment); };
  });
}

}  // namespace stallcast
