// A run of a benchmark as a measurement of what nobody gave.
#pragma once

#include <optional>

#include "core/calibrate/calibration.h"
#include "core/catalogue/catalogue.h"
#include "core/diagnose/outcome_fit.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Fits the inputs of `job`, which calibration.document resolved to, to the accelerator utilization that DLIO or MLPerf
// Storage recorded (outcome_fit.h), and puts them into the document and among its changes. Where the file differs from
// a recorded run in a setting, the recorded run is what is fitted. Nothing where no run of training was recorded, and
// for several jobs and serving.
// **Checked by** tests/validation/dlio, tests/core/diagnose/outcome_fit_test.cpp
std::optional<OutcomeFit> fit_benchmark(Calibration& calibration, const CalibrationInput& input,
                                        const ResolvedScenario& job, const Catalogue& catalogue,
                                        const RunOptions& options);

}  // namespace stallcast
