#include "gui/panel/value_editor.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStyle>
#include <QStyledItemDelegate>

namespace stallcast::gui {
namespace {

// Widgets in a scrolled form turn with the wheel only when they have the focus.
class WheelGuard : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
    event->ignore();
    return true;
  }
};

void put_inside(ValueEditor* editor, QWidget* inner) {
  auto* layout = new QHBoxLayout(editor);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(inner);
  editor->setFocusProxy(inner);
  inner->setFocusPolicy(Qt::StrongFocus);
  inner->installEventFilter(new WheelGuard(editor));
}

class LineEditor : public ValueEditor {
 public:
  explicit LineEditor(QWidget* parent) : ValueEditor(parent), line_(new QLineEdit(this)) {
    put_inside(this, line_);
    connect(line_, &QLineEdit::editingFinished, this, &LineEditor::finish);
    line_->installEventFilter(this);
  }
  QString text() const override { return line_->text() == summary_ ? text_ : line_->text(); }
  void setText(const QString& text) override {
    text_ = text;
    show();
  }
  void setSummary(const QString& summary) override {
    summary_ = summary;
    show();
  }

 protected:
  // A line takes the keys of undo and redo for its own text. When there is nothing typed in it, they are the
  // document's.
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::FocusIn && line_->text() == summary_) showText(text_);
    if (event->type() == QEvent::FocusOut) QMetaObject::invokeMethod(this, &LineEditor::leave, Qt::QueuedConnection);
    if (event->type() != QEvent::ShortcutOverride || line_->isModified())
      return ValueEditor::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo)) return false;
    key->ignore();
    return true;
  }
  // The line leaves Escape to its parent.
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() != Qt::Key_Escape || !line_->isModified()) return ValueEditor::keyPressEvent(event);
    line_->setModified(false);
    emit discarded();
  }

 private:
  void finish() {
    if (!line_->isModified()) return;
    line_->setModified(false);
    emit edited(line_->text());
  }

  void show() { showText(line_->hasFocus() || summary_.isEmpty() ? text_ : summary_); }
  // Wrong text that was typed stays, too.
  void leave() {
    if (line_->text() == text_) show();
  }
  // What a person is typing stays.
  void showText(const QString& text) {
    if (line_->isModified() || line_->text() == text) return;
    line_->setText(text);
    if (!line_->hasFocus()) line_->setCursorPosition(0);
  }

  QLineEdit* line_;
  QString text_, summary_;
};

constexpr int kTitleRole = Qt::UserRole + 1;

// In the list that opens each name has its title beside it.
class TitledDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const QString title = index.data(kTitleRole).toString();
    if (!title.isEmpty()) option->text += QStringLiteral("  –  ") + title;
  }
};

class ListEditor : public ValueEditor {
 public:
  ListEditor(const std::vector<ValueChoice>& choices, QWidget* parent)
      : ValueEditor(parent), box_(new QComboBox(this)) {
    put_inside(this, box_);
    for (const ValueChoice& choice : choices) {
      box_->addItem(choice.name.isEmpty() ? tr("custom") : choice.name, choice.name);
      box_->setItemData(box_->count() - 1, choice.title, kTitleRole);
    }
    box_->setItemDelegate(new TitledDelegate(box_));
    box_->view()->setMinimumWidth(box_->view()->sizeHintForColumn(0) +
                                  box_->style()->pixelMetric(QStyle::PM_ScrollBarExtent));
    box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box_->setMinimumContentsLength(8);
    connect(box_, &QComboBox::activated, this, [this] { emit edited(text()); });
  }
  QString text() const override { return box_->currentData().toString(); }
  QString title() const override { return box_->currentData(kTitleRole).toString(); }
  void setText(const QString& text) override {
    // A name that is not in the catalogue is shown too: the finding beside it says so.
    if (box_->findData(text) < 0) box_->addItem(text, text);
    box_->setCurrentIndex(box_->findData(text));
  }

 private:
  QComboBox* box_;
};

class SwitchEditor : public ValueEditor {
 public:
  explicit SwitchEditor(QWidget* parent) : ValueEditor(parent), box_(new QCheckBox(this)) {
    put_inside(this, box_);
    connect(box_, &QCheckBox::clicked, this, [this] { emit edited(text()); });
  }
  QString text() const override { return box_->isChecked() ? QStringLiteral("true") : QStringLiteral("false"); }
  void setText(const QString& text) override { box_->setChecked(text == "true"); }

 private:
  QCheckBox* box_;
};

template <class R>
std::vector<ValueChoice> choicesOf(const std::map<std::string, R>& records) {
  std::vector<ValueChoice> list(1);
  for (const auto& [name, record] : records)
    list.push_back({QString::fromStdString(name), QString::fromStdString(record.title)});
  return list;
}

}  // namespace

std::vector<ValueChoice> valueChoices(const Field& field, const Catalogue& catalogue) {
  if (field.pointer == "/cluster/instance") return choicesOf(catalogue.instances);
  if (field.pointer == "/cluster/gpu") return choicesOf(catalogue.gpus);
  if (field.pointer == "/cluster/cpu") return choicesOf(catalogue.cpus);
  if (field.pointer == "/workload/name") return choicesOf(catalogue.workloads);
  if (field.pointer == "/loader/framework") return choicesOf(catalogue.loaders);
  if (field.pointer == "/dataset/format") return choicesOf(catalogue.formats);
  if (field.pointer == "/checkpoint/software") return choicesOf(catalogue.checkpointers);
  if (field.pointer == "/storage/tier" || field.pointer == "/origin/tier") return choicesOf(catalogue.tiers);
  std::vector<ValueChoice> words;
  for (const std::string& word : field.words) words.push_back({QString::fromStdString(word), {}});
  return words;
}

ValueEditor* makeValueEditor(const Field& field, const Catalogue& catalogue, QWidget* parent) {
  if (field.kind == FieldKind::kBoolean) return new SwitchEditor(parent);
  const std::vector<ValueChoice> choices = valueChoices(field, catalogue);
  if (!choices.empty()) return new ListEditor(choices, parent);
  return new LineEditor(parent);
}

}  // namespace stallcast::gui
