// A session with a job that has everything views show: prices, a length, uncertain inputs and something to vary.
#pragma once

#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "gui/charts/plot_view.h"
#include "gui/session/session.h"
#include "gui/views/chart_view.h"
#include "tests/gui/gui_fixture.h"

namespace stallcast::gui {

// Simulated whole in a few milliseconds; one worker keeps its GPU waiting, four do not.
inline constexpr const char* kPricedJob = R"({
  "format_version": 1,
  "name": "priced job",
  "cluster": {"nodes": 1, "gpus_per_node": 1, "cores_per_node": 16, "memory_per_node": "64 GiB"},
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 160},
  "loader": {"num_workers": 1, "persistent_workers": true},
  "storage": {"latency": "5 ms", "stream_bandwidth": "1 GB/s"},
  "cost": {"node_price": "$36/h", "storage_discount": 1},
  "run": {"epochs": 2, "whole_run": true, "uncertain": ["storage.latency 0.9..1.1", "workload.step_time 0.9..1.1"]},
  "plan": {"vary": ["loader.num_workers=1,2,4"]}
})";

struct OpenSession {
  explicit OpenSession(const char* job = kPricedJob) : session(shippedCatalogue()) {
    const Findings findings = session.document().open(writeFile(folder, "job.json", job));
    for (const Finding& finding : findings.list()) qWarning("%s", render_finding(finding).c_str());
  }
  // Nothing is under way, and the answer is the last one.
  bool settled() {
    return !session.isConverging() && session.background().isIdle() && session.answer() &&
           session.answer()->stage == AnswerStage::kFinal && session.document().resolved() &&
           session.answer()->revision == session.document().revision();
  }

  QTemporaryDir folder;
  Session session;
};

template <class Kind>
std::unique_ptr<Kind> shownView(Session& session) {
  auto view = std::make_unique<Kind>(session);
  view->resize(760, 480);
  view->show();
  (void)QTest::qWaitForWindowExposed(view.get());
  return view;
}

inline PlotView& plotOf(ChartView& view) { return *view.findChild<PlotView*>(view.objectName() + ".chart.plot"); }

// A click on the datum whose key is `key`; false where there is none.
inline bool clickKey(ChartView& view, const QString& key) {
  PlotView& plot = plotOf(view);
  for (const Mark& mark : plot.marks()) {
    if (keyOf(plot.shownChart(), mark.series, mark.datum) != key) continue;
    QTest::mouseClick(plot.viewport(), Qt::LeftButton, {}, plot.placeOf(mark.series, mark.datum));
    return true;
  }
  return false;
}

}  // namespace stallcast::gui
