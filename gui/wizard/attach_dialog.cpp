#include "gui/wizard/attach_dialog.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <utility>

#include "core/plan/rules/rules.h"
#include "core/report/measured/outcome_fit_text.h"
#include "core/report/text/job_seen_text.h"
#include "core/units/quantity_text.h"
#include "gui/session/qt_text.h"
#include "gui/views/feed.h"

namespace stallcast::gui {
namespace {

const QString kAttachWork = QStringLiteral("attach");

struct Asked {
  AttachQuestion question;
  QString wrong;  // "" where nothing is
};

Asked asked(const QString& pid, const QString& time, const QString& batch) {
  Asked out;
  bool is_number = false;
  out.question.pid = pid.trimmed().toInt(&is_number);
  if (!is_number || out.question.pid < 1) out.wrong = AttachDialog::tr("Process: give a number, like 4711.");
  const auto seconds = parse_quantity(Dimension::kTime, time.trimmed().toStdString());
  if (!seconds.base || *seconds.base < kLeastWatch_s || *seconds.base > kMostWatch_s) {
    out.wrong = AttachDialog::tr("How long: give %1, like 30 s.").arg(QLatin1String(kWatchTimes));
  } else {
    out.question.time_s = *seconds.base;
  }
  if (batch.trimmed().isEmpty()) return out;
  out.question.answers.batch_size = batch.trimmed().toLongLong(&is_number);
  if (!is_number || out.question.answers.batch_size < 1)
    out.wrong = AttachDialog::tr("Samples in a batch: give a whole number, or nothing where it is not known.");
  return out;
}

}  // namespace

AttachDialog::AttachDialog(Session& session, QWidget* parent, std::function<std::vector<JobTree>()> jobs)
    : QDialog(parent), session_(session), jobs_(std::move(jobs)) {
  setObjectName(QStringLiteral("attachDialog"));
  setWindowTitle(tr("Attach to a running job"));
  list_ = new QTableWidget(0, 4, this);
  list_->setObjectName(QStringLiteral("attachJobs"));
  list_->setAccessibleName(tr("Jobs with loader workers on this machine"));
  list_->setHorizontalHeaderLabels({tr("Process"), tr("Trainers"), tr("Workers"), tr("Command")});
  list_->verticalHeader()->hide();
  list_->setSelectionBehavior(QAbstractItemView::SelectRows);
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setTabKeyNavigation(false);
  list_->horizontalHeader()->setStretchLastSection(true);
  const auto line = [this](const char* name, const QString& text, const QString& hint) {
    auto* const made = new QLineEdit(text, this);
    made->setObjectName(QString::fromUtf8(name));
    made->setPlaceholderText(hint);
    return made;
  };
  pid_ = line("attachPid", {}, tr("of its trainer, a launcher above it, or a loader worker"));
  time_ = line("attachTime", QStringLiteral("30 s"), {});
  batch_ = line("attachBatch", {}, tr("of one trainer, where you know it"));
  state_ = new QLabel(
      tr("Watching reads /proc and takes at most 0.25 % of the cores of the job; the job is not changed."), this);
  state_->setObjectName(QStringLiteral("attachState"));
  state_->setWordWrap(true);
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("attachProgress"));
  progress_->setAccessibleName(tr("How long the job has been watched"));
  progress_->setRange(0, 1000);
  progress_->hide();
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(QStringLiteral("attachSeen"));
  text_->setAccessibleName(tr("What was seen"));
  text_->setReadOnly(true);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  const auto button = [this](const QString& text, const char* name, void (AttachDialog::*act)()) {
    auto* const made = new QPushButton(text, this);
    made->setObjectName(QString::fromUtf8(name));
    made->setAutoDefault(false);
    connect(made, &QPushButton::clicked, this, act);
    return made;
  };
  auto* const again = button(tr("Look &again"), "attachLook", &AttachDialog::look);
  watch_ = button({}, "attachWatch", &AttachDialog::watch);
  use_ = button(tr("&Use it"), "attachUse", &AttachDialog::takeOver);
  use_->setToolTip(tr("Opens the scenario that was fitted to what was seen"));

  auto* const form = new QFormLayout;
  form->addRow(tr("&Process"), pid_);
  form->addRow(tr("How &long"), time_);
  form->addRow(tr("Samples in a &batch"), batch_);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  buttons->addButton(watch_, QDialogButtonBox::ActionRole);
  buttons->addButton(use_, QDialogButtonBox::ActionRole);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* const top = new QHBoxLayout;
  top->addWidget(new QLabel(tr("Jobs of yours whose loaders have workers:"), this), 1);
  top->addWidget(again);
  auto* const layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(list_, 1);
  layout->addLayout(form);
  layout->addWidget(state_);
  layout->addWidget(progress_);
  layout->addWidget(text_, 3);
  layout->addWidget(buttons);
  resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 42);

  connect(list_, &QTableWidget::itemSelectionChanged, this, [this] {
    if (const QTableWidgetItem* item = list_->item(list_->currentRow(), 0)) pid_->setText(item->text());
  });
  connect(pid_, &QLineEdit::textChanged, this, &AttachDialog::showButtons);
  connect(&session_.background(), &Background::busyChanged, this, [this](const QString& kind, bool) {
    if (kind == kAttachWork) showButtons();
  });
  connect(&session_.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind == kAttachWork) take({message, std::nullopt});
  });
  look();
  showButtons();
}

AttachDialog::~AttachDialog() { session_.background().stop(kAttachWork); }

bool AttachDialog::isWatching() const { return session_.background().isBusy(kAttachWork); }

void AttachDialog::look() {
  const std::vector<JobTree> jobs = jobs_();
  list_->setRowCount(static_cast<int>(jobs.size()));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::size_t workers = 0;
    for (const JobRank& rank : jobs[i].ranks) workers += rank.workers.size();
    const QString cells[] = {QString::number(jobs[i].asked), QString::number(jobs[i].ranks.size()),
                             QString::number(workers), fromView(jobs[i].ranks.front().trainer.command)};
    for (int column = 0; column < 4; ++column) {
      auto* const cell = new QTableWidgetItem(cells[column]);
      cell->setToolTip(cells[column]);
      list_->setItem(static_cast<int>(i), column, cell);
    }
  }
  list_->resizeColumnToContents(0);
  if (!jobs.empty()) list_->selectRow(0);
}

void AttachDialog::watch() {
  if (isWatching()) return session_.background().stop(kAttachWork);
  const Asked all = asked(pid_->text(), time_->text(), batch_->text());
  file_.reset();
  if (!all.wrong.isEmpty()) {
    state_->setText(all.wrong);
    return showButtons();
  }
  state_->setText(tr("Watching process %1…").arg(all.question.pid));
  text_->clear();
  const auto feed = Feed<double>::make(this, [this](const std::vector<double>& done) {
    progress_->setValue(static_cast<int>(1000.0 * done.back()));
    if (done.back() >= 1.0) state_->setText(tr("Fitting the inputs that cannot be seen…"));
  });
  session_.background().run<Seen>(
      kAttachWork, this,
      [question = all.question, &catalogue = session_.catalogue(), feed](const std::stop_token& stop) {
        const SeenJob job = see_job(question, stop, [feed](double done) { feed->put(done); });
        feed->put(1.0);
        Seen out;
        const auto nothing = nothing_to_simulate(job);
        const JobScenario seen = nothing ? JobScenario() : scenario_of(job);
        out.text = fromView(render_text(job.tree, job.watch, job.figures, seen.missing));
        if (nothing) {
          out.text += QLatin1Char('\n') + fromView(render_finding(*nothing));
          return out;
        }
        const Loaded<DiagnosisQuestion> left_open = diagnosis_of(seen, {}, catalogue);
        const Loaded<std::vector<Rule>> rules = load_rules(catalogue.identity.directory);
        if (!left_open.ok()) {
          out.text += QLatin1Char('\n') + errorsText(left_open.findings);
          return out;
        }
        RunOptions options;
        options.threads = Background::threads();
        options.stop = stop;
        const Loaded<DiagnosisAnswer> answer =
            answer_diagnose(*left_open.value, rules.value.value_or(std::vector<Rule>()), catalogue, options);
        if (!answer.ok()) {
          out.text += QLatin1Char('\n') + errorsText(answer.findings);
          return out;
        }
        out.text += QLatin1Char('\n') + fromView(render_text(answer.value->fit, left_open.value->runs.front().job));
        Loaded<ScenarioFile> file = parse_scenario(answer.value->fitted, left_open.value->name);
        if (file.ok()) out.file = std::move(file.value);
        return out;
      },
      [this](Seen seen) { take(std::move(seen)); }, Background::Pace::kLikeTheWindow);
}

void AttachDialog::take(Seen seen) {
  file_ = std::move(seen.file);
  state_->setText(file_ ? tr("“Use it” makes this job the open scenario: the window then says what would help.")
                        : tr("There is nothing to simulate."));
  text_->setPlainText(seen.text);
  showButtons();
}

void AttachDialog::showButtons() {
  watch_->setText(isWatching() ? tr("&Stop") : tr("&Watch"));
  watch_->setEnabled(isWatching() || !pid_->text().trimmed().isEmpty());
  use_->setEnabled(file_.has_value() && !isWatching());
  progress_->setVisible(isWatching());
}

void AttachDialog::takeOver() {
  if (!file_) return;
  const QString name = fromView(file_->scenario.name);
  session_.document().takeOver(std::move(*file_), name);
  accept();
}

QAction* attachAction(Session& session, QWidget* window) {
  auto* const action = new QAction(AttachDialog::tr("&Attach to a running job…"), window);
  action->setObjectName(QStringLiteral("attachAction"));
  QObject::connect(action, &QAction::triggered, window, [&session, window] {
    auto* const dialog = new AttachDialog(session, window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
  });
  return action;
}

}  // namespace stallcast::gui
