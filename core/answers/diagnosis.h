// The whole answer of diagnose: from figures that people see of a running job to the inputs that explain them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/answers/questions/overridden.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnose/outcome.h"
#include "core/diagnose/outcome_fit.h"
#include "core/diagnose/unknowns.h"
#include "core/diagnostics/finding.h"
#include "core/plan/explain/advice.h"
#include "core/plan/explain/explain.h"
#include "core/plan/rules/rules.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// What somebody saw of the job.
struct SeenTexts {
  std::vector<std::string> observed;  // "it_per_s=3"
  std::vector<std::string> logs;      // files with lines of a logger
};

// **Errors** those of parse_seen; "nothing_observed" for a file without a figure, and where there is none at all.
Loaded<std::vector<SeenOutcome>> read_seen(const SeenTexts& texts);

struct DiagnosisQuestion {
  nlohmann::ordered_json document;    // the scenario file with the settings and what had to be put in
  std::string name;                   // of the file
  std::vector<WatchedRun> runs;       // the scenario's own is the first
  std::vector<PlacedUnknown> placed;  // what the scenario left open
};

// `document` is the scenario file `name`. Run.precision and the jobs beside it are left as they are.
// **Errors** findings of the scenario, with the settings of each run.
Loaded<DiagnosisQuestion> read_diagnosis(const nlohmann::ordered_json& document, const std::string& name,
                                         const Settings& settings, const std::vector<SeenOutcome>& seen,
                                         const Catalogue& catalogue);

struct DiagnosisAnswer {
  OutcomeFit fit;
  nlohmann::ordered_json fitted;  // the scenario file with the fitted values
  ResolvedScenario job;           // resolved from it
  Explanation explanation;
  Advice advice;
};

// **Errors** as simulate(); findings of the fitted scenario.
Loaded<DiagnosisAnswer> answer_diagnose(const DiagnosisQuestion& question, const std::vector<Rule>& rules,
                                        const Catalogue& catalogue, const RunOptions& run);

// What `diagnose --format json` prints.
nlohmann::ordered_json diagnosis_document(const DiagnosisQuestion& question, const DiagnosisAnswer& answer);

}  // namespace stallcast
