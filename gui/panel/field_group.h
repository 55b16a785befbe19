// The fields of one group under a heading that folds. Rows are made when they are first seen.
#pragma once

#include <QBoxLayout>
#include <QToolButton>
#include <QWidget>
#include <string>
#include <vector>

#include "gui/panel/field_row.h"

namespace stallcast::gui {

class FieldGroup : public QWidget {
  Q_OBJECT
 public:
  FieldGroup(std::string group, Session& session, QWidget* parent = nullptr);

  const std::string& group() const { return group_; }
  void setOpen(bool open);
  void refresh();

  // Shows the fields that match `words` (all of them in name, group or help) and are given, if `only_given`; without
  // either those of `most` and the levels before it, and what is given besides, folded as before. Returns how many.
  int filter(const QStringList& words, bool only_given, FieldLevel most);

  // The row of a field of this group, made if need be.
  FieldRow* row(const Field& field);
  const std::vector<FieldRow*>& rows() const { return rows_; }  // empty until the group was first open

 signals:
  void rejectedChanged();
  void focused(const QString& pointer);

 private:
  void buildRows();
  void showRows();
  bool matches(const Field& field) const;
  void updateHeading();

  const std::string group_;
  Session& session_;
  std::vector<const Field*> fields_;
  QStringList words_;
  bool only_given_ = false;
  FieldLevel most_ = FieldLevel::kExpert;
  bool open_ = false;
  QToolButton* heading_;
  QVBoxLayout* layout_;
  QWidget* body_ = nullptr;
  std::vector<FieldRow*> rows_;
};

}  // namespace stallcast::gui
