// One simulated run, with its failures, checkpoints, recoveries and lost work, and the means of
// all.
#pragma once

#include <QLabel>
#include <QSpinBox>
#include <QTableWidget>
#include <optional>

#include "gui/timeline/legend.h"
#include "gui/timeline/run_timeline_strip.h"
#include "gui/views/view.h"

namespace stallcast::gui {

class RunTimelineView : public View {
  Q_OBJECT
 public:
  explicit RunTimelineView(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("One run"); }

 protected:
  void refresh() override;
  void changeEvent(QEvent* event) override;

 private:
  void buildMeans();
  void layOut();
  void draw();
  void showMeans();
  void showLegend();

  QSpinBox* which_;
  QLabel *sentence_, *chosen_, *status_;
  RunTimelineStrip* strip_;
  Legend* legend_;
  QWidget* drawing_ = nullptr;  // all but the sentence
  QTableWidget* means_ = nullptr;
  std::optional<Answer> shown_;  // simulated
  SimulatedRun drawn_;
};

}  // namespace stallcast::gui
