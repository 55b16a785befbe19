#include "gui/panel/field_handles.h"

#include <algorithm>
#include <utility>

namespace stallcast::gui {

FieldHandles::FieldHandles(const QString& place, const std::vector<std::string>& pointers, Matters matters,
                           Session& session, QWidget* parent)
    : QWidget(parent), session_(session), matters_(std::move(matters)) {
  setObjectName(place + QStringLiteral("Handles"));
  layout_ = new QBoxLayout(QBoxLayout::TopToBottom, this);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  for (const std::string& pointer : pointers) {
    rows_.push_back(new FieldRow(*find_field(pointer), session, this, place));
    layout_->addWidget(rows_.back());
  }
  connect(&session.document(), &Document::changed, this, &FieldHandles::refresh);
  refresh();
}

void FieldHandles::refresh() {
  const auto& resolved = session_.document().resolved();
  bool any = false;
  for (FieldRow* const row : rows_) {
    // A scenario that is wrong for a moment takes nothing from under a person's hand.
    const bool matters = resolved ? matters_(resolved->scenario, row->field().pointer) : !row->isHidden();
    row->setVisible(matters);
    if (matters) row->refresh();
    any = any || matters;
  }
  setVisible(any);
}

int FieldHandles::widestRow() const {
  int widest = 0;
  for (const FieldRow* const row : rows_)
    if (!row->isHidden()) widest = std::max(widest, row->minimumSizeHint().width());
  return widest;
}

// What they need below each other.
QSize FieldHandles::minimumSizeHint() const { return {widestRow(), layout_->minimumSize().height()}; }

void FieldHandles::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const auto shown =
      static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const FieldRow* row) { return !row->isHidden(); }));
  const bool room = width() >= shown * widestRow();
  layout_->setDirection(room ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

FieldHandles* checkpointIntervalHandles(const QString& place, Session& session, QWidget* parent) {
  struct Counted {
    const char* pointer;
    CheckpointCadence by;
  };
  static constexpr Counted kCounted[] = {{"/checkpoint/interval_steps", CheckpointCadence::kSteps},
                                         {"/checkpoint/interval", CheckpointCadence::kTime},
                                         {"/checkpoint/interval_epochs", CheckpointCadence::kEpochs}};
  std::vector<std::string> pointers;
  for (const Counted& one : kCounted) pointers.emplace_back(one.pointer);
  const auto matters = [](const Scenario& s, const std::string& pointer) {
    return s.checkpoint.mode != CheckpointMode::kNone &&
           std::any_of(std::begin(kCounted), std::end(kCounted),
                       [&](const Counted& one) { return pointer == one.pointer && s.checkpoint.cadence == one.by; });
  };
  return new FieldHandles(place, pointers, matters, session, parent);
}

}  // namespace stallcast::gui
