#include "cli/options/scenario_options.h"

#include <sstream>
#include <utility>

#include "cli/shell/output.h"
#include "core/answers/questions/overridden.h"
#include "core/report/json/result_document.h"
#include "core/report/json/trace_json.h"
#include "core/scenario/resolve/record_names.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/known_walks.h"
#include "core/timeline/run_journal.h"

namespace stallcast {

void add_override_options(CLI::App& command, ScenarioOptions& options) {
  command.add_option("--set", options.overrides, "Set one field, as in loader.num_workers=16; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  add_catalogue_option(command, options.catalogue);
  command.add_option("--seed", options.seed, "Seed of the random numbers; the same seed gives the same result")
      ->type_name("N");
  command
      .add_option("--precision", options.precision,
                  "Half-width of the 95 % interval of GPU utilization to stop at, as in 0.005")
      ->type_name("P");
}

void add_input_options(CLI::App& command, ScenarioOptions& options) {
  command.add_option("SCENARIO", options.scenario_path, "Scenario file (JSON)")->required();
  add_override_options(command, options);
}

void add_inputs_option(CLI::App& command, ScenarioOptions& options) {
  command
      .add_option("--inputs", options.inputs,
                  "Inputs that you did not give: ranges samples each from its range, which shows how far the answer "
                  "may be off and why; "
                  "point uses one value for each, which takes a third of the time")
      ->check(CLI::IsMember({"ranges", "point"}))
      ->capture_default_str();
}

void add_output_options(CLI::App& command, ScenarioOptions& options, const std::vector<std::string>& formats) {
  command.add_option("--format", options.format, "How to print the result")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(formats));
  command.add_option("-o,--output", options.output_path, "Write the result to a file instead of standard output")
      ->type_name("FILE");
  command.add_flag("--ascii", options.ascii, "Draw bars with # and use no colour");
}

void add_scenario_options(CLI::App& command, ScenarioOptions& options) {
  add_input_options(command, options);
  command
      .add_option("--replications", options.replications,
                  "Independent runs to pool; with random interruptions, the number of whole runs to simulate")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--journal", options.journal_path,
                  "Store finished simulated runs in a file, so that the same command can resume after it was killed")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() || text == "-" ? "a file is needed" : ""; });
  command.add_flag("--exact", options.exact, "Simulate every rank, every sample and every request");
  command.add_option("--trace", options.trace_path, "Write a timeline that Perfetto opens")->type_name("OUT.json");
  add_output_options(command, options);
}

namespace {

// The file with every override in it, the jobs beside it too.
Loaded<ScenarioFile> load_overridden(const ScenarioOptions& options) {
  Loaded<ScenarioFile> loaded = load_scenario(options.scenario_path);
  if (!loaded.value) return loaded;
  apply_settings(*loaded.value, {options.overrides, options.seed, options.precision}, loaded.findings);
  return loaded;
}

}  // namespace

std::optional<ScenarioInput> load_input(const ScenarioOptions& options, const Environment& environment) {
  Loaded<ScenarioFile> loaded = load_overridden(options);
  if (!loaded.value) {
    print_findings(loaded.findings, environment.err);
    return std::nullopt;
  }
  Loaded<Catalogue> catalogue = load_catalogue(options.catalogue);
  if (!catalogue.ok()) {
    print_findings(catalogue.findings, environment.err);
    return std::nullopt;
  }
  ScenarioInput input{std::move(*loaded.value), std::move(*catalogue.value)};
  use_record_names(input.file.scenario, input.file, input.catalogue, loaded.findings);
  for (ScenarioFile& other : input.file.concurrent_jobs)
    use_record_names(other.scenario, other, input.catalogue, loaded.findings);
  const bool wrong = loaded.findings.has_errors();
  if (wrong) add_names_not_found(input.file, input.catalogue, loaded.findings);
  print_findings(loaded.findings, environment.err);
  if (wrong) return std::nullopt;
  return input;
}

std::optional<ResolvedScenario> resolve_input(const ScenarioInput& input, const Environment& environment) {
  Loaded<ResolvedScenario> resolved = resolve(input.file, input.catalogue);
  print_findings(resolved.findings, environment.err);
  if (!resolved.ok()) return std::nullopt;
  return std::move(resolved.value);
}

std::optional<ResolvedScenario> load_resolved(const ScenarioOptions& options, const Environment& environment) {
  require_place_for(options.output_path);
  require_place_for(options.trace_path);
  const std::optional<ScenarioInput> input = load_input(options, environment);
  if (!input) return std::nullopt;
  return resolve_input(*input, environment);
}

bool journal_is_fine(const ResolvedScenario& resolved, const RunOptions& run, const Environment& environment) {
  if (run.journal.empty()) return true;
  Findings findings;
  if (std::optional<Finding> problem = journal_problem(resolved.scenario, run.journal)) {
    findings.add(std::move(*problem));
  } else {
    findings = RunJournal::open(run.journal, journal_identity(resolved.scenario, run)).findings;
  }
  print_findings(findings, environment.err);
  return !findings.has_errors();
}

bool is_one_training_job(const ResolvedScenario& resolved, std::string_view what, const Environment& environment) {
  const std::string other = other_than_one_training_job(resolved);
  if (other.empty()) return true;
  environment.err << "stallcast: " << one_training_job_message(std::string(what), other) << '\n';
  return false;
}

AssumedInputs assumed_inputs(const ScenarioOptions& options) {
  return options.inputs == "ranges" ? AssumedInputs::kRanges : AssumedInputs::kPoint;
}

RunOptions run_options(const ScenarioOptions& options, const Environment& environment) {
  RunOptions run;
  run.replications = options.replications;
  run.exact = options.exact;
  run.journal = options.journal_path;
  run.stop = environment.stop;
  return sharing_walks(std::move(run));
}

TextStyle text_style(const ScenarioOptions& options, const Environment& environment) {
  TextStyle style = environment.style;
  if (!options.output_path.empty() && options.output_path != "-") style.colour = false;
  if (options.ascii) style = {.unicode = false, .colour = false};
  return style;
}

void deliver_result(const nlohmann::ordered_json& document, const std::string& text, const Trace& trace,
                    const ScenarioOptions& options, const Environment& environment) {
  if (!options.trace_path.empty()) {
    std::ostringstream timeline;
    write_trace_json(trace, timeline);
    deliver(std::move(timeline).str(), options.trace_path, environment);
    if (trace.truncated)
      environment.err << "stallcast: " << options.trace_path << " holds only the beginning of the run\n";
  }
  if (options.format == "json") return deliver(document.dump(2) + "\n", options.output_path, environment);
  deliver(options.format == "csv" ? result_csv(document) : text, options.output_path, environment);
}

}  // namespace stallcast
