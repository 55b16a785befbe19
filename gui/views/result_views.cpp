#include "gui/views/result_views.h"

#include "core/report/charts/charts.h"
#include "gui/panel/field_handles.h"

namespace stallcast::gui {
namespace {

NamedResult named(const std::string& name, const std::string& key, const Evaluation& evaluation) {
  return {name, key, &evaluation.result, &evaluation.cost};
}

}  // namespace

LostTimeView::LostTimeView(Session& session, QWidget* parent)
    : ChartView(QStringLiteral("lost_time"), session, parent) {
  body()->insertWidget(0, checkpointIntervalHandles(QStringLiteral("lostTime"), session, this));
  connect(&session, &Session::answerChanged, this, &LostTimeView::refreshWhenSeen);
  connect(&session, &Session::baselineChanged, this, &LostTimeView::refreshWhenSeen);
}

void LostTimeView::refresh() {
  setStatus(stalenessText(session_));
  const auto& simulated = session_.simulated();
  const auto baseline = session_.baseline() ? session_.baseline()->evaluation : nullptr;
  if (!simulated || (simulated->evaluation == shown_ && baseline == shown_baseline_)) return;
  shown_ = simulated->evaluation;
  shown_baseline_ = baseline;
  std::vector<NamedResult> results = {named("now", "now", *shown_)};
  if (baseline) results.push_back(named("baseline", "baseline", *baseline));
  chart().setChart(lost_time_chart(results));
}

CostView::CostView(Session& session, QWidget* parent) : ChartView(QStringLiteral("cost"), session, parent) {
  connect(&session, &Session::answerChanged, this, &CostView::refreshWhenSeen);
}

void CostView::refresh() {
  setStatus(stalenessText(session_));
  const auto& simulated = session_.simulated();
  if (!simulated || simulated->evaluation == shown_) return;
  shown_ = simulated->evaluation;
  const std::string& name = simulated->resolved->scenario.name;
  chart().setChart(cost_waterfall_chart(named(name.empty() ? "this job" : name, "now", *shown_)));
}

}  // namespace stallcast::gui
