#include "gui/plan/tornado_view.h"

#include <QHBoxLayout>
#include <algorithm>

#include "core/plan/evaluate/input_range.h"
#include "core/report/charts/charts.h"
#include "gui/views/feed.h"

namespace stallcast::gui {
namespace {

constexpr const char* kSensitivityWork = "sensitivity";

// Every figure at once: choosing another one computes nothing.
std::vector<const Kpi*> allFigures() {
  std::vector<const Kpi*> out;
  for (const Kpi& kpi : kpi_table()) out.push_back(&kpi);
  return out;
}

}  // namespace

TornadoView::TornadoView(Session& session, QWidget* parent) : ChartView(QStringLiteral("tornado"), session, parent) {
  kpi_ = new QComboBox(this);
  kpi_->setObjectName(QStringLiteral("tornado.kpi"));
  kpi_->setAccessibleName(tr("Figure"));
  for (const Kpi& one : kpi_table()) kpi_->addItem(QString::fromStdString(one.label), QString::fromStdString(one.name));
  start_ = new QPushButton(tr("&Analyse"), this);
  start_->setObjectName(QStringLiteral("tornado.analyse"));
  start_->setToolTip(tr("Turn each uncertain input to the ends of its interval"));
  stop_ = new QPushButton(tr("St&op"), this);
  stop_->setObjectName(QStringLiteral("tornado.stop"));
  QHBoxLayout* row = addControls();
  addLabelled(row, tr("Fig&ure"), kpi_);
  row->addStretch(1);
  row->addWidget(start_);
  row->addWidget(stop_);
  chart().setEmptyText(tr("Analyse turns each uncertain input to both ends of its interval, the others as given."));
  setRunning(false);

  connect(kpi_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  connect(start_, &QPushButton::clicked, this, &TornadoView::analyseNow);
  connect(stop_, &QPushButton::clicked, this, &TornadoView::stop);
  connect(&session.document(), &Document::changed, this, [this] {
    if (result_ && !running_) setStatus(doneText());
  });
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != QLatin1String(kSensitivityWork)) return;
    setRunning(false);
    setStatus(message);
  });
}

TornadoView::~TornadoView() { session_.background().stop(QString::fromLatin1(kSensitivityWork)); }

void TornadoView::analyseNow() {
  const std::shared_ptr<const ResolvedScenario> resolved = session_.document().resolved();
  if (!resolved) {
    setStatus(tr("The scenario has errors; they come first."));
    return;
  }
  const std::vector<UncertainInput> inputs = uncertain_inputs(resolved->scenario, {});
  if (inputs.empty()) {
    setStatus(tr("No input of this scenario is uncertain: give intervals in run.uncertain."));
    return;
  }
  setRunning(true);
  setStatus(tr("Turning %n input(s)…", "", static_cast<int>(inputs.size())));
  setProgress(0, 0);
  revision_ = session_.document().revision();
  const std::uint64_t generation = ++generation_;
  const auto feed = Feed<Counts>::make(this, [this, generation](const std::vector<Counts>& counts) {
    if (generation == generation_ && running_) setProgress(counts.back().first, counts.back().second);
  });
  session_.background().run<Sensitivity>(
      QString::fromLatin1(kSensitivityWork), this,
      [resolved, inputs, feed](std::stop_token stop) {
        SensitivityOptions options;
        options.run.stop = std::move(stop);
        options.run.threads = Background::threads();
        options.figures = allFigures();
        options.indices = false;  // nobody sees them here
        options.counted = [feed](std::int64_t done, std::int64_t wanted) { feed->put({done, wanted}); };
        return analyse(*resolved, inputs, options);
      },
      [this, generation](Sensitivity result) {
        if (generation == generation_) finish(std::move(result));
      });
}

void TornadoView::stop() {
  if (!running_) return;
  session_.background().stop(QString::fromLatin1(kSensitivityWork));
  setRunning(false);
  setStatus(result_ ? tr("Stopped; this is the analysis before.") : tr("Stopped."));
}

void TornadoView::setRunning(bool running) {
  running_ = running;
  showRunning(*start_, *stop_, running);
  if (!running) hideProgress();
}

void TornadoView::finish(Sensitivity result) {
  setRunning(false);
  result_ = std::move(result);
  setStatus(doneText());
  draw();
}

QString TornadoView::doneText() const {
  if (session_.document().revision() != revision_) return tr("The scenario has changed since the analysis.");
  return tr("Each bar is one input at the ends of its 90 % interval, the others as given.");
}

void TornadoView::draw() {
  if (result_)
    chart().setChart(
        tornado_chart(*result_, static_cast<std::size_t>(std::max(0, kpi_->currentIndex())), allFigures()));
}

}  // namespace stallcast::gui
