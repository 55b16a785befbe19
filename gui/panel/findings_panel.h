// The list of findings; activating one jumps to its field.
#pragma once

#include <QTreeView>
#include <QWidget>

#include "gui/panel/findings_model.h"

namespace stallcast::gui {

class FindingsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit FindingsPanel(QWidget* parent = nullptr);

  void setFindings(const Findings& findings);
  const FindingsModel& model() const { return *model_; }

 signals:
  void jumpWanted(const QString& pointer);

 private:
  FindingsModel* model_;
  QTreeView* view_;
};

}  // namespace stallcast::gui
