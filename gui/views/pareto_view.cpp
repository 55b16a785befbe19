#include "gui/views/pareto_view.h"

#include <QHBoxLayout>
#include <algorithm>

#include "core/plan/space/point_file.h"
#include "core/report/charts/charts.h"
#include "core/report/words/kpi_text.h"
#include "gui/session/qt_text.h"
#include "gui/views/feed.h"

namespace stallcast::gui {
namespace {

constexpr const char* kSizeWork = "size";

const Figure kAcross[] = {Figure::kTotal, Figure::kGpuHour, Figure::kTime};

QString findingsText(const Findings& findings) {
  QStringList out;
  for (const Finding& finding : findings.list())
    if (finding.severity == Severity::kError) out.append(QString::fromStdString(render_finding(finding)));
  return out.join('\n');
}

bool knows(const SizeResult& result, Figure figure) {
  return std::any_of(result.front.points.begin(), result.front.points.end(),
                     [figure](const FrontPoint& front) { return front.point.figures.of(figure).has_value(); });
}

}  // namespace

ParetoView::ParetoView(Session& session, QWidget* parent) : ChartView(QStringLiteral("pareto"), session, parent) {
  across_ = new QComboBox(this);
  across_->setObjectName(QStringLiteral("pareto.across"));
  across_->setAccessibleName(tr("Figure across"));
  for (const QString& name : {tr("Total cost"), tr("Cost per useful GPU-hour"), tr("Time to train")})
    across_->addItem(name);
  start_ = new QPushButton(tr("Sea&rch"), this);
  start_->setObjectName(QStringLiteral("pareto.search"));
  start_->setToolTip(tr("Search the configurations of plan.vary for the best trade-offs"));
  stop_ = new QPushButton(tr("St&op"), this);
  stop_->setObjectName(QStringLiteral("pareto.stop"));
  QHBoxLayout* row = addControls();
  addLabelled(row, tr("GPU utilization aga&inst"), across_);
  row->addStretch(1);
  row->addWidget(start_);
  row->addWidget(stop_);
  chart().setEmptyText(
      tr("Search finds the configurations that no other one beats in cost, time and utilization.\n"
         "It varies what plan.vary names, else workers, prefetched batches and the capacity of the storage."));
  setSearching(false);

  connect(across_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  connect(start_, &QPushButton::clicked, this, &ParetoView::search);
  connect(stop_, &QPushButton::clicked, this, &ParetoView::stop);
  connect(&session.document(), &Document::changed, this, [this] {
    if (result_ && !searching_) setStatus(foundText());
  });
  connect(&session.background(), &Background::failed, this, [this](const QString& kind, const QString& message) {
    if (kind != QLatin1String(kSizeWork)) return;
    setSearching(false);
    setStatus(message);
  });
}

ParetoView::~ParetoView() {
  stop_search_.request_stop();
  session_.background().stop(QString::fromLatin1(kSizeWork));
}

ParetoView::Outcome ParetoView::searchFor(const ScenarioFile& file, const Catalogue& catalogue, const RunOptions& run,
                                          const SearchWatch& watch) {
  Outcome outcome;
  Loaded<std::vector<Variable>> variables = file.scenario.plan.vary.empty()
                                                ? parse_variables(usual_variables(file, catalogue), file)
                                                : planned_variables(file);
  outcome.findings.append(variables.findings);
  if (!variables.ok()) return outcome;
  Loaded<Space> space = make_space(file, *variables.value, {}, catalogue);
  outcome.findings.append(space.findings);
  if (!space.ok()) return outcome;
  SizeRequest request;
  add_planned_targets(file.scenario.plan, request);
  outcome.findings.append(check_request(file, *space.value, catalogue, request));
  if (outcome.findings.has_errors()) return outcome;
  outcome.result = stallcast::size(file, *space.value, catalogue, request, run, watch);
  return outcome;
}

void ParetoView::search() {
  if (!session_.document().resolved()) {
    setStatus(tr("The scenario has errors; they come first."));
    return;
  }
  setSearching(true);
  setStatus(tr("Searching…"));
  setProgress(0, 0);
  revision_ = session_.document().revision();
  const std::uint64_t generation = ++generation_;
  const auto feed = Feed<Progress>::make(this, [this, generation](const std::vector<Progress>& all) {
    if (generation == generation_ && searching_) sayProgress(all.back());
  });
  // Stopped by the button, a search still says what it has; stopped by Background, nobody hears of it.
  stop_search_ = {};
  session_.background().run<Outcome>(
      QString::fromLatin1(kSizeWork), this,
      [file = session_.document().file(), &catalogue = session_.catalogue(), own = stop_search_,
       feed](std::stop_token stop) {
        std::stop_source both = own;
        const std::stop_callback forward(stop, [&both] { both.request_stop(); });
        RunOptions run;
        run.stop = both.get_token();
        run.threads = Background::threads();
        return searchFor(file, catalogue, run, [feed](const SearchState& state) {
          Progress progress{state.decided, state.points, state.simulations, std::nullopt};
          if (state.best != nullptr) progress.utilization = state.best->figures.at(Figure::kUtilization);
          feed->put(progress);
        });
      },
      [this, generation](Outcome outcome) {
        if (generation == generation_) finish(std::move(outcome));
      });
}

void ParetoView::stop() {
  if (!searching_) return;
  stop_search_.request_stop();
  setStatus(tr("Stopping…"));
}

void ParetoView::setSearching(bool searching) {
  const bool had_focus = start_->hasFocus() || stop_->hasFocus();
  searching_ = searching;
  start_->setEnabled(!searching);
  stop_->setEnabled(searching);
  if (had_focus) (searching ? stop_ : start_)->setFocus();
  if (!searching) hideProgress();
}

void ParetoView::sayProgress(const Progress& progress) {
  setProgress(progress.decided, progress.points);
  QString text = tr("%1 of %2 configurations decided, %3 runs")
                     .arg(progress.decided)
                     .arg(progress.points)
                     .arg(progress.simulations);
  if (progress.utilization) text += tr("; the best so far at %1 utilization").arg(percentText(*progress.utilization));
  setStatus(text);
}

void ParetoView::finish(Outcome outcome) {
  setSearching(false);
  if (!outcome.result) {
    setStatus(findingsText(outcome.findings));
    return;
  }
  result_ = std::move(outcome.result);
  if (!knows(*result_, Figure::kTotal) && across_->currentIndex() == 0)
    across_->setCurrentIndex(knows(*result_, Figure::kGpuHour) ? 1 : 2);
  setStatus(foundText());
  draw();
}

QString ParetoView::foundText() const {
  QStringList parts;
  if (!result_->complete) parts.append(tr("Stopped before the end: others may be better."));
  if (result_->best.empty() && result_->complete) parts.append(tr("No configuration keeps the targets."));
  if (session_.document().revision() != revision_) parts.append(tr("The scenario has changed since the search."));
  if (parts.isEmpty()) parts.append(tr("Return or a click on a point loads that configuration."));
  return parts.join(' ');
}

void ParetoView::draw() {
  if (result_)
    chart().setChart(pareto_chart(*result_, kAcross[std::max(0, across_->currentIndex())], Figure::kUtilization));
}

void ParetoView::onPicked(const QString& key, int /*series*/, int datum) {
  session_.selection().select(key);
  if (!result_ || datum < 0) return;
  for (const FrontPoint& front : result_->front.points)
    if (key == QStringLiteral("point-%1").arg(front.point.index)) return load(front);
}

void ParetoView::load(const FrontPoint& front) {
  Loaded<ScenarioFile> file = scenario_file_at(session_.document().file(), front.point.point);
  if (!file.value) {
    setStatus(findingsText(file.findings));
    return;
  }
  session_.document().replaceScenario(std::move(*file.value), tr("configuration %1").arg(front.point.index));
}

}  // namespace stallcast::gui
