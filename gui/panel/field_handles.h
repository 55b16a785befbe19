// The few fields that a view lets a person move where it shows what they do.
#pragma once

#include <QBoxLayout>
#include <functional>
#include <string>
#include <vector>

#include "gui/panel/field_row.h"

namespace stallcast::gui {

// Side by side where there is room, else below each other: one for each of `pointers` that `matters` in the scenario as
// it stands; nothing where none does. Names of widgets begin with `place`, so that those of the form stay the only
// ones.
class FieldHandles : public QWidget {
  Q_OBJECT
 public:
  using Matters = std::function<bool(const Scenario& scenario, const std::string& pointer)>;

  FieldHandles(const QString& place, const std::vector<std::string>& pointers, Matters matters, Session& session,
               QWidget* parent = nullptr);

  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  int widestRow() const;

  Session& session_;
  Matters matters_;
  std::vector<FieldRow*> rows_;
  QBoxLayout* layout_;
};

// The interval of checkpoints that the cadence counts by.
FieldHandles* checkpointIntervalHandles(const QString& place, Session& session, QWidget* parent);

}  // namespace stallcast::gui
