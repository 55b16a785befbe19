#include "gui/report/report_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QVBoxLayout>

#include "core/answers/report_file.h"
#include "core/report/document/chosen_sections.h"
#include "core/report/review/review_document.h"
#include "gui/session/cli_command.h"
#include "gui/session/final_answer.h"
#include "gui/session/qt_text.h"
#include "gui/views/feed.h"

namespace stallcast::gui {
namespace {

constexpr const char* kReportWork = "report";
constexpr const char* kSaveWork = "report_file";

}  // namespace

ReportView::ReportView(Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(QStringLiteral("report"));
  QLayout* const controls = makeControls();
  page_ = new ReportPage(this);
  page_->setObjectName(QStringLiteral("report.page"));
  page_->setPlaceholderText(tr(
      "What to do and everything that speaks for it, for an architecture review: the recommendation, the options with "
      "ranges, what could change the decision, what it rests on."));
  status_ = new QLabel(this);
  status_->setObjectName(QStringLiteral("report.status"));
  status_->setWordWrap(true);
  status_->setTextFormat(Qt::PlainText);
  status_->setMinimumHeight(status_->fontMetrics().height());
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("report.progress"));
  progress_->setAccessibleName(tr("Progress"));
  progress_->setMaximumWidth(24 * fontMetrics().averageCharWidth());
  auto* const foot = new QHBoxLayout;
  foot->addWidget(status_, 1);
  foot->addWidget(progress_);
  auto* const all = new QVBoxLayout(this);
  const int gap = fontMetrics().height() / 2;
  all->setContentsMargins(gap, gap, gap, gap);
  all->addLayout(controls);
  all->addWidget(page_, 1);
  all->addLayout(foot);
  setRunning(false);
  showPage();

  connect(make_, &QPushButton::clicked, this, &ReportView::make);
  connect(stop_, &QPushButton::clicked, this, &ReportView::stop);
  connect(save_, &QPushButton::clicked, this, &ReportView::askAndSave);
  connect(reader_, &QComboBox::currentIndexChanged, this, &ReportView::showPage);
  connect(&session, &Session::answerChanged, this, &ReportView::refreshWhenSeen);
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != QLatin1String(kReportWork) && kind != QLatin1String(kSaveWork)) return;
    setRunning(false);
    say(message);
  });
}

QLayout* ReportView::makeControls() {
  reader_ = new QComboBox(this);
  reader_->setObjectName(QStringLiteral("report.reader"));
  reader_->setAccessibleName(tr("What the report is for"));
  reader_->addItem(tr("a decision: the first page"));
  reader_->addItem(tr("a review: everything"));
  auto* const label = new QLabel(tr("Fo&r"), this);
  label->setBuddy(reader_);
  sections_ = new QPushButton(tr("Sections"), this);
  sections_->setObjectName(QStringLiteral("report.sections"));
  sections_->setToolTip(tr("Which sections the report has beside its first page"));
  sections_->setMenu(new QMenu(sections_));
  make_ = new QPushButton(tr("&Make the report"), this);
  make_->setObjectName(QStringLiteral("report.make"));
  make_->setToolTip(tr("Searches the plan of the scenario, or sets the change that pays best beside it"));
  stop_ = new QPushButton(tr("St&op"), this);
  stop_->setObjectName(QStringLiteral("report.stop"));
  save_ = new QPushButton(tr("Save &as…"), this);
  save_->setObjectName(QStringLiteral("report.save"));
  save_->setToolTip(tr("HTML, PDF, Markdown or JSON; the first page also as a slide"));
  auto* const row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(reader_);
  row->addWidget(sections_);
  row->addStretch(1);
  for (QPushButton* const button : {make_, stop_, save_}) row->addWidget(button);
  return row;
}

ReportView::~ReportView() {
  session_.background().stop(QString::fromLatin1(kReportWork));
  session_.background().stop(QString::fromLatin1(kSaveWork));
}

// The scenario has changed: once its answer is the last one, the report is made again.
void ReportView::refresh() {
  if (!document_ || session_.document().revision() == revision_) return;
  if (session_.background().isBusy(QString::fromLatin1(kSaveWork))) return;  // it comes back here
  const auto& answer = session_.answer();
  if (answer && answer->stage == AnswerStage::kFinal && !session_.isConverging() &&
      answer->revision == session_.document().revision())
    return make();
  if (!running_) say(tr("The scenario has changed: this is the report of the one before."));
}

void ReportView::make() {
  const std::shared_ptr<const ResolvedScenario> resolved = session_.document().resolved();
  if (!resolved) return say(tr("The scenario has errors; they come first."));
  if (!isOneTrainingJob(*resolved)) return say(tr("A report is of a single training job."));
  setRunning(true);
  say(tr("Making the report…"));
  progress_->setRange(0, 0);
  revision_ = session_.document().revision();
  ReviewRequest request;
  request.files = {session_.document().file()};
  request.command = cliCommand(session_.document(), "report", {"-o", "report.html"}).toStdString();
  const std::uint64_t generation = ++generation_;
  const auto feed = Feed<Progress>::make(this, [this, generation](const std::vector<Progress>& all) {
    if (generation != generation_ || !running_) return;
    const Progress& last = all.back();
    progress_->setRange(0, static_cast<int>(last.wanted));
    progress_->setValue(static_cast<int>(last.done));
    say(tr("Making the report: %1 of %2 %3").arg(last.done).arg(last.wanted).arg(last.what));
  });
  session_.background().run<Outcome>(
      QString::fromLatin1(kReportWork), this,
      [request = std::move(request), &catalogue = session_.catalogue(), feed](std::stop_token stop) mutable {
        Outcome outcome;
        Loaded<Accuracy> accuracy = load_accuracy(find_models_directory());
        outcome.findings.append(accuracy.findings);
        if (!accuracy.ok()) return outcome;
        request.accuracy = std::move(*accuracy.value);
        request.run.stop = std::move(stop);
        request.run.threads = Background::threads();
        request.counted = [feed](const char* what, std::int64_t done, std::int64_t wanted) {
          feed->put({fromView(what), done, wanted});
        };
        const Loaded<Review> found = review(request, catalogue);
        outcome.findings.append(found.findings);
        outcome.stopped = request.run.stop.stop_requested();
        if (found.value && !outcome.stopped) outcome.document = review_document(*found.value);
        return outcome;
      },
      [this, generation](Outcome outcome) {
        if (generation == generation_) finish(std::move(outcome));
      });
}

void ReportView::stop() {
  if (!running_) return;
  session_.background().stop(QString::fromLatin1(kReportWork));
  session_.background().stop(QString::fromLatin1(kSaveWork));
  setRunning(false);
  say(document_ ? tr("Stopped; this is the report before.") : tr("Stopped."));
}

void ReportView::setRunning(bool running) {
  running_ = running;
  showRunning(*make_, *stop_, running);
  save_->setEnabled(document_.has_value() && !running);
  progress_->setVisible(running);
}

void ReportView::finish(Outcome outcome) {
  if (outcome.document) {
    document_ = std::move(outcome.document);
    listSections();
  }
  setRunning(false);
  if (outcome.findings.has_errors()) return say(errorsText(outcome.findings));
  say(tr("The report is of the scenario as it is; it is made again when that changes."));
  showPage();
}

// All but the first, which every report begins with.
void ReportView::listSections() {
  QMenu* const menu = sections_->menu();
  menu->clear();
  for (std::size_t i = 1; i < document_->sections.size(); ++i) {
    const Section& section = document_->sections[i];
    QAction* const one = menu->addAction(QString::fromStdString(section.title));
    one->setCheckable(true);
    one->setChecked(!left_out_.contains(section.id));
    connect(one, &QAction::toggled, this, [this, id = section.id](bool on) {
      if (on) {
        left_out_.erase(id);
      } else {
        left_out_.insert(id);
      }
      showPage();
    });
  }
}

stallcast::Document ReportView::chosen() const {
  std::set<std::string> wanted;
  for (const Section& section : document_->sections)
    if (!left_out_.contains(section.id)) wanted.insert(section.id);
  return with_sections(*document_, wanted);
}

void ReportView::showPage() {
  sections_->setEnabled(document_ && reader_->currentIndex() != 0);
  if (document_) page_->setReport(chosen(), reader_->currentIndex() == 0);
}

void ReportView::askAndSave() {
  const QString slide = tr("First page as a slide (*.pdf)");
  auto* const dialog = new QFileDialog(this, tr("Save the report"));
  dialog->setObjectName(QStringLiteral("report.dialog"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters(
      {tr("Web page (*.html)"), tr("PDF (*.pdf)"), tr("Markdown (*.md)"), tr("JSON (*.json)"), slide});
  dialog->setDefaultSuffix(QStringLiteral("html"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  // "Web page (*.html)": a name without an end gets that of the kind.
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.section(QLatin1Char('.'), -1).chopped(1));
  });
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, dialog, slide](const QString& path) { saveTo(path, dialog->selectedNameFilter() == slide); });
  dialog->open();
}

void ReportView::saveTo(const QString& path, bool slide) {
  if (!document_) return;
  Findings findings;
  const auto format = report_format(slide ? "slide" : "", path.toStdString(), findings);
  if (!format) return say(tr("%1: the name of a report ends in .html, .pdf, .md or .json").arg(path));
  setRunning(true);
  say(tr("Writing %1…").arg(path));
  progress_->setRange(0, 0);
  session_.background().run<bool>(
      QString::fromLatin1(kSaveWork), this,
      [document = chosen(), format = *format, path = path.toStdString()](const std::stop_token& stop) {
        require_writer_of(format);
        write_report(document, format, path, stop);
        return true;
      },
      [this, path](bool) {
        setRunning(false);
        say(tr("Written: %1").arg(path));
        refresh();
      });
}

void ReportView::say(const QString& text) {
  if (status_->text() != text) status_->setText(text);
}

}  // namespace stallcast::gui
