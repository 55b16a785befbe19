// The options of every command that runs a scenario.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/catalogue_options.h"
#include "cli/shell/environment.h"
#include "core/answers/run_answer.h"
#include "core/catalogue/catalogue.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct ScenarioOptions {
  std::string scenario_path;
  CatalogueOptions catalogue;
  std::vector<std::string> overrides;  // PATH=VALUE
  std::string seed;                    // texts, checked as the fields run.seed and run.precision are
  std::string precision;
  std::int64_t replications = 0;
  std::string journal_path;
  bool exact = false;
  std::string inputs = "ranges";  // or "point"
  bool ascii = false;
  std::string format = "table";  // "table", "json", "csv"; "markdown" of some commands
  std::string trace_path;
  std::string output_path;
};

void add_scenario_options(CLI::App& command, ScenarioOptions& options);

// The scenario file with the overrides in it, and the catalogue: what plans start from.
struct ScenarioInput {
  ScenarioFile file;
  Catalogue catalogue;
};

// Adds --set, the catalogue's options, --seed and --precision.
void add_override_options(CLI::App& command, ScenarioOptions& options);

// Adds --inputs: what nobody gave, drawn from its ranges or as the point that was taken.
void add_inputs_option(CLI::App& command, ScenarioOptions& options);

// Adds --format, --output and --ascii.
void add_output_options(CLI::App& command, ScenarioOptions& options,
                        const std::vector<std::string>& formats = {"table", "json", "csv"});

// Adds SCENARIO, --set, the catalogue's options, --seed and --precision.
void add_input_options(CLI::App& command, ScenarioOptions& options);

// Reads both; findings are printed, and with an error among them there is nothing.
// **Errors** WorldError
std::optional<ScenarioInput> load_input(const ScenarioOptions& options, const Environment& environment);

// Everything of it filled in; findings are printed, and with an error among them there is no scenario.
std::optional<ResolvedScenario> resolve_input(const ScenarioInput& input, const Environment& environment);

// The scenario as the options describe it, everything filled in; findings are printed, and with an error among them
// there is no scenario.
// **Errors** WorldError
std::optional<ResolvedScenario> load_resolved(const ScenarioOptions& options, const Environment& environment);

// True when `resolved` is one training job; else says what `what` ("explain", "--trace") is for.
bool is_one_training_job(const ResolvedScenario& resolved, std::string_view what, const Environment& environment);

// Whether --inputs draws what nobody gave.
AssumedInputs assumed_inputs(const ScenarioOptions& options);

RunOptions run_options(const ScenarioOptions& options, const Environment& environment);

// False, with findings printed, when the journal that `run` names cannot keep simulated runs: there are none
// to keep, or it is no journal, or another run's. Made when it does not exist.
// **Errors** WorldError
bool journal_is_fine(const ResolvedScenario& resolved, const RunOptions& run, const Environment& environment);

// Style of text output: that of the environment, plain where it goes to a file or --ascii asks for it.
TextStyle text_style(const ScenarioOptions& options, const Environment& environment);

// Delivers `document` in the format asked for; `text` is its table form. A trace, if asked for, is written first.
void deliver_result(const nlohmann::ordered_json& document, const std::string& text, const Trace& trace,
                    const ScenarioOptions& options, const Environment& environment);

}  // namespace stallcast
