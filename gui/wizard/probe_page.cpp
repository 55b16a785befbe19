#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/views/feed.h"
#include "gui/wizard/probe_wizard.h"

namespace stallcast::gui {
namespace {

const QString kProbeWork = QStringLiteral("probe");

// Of the limit that is nearer, in permille.
int permilleOf(const ProbeProgress& progress) {
  const double time = progress.allowed_seconds > 0.0 ? progress.seconds / progress.allowed_seconds : 0.0;
  const double bytes = progress.allowed_bytes > 0.0 ? progress.bytes / progress.allowed_bytes : 0.0;
  return static_cast<int>(1000.0 * std::clamp(std::max(time, bytes), 0.0, 1.0));
}

}  // namespace

ProbePage::ProbePage(Session& session, const TargetPage& target, QWidget* parent)
    : QWizardPage(parent), session_(session), target_(target) {
  setTitle(tr("The probe"));
  curves_ = new PointCurves(this);
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("probeProgress"));
  progress_->setAccessibleName(tr("Part of the limits that the probe has taken"));
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  stop_ = new QPushButton(tr("&Stop"), this);
  stop_->setObjectName(QStringLiteral("stopProbe"));
  stop_->setToolTip(tr("What was measured until then is kept"));
  doing_ = new QLabel(this);
  doing_->setObjectName(QStringLiteral("probeDoing"));
  grade_ = new QLabel(this);
  grade_->setObjectName(QStringLiteral("probeGrade"));
  grade_->setWordWrap(true);
  grade_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* const line = new QHBoxLayout;
  line->addWidget(progress_, 1);
  line->addWidget(stop_);
  auto* const layout = new QVBoxLayout(this);
  layout->addLayout(line);
  layout->addWidget(doing_);
  layout->addWidget(curves_, 1);
  layout->addWidget(grade_);
  connect(stop_, &QPushButton::clicked, this, &ProbePage::stop);
  connect(&session_.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind == kProbeWork) take({nullptr, message});
  });
}

void ProbePage::initializePage() {
  result_.reset();
  curves_->clear();
  grade_->clear();
  progress_->setValue(0);
  stop_->setEnabled(true);
  setSubTitle(target_.target());
  ProbeOptions options = target_.options();
  stopping_ = std::make_shared<std::stop_source>();
  // A probe that was left may take a moment to end; what it still says is nobody's.
  const auto is_left = [this, stopping = stopping_] { return stopping != stopping_; };
  const auto progress = Feed<ProbeProgress>::make(this, [this, is_left](const std::vector<ProbeProgress>& all) {
    if (is_left()) return;
    progress_->setValue(permilleOf(all.back()));
    doing_->setText(QString::fromStdString(all.back().doing));
  });
  const auto points = Feed<ReadPoint>::make(this, [this, is_left](const std::vector<ReadPoint>& all) {
    if (is_left()) return;
    for (const ReadPoint& point : all) curves_->add(point);
  });
  options.progress = [progress](const ProbeProgress& now) { progress->put(now); };
  options.measured = [points](const ReadPoint& point) { points->put(point); };
  session_.background().run<ProbeOutcome>(
      kProbeWork, this,
      [options, target = target_.target(), stopping = stopping_](const std::stop_token& outside) mutable {
        const std::stop_callback chained(outside, [&stopping] { stopping->request_stop(); });
        options.stop = stopping->get_token();
        return probeTarget(target, options);
      },
      [this](const ProbeOutcome& outcome) { take(outcome); }, Background::Pace::kLikeTheWindow);
}

void ProbePage::stop() {
  if (stopping_) stopping_->request_stop();
  stop_->setEnabled(false);
}

void ProbePage::cleanupPage() {
  session_.background().stop(kProbeWork);
  stopping_.reset();
  result_.reset();
}

bool ProbePage::isComplete() const { return result_ && !result_->points.empty() && !result_->refused(); }

void ProbePage::take(const ProbeOutcome& outcome) {
  stop_->setEnabled(false);
  progress_->setValue(1000);
  result_ = outcome.result;
  if (result_) {
    doing_->setText(
        tr("%1 MiB read in %2 s")
            .arg(QString::number(result_->bytes / 1048576.0, 'f', 1), QString::number(result_->seconds, 'f', 1)));
    grade_->setText(gradeTexts(*result_).join(QLatin1Char('\n')));
  } else {
    doing_->clear();
    grade_->setText(outcome.problem);
  }
  emit completeChanged();
}

}  // namespace stallcast::gui
