// What diagnose and attach share: figures that people see of a job, fitted and explained.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/scenario_options.h"
#include "cli/shell/environment.h"
#include "core/answers/diagnosis.h"
#include "core/catalogue/catalogue.h"

namespace stallcast {

// Adds --observed and --log.
void add_seen_options(CLI::App& command, std::vector<std::string>& observed, std::vector<std::string>& logs);

// Fits and explains, with progress. Nothing, with findings printed, where the fitted job cannot be or the catalogue's
// rules cannot be read.
std::optional<DiagnosisAnswer> diagnose(const DiagnosisQuestion& question, const Catalogue& catalogue,
                                        const ScenarioOptions& options, const Environment& environment);

// What explain prints of it, after what the fit says.
std::string diagnosis_text(const DiagnosisQuestion& question, const DiagnosisAnswer& answer, const TextStyle& style);

}  // namespace stallcast
