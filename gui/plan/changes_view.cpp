#include "gui/plan/changes_view.h"

#include <QHBoxLayout>
#include <algorithm>

#include "core/plan/explain/ruled_changes.h"
#include "core/plan/space/point_file.h"
#include "core/report/charts/charts.h"
#include "core/steps/known_walks.h"
#include "gui/session/final_answer.h"
#include "gui/session/qt_text.h"

namespace stallcast::gui {
namespace {

constexpr const char* kChangesWork = "changes";

}  // namespace

ChangesView::ChangesView(Session& session, QWidget* parent) : ChartView(QStringLiteral("changes"), session, parent) {
  to_ = new QDoubleSpinBox(this);
  to_->setObjectName(QStringLiteral("changes.to"));
  to_->setAccessibleName(tr("GPU utilization to reach"));
  to_->setToolTip(tr("Changes one after the other, until the GPUs are as busy as this"));
  to_->setRange(0.0, 99.9);
  to_->setDecimals(1);
  to_->setSuffix(tr(" %"));
  to_->setSpecialValueText(tr("none: each change by itself"));
  to_->setKeyboardTracking(false);
  start_ = new QPushButton(tr("Tr&y the changes"), this);
  start_->setObjectName(QStringLiteral("changes.try"));
  stop_ = new QPushButton(tr("St&op"), this);
  stop_->setObjectName(QStringLiteral("changes.stop"));
  QHBoxLayout* const row = addControls();
  addLabelled(row, tr("GPU utilization to &reach"), to_);
  row->addStretch(1);
  row->addWidget(start_);
  row->addWidget(stop_);
  chart().setEmptyText(
      tr("Simulates the job with one thing changed at a time: settings, and limits as if they were gone."));
  setRunning(false);

  connect(to_, &QDoubleSpinBox::valueChanged, this, [this] {
    if (outcome_) tryNow();
  });
  connect(&chart(), &ChartWidget::ruleMoved, to_, [this](const QString& /*key*/, double at) { to_->setValue(at); });
  connect(start_, &QPushButton::clicked, this, &ChangesView::tryNow);
  connect(stop_, &QPushButton::clicked, this, &ChangesView::stop);
  connect(&session.document(), &Document::changed, this, [this] {
    if (outcome_ && !running_) setStatus(doneText());
  });
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != QLatin1String(kChangesWork)) return;
    setRunning(false);
    setStatus(message);
  });
}

ChangesView::~ChangesView() { session_.background().stop(QString::fromLatin1(kChangesWork)); }

void ChangesView::tryNow() {
  const std::shared_ptr<const ResolvedScenario> resolved = session_.document().resolved();
  if (!resolved) return setStatus(tr("The scenario has errors; they come first."));
  if (!isOneTrainingJob(*resolved)) return setStatus(tr("Changes are tried on a single training job."));
  setRunning(true);
  setStatus(tr("Trying one change after the other…"));
  setProgress(0, 0);
  const std::uint64_t revision = session_.document().revision(), generation = ++generation_;
  // Another target does not change what each change is worth.
  std::optional<Explanation> known;
  if (isOfNow()) known = outcome_->explanation;
  session_.background().run<Outcome>(
      QString::fromLatin1(kChangesWork), this,
      [resolved, revision, known = std::move(known), target = target(), file = session_.document().file(),
       &catalogue = session_.catalogue()](std::stop_token stop) {
        RunOptions options = sharing_walks({});
        options.stop = std::move(stop);
        options.threads = Background::threads();
        Outcome outcome{revision, resolved->scenario, known ? *known : explain(*resolved, options), std::nullopt};
        if (target <= 0.0) return outcome;
        const Loaded<std::vector<Rule>> loaded = load_rules(catalogue.identity.directory);
        const std::vector<Rule> rules = loaded.value.value_or(std::vector<Rule>());
        outcome.way = shortest_way(*resolved, outcome.explanation, target, options,
                                   changes_by_rules(rules, file, *resolved, catalogue));
        return outcome;
      },
      [this, generation](Outcome outcome) {
        if (generation == generation_) finish(std::move(outcome));
      });
}

void ChangesView::stop() {
  if (!running_) return;
  session_.background().stop(QString::fromLatin1(kChangesWork));
  setRunning(false);
  setStatus(tr("Stopped."));
}

void ChangesView::setRunning(bool running) {
  running_ = running;
  showRunning(*start_, *stop_, running);
  if (!running) hideProgress();
}

void ChangesView::finish(Outcome outcome) {
  setRunning(false);
  outcome_ = std::move(outcome);
  setStatus(doneText());
  draw();
}

bool ChangesView::isOfNow() const { return outcome_ && outcome_->revision == session_.document().revision(); }

QString ChangesView::doneText() const {
  if (!isOfNow()) return tr("The scenario has changed since the changes were tried.");
  return outcome_->way
             ? tr("Return or a click makes the changes that can be set, up to the one that is picked; drag the "
                  "target's line to move it.")
             : tr("Return or a click makes a change that can be set; grey bars show what a limit costs.");
}

void ChangesView::draw() {
  const auto& [revision, scenario, explanation, way] = *outcome_;
  const double now = explanation.result.gpu_utilization.mean;
  shown_ = way ? worded_way(*way) : worded_changes(explanation);
  chart().setChart(way ? way_chart(now, shown_, way->target) : changes_chart(now, shown_));
}

void ChangesView::onPicked(const QString& key, int /*series*/, int datum) {
  const auto change = std::find_if(shown_.begin(), shown_.end(),
                                   [&](const WordedChange& one) { return one.name == key.toStdString(); });
  if (change == shown_.end()) return;
  session_.selection().select(key);
  if (datum >= 0 && change->can_be_set) make(*change);
}

void ChangesView::make(const WordedChange& change) {
  if (!isOfNow()) return setStatus(doneText());
  Loaded<ScenarioFile> file = scenario_file_at(session_.document().file(), change.settings);
  if (!file.value) return setStatus(errorsText(file.findings));
  session_.document().replaceScenario(std::move(*file.value), QString::fromStdString(settings_phrase(change.settings)));
}

}  // namespace stallcast::gui
