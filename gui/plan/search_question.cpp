#include "gui/plan/search_question.h"

#include <QFormLayout>
#include <QGroupBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/plan/explain/curve.h"
#include "core/plan/search/size.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/uncertain_input.h"
#include "gui/plan/curve_view.h"
#include "gui/session/qt_text.h"

namespace stallcast::gui {
namespace {

constexpr int kMostBeside = 12;  // characters of values beside the name of what varies

constexpr const char* kTargets[] = {"/plan/min_utilization", "/plan/deadline", "/plan/budget"};

// "loader.num_workers" and "2,4,8" of "loader.num_workers=2,4,8".
std::pair<std::string, std::string> parts_of(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  return {text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
}

std::string pointer_of(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return "/" + name;
}

// Stays open, so that several of its entries can be ticked one after the other.
class TickMenu : public QMenu {
 public:
  using QMenu::QMenu;

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    QAction* const at = actionAt(event->position().toPoint());
    at != nullptr && at->isCheckable() ? at->trigger() : QMenu::mouseReleaseEvent(event);
  }
  void keyPressEvent(QKeyEvent* event) override {
    QAction* const at = activeAction();
    const bool ticks = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return;
    ticks&& at != nullptr && at->isCheckable() ? at->trigger() : QMenu::keyPressEvent(event);
  }
};

}  // namespace

SearchQuestion::SearchQuestion(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  auto* const may_vary = new QGroupBox(tr("What may vary"), this);
  grid_ = new QGridLayout;
  grid_->setColumnStretch(1, 1);
  grid_->setVerticalSpacing(2);
  more_ = new QComboBox(may_vary);
  more_->setObjectName(QStringLiteral("question.more"));
  more_->setAccessibleName(tr("Vary another field"));
  more_->addItem(tr("Vary another field…"));
  for (const std::string& pointer : curveFields())
    more_->addItem(QString::fromStdString(field_title(pointer)), QString::fromStdString(pointer));
  more_->setMaxVisibleItems(24);
  more_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  more_->setMinimumContentsLength(20);
  wrong_ = new QLabel(may_vary);
  wrong_->setObjectName(QStringLiteral("question.wrong"));
  wrong_->setWordWrap(true);
  wrong_->setTextFormat(Qt::PlainText);
  wrong_->hide();
  auto* const left = new QVBoxLayout(may_vary);
  left->addLayout(grid_);
  left->addWidget(more_, 0, Qt::AlignLeft);
  left->addWidget(wrong_);

  auto* const must_keep = new QGroupBox(tr("What the answer must keep"), this);
  auto* const right = new QFormLayout(must_keep);
  right->setVerticalSpacing(2);
  for (const char* const pointer : kTargets) {
    const Field& field = *find_field(pointer);
    ValueEditor* const editor = makeValueEditor(field, session.catalogue(), must_keep);
    editor->focusProxy()->setObjectName(QStringLiteral("question.") + QString::fromLatin1(pointer).section('/', -1));
    editor->focusProxy()->setAccessibleName(QString::fromStdString(field_title(pointer)));
    editor->focusProxy()->setToolTip(QString::fromStdString(field.help));
    right->addRow(QString::fromStdString(field_title(pointer)), editor);
    targets_.emplace_back(&field, editor);
    connect(editor, &ValueEditor::edited, this, [this, &field](const QString& text) { setTarget(field, text); });
    connect(editor, &ValueEditor::discarded, this, &SearchQuestion::showTargets);
  }

  auto* const both = new QVBoxLayout(this);
  both->setContentsMargins(0, 0, 0, 0);
  both->addWidget(may_vary);
  both->addWidget(must_keep);
  both->addStretch(1);

  connect(more_, &QComboBox::activated, this, [this](int at) {
    if (at > 0) add(more_->itemData(at).toString().toStdString());
    more_->setCurrentIndex(0);
  });
}

std::vector<std::string> SearchQuestion::asked() const {
  std::vector<std::string> out;
  for (const Variable& one : variables_)
    if (one.varies) out.push_back(one.name + "=" + one.values);
  return out;
}

void SearchQuestion::refresh() {
  showTargets();
  const ScenarioFile& file = session_.document().file();
  std::vector<Variable> variables;
  const auto listed = [&](const std::string& name) {
    return std::any_of(variables.begin(), variables.end(), [&](const Variable& one) { return one.name == name; });
  };
  const auto list = [&](const std::string& name, const std::string& values, bool varies) {
    if (!listed(name)) variables.push_back({name, values, varies});
  };
  for (const std::string& text : file.scenario.plan.vary) {
    const auto [name, values] = parts_of(text);
    list(name, values, true);
    offered_[name] = values;
  }
  const bool planned = !variables.empty();
  for (const std::string& text : usual_variables(file, session_.catalogue())) {
    const auto [name, values] = parts_of(text);
    list(name, values, !planned);
  }
  for (const auto& [name, values] : offered_) list(name, values, false);
  variables_ = std::move(variables);
  fillRows();
}

void SearchQuestion::fillRows() {
  for (int at = static_cast<int>(rows_.size()); at < static_cast<int>(variables_.size()); ++at) addRow(at);
  const auto ticked =
      std::count_if(variables_.begin(), variables_.end(), [](const Variable& one) { return one.varies; });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const bool used = i < variables_.size();
    row.varies->setVisible(used);
    for (QWidget* const part :
         {static_cast<QWidget*>(row.values), static_cast<QWidget*>(row.choose), static_cast<QWidget*>(row.titles)})
      part->setVisible(used);
    if (!used) continue;
    const Variable& one = variables_[i];
    const QString title = QString::fromStdString(field_title(pointer_of(one.name)));
    row.varies->setText(title);
    row.varies->setToolTip(QString::fromStdString(one.name));
    row.varies->setChecked(one.varies);
    row.varies->setEnabled(!one.varies || ticked > 1);  // a search varies something
    const QString text = QString::fromStdString(one.values);
    place(static_cast<int>(i), text);
    for (QWidget* const editor : {static_cast<QWidget*>(row.values), static_cast<QWidget*>(row.choose)}) {
      editor->setAccessibleName(tr("Values of: %1").arg(title));
      editor->setEnabled(one.varies);
    }
    const std::map<QString, QString> names = titlesOf(one);
    row.values->setVisible(names.empty());
    row.choose->setVisible(!names.empty());
    row.titles->setVisible(!names.empty());
    QStringList titles;
    for (const QString& value : text.split(',')) titles.append(names.contains(value) ? names.at(value) : value);
    row.choose->setText(tr("%1 chosen").arg(titles.size()));
    row.titles->setText(titles.join(QStringLiteral("; ")));
    if (row.values->isModified() || row.values->text() == text) continue;
    row.values->setText(text);
    row.values->setCursorPosition(0);
  }
}

void SearchQuestion::addRow(int at) {
  Row row{new QCheckBox(this), new QLineEdit(this), new QToolButton(this), new QLabel(this)};
  auto* const menu = new TickMenu(row.choose);
  menu->setToolTipsVisible(true);
  connect(menu, &QMenu::aboutToShow, this, [this, at, menu] { offer(at, *menu); });
  row.choose->setMenu(menu);
  row.choose->setPopupMode(QToolButton::InstantPopup);
  row.choose->setObjectName(QStringLiteral("question.choose%1").arg(at));
  row.titles->setObjectName(QStringLiteral("question.titles%1").arg(at));
  row.titles->setTextFormat(Qt::PlainText);
  row.titles->setWordWrap(true);
  row.values->setToolTip(
      tr("Values like 2,4,8, a range like 1..8 or 64..1024:64, or \"valid\": all sizes that are sold, "
         "\"valid:x1.2\": some of them, each at least 1.2 times the one before"));
  row.values->setMinimumWidth(8 * fontMetrics().averageCharWidth());
  row.varies->setObjectName(QStringLiteral("question.varies%1").arg(at));
  row.values->setObjectName(QStringLiteral("question.values%1").arg(at));
  connect(row.varies, &QCheckBox::clicked, this, [this, at](bool on) {
    variables_[static_cast<std::size_t>(at)].varies = on;
    write();
  });
  connect(row.values, &QLineEdit::editingFinished, this, [this, at, line = row.values] {
    if (!line->isModified()) return;
    line->setModified(false);
    variables_[static_cast<std::size_t>(at)].values = line->text().trimmed().toStdString();
    write();
  });
  rows_.push_back(row);
}

// What the catalogue calls the values that it may have, by name; none where they are not names.
std::map<QString, QString> SearchQuestion::titlesOf(const Variable& one) const {
  std::map<QString, QString> titles;
  if (const Field* const field = find_field(pointer_of(one.name)))
    for (const ValueChoice& choice : valueChoices(*field, session_.catalogue()))
      if (!choice.title.isEmpty()) titles[choice.name] = choice.title;
  return titles;
}

// Every name that a value may be, those that are asked about ticked.
void SearchQuestion::offer(int at, QMenu& menu) {
  menu.clear();
  const Variable& one = variables_[static_cast<std::size_t>(at)];
  const QStringList values = QString::fromStdString(one.values).split(',');
  std::map<QString, QString> names;  // in the order of their titles
  for (const auto& [name, title] : titlesOf(one)) names.emplace(title, name);
  for (const auto& [title, name] : names) {
    QAction* const action = menu.addAction(title);
    action->setData(name);
    action->setToolTip(name);
    action->setCheckable(true);
    action->setChecked(values.contains(name));
    connect(action, &QAction::triggered, this, [this, at, action] {
      Variable& changed = variables_[static_cast<std::size_t>(at)];
      QStringList list = QString::fromStdString(changed.values).split(',');
      const QString value = action->data().toString();
      const bool last = list == QStringList{value};  // a search asks about something
      action->setChecked(last || !list.contains(value));
      if (last) return;
      if (list.removeAll(value) == 0) list.append(value);
      changed.values = list.join(',').toStdString();
      write();
    });
  }
}

// Beside the name, or where that leaves too little room, below it.
void SearchQuestion::place(int at, const QString& values) {
  const Row& row = rows_[static_cast<std::size_t>(at)];
  const bool named = !titlesOf(variables_[static_cast<std::size_t>(at)]).empty();
  const bool below = !named && values.size() > kMostBeside;
  grid_->addWidget(row.varies, 3 * at, 0, 1, below ? 2 : 1);
  grid_->addWidget(row.choose, 3 * at, 1, Qt::AlignLeft);
  grid_->addWidget(row.values, below ? 3 * at + 1 : 3 * at, below ? 0 : 1, 1, below ? 2 : 1);
  grid_->addWidget(row.titles, 3 * at + 2, 0, 1, 2);
}

void SearchQuestion::add(const std::string& pointer) {
  const std::string name = dotted_name(pointer);
  const auto found =
      std::find_if(variables_.begin(), variables_.end(), [&](const Variable& one) { return one.name == name; });
  if (found != variables_.end()) {
    found->varies = true;
    return write();
  }
  std::string values;
  for (const std::string& value : usual_values(session_.document().file(), session_.catalogue(), pointer))
    values += (values.empty() ? "" : ",") + value;
  variables_.push_back({name, values, true});
  write();
}

void SearchQuestion::write() {
  for (const Variable& one : variables_) offered_[one.name] = one.values;
  Findings why = parse_variables(asked(), session_.document().file()).findings;
  if (!why.has_errors()) session_.document().setValue("/plan/vary", nlohmann::json(asked()).dump(), &why);
  say(why);
  if (why.has_errors()) fillRows();
}

void SearchQuestion::setTarget(const Field& field, const QString& text) {
  Findings why;
  if (text.trimmed().isEmpty()) {
    session_.document().clearValue(field.pointer);
  } else {
    session_.document().setValue(field.pointer, text.toStdString(), &why);
  }
  say(why);
}

void SearchQuestion::showTargets() {
  for (const auto& [field, editor] : targets_) {
    const QString text = session_.document().valueText(field->pointer);
    const bool none = !session_.document().isGiven(field->pointer);
    editor->setText(text);
    editor->setSummary(none ? tr("none") : QString());
  }
}

void SearchQuestion::say(const Findings& why) {
  wrong_->setText(errorsText(why));
  wrong_->setVisible(!wrong_->text().isEmpty());
}

}  // namespace stallcast::gui
