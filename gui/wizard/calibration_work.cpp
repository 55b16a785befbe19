#include "gui/wizard/calibration_work.h"

#include <QCoreApplication>

#include "core/diagnose/benchmark_fit.h"
#include "core/diagnostics/finding.h"
#include "core/object_probe/http/object_url.h"
#include "core/object_probe/probe_objects.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/probe/probe_files.h"
#include "core/probe/result/probe_json.h"
#include "core/scenario/resolve/concurrent_jobs.h"
#include "core/scenario/resolve/resolve.h"

namespace stallcast::gui {
namespace {

QString wizardText(const char* text) { return QCoreApplication::translate("ProbeWizard", text); }

void addTexts(const Findings& from, QStringList& texts) {
  for (const Finding& finding : from.list()) texts << QString::fromStdString(render_finding(finding));
}

bool isUnknownFormat(const Findings& findings) {
  for (const Finding& finding : findings.list())
    if (finding.code == "unknown_format") return true;
  return false;
}

}  // namespace

ProbeOutcome probeTarget(const QString& target, const ProbeOptions& options) {
  const std::string name = target.trimmed().toStdString();
  try {
    if (is_object_url(name)) {
      const Findings findings = parse_object_url(name).findings;
      if (findings.has_errors()) return {nullptr, QString::fromStdString(render_finding(findings.list().front()))};
      return {std::make_shared<ProbeResult>(probe_objects(name, options)), {}};
    }
    return {std::make_shared<ProbeResult>(probe_files(name, options)), {}};
  } catch (const WorldError& error) {
    return {nullptr, QString::fromUtf8(error.what())};
  }
}

QStringList gradeTexts(const ProbeResult& probe) {
  QStringList texts;
  if (probe.points.empty()) {
    texts << wizardText("Nothing was measured.");
  } else if (probe.refused()) {
    texts << wizardText("Not fit for calibration:");
  } else if (probe.widen() > 1.0) {
    texts << wizardText("Fit for calibration; intervals grow by %1:").arg(QString::number(probe.widen(), 'f', 2));
  } else {
    texts << wizardText("Fit for calibration.");
  }
  for (const ProbeFlaw& flaw : probe.flaws) texts << QStringLiteral("• ") + QString::fromStdString(flaw.text);
  for (const std::string& note : probe.notes) texts << QStringLiteral("• ") + QString::fromStdString(note);
  return texts;
}

CalibrationInput readMeasurements(const QStringList& files, const Catalogue& catalogue, QStringList& findings) {
  CalibrationInput input;
  for (const QString& file : files) {
    try {
      const std::string path = file.toStdString();
      Loaded<Measurements> measured = read_measurements(path, &catalogue);
      if (!measured.value && isUnknownFormat(measured.findings)) {
        Loaded<ProbeResult> probe = load_probe(path);
        if (probe.value) {
          addTexts(probe.findings, findings);
          input.probes.push_back({path, std::move(*probe.value)});
          continue;
        }
      }
      addTexts(measured.findings, findings);
      if (measured.value) input.measurements.push_back(std::move(*measured.value));
    } catch (const WorldError& error) {
      findings << QString::fromUtf8(error.what());
    }
  }
  return input;
}

CalibrationOutcome calibrateSubject(const CalibrationSubject& subject, const CalibrationInput& input,
                                    const Catalogue& catalogue, const std::stop_token& stop) {
  CalibrationOutcome out;
  Loaded<Calibration> calibrated = calibrate(subject.document, *subject.before, input);
  addTexts(calibrated.findings, out.findings);
  if (!calibrated.ok()) return out;
  Loaded<ScenarioFile> file = parse_scenario(calibrated.value->document, subject.file);
  Findings findings = file.findings;
  if (file.value) load_concurrent_jobs(*file.value, findings);
  if (!file.value || findings.has_errors()) {
    addTexts(findings, out.findings);
    return out;
  }
  Loaded<ResolvedScenario> after = resolve(*file.value, catalogue);
  if (!after.ok()) {
    addTexts(after.findings, out.findings);
    return out;
  }
  RunOptions options;
  options.stop = stop;
  if (fit_benchmark(*calibrated.value, input, *after.value, catalogue, options)) {
    file = parse_scenario(calibrated.value->document, subject.file);
    if (file.ok()) after = resolve(*file.value, catalogue);
    if (!file.ok() || !after.ok()) {
      addTexts(file.findings, out.findings);
      addTexts(after.findings, out.findings);
      return out;
    }
  }
  out.calibration = std::make_shared<Calibration>(std::move(*calibrated.value));
  out.file = std::move(*file.value);
  if (!subject.before->concurrent_jobs.empty() || subject.before->scenario.job != JobKind::kTraining) return out;
  const RunResult before_run = simulate(with_inputs_as_given(*subject.before).scenario, options);
  const RunResult after_run = simulate(with_inputs_as_given(*after.value).scenario, options);
  if (!stop.stop_requested())
    out.results = std::make_shared<BeforeAndAfter>(BeforeAndAfter{before_run, after_run, after.value->scenario});
  return out;
}

}  // namespace stallcast::gui
