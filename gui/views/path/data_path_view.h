// The data path of the scenario as it stands, with what flows, what could, and what is in the way.
#pragma once

#include <QLabel>

#include "gui/views/path/data_path_canvas.h"
#include "gui/views/view.h"

namespace stallcast::gui {

class DataPathView : public View {
  Q_OBJECT
 public:
  explicit DataPathView(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("Data path"); }

 protected:
  void refresh() override;

 private:
  void select(int edge);

  QLabel* sentence_;
  DataPathCanvas* canvas_;
  std::vector<PathLimit> limits_;
  std::uint64_t limits_of_ = 0;  // revision of the document
};

}  // namespace stallcast::gui
