// Headline, lost time and cost: what they show is what the answer says, now and against the baseline.
#include "gui/views/result_views.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QtTest>

#include "core/model/path_limits.h"
#include "core/report/charts/charts.h"
#include "core/report/words/kpi_text.h"
#include "gui/palette.h"
#include "gui/views/gauge.h"
#include "gui/views/headline_view.h"
#include "gui/views/load_ranges_text.h"
#include "gui/views/make_views.h"
#include "gui/views/path/data_path_view.h"
#include "gui/views/timeline_view.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/views/views_fixture.h"

namespace stallcast::gui {
namespace {

Gauge& gauge(HeadlineView& view, const char* kpi) { return *view.findChild<Gauge*>(QStringLiteral("headline.") + kpi); }

// Counts how often it is asked to show the session.
class CountingView : public View {
 public:
  explicit CountingView(Session& session) : View(session) {
    connect(&session, &Session::answerChanged, this, &CountingView::refreshWhenSeen);
  }
  QString title() const override { return {}; }
  int refreshed = 0;

 protected:
  void refresh() override { ++refreshed; }
};

QString text(const Kpi& kpi, double value) { return QString::fromStdString(kpi_text(kpi, value)); }

}  // namespace

class ResultViewsTest : public QObject {
  Q_OBJECT
 private slots:
  void gaugesShowTheAnswer();
  void gaugesSayHowSureTheyAre();
  void changesHaveSignArrowAndWord();
  void differencesAreWrittenWithTheirSign();
  void gaugesSelectTheirFigure();
  void theSentenceNamesTheCause();
  void theCureCanBeTried();
  void aFedGpuHasNothingToTry();
  void whatIsNotKnownSaysWhy();
  void loadsSayHowFarTheyAreOpen();
  void severalJobsSayHowFarTheyAreOpen();
  void theSizeOfTheStorageMovesInTheDataPath();
  void theIntervalOfCheckpointsMovesInTheTimeline();
  void gaugesStandInAsManyRowsAsTheyNeed();
  void lostTimeShowsTheResultAndTheBaseline();
  void costShowsTheBill();
  void chartsStayWhileTheNextIsComputed();
  void whatIsSelectedInOneIsHighlightedInAll();
  void hiddenViewsAreUpToDateWhenSeen();
  void hiddenViewsTakeNoTime();
};

void ResultViewsTest::gaugesShowTheAnswer() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  for (const char* name :
       {"gpu_utilization", "effective_usd_per_useful_gpu_hour", "time_to_train_s", "cost.wasted_usd"}) {
    const Kpi& kpi = *find_kpi(name);
    const std::optional<Estimate> value = kpi.of(*open.session.answer()->evaluation);
    QVERIFY2(value, name);
    const GaugeState& state = gauge(*view, name).state();
    QCOMPARE(state.value, text(kpi, value->mean));
    QCOMPARE(state.stage, QString("simulated"));
    QVERIFY(gauge(*view, name).accessibleName().contains(state.value));
    if (value->half_width() > 0.0) QVERIFY(state.interval.contains(text(kpi, value->ci95_low)));
  }
  const GaugeState& utilization = gauge(*view, "gpu_utilization").state();
  QCOMPARE(*utilization.share, open.session.answer()->gpuUtilization());
  QCOMPARE(*utilization.mark, open.session.answer()->bound.gpu_utilization);
  QVERIFY(!utilization.interval.isEmpty());  // inputs are uncertain
}

void ResultViewsTest::gaugesSayHowSureTheyAre() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(open.session.document().setValue("/loader/num_workers", "3"));
  // At once, before anything is simulated.
  QCOMPARE(open.session.answer()->stage, AnswerStage::kEstimate);
  QCOMPARE(gauge(*view, "gpu_utilization").state().stage, QString("estimate"));
  QVERIFY(!gauge(*view, "gpu_utilization").state().outdated);
  QVERIFY(gauge(*view, "time_to_train_s").state().outdated);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(gauge(*view, "time_to_train_s").state().stage, QString("simulated"));
  QVERIFY(!gauge(*view, "time_to_train_s").state().outdated);
}

void ResultViewsTest::changesHaveSignArrowAndWord() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(gauge(*view, "gpu_utilization").state().change, ChangeKind::kNone);
  auto* pin = view->findChild<QPushButton*>("headline.pin");
  pin->setFocus();
  QTest::keyClick(pin, Qt::Key_Space);
  QVERIFY(open.session.baseline());
  QCOMPARE(gauge(*view, "gpu_utilization").state().change, ChangeKind::kUnclear);  // with itself
  // A worker reads and waits 4 x 5.1 ms for a batch of 10 ms: with one of them half the time is lost, with four none.
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  const GaugeState& better = gauge(*view, "gpu_utilization").state();
  QCOMPARE(better.change, ChangeKind::kBetter);
  QVERIFY(changeText(better).startsWith(QString::fromUtf8("▲ +")));
  QVERIFY(changeText(better).contains("better"));
  QCOMPARE(gauge(*view, "time_to_train_s").state().change, ChangeKind::kBetter);  // less is better
  QVERIFY(gauge(*view, "time_to_train_s").accessibleName().contains("better"));
  QTest::keyClick(pin, Qt::Key_Space);
  QVERIFY(!open.session.baseline());
  QCOMPARE(gauge(*view, "gpu_utilization").state().change, ChangeKind::kNone);
}

void ResultViewsTest::differencesAreWrittenWithTheirSign() {
  QCOMPARE(differenceText(*find_kpi("gpu_utilization"), 0.75, 0.70), QString("+5.0 points"));
  // 90 is 10 % less than 100.
  QCOMPARE(differenceText(*find_kpi("cost.total_usd"), 90.0, 100.0), QString::fromUtf8("\u221210.0 % (\u2212$10.00)"));
  QCOMPARE(differenceText(*find_kpi("cost.total_usd"), 10.0, 0.0), QString("+$10.00"));
  GaugeState state;
  state.change = ChangeKind::kWorse;
  state.change_text = "+1 s";
  QCOMPARE(changeText(state), QString::fromUtf8("▼ +1 s, worse"));
}

void ResultViewsTest::gaugesSelectTheirFigure() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  Gauge& time = gauge(*view, "time_to_train_s");
  QTest::mouseClick(&time, Qt::LeftButton);
  QCOMPARE(open.session.selection().key(), QString("time_to_train_s"));
  QVERIFY(time.isHighlighted());
  Gauge& wasted = gauge(*view, "cost.wasted_usd");
  wasted.setFocus();
  QTest::keyClick(&wasted, Qt::Key_Return);
  QCOMPARE(open.session.selection().key(), QString("cost.wasted_usd"));
  QVERIFY(!time.isHighlighted());
  QCOMPARE(wasted.focusPolicy(), Qt::StrongFocus);
}

void ResultViewsTest::theSentenceNamesTheCause() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  const std::string cause(bottleneck_name(open.session.answer()->evaluation->result));
  QVERIFY(cause != "gpu");
  auto* button = view->findChild<QPushButton*>("headline.cause");
  button->setFocus();
  QTest::keyClick(button, Qt::Key_Space);
  QCOMPARE(open.session.selection().key().toStdString(), cause);
  for (std::size_t i = 0; i < static_cast<std::size_t>(LostTime::kCount); ++i) {
    const auto one = static_cast<LostTime>(i);
    const bool named = view->findChild<QLabel*>("headline.sentence")
                           ->text()
                           .contains(QString::fromStdString(std::string(lost_time_phrase(one))));
    QCOMPARE(named, lost_time_name(one) == cause);
  }
  const std::string binding(resource_label(open.session.answer()->bound.binding_resource));
  QVERIFY(view->findChild<QLabel*>("headline.bound")->text().contains(QString::fromStdString(binding)));
}

// One worker keeps its GPU waiting; what pays best can be set from here, beside the answer before, and taken back.
void ResultViewsTest::theCureCanBeTried() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  auto* apply = view->findChild<QPushButton*>("headline.applyCure");
  const auto* cure = view->findChild<QLabel*>("headline.cure");
  QTRY_VERIFY_WITH_TIMEOUT(apply->isEnabled(), kLongest);
  QVERIFY(cure->text().contains("loader workers per GPU"));
  QVERIFY(cure->text().contains("points"));
  const double before = open.session.answer()->gpuUtilization();
  apply->click();
  QVERIFY(open.session.document().file().scenario.loader.num_workers > 1);
  QVERIFY(open.session.baseline().has_value());
  QVERIFY(!apply->isEnabled());  // it was of the scenario before
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(open.session.answer()->gpuUtilization() > before + kLeastCure);
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().file().scenario.loader.num_workers, std::int64_t{1});
}

void ResultViewsTest::aFedGpuHasNothingToTry() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  QVERIFY(open.session.document().setValue("/loader/num_workers", "16"));
  QVERIFY(open.session.document().setValue("/run/epochs", "50"));  // else the first batches are a loss
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(!view->findChild<QPushButton*>("headline.applyCure")->isEnabled());
  const auto* cure = view->findChild<QLabel*>("headline.cure");
  QCOMPARE(cure->isVisible(), open.session.answer()->gpuUtilization() < kNothingToCure);
  if (cure->isVisible()) QVERIFY(cure->text().startsWith("No single change"));
}

void ResultViewsTest::whatIsNotKnownSaysWhy() {
  OpenSession open(kSmallJob);  // without prices
  const auto view = shownView<HeadlineView>(open.session);
  const auto cost = shownView<CostView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(gauge(*view, "cost.wasted_usd").state().value, QString("unknown"));
  QVERIFY(gauge(*view, "cost.wasted_usd").accessibleName().contains("price"));
  QVERIFY(cost->chart().chart().alt.find("no total") != std::string::npos);
  // The machines have a price now, and the storage has none.
  QVERIFY(open.session.document().setValue("/cost/node_price", "$1/h"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(gauge(*view, "effective_usd_per_useful_gpu_hour").accessibleName().contains("no tier is named"));
}

void ResultViewsTest::gaugesStandInAsManyRowsAsTheyNeed() {
  OpenSession open;
  const auto view = shownView<HeadlineView>(open.session);
  const auto rows = [&] {
    std::set<int> tops;
    for (const Gauge* one : view->findChildren<Gauge*>()) tops.insert(one->y());
    return tops.size();
  };
  const int wide = gauge(*view, "gpu_utilization").sizeHint().width();
  view->resize(6 * wide, 400);
  QTRY_COMPARE_WITH_TIMEOUT(rows(), std::size_t{1}, kLongest);
  view->resize(3 * wide, 400);
  QTRY_COMPARE_WITH_TIMEOUT(rows(), std::size_t{2}, kLongest);
  view->resize(wide + wide / 2, 600);
  QTRY_COMPARE_WITH_TIMEOUT(rows(), std::size_t{4}, kLongest);
  for (const Gauge* one : view->findChildren<Gauge*>()) QVERIFY(view->rect().contains(one->geometry()));
}

void ResultViewsTest::lostTimeShowsTheResultAndTheBaseline() {
  OpenSession open;
  const auto view = shownView<LostTimeView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  const std::shared_ptr<const Evaluation> before = open.session.answer()->evaluation;
  QCOMPARE(chart_csv(view->chart().chart()),
           chart_csv(lost_time_chart({{"now", "now", &before->result, &before->cost}})));
  open.session.pinBaseline();
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  const std::shared_ptr<const Evaluation> now = open.session.answer()->evaluation;
  QCOMPARE(chart_csv(view->chart().chart()),
           chart_csv(lost_time_chart(
               {{"now", "now", &now->result, &now->cost}, {"baseline", "baseline", &before->result, &before->cost}})));
}

void ResultViewsTest::costShowsTheBill() {
  OpenSession open;
  const auto view = shownView<CostView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  const Evaluation& evaluation = *open.session.answer()->evaluation;
  const Chart& chart = view->chart().chart();
  QCOMPARE(chart_csv(chart),
           chart_csv(cost_waterfall_chart({"priced job", "now", &evaluation.result, &evaluation.cost})));
  // The bars before the total sum to it.
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < chart.series.size(); ++i) sum += chart.series[i].data.front().y;
  QVERIFY(std::abs(sum - evaluation.cost.total()->to_double()) < 1e-6 * sum);
}

void ResultViewsTest::chartsStayWhileTheNextIsComputed() {
  OpenSession open;
  const auto view = shownView<LostTimeView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  const std::string before = chart_csv(view->chart().chart());
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QCOMPARE(chart_csv(view->chart().chart()), before);
  auto* status = view->findChild<QLabel*>("lost_time.status");
  QVERIFY(status->text().contains("before"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(chart_csv(view->chart().chart()) != before);
  QVERIFY(status->text().isEmpty());
}

void ResultViewsTest::whatIsSelectedInOneIsHighlightedInAll() {
  OpenSession open;
  const auto lost = shownView<LostTimeView>(open.session);
  const auto cost = shownView<CostView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(clickKey(*lost, "storage_latency"));
  QCOMPARE(open.session.selection().key(), QString("storage_latency"));
  QCOMPARE(lost->chart().highlighted(), QString("storage_latency"));
  QCOMPARE(cost->chart().highlighted(), QString("storage_latency"));
  QVERIFY(clickKey(*cost, "computing"));
  QCOMPARE(lost->chart().highlighted(), QString("computing"));
  QVERIFY(clickKey(*cost, "computing"));  // again: nothing is selected
  QCOMPARE(lost->chart().highlighted(), QString());
}

void ResultViewsTest::hiddenViewsAreUpToDateWhenSeen() {
  OpenSession open;
  const auto view = shownView<CostView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->hide();
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->resize(400, 300);
  view->show();
  QVERIFY(QTest::qWaitForWindowExposed(view.get()));
  const Evaluation& evaluation = *open.session.answer()->evaluation;
  QCOMPARE(view->chart().chart().series.back().data.back().y, evaluation.cost.total()->to_double());
  for (const Mark& mark : plotOf(*view).marks())
    QVERIFY(plotOf(*view).chart()->plotArea().adjusted(-1, -1, 1, 1).contains(mark.area));
}

// Ten machines read from a tier whose rates nobody measured; the headline says when all are ready, and why not surer.
void ResultViewsTest::loadsSayHowFarTheyAreOpen() {
  OpenSession open(R"({"format_version": 1, "job": "serving", "serving": {"weights": "40 GB"},
    "cluster": {"instance": "a3-highgpu-8g", "nodes": 10}, "storage": {"tier": "parallelstore", "capacity": "12 TiB"}})");
  const auto view = shownView<HeadlineView>(open.session);
  const auto* ranges = view->findChild<QLabel*>(QStringLiteral("headline.ranges"));
  QTRY_VERIFY_WITH_TIMEOUT(ranges->text().startsWith(QStringLiteral("All machines are ready after ")), kLongest);
  QVERIFY2(ranges->text().contains(QStringLiteral(" to ")), qPrintable(ranges->text()));
  QVERIFY2(ranges->text().contains(QStringLiteral("decide most: ")), qPrintable(ranges->text()));
  QVERIFY(ranges->toolTip().contains(QStringLiteral("stallcast probe")));
  // Nothing is trained: no figure says so, and none is unknown.
  QVERIFY(gauge(*view, "gpu_utilization").isHidden());
  QVERIFY(gauge(*view, "effective_usd_per_useful_gpu_hour").isHidden());
  QCOMPARE(gauge(*view, "time_to_train_s").state().caption, QStringLiteral("All machines ready after"));
  QVERIFY(gauge(*view, "cost.wasted_usd").state().value.startsWith('$'));
  QVERIFY(view->findChild<QLabel*>(QStringLiteral("headline.bound"))->isHidden());
  // Another edit makes them those of another job: they are gone until they are drawn again.
  QVERIFY(open.session.document().setValue("/serving/weights", "20 GB"));
  QCOMPARE(ranges->text(), QString());
  QTRY_VERIFY_WITH_TIMEOUT(!ranges->text().isEmpty(), kLongest);
}

void ResultViewsTest::severalJobsSayHowFarTheyAreOpen() {
  const auto document = nlohmann::ordered_json::parse(R"({
    "jobs": [{"name": "one", "ranges": {"together_s": {"low": 120.0, "high": 240.0}}},
             {"name": "endless", "ranges": {"together_s": null}},
             {"name": "two", "ranges": {"together_s": {"low": 7200.0, "high": 10800.0}}}],
    "assumptions": [{"path": "workload.step_time", "effect_s": null, "effect_on": "endless", "narrow_by": "a profile"},
                    {"path": "storage.read_bandwidth", "effect_s": 60.0, "effect_on": "two", "narrow_by": "stallcast probe DIR"},
                    {"path": "loader.num_workers", "effect_s": null, "narrow_by": "count them"}]})");
  const RangesText text = loadRangesText(document);
  QVERIFY2(text.sentence.startsWith(
               QStringLiteral("Allowing for assumed inputs, one takes 2 min to 4 min; two takes 2 h to 3 h. ")),
           qPrintable(text.sentence));
  QVERIFY2(text.sentence.endsWith(QStringLiteral("(60 s of two).")), qPrintable(text.sentence));
  QVERIFY(text.how.endsWith(QStringLiteral(": stallcast probe DIR")));
}

// The slider in the view sets the field that the form shows, as one step of undo; the answer follows.
void ResultViewsTest::theSizeOfTheStorageMovesInTheDataPath() {
  OpenSession open(R"({"format_version": 1, "cluster": {"instance": "a3-highgpu-8g", "nodes": 1},
    "workload": {"name": "resnet50"}, "dataset": {"samples": 32000},
    "storage": {"tier": "parallelstore", "capacity": "12 TiB"}, "run": {"epochs": 1}})");
  const auto view = shownView<DataPathView>(open.session);
  auto* const slider = view->findChild<QSlider*>(QStringLiteral("dataPath/storage/capacity#slider"));
  QVERIFY(slider != nullptr && slider->isVisible());
  QVERIFY(view->findChild<QSlider*>(QStringLiteral("dataPath/loader/num_workers#slider"))->isVisible());
  const double before = open.session.document().file().scenario.storage.capacity.base();
  slider->setSliderDown(true);
  for (int step = 0; step < 3; ++step) slider->setValue(slider->value() + 1);
  slider->setSliderDown(false);
  QVERIFY(open.session.document().file().scenario.storage.capacity.base() > before);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().file().scenario.storage.capacity.base(), before);
  // A bucket has no size to move.
  QVERIFY(open.session.document().setValue("/storage/tier", "gcs_standard"));
  open.session.document().clearValue("/storage/capacity");
  QTRY_VERIFY(!slider->isVisible());
}

void ResultViewsTest::theIntervalOfCheckpointsMovesInTheTimeline() {
  OpenSession open;
  const auto view = shownView<TimelineView>(open.session);
  const auto slider = [&](const char* field) {
    return view->findChild<QSlider*>(QStringLiteral("timeline/checkpoint/") + field + QStringLiteral("#slider"));
  };
  QVERIFY(!slider("interval_steps")->isVisible());  // nothing is saved
  QVERIFY(open.session.document().setValue("/checkpoint/mode", "sync"));
  QVERIFY(open.session.document().setValue("/checkpoint/size", "1 GB"));
  QVERIFY(open.session.document().setValue("/checkpoint/interval_steps", "10"));
  QTRY_VERIFY(slider("interval_steps")->isVisible());
  QVERIFY(!slider("interval")->isVisible());
  slider("interval_steps")->setValue(slider("interval_steps")->value() + 1);
  QVERIFY(open.session.document().file().scenario.checkpoint.interval_steps > 10);
  QVERIFY(open.session.document().setValue("/checkpoint/interval", "1 min"));
  QVERIFY(open.session.document().setValue("/checkpoint/cadence", "time"));
  QTRY_VERIFY(slider("interval")->isVisible());
  QVERIFY(!slider("interval_steps")->isVisible());
  // And at once where the window opens, above what it loses.
  const auto lost = shownView<LostTimeView>(open.session);
  auto* const first = lost->findChild<QSlider*>("lostTime/checkpoint/interval#slider");
  QTRY_VERIFY(first->isVisible());
  const double before = open.session.document().file().scenario.checkpoint.interval.base();
  first->setValue(first->value() + 1);
  QVERIFY(open.session.document().file().scenario.checkpoint.interval.base() > before);
}

// An edit, shown: its estimate, coarse and final answer; hidden: none of them, but one when it is shown again.
void ResultViewsTest::hiddenViewsTakeNoTime() {
  OpenSession open;
  CountingView view(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(view.refreshed, 0);
  view.show();
  QCOMPARE(view.refreshed, 1);
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(view.refreshed, 4);
  view.hide();
  QVERIFY(open.session.document().setValue("/loader/num_workers", "3"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(view.refreshed, 4);
  view.show();
  QCOMPARE(view.refreshed, 5);
  view.hide();
  view.show();  // nothing is new
  QCOMPARE(view.refreshed, 5);
}

}  // namespace stallcast::gui

using stallcast::gui::ResultViewsTest;
STALLCAST_GUI_TEST(ResultViewsTest);
#include "result_views_test.moc"
