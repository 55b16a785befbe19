#include "gui/panel/field_row.h"

#include <QEvent>
#include <QGridLayout>
#include <QHelpEvent>
#include <QStyle>
#include <QToolTip>
#include <utility>

#include "core/scenario/fields/field_title.h"
#include "gui/palette.h"
#include "gui/panel/field_text.h"

namespace stallcast::gui {
namespace {

constexpr int kNameColumn = 0, kValueColumn = 1, kSliderColumn = 2, kResetColumn = 3;
constexpr int kTitleRow = 1, kFindingRow = 2;

}  // namespace

FieldRow::FieldRow(const Field& field, Session& session, QWidget* parent, QString place)
    : QWidget(parent),
      field_(field),
      session_(session),
      place_(std::move(place)),
      name_(new QLabel(this)),
      editor_(makeValueEditor(field, session.catalogue(), this)),
      reset_(new QToolButton(this)) {
  const QString name = QString::fromStdString(field_label(field.pointer));
  setObjectName(objectNameOf("row"));
  name_->setBuddy(editor_);
  QWidget* inner = editor_->focusProxy();
  inner->setObjectName(objectNameOf("value"));
  inner->setAccessibleName(groupTitle(field.group) + " " + name);
  inner->installEventFilter(this);
  reset_->setObjectName(objectNameOf("reset"));
  reset_->setAutoRaise(true);
  reset_->setText(QStringLiteral("↺"));
  reset_->setAccessibleName(tr("Reset %1 %2").arg(groupTitle(field.group), name));
  reset_->setToolTip(tr("Back to what the catalogue or the default says"));
  if (FieldSlider::suits(field)) {
    slider_ = new FieldSlider(field, session.document(), session.catalogue(), this);
    slider_->setObjectName(objectNameOf("slider"));
    slider_->setAccessibleName(tr("Slider of %1 %2").arg(groupTitle(field.group), name));
    slider_->setAccessibleDescription(QString::fromStdString(field.help));
    slider_->installEventFilter(this);
  }
  connect(editor_, &ValueEditor::edited, this, &FieldRow::accept);
  connect(editor_, &ValueEditor::discarded, this, &FieldRow::discard);
  connect(&session.document(), &Document::opened, this, &FieldRow::discard);
  connect(reset_, &QToolButton::clicked, this, &FieldRow::reset);
  arrange();
  refresh();
}

QString FieldRow::objectNameOf(const char* part) const {
  return place_ + QString::fromStdString(field_.pointer) + QStringLiteral("#") + QLatin1String(part);
}

void FieldRow::arrange() {
  auto* grid = new QGridLayout(this);
  const int gap = fontMetrics().height() / 4;
  grid->setContentsMargins(gap, 0, gap, 0);
  grid->setHorizontalSpacing(gap);
  grid->setVerticalSpacing(0);
  grid->addWidget(name_, 0, kNameColumn);
  grid->addWidget(editor_, 0, kValueColumn, 1, slider_ != nullptr ? 1 : 2);
  if (slider_ != nullptr) grid->addWidget(slider_, 0, kSliderColumn);
  grid->addWidget(reset_, 0, kResetColumn);
  grid->setColumnStretch(kValueColumn, 3);
  grid->setColumnStretch(kSliderColumn, 2);
  name_->setWordWrap(true);
  name_->setFixedWidth(fontMetrics().horizontalAdvance('x') * 25);
  editor_->setMinimumWidth(fontMetrics().horizontalAdvance('0') * 11);
  if (slider_ != nullptr) slider_->setMinimumWidth(fontMetrics().horizontalAdvance('0') * 7);
}

void FieldRow::refresh() {
  const Document& document = session_.document();
  const QString text = shownText(field_, document);
  // Wrong text stays where it was typed until it is corrected or discarded, or the value changes otherwise.
  if (!rejected_.empty() && text != text_) setRejected({});
  text_ = text;
  if (rejected_.empty()) {
    editor_->setText(text);
    editor_->setSummary(summaryText(field_, document));
  }
  if (slider_ != nullptr) slider_->refresh();
  showMarkers();
  showTitle();
  showFindings();
}

// A line below the value, as wide as the row.
QLabel* FieldRow::lineBelow(const char* part, int row) {
  auto* const line = new QLabel(this);
  line->setObjectName(objectNameOf(part));
  line->setTextFormat(Qt::PlainText);
  line->setWordWrap(true);
  line->setContentsMargins(0, 0, 0, fontMetrics().height() / 4);  // it belongs to the value above
  static_cast<QGridLayout*>(layout())->addWidget(line, row, kNameColumn, 1, kResetColumn + 1);
  return line;
}

void FieldRow::showTitle() {
  const QString title = editor_->title();
  if (title.isEmpty()) {
    if (title_ != nullptr) title_->hide();
    return;
  }
  if (title_ == nullptr) title_ = lineBelow("title", kTitleRow);
  if (title_->text() != title) title_->setText(title);
  QPalette colours = title_->palette();
  colours.setColor(QPalette::WindowText, mutedText(palette()));
  title_->setPalette(colours);
  title_->show();
}

// Names of given values are bold; what differs from the file has a dot.
void FieldRow::showMarkers() {
  const Document& document = session_.document();
  const bool given = document.isGiven(field_.pointer);
  const bool changed = document.differsFromFile(field_.pointer);
  const QString text =
      QString::fromStdString(field_label(field_.pointer)) + (changed ? QStringLiteral(" ●") : QString());
  if (name_->text() != text) name_->setText(text);
  if (name_->font().bold() != given) {
    QFont font = name_->font();
    font.setBold(given);
    name_->setFont(font);
  }
  reset_->setEnabled(given);
}

void FieldRow::showFindings() {
  QStringList lines;
  bool error = !rejected_.empty();
  for (const Finding& finding : rejected_.list()) lines << findingText(finding);
  for (const Finding& finding : session_.document().findings().list()) {
    if (!isAbout(finding, field_.pointer)) continue;
    lines << findingText(finding);
    error = error || finding.severity == Severity::kError;
  }
  const QString help = QString::fromStdString(field_.help);
  editor_->focusProxy()->setAccessibleDescription(lines.isEmpty() ? help : help + " " + lines.join(" "));
  if (lines.isEmpty()) {
    if (finding_ != nullptr) finding_->hide();
    return;
  }
  if (finding_ == nullptr) finding_ = lineBelow("finding", kFindingRow);
  finding_->setText((error ? QStringLiteral("✗ ") : QStringLiteral("⚠ ")) + lines.join("\n"));
  QPalette colours = finding_->palette();
  colours.setColor(QPalette::WindowText, findingColour(palette(), error));
  finding_->setPalette(colours);
  finding_->show();
}

void FieldRow::accept(const QString& text) {
  Findings why;
  if (session_.document().setValue(field_.pointer, text.toStdString(), &why)) {
    setRejected({});
    refresh();  // also where nothing changed: "8.0 GB" becomes "8 GB"
  } else {
    setRejected(std::move(why));
  }
}

void FieldRow::discard() {
  setRejected({});
  refresh();
}

void FieldRow::reset() {
  setRejected({});
  session_.document().clearValue(field_.pointer);
  refresh();
}

void FieldRow::setRejected(Findings findings) {
  const bool change = !rejected_.empty() || !findings.empty();
  rejected_ = std::move(findings);
  showFindings();
  if (change) emit rejectedChanged();
}

void FieldRow::focusEditor() { editor_->setFocus(Qt::ShortcutFocusReason); }

void FieldRow::setHighlighted(bool highlighted) {
  setBackgroundRole(QPalette::AlternateBase);
  setAutoFillBackground(highlighted);
}

// Tips are long and seldom read: made when asked for.
bool FieldRow::event(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    showTitle();
    showFindings();
  }
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), fieldToolTip(field_, session_.document()), this);
  return true;
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) emit focused();
  return QWidget::eventFilter(watched, event);
}

}  // namespace stallcast::gui
