// The run over time: its timeline from afar, and closer, once simulated, what every rank and worker did when.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <memory>

#include "core/result/trace.h"
#include "gui/timeline/legend.h"
#include "gui/timeline/timeline_canvas.h"
#include "gui/views/view.h"

namespace stallcast::gui {

class TimelineView : public View {
  Q_OBJECT
 public:
  explicit TimelineView(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("Timeline"); }

  // The first records of the run, in the background.
  void simulateTrace();
  // For Perfetto, in the background; nothing where there is no trace.
  void exportTrace(const QString& path);
  const Trace* trace() const { return trace_.get(); }

 protected:
  void refresh() override;
  void changeEvent(QEvent* event) override;

 private:
  struct Traced {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const TraceIndex> index;
    std::uint64_t revision = 0;
  };
  void dropOutdatedTrace();
  void takeTrace(Traced traced);
  void showLegend();
  void showState();
  void askWhereToExport();

  TimelineCanvas* canvas_;
  Legend* legend_;
  QLabel *state_, *span_;
  QPushButton *simulate_, *to_trace_, *whole_run_, *export_;
  QSpinBox* limit_;
  std::shared_ptr<const Evaluation> shown_;
  std::shared_ptr<const Trace> trace_;
  std::uint64_t trace_of_ = 0;  // revision of the document
};

}  // namespace stallcast::gui
