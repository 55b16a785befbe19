// Steps of a document's history.
#pragma once

#include <QUndoCommand>
#include <string>

#include "core/scenario/fields/field_table.h"
#include "gui/session/document.h"

namespace stallcast::gui {

// What a document says of one field.
struct FieldState {
  FieldValue value;
  bool given = false;
  bool operator==(const FieldState&) const = default;
};

// One field from one state to another.
class FieldCommand : public QUndoCommand {
 public:
  // `gesture` < 0 is merged with nothing.
  FieldCommand(Document& document, const Field& field, FieldState after, int gesture);

  static FieldState stateOf(const ScenarioFile& file, const Field& field);

  void undo() override { put(before_); }
  void redo() override { put(after_); }
  int id() const override { return gesture_ < 0 ? -1 : 1; }
  bool mergeWith(const QUndoCommand* next) override;

 private:
  void put(const FieldState& state);

  Document& document_;
  const Field& field_;
  FieldState before_, after_;
  int gesture_;
};

// A whole scenario for another.
class ReplaceCommand : public QUndoCommand {
 public:
  ReplaceCommand(Document& document, ScenarioFile after, const QString& what)
      : QUndoCommand(what), document_(document), before_(document.file()), after_(std::move(after)) {}

  void undo() override { document_.adopt(before_); }
  void redo() override { document_.adopt(after_); }

 private:
  Document& document_;
  ScenarioFile before_, after_;
};

}  // namespace stallcast::gui
