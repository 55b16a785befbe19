// One way to look at the session's answer.
#pragma once

#include <QWidget>
#include <vector>

#include "core/report/chart.h"
#include "gui/session/session.h"

namespace stallcast::gui {

class View : public QWidget {
  Q_OBJECT
 public:
  explicit View(Session& session, QWidget* parent = nullptr) : QWidget(parent), session_(session) {}

  // What a tab or a dock is called; stable, window layouts are kept under its objectName().
  virtual QString title() const = 0;
  // As shown now, to be saved as SVG, PNG and CSV; empty for views that are no charts.
  virtual std::vector<Chart> charts() const { return {}; }

 protected:
  Session& session_;
};

}  // namespace stallcast::gui
