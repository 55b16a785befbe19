// How far each uncertain input moves a figure, computed off the GUI thread.
#pragma once

#include <QComboBox>
#include <QPushButton>
#include <cstdint>
#include <optional>

#include "core/plan/sensitivity/sensitivity.h"
#include "gui/views/chart_view.h"

namespace stallcast::gui {

class TornadoView : public ChartView {
  Q_OBJECT
 public:
  explicit TornadoView(Session& session, QWidget* parent = nullptr);
  ~TornadoView() override;
  QString title() const override { return tr("Sensitivity"); }

  const std::optional<Sensitivity>& result() const { return result_; }
  bool isRunning() const { return running_; }
  void analyseNow();
  void stop();

 private:
  using Counts = std::pair<std::int64_t, std::int64_t>;

  void setRunning(bool running);
  void finish(Sensitivity result);
  void draw();
  QString doneText() const;

  QComboBox* kpi_ = nullptr;
  QPushButton *start_ = nullptr, *stop_ = nullptr;
  std::optional<Sensitivity> result_;
  std::uint64_t revision_ = 0;  // of the document that result_ is about
  std::uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace stallcast::gui
