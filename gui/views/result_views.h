// Views of the answer alone: where the GPU time goes, and the money.
#pragma once

#include <memory>

#include "gui/views/chart_view.h"

namespace stallcast::gui {

// Lost time by cause, of the scenario as it stands and of the baseline below it.
class LostTimeView : public ChartView {
  Q_OBJECT
 public:
  explicit LostTimeView(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("Lost time"); }

 protected:
  void refresh() override;

 private:
  std::shared_ptr<const Evaluation> shown_, shown_baseline_;
};

// From the dollars that computed to the whole bill.
class CostView : public ChartView {
  Q_OBJECT
 public:
  explicit CostView(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("Cost"); }

 protected:
  void refresh() override;

 private:
  std::shared_ptr<const Evaluation> shown_;
};

}  // namespace stallcast::gui
