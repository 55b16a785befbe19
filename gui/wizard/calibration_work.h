// What the wizard does off the GUI thread: the calls of `stallcast probe` and `stallcast calibrate`.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/calibrate/calibration.h"
#include "core/catalogue/catalogue.h"
#include "core/probe/result/probe_options.h"
#include "core/probe/result/probe_result.h"
#include "core/report/measured/calibration_text.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {

struct ProbeOutcome {
  std::shared_ptr<const ProbeResult> result;  // null = nothing was measured
  QString problem;                            // why
};

// Of a mount, a file, a bucket or a URL. No exception: trouble of the world is a problem.
ProbeOutcome probeTarget(const QString& target, const ProbeOptions& options);

// One sentence for each flaw, and the verdict first.
QStringList gradeTexts(const ProbeResult& probe);

// What is to be calibrated: the open document.
struct CalibrationSubject {
  nlohmann::ordered_json document;  // what is given in it
  std::string file;
  std::shared_ptr<const ResolvedScenario> before;
};

struct CalibrationOutcome {
  std::shared_ptr<const Calibration> calibration;  // null = not possible
  std::optional<ScenarioFile> file;                // the scenario with measured values
  std::shared_ptr<const BeforeAndAfter> results;   // null = not one training job, or stopped
  QStringList findings;                            // errors and warnings as text
};

// Files of fio, elbencho, gdsio, DLIO, the PyTorch profiler, DCGM, stallcast_recorder.py or stallcast probe, known by
// their content. What is wrong is added to `findings`.
CalibrationInput readMeasurements(const QStringList& files, const Catalogue& catalogue, QStringList& findings);

// Both simulations take inputs as given.
CalibrationOutcome calibrateSubject(const CalibrationSubject& subject, const CalibrationInput& input,
                                    const Catalogue& catalogue, const std::stop_token& stop);

}  // namespace stallcast::gui
