#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/units/quantity_text.h"
#include "gui/wizard/probe_wizard.h"

namespace stallcast::gui {
namespace {

constexpr double kLeastTime = 0.1, kMostTime = 3600.0;
constexpr double kLeastBytes = 1048576.0, kMostBytes = 1125899906842624.0;

QLineEdit* edit(QWidget* parent, const char* name, const QString& accessible, const QString& text) {
  auto* const made = new QLineEdit(text, parent);
  made->setObjectName(QString::fromUtf8(name));
  made->setAccessibleName(accessible);
  return made;
}

}  // namespace

TargetPage::TargetPage(QWidget* parent) : QWizardPage(parent) {
  setTitle(tr("What is measured"));
  setSubTitle(tr("A probe only reads, and takes no more time and bytes than it may."));
  probe_ = new QRadioButton(tr("&Probe a mount, a file, a bucket or a URL"), this);
  probe_->setObjectName(QStringLiteral("useProbe"));
  import_ = new QRadioButton(tr("Use &measurements of fio, elbencho, gdsio, DLIO, the PyTorch profiler, DCGM, "
                                "stallcast_recorder.py or stallcast probe"),
                             this);
  import_->setObjectName(QStringLiteral("useFiles"));
  probe_->setChecked(true);
  buildProbing();
  buildImporting();

  problem_ = new QLabel(this);
  problem_->setObjectName(QStringLiteral("targetProblem"));
  problem_->setWordWrap(true);
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(probe_);
  layout->addWidget(probing_);
  layout->addWidget(import_);
  layout->addWidget(importing_, 1);
  layout->addWidget(problem_);

  for (QLineEdit* one : {target_, time_, bytes_}) connect(one, &QLineEdit::textChanged, this, &TargetPage::check);
  connect(probe_, &QRadioButton::toggled, this, &TargetPage::check);
  check();
}

void TargetPage::buildProbing() {
  probing_ = new QWidget(this);
  target_ = edit(probing_, "probeTarget", tr("What to probe"), QString());
  target_->setPlaceholderText(tr("/mnt/data, s3://bucket/prefix, gs://bucket, https://host/object"));
  auto* const browse = new QPushButton(tr("&Browse…"), probing_);
  browse->setObjectName(QStringLiteral("browseTarget"));
  time_ = edit(probing_, "probeTime", tr("Longest time"), QStringLiteral("30 s"));
  bytes_ = edit(probing_, "probeBytes", tr("Most bytes"), QStringLiteral("2 GiB"));
  in_flight_ = new QSpinBox(probing_);
  in_flight_->setObjectName(QStringLiteral("probeInFlight"));
  in_flight_->setAccessibleName(tr("Most requests at a time"));
  in_flight_->setRange(1, 1024);
  in_flight_->setValue(64);
  auto* const place = new QHBoxLayout;
  place->addWidget(target_, 1);
  place->addWidget(browse);
  auto* const form = new QFormLayout(probing_);
  auto* const label = new QLabel(tr("&Target"), probing_);
  label->setBuddy(target_);
  form->addRow(label, place);
  form->addRow(tr("Longest ti&me"), time_);
  form->addRow(tr("Most b&ytes"), bytes_);
  form->addRow(tr("Most re&quests at a time"), in_flight_);
  connect(browse, &QPushButton::clicked, this, [this] {
    auto* const dialog = new QFileDialog(this, tr("Directory to probe"), target());
    dialog->setObjectName(QStringLiteral("browseDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, target_, &QLineEdit::setText);
    dialog->open();
  });
}

void TargetPage::buildImporting() {
  importing_ = new QWidget(this);
  files_ = new QListWidget(importing_);
  files_->setObjectName(QStringLiteral("measurementFiles"));
  files_->setAccessibleName(tr("Files of measurements"));
  auto* const add = new QPushButton(tr("&Add files…"), importing_);
  add->setObjectName(QStringLiteral("addMeasurements"));
  auto* const remove = new QPushButton(tr("&Remove"), importing_);
  remove->setObjectName(QStringLiteral("removeMeasurement"));
  auto* const buttons = new QVBoxLayout;
  buttons->addWidget(add);
  buttons->addWidget(remove);
  buttons->addStretch(1);
  auto* const list = new QHBoxLayout(importing_);
  list->addWidget(files_, 1);
  list->addLayout(buttons);
  connect(add, &QPushButton::clicked, this, &TargetPage::addFiles);
  connect(remove, &QPushButton::clicked, this, [this] {
    delete files_->currentItem();
    check();
  });
}

ProbeOptions TargetPage::options() const {
  ProbeOptions options;
  options.seconds = parse_quantity(Dimension::kTime, time_->text().toStdString()).base.value_or(options.seconds);
  options.bytes = parse_quantity(Dimension::kBytes, bytes_->text().toStdString()).base.value_or(options.bytes);
  options.max_in_flight = in_flight_->value();
  return options;
}

QStringList TargetPage::files() const {
  QStringList files;
  for (int i = 0; i < files_->count(); ++i) files << files_->item(i)->text();
  return files;
}

void TargetPage::setFiles(const QStringList& files) {
  import_->setChecked(true);
  files_->clear();
  files_->addItems(files);
  check();
}

void TargetPage::addFiles() {
  auto* const dialog = new QFileDialog(this, tr("Files of measurements"));
  dialog->setObjectName(QStringLiteral("measurementDialog"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  dialog->setNameFilters({tr("Measurements (*.json *.gz *.csv *.txt *.prom)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& chosen) { setFiles(files() + chosen); });
  dialog->open();
}

QString TargetPage::problem() const {
  if (!isProbe()) return files_->count() == 0 ? tr("Add a file.") : QString();
  const auto time = parse_quantity(Dimension::kTime, time_->text().toStdString());
  const auto bytes = parse_quantity(Dimension::kBytes, bytes_->text().toStdString());
  if (!time.base || *time.base < kLeastTime || *time.base > kMostTime)
    return tr("The longest time is 100 ms to 1 h, as in “30 s”.");
  if (!bytes.base || *bytes.base < kLeastBytes || *bytes.base > kMostBytes)
    return tr("The most bytes are 1 MiB to 1 PiB, as in “2 GiB”.");
  return target().isEmpty() ? tr("Name what to probe.") : QString();
}

bool TargetPage::isComplete() const { return problem().isEmpty(); }

int TargetPage::nextId() const { return isProbe() ? ProbeWizard::kProbe : ProbeWizard::kApply; }

void TargetPage::check() {
  probing_->setEnabled(isProbe());
  importing_->setEnabled(!isProbe());
  problem_->setText(problem());
  emit completeChanged();
}

}  // namespace stallcast::gui
