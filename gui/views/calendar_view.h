// The run's calendar: one that was drawn, with its failures, checkpoints, recoveries and lost work, and the means of
// all.
#pragma once

#include <QLabel>
#include <QSpinBox>
#include <QTableWidget>
#include <optional>

#include "gui/timeline/calendar_strip.h"
#include "gui/timeline/legend.h"
#include "gui/views/view.h"

namespace stallcast::gui {

class CalendarView : public View {
  Q_OBJECT
 public:
  explicit CalendarView(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("Simulated run"); }

 protected:
  void refresh() override;
  void changeEvent(QEvent* event) override;

 private:
  void draw();
  void showMeans();
  void showLegend();

  QSpinBox* which_;
  QLabel *sentence_, *chosen_, *status_;
  CalendarStrip* strip_;
  Legend* legend_;
  QWidget* drawing_;  // all but the sentence
  QTableWidget* means_;
  std::optional<Answer> shown_;  // simulated
  CalendarRun drawn_;
};

}  // namespace stallcast::gui
