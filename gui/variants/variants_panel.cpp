#include "gui/variants/variants_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/scenario/resolve/resolve.h"
#include "gui/views/feed.h"

namespace stallcast::gui {
namespace {

const QString kComparisonWork = QStringLiteral("comparison"), kInputs = QStringLiteral("variant inputs");

struct Resolved {
  std::vector<ResolvedScenario> scenarios;
  QString problem;
};

Resolved resolveAll(const std::vector<ScenarioFile>& files, const QStringList& names, const Catalogue& catalogue) {
  Resolved out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Loaded<ResolvedScenario> resolved = resolve(files[i], catalogue);
    if (!resolved.ok()) {
      const auto& findings = resolved.findings.list();
      const auto error = std::find_if(findings.begin(), findings.end(),
                                      [](const Finding& one) { return one.severity == Severity::kError; });
      out.problem = VariantsPanel::tr("%1 has an error at %2")
                        .arg(names[static_cast<qsizetype>(i)],
                             error == findings.end() ? QString() : QString::fromStdString(error->pointer));
      return out;
    }
    if (resolved.value->scenario.job != JobKind::kTraining || !resolved.value->concurrent_jobs.empty()) {
      out.problem = VariantsPanel::tr("%1 is not one training job").arg(names[static_cast<qsizetype>(i)]);
      return out;
    }
    out.scenarios.push_back(std::move(*resolved.value));
  }
  return out;
}

}  // namespace

VariantsPanel::VariantsPanel(Session& session, QWidget* parent) : View(session, parent) {
  setObjectName(QStringLiteral("variantsView"));
  list_ = new VariantList(session_.document(), this);
  table_ = new ComparisonTable(this);
  view_ = new QListView(this);
  view_->setObjectName(QStringLiteral("variantList"));
  view_->setAccessibleName(tr("Scenarios side by side"));
  view_->setModel(list_);
  view_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  QLayout* const buttons = makeButtons();
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("compareProgress"));
  progress_->setAccessibleName(tr("Runs of the comparison"));
  progress_->hide();
  sentence_ = new QLabel(this);
  sentence_->setObjectName(QStringLiteral("compareSentence"));
  sentence_->setWordWrap(true);
  figures_ = new QTableView(this);
  figures_->setObjectName(QStringLiteral("comparisonTable"));
  figures_->setAccessibleName(tr("Inputs that differ, and figures"));
  figures_->setModel(table_);
  figures_->verticalHeader()->hide();
  figures_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() * 3 / 2);
  figures_->setAlternatingRowColors(true);
  figures_->setSelectionBehavior(QAbstractItemView::SelectRows);
  figures_->setTabKeyNavigation(false);
  figures_->horizontalHeader()->setStretchLastSection(true);
  layOut(buttons);
  setFocusProxy(view_);
  connectSignals();
  view_->setCurrentIndex(list_->index(0));
  takeBaseline();
  takeChange();
}

QLayout* VariantsPanel::makeButtons() {
  const auto button = [this](const QString& text, const char* name, void (VariantsPanel::*act)()) {
    auto* const made = new QPushButton(text, this);
    made->setObjectName(QString::fromUtf8(name));
    connect(made, &QPushButton::clicked, this, act);
    return made;
  };
  auto* const copy = button(tr("D&uplicate"), "duplicateVariant", &VariantsPanel::duplicate);
  copy->setToolTip(tr("Keeps the document as it is now as a variant"));
  open_ = button(tr("&Open"), "openVariant", &VariantsPanel::openCurrent);
  open_->setToolTip(tr("Puts the variant in the place of the document; undo brings it back"));
  pin_ = button(tr("P&in"), "pinVariant", &VariantsPanel::pinCurrent);
  pin_->setToolTip(tr("Makes it the baseline that changes are shown against, here and in every view"));
  remove_ = button(tr("&Remove"), "removeVariant", &VariantsPanel::removeCurrent);
  compare_ = button(tr("Co&mpare"), "compareVariants", &VariantsPanel::compareAll);
  auto* const grid = new QGridLayout;
  grid->addWidget(copy, 0, 0);
  grid->addWidget(remove_, 0, 1);
  grid->addWidget(open_, 1, 0);
  grid->addWidget(pin_, 1, 1);
  grid->addWidget(compare_, 2, 0, 1, 2);
  return grid;
}

void VariantsPanel::layOut(QLayout* buttons) {
  auto* const side = new QWidget(this);
  auto* const column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(view_, 1);
  column->addLayout(buttons);
  column->addWidget(progress_);
  auto* const right = new QWidget(this);
  auto* const rows = new QVBoxLayout(right);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addWidget(sentence_);
  rows->addWidget(figures_, 1);
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(side);
  splitter->addWidget(right);
  splitter->setStretchFactor(1, 1);
  splitter->setChildrenCollapsible(false);
  splitter->setSizes({fontMetrics().averageCharWidth() * 28, fontMetrics().averageCharWidth() * 200});
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(splitter);
}

void VariantsPanel::connectSignals() {
  connect(&session_, &Session::baselineChanged, this, &VariantsPanel::takeBaseline);
  connect(&session_, &Session::progressChanged, this, &VariantsPanel::compareUnasked);
  view_->installEventFilter(this);
  connect(view_, &QListView::activated, this, &VariantsPanel::openCurrent);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &VariantsPanel::showButtons);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(list_, signal, this, &VariantsPanel::takeChange);
  connect(list_, &QAbstractItemModel::dataChanged, this, &VariantsPanel::takeChange);
  connect(&session_.document(), &Document::changed, this, &VariantsPanel::takeChange);
  connect(figures_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid() && !table_->key(now.row()).isEmpty()) session_.selection().select(table_->key(now.row()));
  });
  connect(&session_.background(), &Background::busyChanged, this, [this](const QString& kind, bool) {
    if (kind == kComparisonWork) showButtons();
  });
}

void VariantsPanel::duplicate() { view_->setCurrentIndex(list_->index(list_->duplicate())); }

void VariantsPanel::openCurrent() {
  const int row = currentRow();
  if (row <= 0) return;
  session_.document().replaceScenario(list_->file(row), list_->name(row));
}

void VariantsPanel::pinCurrent() {
  if (currentRow() == 0) return session_.pinBaseline();
  pinned_ = std::make_shared<const ScenarioFile>(list_->file(currentRow()));
  list_->setBaseline(currentRow());
  session_.pinBaseline(pinned_);
}

void VariantsPanel::takeBaseline() {
  const auto now = session_.baseline() ? session_.baseline()->file : nullptr;
  if (std::exchange(pinned_, now) == now) return;
  now ? list_->pin(*now) : list_->unpin();
}

void VariantsPanel::removeCurrent() {
  const bool is_baseline = currentRow() > 0 && currentRow() == list_->baseline();
  list_->removeVariant(currentRow());
  if (is_baseline) session_.unpinBaseline();
}

bool VariantsPanel::isComparing() const { return session_.background().isBusy(kComparisonWork); }

std::vector<int> VariantsPanel::comparedRows() const {
  std::vector<int> rows{list_->baseline()};
  for (int row = 0; row < list_->rowCount(); ++row)
    if (row != list_->baseline() && list_->isCompared(row)) rows.push_back(row);
  return rows;
}

QStringList VariantsPanel::namesOf(const std::vector<int>& rows) const {
  QStringList names;
  for (const int row : rows) names << list_->name(row);
  return names;
}

// What a comparison said of other inputs is not shown any more.
void VariantsPanel::takeChange() {
  session_.background().stop(kComparisonWork);
  outdated_ = true;
  showButtons();
  refreshWhenSeen();
}

// What differs is known without running anything.
void VariantsPanel::refresh() {
  const std::vector<int> rows = comparedRows();
  const QStringList names = namesOf(rows);
  if (rows.size() < 2) {
    session_.background().stop(kInputs);
    table_->clear();
    sentence_->setText(tr("Pin the document or duplicate it, change it, and compare the two."));
    return;
  }
  session_.background().run<Inputs>(
      kInputs, this,
      [files = filesOf(rows), names, catalogue = &session_.catalogue()](const std::stop_token&) {
        const Resolved resolved = resolveAll(files, names, *catalogue);
        if (!resolved.problem.isEmpty()) return Inputs{{}, resolved.problem};
        return Inputs{input_differences(resolved.scenarios), {}};
      },
      [this, names](const Inputs& inputs) {
        sentence_->setText(inputs.problem.isEmpty()
                               ? tr("Compare runs every scenario with the same random numbers, so that "
                                    "differences have narrow intervals.")
                               : inputs.problem);
        if (!inputs.problem.isEmpty()) return table_->clear();
        table_->setInputs(inputs.differences, names);
        fitTable();
        compareUnasked();
      });
}

// A heading has its row for itself.
void VariantsPanel::fitTable() {
  figures_->clearSpans();
  for (int row = 0; row < table_->rowCount(); ++row)
    if (table_->isHeading(row)) figures_->setSpan(row, 0, 1, table_->columnCount());
  figures_->resizeColumnsToContents();
}

// Delete in the list removes a variant.
bool VariantsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
    removeCurrent();
    return true;
  }
  return View::eventFilter(watched, event);
}

std::vector<ScenarioFile> VariantsPanel::filesOf(const std::vector<int>& rows) const {
  std::vector<ScenarioFile> files;
  for (const int row : rows) files.push_back(list_->file(row));
  return files;
}

// Whoever looks at several scenarios wants to know; the answer of the document itself goes first.
void VariantsPanel::compareUnasked() {
  if (outdated_ && isVisible() && !isComparing() && !session_.isConverging() && table_->rowCount() > 0) compareAll();
}

void VariantsPanel::compareAll() {
  outdated_ = false;
  if (isComparing()) return session_.background().stop(kComparisonWork);
  const std::vector<int> rows = comparedRows();
  if (rows.size() < 2) return;
  const QStringList names = namesOf(rows);
  progress_->setRange(0, 0);
  const auto counted = Feed<Counted>::make(this, [this](const std::vector<Counted>& counts) {
    progress_->setRange(0, static_cast<int>(counts.back().wanted));
    progress_->setValue(static_cast<int>(counts.back().done));
  });
  session_.background().run<Outcome>(
      kComparisonWork, this,
      [files = filesOf(rows), names, counted, catalogue = &session_.catalogue()](const std::stop_token& stop) {
        Outcome outcome;
        Resolved resolved = resolveAll(files, names, *catalogue);
        outcome.problem = resolved.problem;
        if (!outcome.problem.isEmpty()) return outcome;
        CompareOptions options;
        options.run.stop = stop;
        for (const QString& name : names) options.names.push_back(name.toStdString());
        options.counted = [counted](std::int64_t done, std::int64_t wanted) { counted->put({done, wanted}); };
        outcome.comparison = std::make_shared<Comparison>(compare(std::move(resolved.scenarios), options));
        return outcome;
      },
      [this, names](const Outcome& outcome) { showOutcome(outcome, names); });
}

void VariantsPanel::showOutcome(const Outcome& outcome, const QStringList& names) {
  if (!outcome.comparison) {
    sentence_->setText(outcome.problem);
    return;
  }
  session_.background().stop(kInputs);  // what it would say, later than the comparison, is in that
  table_->setComparison(*outcome.comparison, names);
  fitTable();
  sentence_->setText(QString::fromStdString(outcome.comparison->advice.sentence));
}

void VariantsPanel::showButtons() {
  const int row = currentRow();
  open_->setEnabled(row > 0);
  remove_->setEnabled(row > 0);
  pin_->setEnabled(row == 0 || (row > 0 && row != list_->baseline()));
  compare_->setEnabled(comparedRows().size() > 1);
  compare_->setText(isComparing() ? tr("C&ancel") : tr("Co&mpare"));
  progress_->setVisible(isComparing());
}

}  // namespace stallcast::gui
