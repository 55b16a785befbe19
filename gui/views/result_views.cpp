#include "gui/views/result_views.h"

#include "core/report/charts.h"

namespace stallcast::gui {
namespace {

NamedResult named(const std::string& name, const std::string& key, const Evaluation& evaluation) {
  return {name, key, &evaluation.result, &evaluation.cost};
}

}  // namespace

LostTimeView::LostTimeView(Session& session, QWidget* parent)
    : ChartView(QStringLiteral("lost_time"), session, parent) {
  connect(&session, &Session::answerChanged, this, &LostTimeView::refresh);
  connect(&session, &Session::baselineChanged, this, &LostTimeView::refresh);
  refresh();
}

void LostTimeView::refresh() {
  setStatus(stalenessText(session_));
  const auto& answer = session_.answer();
  if (!answer || !answer->evaluation) return;
  std::vector<NamedResult> results = {named("now", "now", *answer->evaluation)};
  const auto& baseline = session_.baseline();
  if (baseline && baseline->evaluation) results.push_back(named("baseline", "baseline", *baseline->evaluation));
  chart().setChart(lost_time_chart(results));
}

CostView::CostView(Session& session, QWidget* parent) : ChartView(QStringLiteral("cost"), session, parent) {
  connect(&session, &Session::answerChanged, this, &CostView::refresh);
  refresh();
}

void CostView::refresh() {
  setStatus(stalenessText(session_));
  const auto& answer = session_.answer();
  if (!answer || !answer->evaluation) return;
  const std::string& name = answer->resolved->scenario.name;
  chart().setChart(cost_waterfall_chart(named(name.empty() ? "this job" : name, "now", *answer->evaluation)));
}

}  // namespace stallcast::gui
