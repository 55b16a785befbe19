#include "gui/views/view.h"

#include <QShowEvent>
#include <utility>

namespace stallcast::gui {

void View::refreshWhenSeen() {
  outdated_ = !isVisible();
  if (!outdated_) refresh();
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(outdated_, false)) refresh();
}

void showRunning(QPushButton& start, QPushButton& stop, bool running) {
  const bool had_focus = start.hasFocus() || stop.hasFocus();
  start.setEnabled(!running);
  stop.setEnabled(running);
  if (had_focus) (running ? stop : start).setFocus();
}

QString stageText(AnswerStage stage) {
  switch (stage) {
    case AnswerStage::kEstimate:
      return View::tr("estimate");
    case AnswerStage::kCoarse:
      return View::tr("coarse");
    case AnswerStage::kFinal:
      return View::tr("simulated");
  }
  return {};
}

QString stalenessText(const Session& session) {
  if (!session.answer()) return View::tr("Nothing is simulated yet.");
  if (session.answer()->stage == AnswerStage::kFinal) return {};
  if (session.answer()->stage == AnswerStage::kCoarse)
    return View::tr("Coarse: to a point of GPU utilization. The exact simulation is under way.");
  return View::tr("Of the simulation before; the new one is under way.");
}

}  // namespace stallcast::gui
