#include "gui/window/answer_status.h"

#include <QHBoxLayout>
#include <cmath>

#include "core/plan/evaluate/kpi.h"
#include "core/report/words/kpi_text.h"
#include "gui/session/qt_text.h"

namespace stallcast::gui {

AnswerStatus::AnswerStatus(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      answer_(new QLabel(this)),
      stage_(new QLabel(this)),
      progress_(new QProgressBar(this)) {
  answer_->setObjectName("statusAnswer");
  answer_->setAccessibleName(tr("GPU utilization"));
  stage_->setObjectName("statusStage");
  progress_->setObjectName("statusProgress");
  progress_->setAccessibleName(tr("Progress of the simulation"));
  progress_->setRange(0, 100);
  progress_->setFixedWidth(fontMetrics().horizontalAdvance('0') * 18);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(answer_);
  row->addWidget(stage_);
  row->addWidget(progress_);
  connect(&session_, &Session::answerChanged, this, &AnswerStatus::showAnswer);
  connect(&session_, &Session::progressChanged, this, &AnswerStatus::showProgress);
  connect(&session_.document(), &Document::changed, this, &AnswerStatus::showProgress);
  showAnswer();
  showProgress();
}

void AnswerStatus::showAnswer() {
  const std::optional<Answer>& answer = session_.answer();
  if (!answer) return answer_->setText(tr("No answer yet"));
  if (!answer->evaluation) {
    answer_->setText(tr("GPU utilization about %1 (estimate, bound %2)")
                         .arg(percentText(answer->estimated_utilization), percentText(answer->bound.gpu_utilization)));
    return;
  }
  if (answer->resolved->scenario.job != JobKind::kTraining) {
    const Kpi& time = *find_kpi("time_to_train_s");
    return answer_->setText(tr("All machines ready after %1 (simulated)")
                                .arg(QString::fromStdString(kpi_text(time, time.of(*answer->evaluation)->mean))));
  }
  const Estimate& utilization = answer->evaluation->result.gpu_utilization;
  const QString low = percentText(utilization.ci95_low), high = percentText(utilization.ci95_high);
  const QString interval = low == high ? QString() : tr(", 95 %: %1 to %2").arg(low, high);
  answer_->setText(
      tr("%1 %2 (simulated%3)")
          .arg(fromView(headline_name(answer->evaluation->result)), percentText(utilization.mean), interval));
}

void AnswerStatus::showProgress() {
  const LiveProgress& progress = session_.progress();
  const bool wrong = session_.document().findings().has_errors();
  progress_->setVisible(progress.running);
  progress_->setValue(static_cast<int>(std::lround(100.0 * progress.fraction)));
  if (wrong) {
    stage_->setText(tr("— of the scenario before its errors"));
  } else if (!progress.running) {
    stage_->clear();
  } else {
    stage_->setText(progress.stage == AnswerStage::kCoarse ? tr("— simulating to ±1 point")
                                                           : tr("— simulating to full precision"));
  }
}

}  // namespace stallcast::gui
