// A job whose unknown inputs are fitted to what was seen of it, and what holds it back then.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/scenario_options.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnose/outcome.h"
#include "core/diagnose/outcome_fit.h"
#include "core/plan/advice.h"
#include "core/plan/explain.h"
#include "core/scenario/scenario_file.h"

namespace stallcast {

// Adds --observed and --log.
void add_seen_options(CLI::App& command, std::vector<std::string>& observed, std::vector<std::string>& logs);

// What they say. **Errors** findings of parse_seen and, of a log without a figure, "nothing_observed"; WorldError of a
// log that cannot be read.
Loaded<std::vector<SeenOutcome>> seen_outcomes(const std::vector<std::string>& observed,
                                               const std::vector<std::string>& logs);

// `document`, checked, with the overrides of `options` in it, too; findings are printed, and with an error among them
// there is nothing.
std::optional<ScenarioFile> with_overrides(nlohmann::ordered_json& document, const std::string& name,
                                           const ScenarioOptions& options, const Environment& environment);
// The same of the file options.scenario_path, which `document` then holds.
std::optional<ScenarioFile> read_document(const ScenarioOptions& options, nlohmann::ordered_json& document,
                                          const Environment& environment);

struct Diagnosis {
  OutcomeFit fit;
  ResolvedScenario before, job;     // the second with the fitted values
  nlohmann::ordered_json document;  // the scenario file of the second
  Explanation explanation;
  Advice advice;
};

// The scenario file `document` with `settings` ("loader.num_workers=4") in it, everything filled in; findings are
// printed where `tell`, and errors always: then there is nothing.
std::optional<ResolvedScenario> resolve_document(const nlohmann::ordered_json& document, const std::string& name,
                                                 const std::vector<std::string>& settings, const Catalogue& catalogue,
                                                 const Environment& environment, bool tell);

// Fits and explains. `runs` are of `document`, the first with its own settings. Nothing, with findings printed, where
// the fitted job cannot be or the catalogue's rules cannot be read.
std::optional<Diagnosis> diagnose_runs(const nlohmann::ordered_json& document, const std::string& name,
                                       const std::vector<WatchedRun>& runs, const Catalogue& catalogue,
                                       const ScenarioOptions& options, const Environment& environment);

// What explain prints of it, after what the fit says.
std::string diagnosis_text(const Diagnosis& diagnosis, const TextStyle& style);
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis);

}  // namespace stallcast
