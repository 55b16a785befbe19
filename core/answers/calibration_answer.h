// The whole answer of calibrate: a scenario with measured values in it, and what they change.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/calibration.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnose/outcome_fit.h"
#include "core/diagnostics/finding.h"
#include "core/report/measured/calibration_text.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Files to calibrate with.
struct MeasuredFiles {
  std::vector<std::string> probes;    // of stallcast probe
  std::vector<std::string> measured;  // of other tools, known by their content
};

// **Errors** those of load_probe and read_measurements, of all files; "nothing_measured" without any.
Loaded<CalibrationInput> read_calibration_input(const MeasuredFiles& files, const Catalogue* catalogue);

// What those of `stallcast probe --write` among `files` say of `scenario`, added to `input`, findings too.
void add_write_probes(const MeasuredFiles& files, const Scenario& scenario, Loaded<CalibrationInput>& input);

// A scenario file that is read already, resolved with the jobs beside it.
Loaded<ResolvedScenario> resolve_document(const nlohmann::ordered_json& document, const std::string& name,
                                          const Catalogue& catalogue);

struct CalibrationAnswer {
  Calibration calibration;                // its document holds what was fitted to benchmarks, too
  std::optional<OutcomeFit> fit;          // to runs of a benchmark
  ResolvedScenario before_fit;            // with the measured values, before that fit
  std::optional<BeforeAndAfter> results;  // of one training job, unless stopped
};

// `document` is the scenario file `name`, which resolved to `before`.
// **Errors** as simulate(); findings of calibrate(), and of the scenario with the measured values.
Loaded<CalibrationAnswer> answer_calibrate(const nlohmann::ordered_json& document, const std::string& name,
                                           const ResolvedScenario& before, const CalibrationInput& input,
                                           const Catalogue& catalogue, const RunOptions& run);

// What `calibrate --format json` prints.
nlohmann::ordered_json calibration_answer_document(const CalibrationAnswer& answer);

}  // namespace stallcast
