#include "gui/panel/field_group.h"

#include <algorithm>
#include <utility>

#include "core/scenario/fields/field_title.h"
#include "gui/panel/field_text.h"

namespace stallcast::gui {

FieldGroup::FieldGroup(std::string group, Session& session, QWidget* parent)
    : QWidget(parent),
      group_(std::move(group)),
      session_(session),
      heading_(new QToolButton(this)),
      layout_(new QVBoxLayout(this)) {
  for (const Field& field : field_table())
    if (field.group == group_) fields_.push_back(&field);
  setObjectName(QStringLiteral("group:") + QString::fromStdString(group_));
  heading_->setObjectName(objectName() + "#heading");
  heading_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  heading_->setAutoRaise(true);
  heading_->setCheckable(true);
  heading_->setFocusPolicy(Qt::StrongFocus);
  heading_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  heading_->setAccessibleName(tr("Group %1").arg(groupTitle(group_)));
  QFont font = heading_->font();
  font.setBold(true);
  heading_->setFont(font);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  layout_->addWidget(heading_);
  connect(heading_, &QToolButton::clicked, this, &FieldGroup::setOpen);
  updateHeading();
}

void FieldGroup::setOpen(bool open) {
  open_ = open;
  showRows();
}

void FieldGroup::refresh() {
  if (body_ != nullptr && body_->isVisibleTo(this))
    for (FieldRow* row : rows_)
      if (!row->isHidden()) row->refresh();
  if (only_given_ || most_ != FieldLevel::kExpert) showRows();
  updateHeading();
}

bool FieldGroup::matches(const Field& field) const {
  if (only_given_ && !session_.document().isGiven(field.pointer)) return false;
  if (words_.isEmpty()) return field.level <= most_ || session_.document().isGiven(field.pointer);
  const QString text = QString::fromStdString(field.pointer + " " + field_title(field.pointer) + " " + field.help);
  return std::all_of(words_.begin(), words_.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

int FieldGroup::filter(const QStringList& words, bool only_given, FieldLevel most) {
  words_ = words;
  only_given_ = only_given;
  most_ = only_given ? FieldLevel::kExpert : most;
  showRows();
  return static_cast<int>(
      std::count_if(fields_.begin(), fields_.end(), [this](const Field* field) { return matches(*field); }));
}

void FieldGroup::showRows() {
  const bool filtered = !words_.isEmpty() || only_given_;
  const bool any = std::any_of(fields_.begin(), fields_.end(), [this](const Field* field) { return matches(*field); });
  const bool show = filtered ? any : open_;
  setVisible(any);
  if (show && body_ == nullptr) buildRows();
  if (body_ != nullptr) {
    for (FieldRow* row : rows_) {
      const bool wanted = matches(row->field());
      if (wanted && show && (row->isHidden() || !body_->isVisibleTo(this))) row->refresh();
      row->setVisible(wanted);
    }
    body_->setVisible(show);
  }
  updateHeading();
}

void FieldGroup::buildRows() {
  body_ = new QWidget(this);
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(0, 0, 0, fontMetrics().height() / 2);
  column->setSpacing(0);
  for (const Field* field : fields_) {
    auto* row = new FieldRow(*field, session_, body_);
    column->addWidget(row);
    rows_.push_back(row);
    connect(row, &FieldRow::rejectedChanged, this, &FieldGroup::rejectedChanged);
    connect(row, &FieldRow::focused, this, [this, field] { emit focused(QString::fromStdString(field->pointer)); });
  }
  layout_->addWidget(body_);
}

FieldRow* FieldGroup::row(const Field& field) {
  if (body_ == nullptr) buildRows();
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](FieldRow* row) { return &row->field() == &field; });
  return found == rows_.end() ? nullptr : *found;
}

void FieldGroup::updateHeading() {
  const Document& document = session_.document();
  const auto given = std::count_if(fields_.begin(), fields_.end(),
                                   [&](const Field* field) { return document.isGiven(field->pointer); });
  const bool changed = std::any_of(fields_.begin(), fields_.end(),
                                   [&](const Field* field) { return document.differsFromFile(field->pointer); });
  QString text = groupTitle(group_);
  if (given > 0) text += tr("  (%1 given)").arg(given);
  if (changed) text += QStringLiteral(" ●");
  if (heading_->text() != text) heading_->setText(text);
  const bool shown = body_ != nullptr && body_->isVisibleTo(this);
  heading_->setChecked(shown);
  heading_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
}

}  // namespace stallcast::gui
