#include "gui/start/start_dialog.h"

#include <QAction>
#include <QCheckBox>
#include <QCompleter>
#include <QFormLayout>
#include <QGridLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "core/first/first_scenario.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {
namespace {

constexpr const char* kWanted = "start/show";
constexpr const char* kActions[] = {"openAction", "attachAction", "probeAction", "importDlioAction", "tourAction"};

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// "How many samples has the dataset? got many; allowed ...": what is wrong with an answer, after its question.
QString wrong_text(const Finding& finding) {
  const std::string key = finding.file.starts_with("--") ? finding.file.substr(2) : finding.file;
  QString question = QString::fromStdString(finding.file);
  for (const Question& one : questions())
    if (one.key == key && !one.ask.empty()) question = text_of(one.ask);
  QStringList parts;
  if (!finding.got.empty()) parts += QObject::tr("got %1").arg(QString::fromStdString(finding.got));
  if (!finding.allowed.empty()) parts += QObject::tr("allowed %1").arg(QString::fromStdString(finding.allowed));
  if (!finding.fix.empty()) parts += QString::fromStdString(finding.fix);
  return QStringLiteral("%1 %2.").arg(question, parts.join(QStringLiteral("; ")));
}

}  // namespace

StartDialog::StartDialog(Session& session, FileCommands& files, const QStringList& recent, QWidget* parent)
    : QDialog(parent), session_(session), files_(files) {
  setObjectName(QStringLiteral("startDialog"));
  setWindowTitle(tr("Start"));
  auto* const columns = new QHBoxLayout;
  columns->addWidget(makeQuestions(), 1);
  columns->addWidget(makeStarts(recent), 1);
  auto* const again = new QCheckBox(tr("Show this when stallcast &starts"), this);
  again->setObjectName(QStringLiteral("startAgain"));
  again->setChecked(isWanted());
  connect(again, &QCheckBox::toggled, this, [](bool on) { QSettings().setValue(kWanted, on); });
  auto* const whole = new QVBoxLayout(this);
  whole->addLayout(columns);
  whole->addWidget(again);
  const QFontMetrics metrics = fontMetrics();
  resize(metrics.averageCharWidth() * 168, metrics.height() * 33);
  showDefaults();
}

bool StartDialog::isWanted() { return QSettings().value(kWanted, true).toBool(); }

QWidget* StartDialog::makeQuestions() {
  auto* const box = new QGroupBox(tr("Describe your job"), this);
  auto* const form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
  for (const Question& question : questions()) {
    if (question.ask.empty()) continue;
    auto* const answer = new QComboBox(box);
    answer->setObjectName(QStringLiteral("start.") + text_of(question.key));
    answer->setEditable(true);
    answer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    answer->setInsertPolicy(QComboBox::NoInsert);
    answer->completer()->setFilterMode(Qt::MatchContains);
    answer->setToolTip(text_of(question.help));
    answer->setAccessibleName(text_of(question.ask));
    answers_[std::string(question.key)] = answer;
    form->addRow(text_of(question.ask), answer);
    connect(answer, &QComboBox::currentTextChanged, this, &StartDialog::showDefaults);
  }
  wrong_ = new QLabel(box);
  wrong_->setObjectName(QStringLiteral("start.wrong"));
  wrong_->setWordWrap(true);
  wrong_->setTextFormat(Qt::PlainText);
  picture_ = new JobPicture(box);
  picture_->setObjectName(QStringLiteral("start.picture"));
  auto* const show = new QPushButton(tr("Show the &answer"), box);
  show->setObjectName(QStringLiteral("start.describe"));
  show->setDefault(true);
  connect(show, &QPushButton::clicked, this, &StartDialog::describe);
  auto* const column = new QVBoxLayout(box);
  auto* const about = new QLabel(
      tr("What you leave empty is taken as written in grey. Everything else is assumed, with a range, and named."),
      box);
  about->setWordWrap(true);
  column->addWidget(about);
  column->addLayout(form);
  column->addWidget(wrong_);
  column->addStretch();
  column->addWidget(picture_);
  column->addWidget(show, 0, Qt::AlignRight);
  return box;
}

QWidget* StartDialog::makeStarts(const QStringList& recent) {
  auto* const box = new QGroupBox(tr("Or start from"), this);
  starts_ = new StartList(session_.catalogue(), recent, box);
  starts_->setObjectName(QStringLiteral("start.list"));
  starts_->setAccessibleName(tr("Recent files and examples"));
  connect(starts_, &QListWidget::itemActivated, this, &StartDialog::openChosen);
  auto* const open = new QPushButton(tr("&Open the selected one"), box);
  open->setObjectName(QStringLiteral("start.open"));
  open->setAutoDefault(false);
  open->setEnabled(false);
  connect(starts_, &QListWidget::currentItemChanged, open, [open](QListWidgetItem* item) { open->setEnabled(item); });
  connect(open, &QPushButton::clicked, this, &StartDialog::openChosen);
  auto* const column = new QVBoxLayout(box);
  column->addWidget(starts_, 1);
  column->addWidget(open);
  auto* const others = new QGridLayout;
  column->addLayout(others);
  for (const char* const name : kActions) {
    auto* const action =
        parentWidget() != nullptr ? parentWidget()->findChild<QAction*>(QString::fromLatin1(name)) : nullptr;
    if (action == nullptr) continue;
    auto* const button = new QPushButton(action->text(), box);
    button->setObjectName(QStringLiteral("start.") + QString::fromLatin1(name));
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this, action] {
      accept();
      action->trigger();
    });
    others->addWidget(button, others->count() / 2, others->count() % 2);
  }
  return box;
}

Told StartDialog::told() const {
  Told told;
  for (const Question& question : questions()) {  // a default follows from answers before it
    const auto found = answers_.find(std::string(question.key));
    if (found == answers_.end()) continue;
    std::string text = found->second->currentText().trimmed().toStdString();
    if (text.empty()) text = default_answer(found->first, told, session_.catalogue());
    if (!text.empty()) told[found->first] = text;
  }
  return told;
}

// In grey, what an empty answer stands for; in the lists, what fits the other answers; below, the data path.
void StartDialog::showDefaults() {
  const Told all = told();
  for (const Question& question : questions()) {
    const auto found = answers_.find(std::string(question.key));
    if (found == answers_.end()) continue;
    QComboBox* const box = found->second;
    QStringList choices, listed;
    for (const std::string& one : choices_for(found->first, all, session_.catalogue()))
      choices += QString::fromStdString(one);
    for (int i = 0; i < box->count(); ++i) listed += box->itemText(i);
    if (listed != choices) {
      const QSignalBlocker quiet(box);
      const QString text = box->currentText();
      box->clear();
      box->addItems(choices);
      box->setCurrentIndex(-1);
      box->setEditText(text);
    }
    const std::string usual = default_answer(found->first, all, session_.catalogue());
    box->lineEdit()->setPlaceholderText(usual.empty() ? text_of(question.examples) : QString::fromStdString(usual));
  }
  std::vector<Station> path;
  if (const Loaded<ScenarioFile> file = described(); file.ok())
    if (const Loaded<ResolvedScenario> resolved = resolve(*file.value, session_.catalogue()); resolved.value)
      path = jobPath(resolved.value->scenario);
  picture_->setPath(std::move(path));
}

Loaded<ScenarioFile> StartDialog::described() const {
  const Loaded<FirstScenario> first = first_scenario(told(), {}, session_.catalogue());
  if (first.ok()) return parse_scenario(first.value->document(), "");
  Loaded<ScenarioFile> none;
  none.findings = first.findings;
  return none;
}

void StartDialog::describe() {
  Loaded<ScenarioFile> file = described();
  if (file.ok()) {
    if (!files_.mayLoseDocument()) return;
    session_.document().startNew();
    session_.document().replaceScenario(std::move(*file.value), tr("Describe a job"));
    accept();
    return;
  }
  QStringList wrong;
  for (const Finding& finding : file.findings.list())
    if (finding.severity == Severity::kError) wrong += wrong_text(finding);
  wrong_->setText(wrong.join(QStringLiteral("\n")));
}

void StartDialog::openChosen() {
  const QListWidgetItem* const item = starts_->currentItem();
  if (item != nullptr && files_.open(item->data(Qt::UserRole).toString())) accept();
}

}  // namespace stallcast::gui
