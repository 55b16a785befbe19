#include "gui/session/edit_command.h"

#include <utility>

namespace stallcast::gui {

FieldCommand::FieldCommand(Document& document, const Field& field, FieldState after, int gesture)
    : QUndoCommand(QObject::tr("Change of %1").arg(QString::fromStdString(field.pointer.substr(1)).replace('/', '.'))),
      document_(document),
      field_(field),
      before_(stateOf(document.file(), field)),
      after_(std::move(after)),
      gesture_(gesture) {}

FieldState FieldCommand::stateOf(const ScenarioFile& file, const Field& field) {
  return {field.get(file.scenario), file.given.contains(field.pointer) || file.overridden.contains(field.pointer)};
}

bool FieldCommand::mergeWith(const QUndoCommand* next) {
  const auto* other = dynamic_cast<const FieldCommand*>(next);
  if (other == nullptr || other->gesture_ != gesture_ || &other->field_ != &field_) return false;
  after_ = other->after_;
  setObsolete(before_ == after_);
  return true;
}

void FieldCommand::put(const FieldState& state) {
  ScenarioFile file = document_.file();
  field_.set(file.scenario, state.value);
  file.given.erase(field_.pointer);
  file.overridden.erase(field_.pointer);
  if (state.given) file.overridden.insert(field_.pointer);
  document_.adopt(std::move(file));
}

}  // namespace stallcast::gui
