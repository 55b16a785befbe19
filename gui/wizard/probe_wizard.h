// From a mount, a bucket or files of measurements to a scenario with measured values: what, the probe and its grade,
// the fit, before and after, apply.
#pragma once

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWizard>
#include <memory>
#include <stop_token>

#include "gui/session/session.h"
#include "gui/wizard/calibration_work.h"
#include "gui/wizard/point_curves.h"

namespace stallcast::gui {

// What is measured, and how much of it the probe may take; or files that others wrote.
class TargetPage : public QWizardPage {
  Q_OBJECT
 public:
  explicit TargetPage(QWidget* parent = nullptr);

  bool isProbe() const { return probe_->isChecked(); }
  QString target() const { return target_->text().trimmed(); }
  ProbeOptions options() const;  // time, bytes, in flight
  QStringList files() const;
  void setFiles(const QStringList& files);

  bool isComplete() const override;
  int nextId() const override;

 private:
  void buildProbing();
  void buildImporting();
  void addFiles();
  QString problem() const;  // with the limits
  void check();

  QRadioButton *probe_, *import_;
  QWidget *probing_ = nullptr, *importing_ = nullptr;
  QLineEdit *target_ = nullptr, *time_ = nullptr, *bytes_ = nullptr;
  QSpinBox* in_flight_ = nullptr;
  QListWidget* files_ = nullptr;
  QLabel* problem_;
};

// The probe under way: curves as they appear, then the grade.
class ProbePage : public QWizardPage {
  Q_OBJECT
 public:
  ProbePage(Session& session, const TargetPage& target, QWidget* parent = nullptr);

  std::shared_ptr<const ProbeResult> result() const { return result_; }
  void stop();  // what was measured is kept

  void initializePage() override;
  void cleanupPage() override;
  bool isComplete() const override;

 private:
  void take(const ProbeOutcome& outcome);

  Session& session_;
  const TargetPage& target_;
  PointCurves* curves_;
  QProgressBar* progress_;
  QPushButton* stop_;
  QLabel *doing_, *grade_;
  std::shared_ptr<const ProbeResult> result_;
  std::shared_ptr<std::stop_source> stopping_;
};

// What changes in the document, and what that does.
class ApplyPage : public QWizardPage {
  Q_OBJECT
 public:
  ApplyPage(Session& session, const TargetPage& target, const ProbePage& probe, QWidget* parent = nullptr);

  const CalibrationOutcome& outcome() const { return outcome_; }
  void initializePage() override;
  void cleanupPage() override;
  bool isComplete() const override { return outcome_.file.has_value(); }
  bool validatePage() override;  // applies, as one step back

 private:
  void take(CalibrationOutcome outcome);

  Session& session_;
  const TargetPage& target_;
  const ProbePage& probe_;
  QLabel *state_, *results_, *findings_;
  QTableWidget* changes_;
  CalibrationOutcome outcome_;
};

class ProbeWizard : public QWizard {
  Q_OBJECT
 public:
  enum Page { kTarget, kProbe, kApply };

  explicit ProbeWizard(Session& session, QWidget* parent = nullptr);
  // Starts with files of measurements.
  void useFiles(const QStringList& files);

  void reject() override;  // stops what is under way

 private:
  Session& session_;
  TargetPage* target_;
  ProbePage* probe_;
  ApplyPage* apply_;
};

// For a menu: open the wizard over `window`, with the probe or with files.
QAction* probeAction(Session& session, QWidget* window);
QAction* importMeasurementsAction(Session& session, QWidget* window);

}  // namespace stallcast::gui
