#include "gui/wizard/probe_wizard.h"

namespace stallcast::gui {

ProbeWizard::ProbeWizard(Session& session, QWidget* parent) : QWizard(parent), session_(session) {
  setObjectName(QStringLiteral("probeWizard"));
  setWindowTitle(tr("Probe and calibrate"));
  setWizardStyle(QWizard::ModernStyle);
  setOption(QWizard::NoBackButtonOnStartPage);
  target_ = new TargetPage(this);
  probe_ = new ProbePage(session, *target_, this);
  apply_ = new ApplyPage(session, *target_, *probe_, this);
  setPage(kTarget, target_);
  setPage(kProbe, probe_);
  setPage(kApply, apply_);
  setButtonText(QWizard::FinishButton, tr("&Apply"));
  resize(fontMetrics().averageCharWidth() * 120, fontMetrics().height() * 38);
}

void ProbeWizard::useFiles(const QStringList& files) { target_->setFiles(files); }

void ProbeWizard::reject() {
  session_.background().stop(QStringLiteral("probe"));
  session_.background().stop(QStringLiteral("calibration"));
  QWizard::reject();
}

namespace {

QAction* wizardAction(Session& session, QWidget* window, const QString& text, const char* name, bool files) {
  auto* const action = new QAction(text, window);
  action->setObjectName(QString::fromUtf8(name));
  QObject::connect(action, &QAction::triggered, window, [&session, window, files] {
    auto* const wizard = new ProbeWizard(session, window);
    wizard->setAttribute(Qt::WA_DeleteOnClose);
    if (files) wizard->useFiles({});
    wizard->open();
  });
  return action;
}

}  // namespace

QAction* probeAction(Session& session, QWidget* window) {
  return wizardAction(session, window, ProbeWizard::tr("&Probe and calibrate…"), "probeAction", false);
}

QAction* importMeasurementsAction(Session& session, QWidget* window) {
  return wizardAction(session, window, ProbeWizard::tr("&Import measurements…"), "importMeasurementsAction", true);
}

}  // namespace stallcast::gui
