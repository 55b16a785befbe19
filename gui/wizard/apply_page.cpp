#include <QHeaderView>
#include <QVBoxLayout>

#include "core/scenario/fields/field_title.h"
#include "gui/session/qt_text.h"
#include "gui/wizard/probe_wizard.h"

namespace stallcast::gui {
namespace {

const QString kCalibrationWork = QStringLiteral("calibration");

// "-5 % to +8 %"
QString intervalText(const ValueChange& change) {
  if (change.low_factor == 1.0 && change.high_factor == 1.0) return {};
  const auto part = [](double factor) {
    return (factor < 1.0 ? QStringLiteral("−") : QStringLiteral("+")) +
           QString::number(100.0 * std::abs(factor - 1.0), 'f', 0) + QStringLiteral(" %");
  };
  return QStringLiteral("%1 … %2").arg(part(change.low_factor), part(change.high_factor));
}

QTableWidgetItem* cell(const std::string& text) {
  auto* const item = new QTableWidgetItem(QString::fromStdString(text));
  item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
  item->setToolTip(item->text());
  return item;
}

}  // namespace

ApplyPage::ApplyPage(Session& session, const TargetPage& target, const ProbePage& probe, QWidget* parent)
    : QWizardPage(parent), session_(session), target_(target), probe_(probe) {
  setTitle(tr("Measured values"));
  setSubTitle(tr("What changes in the open scenario, and what that does."));
  state_ = new QLabel(this);
  state_->setObjectName(QStringLiteral("calibrationState"));
  state_->setWordWrap(true);
  results_ = new QLabel(this);
  results_->setObjectName(QStringLiteral("calibrationResults"));
  results_->setWordWrap(true);
  findings_ = new QLabel(this);
  findings_->setObjectName(QStringLiteral("calibrationFindings"));
  findings_->setWordWrap(true);
  findings_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  changes_ = new QTableWidget(0, 5, this);
  changes_->setObjectName(QStringLiteral("calibrationChanges"));
  changes_->setAccessibleName(tr("Values that change"));
  changes_->setHorizontalHeaderLabels({tr("Value"), tr("Before"), tr("After"), tr("90 % interval"), tr("Measured by")});
  changes_->horizontalHeader()->setStretchLastSection(true);
  changes_->verticalHeader()->hide();
  changes_->setTabKeyNavigation(false);
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(state_);
  layout->addWidget(changes_, 1);
  layout->addWidget(results_);
  layout->addWidget(findings_);
  connect(&session_.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != kCalibrationWork) return;
    CalibrationOutcome outcome;
    outcome.findings << message;
    take(std::move(outcome));
  });
}

void ApplyPage::initializePage() {
  outcome_ = {};
  changes_->setRowCount(0);
  results_->clear();
  findings_->clear();
  const auto before = session_.document().resolved();
  if (!before) {
    state_->setText(tr("The open scenario has errors; they have to be settled first."));
    return;
  }
  state_->setText(tr("Fitting, and simulating before and after …"));
  CalibrationSubject subject{session_.document().toJson(), session_.document().file().file, before};
  const std::shared_ptr<const ProbeResult> probed = target_.isProbe() ? probe_.result() : nullptr;
  session_.background().run<CalibrationOutcome>(
      kCalibrationWork, this,
      [subject = std::move(subject), probed, name = target_.target().toStdString(), files = target_.files(),
       catalogue = &session_.catalogue()](const std::stop_token& stop) {
        QStringList findings;
        CalibrationInput input;
        if (probed) {
          input.probes.push_back({name, *probed});
        } else {
          input = readMeasurements(files, *catalogue, findings);
        }
        if (input.probes.empty() && input.measurements.empty()) {
          CalibrationOutcome nothing;
          nothing.findings = findings;
          return nothing;
        }
        CalibrationOutcome outcome = calibrateSubject(subject, input, *catalogue, stop);
        outcome.findings = findings + outcome.findings;
        return outcome;
      },
      [this](CalibrationOutcome outcome) { take(std::move(outcome)); });
}

void ApplyPage::cleanupPage() {
  session_.background().stop(kCalibrationWork);
  outcome_ = {};
}

void ApplyPage::take(CalibrationOutcome outcome) {
  outcome_ = std::move(outcome);
  findings_->setText(outcome_.findings.join(QLatin1Char('\n')));
  if (!outcome_.calibration) {
    state_->setText(tr("Nothing can be applied."));
    emit completeChanged();
    return;
  }
  const Calibration& calibration = *outcome_.calibration;
  QString text = tr("Measured values: %1.").arg(calibration.changes.size());
  if (calibration.fit)
    text += QLatin1Char(' ') +
            tr("The fitted law is off by %1 in the median, %2 at the 90th percentile.")
                .arg(percentText(calibration.fit->median_error), percentText(calibration.fit->p90_error));
  text += QLatin1Char(' ') + tr("Apply puts them into the scenario as one step, which undo takes back.");
  state_->setText(text);
  for (const ValueChange& change : calibration.changes) {
    const int row = changes_->rowCount();
    changes_->insertRow(row);
    changes_->setItem(row, 0, cell(field_title(change.pointer)));
    changes_->item(row, 0)->setToolTip(QString::fromStdString(change.pointer));
    changes_->setItem(row, 1, cell(change.before));
    changes_->setItem(row, 2, cell(change.after));
    changes_->setItem(row, 3, cell(intervalText(change).toStdString()));
    changes_->setItem(row, 4, cell(change.source));
  }
  changes_->resizeColumnsToContents();
  if (outcome_.results) {
    const RunResult &before = outcome_.results->before, &after = outcome_.results->after;
    results_->setText(
        tr("GPU utilization %1 before, %2 after; %3 samples/s before, %4 after (simulated, inputs as given).")
            .arg(percentText(before.gpu_utilization.mean), percentText(after.gpu_utilization.mean),
                 QString::number(before.samples_per_s, 'g', 4), QString::number(after.samples_per_s, 'g', 4)));
  }
  emit completeChanged();
}

bool ApplyPage::validatePage() {
  if (!outcome_.file) return false;
  session_.document().replaceScenario(*outcome_.file, tr("measured values"));
  return true;
}

}  // namespace stallcast::gui
