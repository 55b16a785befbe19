#include "gui/panel/scenario_panel.h"

#include <QKeyEvent>
#include <QScrollBar>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "core/scenario/fields/field_table.h"

namespace stallcast::gui {
namespace {

// Where most questions begin; of a job that saves checkpoints one is how often.
bool opens_first(const std::string& group, const Scenario& scenario) {
  if (group == "checkpoint") return scenario.checkpoint.mode != CheckpointMode::kNone;
  return group == "cluster" || group == "loader" || group == "storage";
}

}  // namespace

ScenarioPanel::ScenarioPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      search_(new QLineEdit(this)),
      shown_(new QComboBox(this)),
      nothing_(new QLabel(tr("No field matches."), this)),
      scroll_(new QScrollArea(this)) {
  setObjectName("scenarioPanel");
  setAccessibleName(tr("Scenario"));
  buildSearch();
  buildGroups();
  showLevel(FieldLevel::kCommon);
  connect(&session_.document(), &Document::changed, this, &ScenarioPanel::refresh);
  connect(&session_.selection(), &Selection::changed, this, &ScenarioPanel::highlight);
}

// A line that loses the focus because it goes edits nothing any more.
ScenarioPanel::~ScenarioPanel() {
  for (QLineEdit* line : findChildren<QLineEdit*>()) line->blockSignals(true);
}

void ScenarioPanel::buildSearch() {
  search_->setObjectName("fieldSearch");
  search_->setPlaceholderText(tr("Search names and meanings"));
  search_->setAccessibleName(tr("Search fields"));
  search_->setClearButtonEnabled(true);
  shown_->setObjectName("shownFields");
  shown_->setAccessibleName(tr("Which fields to show"));
  shown_->addItems({tr("Essential"), tr("Common"), tr("All fields"), tr("Given")});
  shown_->setItemData(0, tr("The dozen that decide most answers, and what is given"), Qt::ToolTipRole);
  shown_->setItemData(1, tr("Those that many jobs set besides, and what is given"), Qt::ToolTipRole);
  shown_->setItemData(2, tr("Every field"), Qt::ToolTipRole);
  shown_->setItemData(kGiven, tr("Only what the scenario gives"), Qt::ToolTipRole);
  shown_->setToolTip(tr("Which fields to show; the search looks through all of them"));
  nothing_->setObjectName("noFieldMatches");
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->hide();
  auto* top = new QHBoxLayout;
  top->addWidget(search_);
  top->addWidget(shown_);
  auto* column = new QVBoxLayout(this);
  const int gap = fontMetrics().height() / 4;
  column->setContentsMargins(gap, gap, gap, gap);
  column->addLayout(top);
  column->addWidget(nothing_);
  column->addWidget(scroll_, 1);
  search_->installEventFilter(this);
  connect(search_, &QLineEdit::textChanged, this, &ScenarioPanel::search);
  connect(&session_.document(), &Document::opened, this, &ScenarioPanel::startOver);
  connect(shown_, &QComboBox::currentIndexChanged, this, &ScenarioPanel::search);
}

void ScenarioPanel::buildGroups() {
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  for (const Field& field : field_table()) {
    if (std::any_of(groups_.begin(), groups_.end(), [&](FieldGroup* group) { return group->group() == field.group; }))
      continue;
    auto* group = new FieldGroup(field.group, session_, content);
    groups_.push_back(group);
    column->addWidget(group);
    group->setOpen(opens_first(field.group, session_.document().file().scenario));
    connect(group, &FieldGroup::rejectedChanged, this, &ScenarioPanel::rejectedChanged);
    connect(group, &FieldGroup::focused, &session_.selection(), &Selection::select);
  }
  column->addStretch(1);
  scroll_->setWidget(content);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // Qt keeps a margin beside what has the focus; there is nothing to see there.
  QScrollBar* const sideways = scroll_->horizontalScrollBar();
  connect(sideways, &QScrollBar::valueChanged, sideways, [sideways] { sideways->setValue(0); });
  scroll_->setFocusPolicy(Qt::NoFocus);
}

void ScenarioPanel::search() {
  const QStringList words = search_->text().split(' ', Qt::SkipEmptyParts);
  const FieldLevel most = onlyGiven() ? FieldLevel::kExpert : static_cast<FieldLevel>(shown_->currentIndex());
  int matches = 0;
  for (FieldGroup* group : groups_) matches += group->filter(words, onlyGiven(), most);
  nothing_->setVisible(matches == 0);
}

void ScenarioPanel::startOver() {
  search_->clear();
  for (FieldGroup* group : groups_) group->setOpen(opens_first(group->group(), session_.document().file().scenario));
}

// Undo is the document's, whose fields a person sees, but for a search that is being typed.
bool ScenarioPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
  auto* const key = static_cast<QKeyEvent*>(event);
  const bool undoes = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
  if (!undoes || search_->isUndoAvailable() || search_->isRedoAvailable()) return false;
  key->ignore();
  return true;
}

void ScenarioPanel::showLevel(FieldLevel most) { shown_->setCurrentIndex(static_cast<int>(most)); }

void ScenarioPanel::refresh() {
  for (FieldGroup* group : groups_) group->refresh();
}

Findings ScenarioPanel::rejected() const {
  Findings all;
  for (const FieldGroup* group : groups_)
    for (const FieldRow* row : group->rows()) all.append(row->rejected());
  return all;
}

// Of "/workload/step_time/mean": the row of /workload/step_time.
FieldRow* ScenarioPanel::rowOf(const QString& pointer) {
  for (std::string path = pointer.toStdString(); !path.empty(); path.resize(path.rfind('/'))) {
    const Field* field = find_field(path);
    if (field == nullptr) continue;
    const auto group = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const FieldGroup* candidate) { return candidate->group() == field->group; });
    if (group == groups_.end()) return nullptr;
    return (*group)->row(*field);
  }
  return nullptr;
}

void ScenarioPanel::jumpTo(const QString& pointer) {
  FieldRow* row = pointer.startsWith('/') ? rowOf(pointer) : nullptr;
  if (row == nullptr) return;
  search_->clear();
  if (onlyGiven() || row->field().level > static_cast<FieldLevel>(shown_->currentIndex()))
    showLevel(FieldLevel::kExpert);
  for (FieldGroup* group : groups_)
    if (group->group() == row->field().group) group->setOpen(true);
  scroll_->widget()->layout()->activate();
  scroll_->ensureWidgetVisible(row);
  row->focusEditor();
}

void ScenarioPanel::focusSearch() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void ScenarioPanel::highlight(const QString& key) {
  if (highlighted_ != nullptr) highlighted_->setHighlighted(false);
  highlighted_ = key.startsWith('/') ? rowOf(key) : nullptr;
  if (highlighted_ != nullptr) highlighted_->setHighlighted(true);
}

// No value is cut off by the edge.
QSize ScenarioPanel::minimumSizeHint() const {
  const QMargins around = layout()->contentsMargins();
  const int beside = around.left() + around.right() + style()->pixelMetric(QStyle::PM_ScrollBarExtent);
  const int rows = scroll_->widget()->minimumSizeHint().width() + beside;
  return {std::max(rows, fontMetrics().averageCharWidth() * 54), QWidget::minimumSizeHint().height()};
}

// Room for names, values and sliders that can be moved finely.
QSize ScenarioPanel::sizeHint() const { return {fontMetrics().averageCharWidth() * 66, QWidget::sizeHint().height()}; }

}  // namespace stallcast::gui
