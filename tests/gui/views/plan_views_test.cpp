// Curve, find the best and sensitivity: computed behind the window, shown as they come, and a way to change the
// scenario.
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "core/plan/evaluate/input_range.h"
#include "core/report/charts/charts.h"
#include "core/scenario/fields/field_title.h"
#include "gui/plan/changes_view.h"
#include "gui/plan/curve_view.h"
#include "gui/plan/find_best_view.h"
#include "gui/plan/tornado_view.h"
#include "gui/views/make_views.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/views/views_fixture.h"

namespace stallcast::gui {
namespace {

// All steps are there.
bool isDone(const CurveView& view) {
  return !view.curve().steps.empty() &&
         std::all_of(view.curve().steps.begin(), view.curve().steps.end(),
                     [](const CurveStep& step) { return step.figures || !step.why_not.empty(); });
}

double utilizationOf(const CurveStep& step) { return value_of(*find_kpi("gpu_utilization"), *step.figures)->mean; }

QString statusOf(const ChartView& view) { return view.findChild<QLabel*>(view.objectName() + ".status")->text(); }

void press(const QWidget& view, const char* name) {
  auto* button = view.findChild<QPushButton*>(name);
  button->setFocus();
  QTest::keyClick(button, Qt::Key_Space);
}

void typeInto(QLineEdit* line, const QString& text) {
  line->setFocus();
  line->selectAll();
  QTest::keyClicks(line, text);
  QTest::keyClick(line, Qt::Key_Return);
}

// The line beside the box that is called `title`; null where none is.
QCheckBox* variableOf(const FindBestView& view, const QString& title) {
  for (QCheckBox* box : view.findChildren<QCheckBox*>())
    if (box->text() == title && !box->isHidden()) return box;
  return nullptr;
}
QLineEdit* valuesOf(const FindBestView& view, const QString& title) {
  const QCheckBox* const box = variableOf(view, title);
  return box == nullptr ? nullptr : view.findChild<QLineEdit*>(box->objectName().replace("varies", "values"));
}

}  // namespace

class PlanViewsTest : public QObject {
  Q_OBJECT
 private slots:
  void theCurveIsTheOneOfTheReport();
  void figureAndFieldAreChosenByKeys();
  void aPointSetsTheField();
  void thePresentValueIsDraggedAlong();
  void onlyTheFieldItselfMovesTheMark();
  void theBaselineHasItsCurveBeside();
  void selectingAFieldShowsItsCurve();
  void hiddenCurvesComputeNothing();
  void valuesThatCannotBeAreSaid();
  void theFrontIsThatOfSize();
  void aPointOfTheFrontIsLoadedAsOneStep();
  void whatThePlanGetsWrongIsSaid();
  void theQuestionIsThePlan();
  void anotherFieldMayVary();
  void namesAreTickedByTheirTitles();
  void targetsAreAskedFor();
  void aTargetIsMovedInTheChart();
  void theBestIsTakenAsOneStep();
  void inASmallWindowNothingLiesOnAnything();
  void searchesStop();
  void theTornadoIsTheOneOfSensitivity();
  void withoutUncertainInputsThereIsNone();
  void analysesStop();
  void changesAreThoseOfExplain();
  void aChangeIsMadeByAClick();
  void theWayToATargetIsMadeUpToTheStep();
  void viewsMayGoWhileTheyWork();
  void everyViewHasItsOwnNameAndControlsWithNames();
};

void PlanViewsTest::theCurveIsTheOneOfTheReport() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(*view), kLongest);
  const std::string pointer = "/loader/num_workers";
  const ScenarioFile& file = open.session.document().file();
  const std::vector<std::string> values = usual_values(file, open.session.catalogue(), pointer);
  QVERIFY(values.size() > 3);
  CurveOptions options;
  options.ranges = true;
  const Curve curve = field_curve(file, open.session.catalogue(), pointer, values, options);
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(curve_chart(curve, *find_kpi("gpu_utilization"))));
  QVERIFY(view->curve().now);
  QCOMPARE(view->curve().steps[*view->curve().now].text, std::string("1"));
  QVERIFY(!view->findChild<QProgressBar*>("curve.progress")->isVisible());
}

void PlanViewsTest::figureAndFieldAreChosenByKeys() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(*view), kLongest);
  auto* kpi = view->findChild<QComboBox*>("curve.kpi");
  QTest::keyClick(kpi, Qt::Key_Down);
  QCOMPARE(view->chart().chart().y.title, kpi_table()[1].label);
  auto* field = view->findChild<QComboBox*>("curve.field");
  field->lineEdit()->selectAll();
  QTest::keyClicks(field->lineEdit(), "Batches prefetched per worker");
  QTest::keyClick(field->lineEdit(), Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && view->curve().pointer == "/loader/prefetch_factor" && isDone(*view),
                           kLongest);
  QVERIFY(view->chart().chart().id.find("prefetch") != std::string::npos);
}

void PlanViewsTest::aPointSetsTheField() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(*view), kLongest);
  QVERIFY(clickKey(*view, "/loader/num_workers=4"));
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("4"));
  QCOMPARE(open.session.selection().key(), QString("/loader/num_workers"));
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("1"));
  // With keys: the last point.
  PlotView& plot = plotOf(*view);
  QTest::keyClick(&plot, Qt::Key_End);
  QTest::keyClick(&plot, Qt::Key_Return);
  QCOMPARE(open.session.document().valueText("/loader/num_workers").toStdString(), view->curve().steps.back().text);
}

// The line of the present value goes along under the mouse, the field from point to point; all of it is one step back.
void PlanViewsTest::thePresentValueIsDraggedAlong() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && view->curve().ranged, kLongest);
  PlotView& plot = plotOf(*view);
  const auto place = [&](const std::string& text) {
    const auto& data = view->chart().chart().series.front().data;
    const auto found = std::find_if(data.begin(), data.end(), [&](const ChartDatum& d) { return d.label == text; });
    return plot.placeOf(0, static_cast<int>(found - data.begin()));
  };
  const QPoint from = place("1"), to = place("4");
  std::vector<QString> values;
  connect(&open.session.document(), &Document::changed, this,
          [&] { values.push_back(open.session.document().valueText("/loader/num_workers")); });
  QTest::mousePress(plot.viewport(), Qt::LeftButton, {}, from);
  for (double share = 0.0; share <= 1.0; share += 0.05) QTest::mouseMove(plot.viewport(), from + (to - from) * share);
  QTest::mouseMove(plot.viewport(), to + QPoint(3, 0));
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("4"));
  QVERIFY(std::find(values.begin(), values.end(), QString("2")) != values.end());
  QTest::mouseRelease(plot.viewport(), Qt::LeftButton, {}, to + QPoint(3, 0));
  const auto& rules = view->chart().chart().rules;
  const auto now = std::find_if(rules.begin(), rules.end(), [](const ChartRule& rule) { return !rule.key.empty(); });
  QVERIFY(now != rules.end());
  QCOMPARE(now->at, 4.0);
  QVERIFY(!plot.isZoomed());
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("1"));
}

void PlanViewsTest::onlyTheFieldItselfMovesTheMark() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(*view), kLongest);
  int computed = 0;
  connect(&open.session.background(), &Background::busyChanged, this, [&computed](const QString& kind, bool busy) {
    if (kind == "curve" && busy) ++computed;
  });
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(computed, 0);
  QCOMPARE(view->curve().steps[*view->curve().now].text, std::string("4"));
  const double before = utilizationOf(view->curve().steps.front());
  QVERIFY(open.session.document().setValue("/storage/latency", "1 ms"));
  QTRY_COMPARE_WITH_TIMEOUT(computed, 1, kLongest);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(*view), kLongest);
  // One worker made a batch in 4 x 5.1 ms, now in 4 x 1.1 ms: below the 10 ms of a step.
  QVERIFY(utilizationOf(view->curve().steps.front()) > 1.5 * before);
}

// What the curve was before a change is the baseline's after it; a baseline that differs in nothing but the field is a
// mark on the same curve.
void PlanViewsTest::theBaselineHasItsCurveBeside() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && view->curve().ranged, kLongest);
  const std::vector<CurveStep> before = view->curve().steps;
  open.session.pinBaseline();
  QCOMPARE(view->chart().chart().series.size(), std::size_t{1});
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QCOMPARE(view->chart().chart().series.size(), std::size_t{1});
  QVERIFY(view->chart().chart().rules.back().label.ends_with("baseline: 1"));
  QVERIFY(open.session.document().setValue("/storage/latency", "1 ms"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && view->curve().ranged, kLongest);
  QCOMPARE(view->chart().chart().series.size(), std::size_t{2});
  QCOMPARE(view->baselineCurve().steps.size(), before.size());
  QCOMPARE(utilizationOf(view->baselineCurve().steps.front()), utilizationOf(before.front()));
  QCOMPARE(view->baselineCurve().steps[*view->baselineCurve().now].text, std::string("1"));
  QVERIFY(utilizationOf(view->curve().steps.front()) > 1.5 * utilizationOf(before.front()));
  // Along another field both are computed.
  view->setField("/loader/prefetch_factor");
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && view->curve().pointer == "/loader/prefetch_factor" &&
                               view->curve().ranged && view->baselineCurve().ranged,
                           kLongest);
  QCOMPARE(view->chart().chart().series.size(), std::size_t{2});
  open.session.unpinBaseline();
  QCOMPARE(view->chart().chart().series.size(), std::size_t{1});
  QVERIFY(view->baselineCurve().steps.empty());
}

void PlanViewsTest::selectingAFieldShowsItsCurve() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(*view), kLongest);
  open.session.selection().select("/workload/batch_size");
  QTRY_VERIFY_WITH_TIMEOUT(view->curve().pointer == "/workload/batch_size" && open.settled() && isDone(*view),
                           kLongest);
  open.session.selection().select("storage_latency");  // no field
  QCOMPARE(view->findChild<QComboBox*>("curve.field")->currentData().toString(), QString("/workload/batch_size"));
}

void PlanViewsTest::hiddenCurvesComputeNothing() {
  OpenSession open;
  CurveView view(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(view.curve().steps.empty());
  view.show();
  QTRY_VERIFY_WITH_TIMEOUT(open.settled() && isDone(view), kLongest);
}

void PlanViewsTest::valuesThatCannotBeAreSaid() {
  OpenSession open;
  const auto view = shownView<CurveView>(open.session);
  view->setField("/loader/gpudirect");  // no tier here can do it
  QTRY_VERIFY_WITH_TIMEOUT(view->curve().pointer == "/loader/gpudirect" && open.settled() && isDone(*view), kLongest);
  QCOMPARE(view->curve().steps.size(), std::size_t{2});
  if (!view->curve().steps[1].why_not.empty()) QVERIFY(statusOf(*view).contains("true:"));
}

void PlanViewsTest::theFrontIsThatOfSize() {
  OpenSession open;
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "best.search");
  QVERIFY(view->isSearching());
  QVERIFY(view->findChild<QPushButton*>("best.stop")->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(!view->isSearching(), kLongest);
  QVERIFY(view->result());
  const ScenarioFile& file = open.session.document().file();
  const auto space = make_space(file, *planned_variables(file).value, {}, open.session.catalogue());
  const SizeResult result = size(file, *space.value, open.session.catalogue(), {}, {});
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(pareto_chart(result, Figure::kTotal, Figure::kUtilization)));
  auto* across = view->findChild<QComboBox*>("best.across");
  QTest::keyClick(across, Qt::Key_End);
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(pareto_chart(result, Figure::kTime, Figure::kUtilization)));
}

void PlanViewsTest::aPointOfTheFrontIsLoadedAsOneStep() {
  OpenSession open;
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->search();
  QTRY_VERIFY_WITH_TIMEOUT(view->result() && !view->isSearching(), kLongest);
  const FrontPoint& front = view->result()->front.points.front();
  QVERIFY(front.point.point.front().text != "1");
  QVERIFY(clickKey(*view, QString("point-%1").arg(front.point.index)));
  QCOMPARE(open.session.document().valueText("/loader/num_workers").toStdString(), front.point.point.front().text);
  QCOMPARE(open.session.document().undoStack().count(), 1);
  QVERIFY(statusOf(*view).contains("changed"));
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("1"));
}

void PlanViewsTest::whatThePlanGetsWrongIsSaid() {
  OpenSession open(kSmallJob);
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  // A million pairs of fields of which no search knows which way is better: it would look at every one.
  QVERIFY(open.session.document().setValue(
      "/plan/vary", R"(["workload.batch_size=1..1000", "workload.gradient_accumulation=1..1000"])"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->search();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isSearching(), kLongest);
  QVERIFY(!view->result());
  QVERIFY(statusOf(*view).contains("error"));
}

// Without a plan the usual variables are asked about; the first that is changed makes them the plan.
void PlanViewsTest::theQuestionIsThePlan() {
  OpenSession open(kSmallJob);
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  Document& document = open.session.document();
  QCheckBox* const prefetch = variableOf(*view, "Batches prefetched per worker");
  QVERIFY(prefetch != nullptr && prefetch->isChecked());
  QTest::keyClick(prefetch, Qt::Key_Space);
  QCOMPARE(document.file().scenario.plan.vary.size(), std::size_t{1});
  QVERIFY(document.file().scenario.plan.vary[0].starts_with("loader.num_workers="));
  QVERIFY(!prefetch->isChecked());
  QVERIFY(!variableOf(*view, "Loader workers per GPU")->isEnabled());  // a search varies something
  typeInto(valuesOf(*view, "Loader workers per GPU"), "2,4");
  QCOMPARE(document.file().scenario.plan.vary, (std::vector<std::string>{"loader.num_workers=2,4"}));
  typeInto(valuesOf(*view, "Loader workers per GPU"), "many");
  QVERIFY(view->findChild<QLabel*>("question.wrong")->text().contains("many"));
  QCOMPARE(document.file().scenario.plan.vary, (std::vector<std::string>{"loader.num_workers=2,4"}));
  document.undoStack().undo();
  document.undoStack().undo();
  QVERIFY(document.file().scenario.plan.vary.empty());
  QVERIFY(prefetch->isChecked());
}

void PlanViewsTest::anotherFieldMayVary() {
  OpenSession open;
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  auto* const more = view->findChild<QComboBox*>("question.more");
  const int at = more->findData("/loader/in_order");
  QVERIFY(at > 0);
  const std::size_t before = open.session.document().file().scenario.plan.vary.size();
  more->setCurrentIndex(at);
  emit more->activated(at);
  const std::vector<std::string>& vary = open.session.document().file().scenario.plan.vary;
  QCOMPARE(vary.size(), before + 1);
  QCOMPARE(QString::fromStdString(vary.back()), QString("loader.in_order=false,true"));
  QVERIFY(variableOf(*view, QString::fromStdString(field_title("/loader/in_order"))) != nullptr);
  QCOMPARE(more->currentIndex(), 0);
}

// Names of the catalogue are ticked by their titles; the list of values keeps its order, and is never empty.
void PlanViewsTest::namesAreTickedByTheirTitles() {
  OpenSession open;
  Document& document = open.session.document();
  document.setValue("/plan/vary", R"(["storage.tier=parallelstore,filestore_zonal"])");
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  auto* const choose = view->findChild<QToolButton*>("question.choose0");
  auto* const titles = view->findChild<QLabel*>("question.titles0");
  QVERIFY(choose->isVisibleTo(view.get()) && !view->findChild<QLineEdit*>("question.values0")->isVisibleTo(view.get()));
  QCOMPARE(choose->text(), QString("2 chosen"));
  const std::map<std::string, TierRecord>& tiers = open.session.catalogue().tiers;
  const auto titleOf = [&tiers](const char* name) { return QString::fromStdString(tiers.at(name).title); };
  QCOMPARE(titles->text(), titleOf("parallelstore") + "; " + titleOf("filestore_zonal"));
  choose->menu()->popup(QPoint());
  QCOMPARE(choose->menu()->actions().size(), static_cast<qsizetype>(tiers.size()));
  const auto click = [&](const char* name) {
    for (QAction* const action : choose->menu()->actions())
      if (action->text() == titleOf(name))
        QTest::mouseClick(choose->menu(), Qt::LeftButton, {}, choose->menu()->actionGeometry(action).center());
  };
  const std::vector<std::string>& vary = document.file().scenario.plan.vary;
  click("efs");
  QCOMPARE(vary, (std::vector<std::string>{"storage.tier=parallelstore,filestore_zonal,efs"}));
  QCOMPARE(choose->text(), QString("3 chosen"));
  QVERIFY(choose->menu()->isVisible());
  for (const char* const name : {"parallelstore", "efs", "filestore_zonal", "filestore_zonal"}) click(name);
  QCOMPARE(vary, (std::vector<std::string>{"storage.tier=filestore_zonal"}));
  choose->menu()->close();
}

void PlanViewsTest::targetsAreAskedFor() {
  OpenSession open;
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  auto* const least = view->findChild<QLineEdit*>("question.min_utilization");
  QVERIFY(least != nullptr);
  typeInto(least, "90 %");
  QCOMPARE(open.session.document().file().scenario.plan.min_utilization, 0.9);
  typeInto(least, "much");
  QVERIFY(view->findChild<QLabel*>("question.wrong")->text().contains("much"));
  QCOMPARE(open.session.document().file().scenario.plan.min_utilization, 0.9);
}

void PlanViewsTest::aTargetIsMovedInTheChart() {
  OpenSession open;
  QVERIFY(open.session.document().setValue("/plan/min_utilization", "0.2"));
  QVERIFY(open.session.document().setValue("/plan/deadline", "10 d"));
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->search();
  QTRY_VERIFY_WITH_TIMEOUT(view->result() && !view->isSearching(), kLongest);
  const std::vector<ChartRule>& rules = view->chart().chart().rules;
  QCOMPARE(rules.size(), std::size_t{1});
  emit view->chart().ruleMoved(QString::fromStdString(rules[0].key), 1.5 * rules[0].at);
  QCOMPARE(open.session.document().file().scenario.plan.min_utilization, 0.3);
  QCOMPARE(open.session.document().file().scenario.plan.deadline.base(), 864000.0);
  QVERIFY(view->isSearching());
  QTRY_VERIFY_WITH_TIMEOUT(!view->isSearching(), kLongest);
  QCOMPARE(view->result()->targets.front().limit, 0.3);
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().file().scenario.plan.min_utilization, 0.2);
  // Along the time, the deadline's line is there.
  view->search();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isSearching(), kLongest);
  QTest::keyClick(view->findChild<QComboBox*>("best.across"), Qt::Key_End);
  const auto deadline = std::find_if(rules.begin(), rules.end(), [](const ChartRule& rule) { return rule.at_x; });
  QVERIFY(deadline != rules.end());
  emit view->chart().ruleMoved(QString::fromStdString(deadline->key), 0.5 * deadline->at);
  QCOMPARE(open.session.document().file().scenario.plan.deadline.base(), 432000.0);
}

void PlanViewsTest::theBestIsTakenAsOneStep() {
  OpenSession open;
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  QVERIFY(view->findChild<QPushButton*>("best.take")->isHidden());
  press(*view, "best.search");
  QTRY_VERIFY_WITH_TIMEOUT(view->result() && !view->isSearching(), kLongest);
  const Assignment& first = view->result()->best.front().point.front();
  const QString said = view->findChild<QLabel*>("best.answer")->text();
  QVERIFY2(said.contains(QString::fromStdString("Loader workers per GPU: " + first.text)), qPrintable(said));
  QVERIFY(said.contains("Why: no other is"));
  press(*view, "best.take");
  QCOMPARE(open.session.document().valueText("/loader/num_workers").toStdString(), first.text);
  QCOMPARE(open.session.document().undoStack().count(), 1);
}

// The words take lines that a small window does not have: they and the whole chart are there, one scrolls to them.
void PlanViewsTest::inASmallWindowNothingLiesOnAnything() {
  OpenSession open;
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "best.search");
  QTRY_VERIFY_WITH_TIMEOUT(view->result() && !view->isSearching(), kLongest);
  view->resize(600, 280);
  QTest::qWait(50);
  auto* const words = view->findChild<QLabel*>("best.answer");
  auto* const legend = view->chart().findChild<QWidget*>(view->chart().objectName() + ".legend");
  QVERIFY(legend != nullptr);
  QVERIFY(words->height() >= words->heightForWidth(words->width()));
  QVERIFY(words->geometry().bottom() <= view->chart().geometry().top());
  QVERIFY(view->chart().height() >= view->chart().minimumSizeHint().height());
  QVERIFY(legend->geometry().bottom() <= view->chart().height());
  QVERIFY(legend->height() >= legend->heightForWidth(legend->width()));
}

void PlanViewsTest::searchesStop() {
  OpenSession open;
  // 64 runs of a longer job: not done before the button is pressed.
  QVERIFY(open.session.document().setValue("/plan/vary",
                                           R"(["loader.num_workers=1..16", "loader.prefetch_factor=1..16"])"));
  const auto view = shownView<FindBestView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "best.search");
  press(*view, "best.stop");
  QTRY_VERIFY_WITH_TIMEOUT(!view->isSearching(), kLongest);
  QVERIFY(view->result());
  QVERIFY(view->result()->complete || statusOf(*view).contains("Stopped"));
  QVERIFY(view->findChild<QPushButton*>("best.search")->isEnabled());
}

void PlanViewsTest::theTornadoIsTheOneOfSensitivity() {
  OpenSession open;
  const auto view = shownView<TornadoView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "tornado.analyse");
  QTRY_VERIFY_WITH_TIMEOUT(view->result() && !view->isRunning(), kLongest);
  const ResolvedScenario& resolved = *open.session.document().resolved();
  SensitivityOptions options;
  options.figures = {find_kpi("gpu_utilization"), find_kpi("gpu_utilization_steady")};
  options.samples = 2;
  const Sensitivity expected = analyse(resolved, uncertain_inputs(resolved.scenario, {}), options);
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(tornado_chart(expected, 0, options.figures)));
  QTest::keyClick(view->findChild<QComboBox*>("tornado.kpi"), Qt::Key_Down);
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(tornado_chart(expected, 1, options.figures)));
  // A bar is its field, everywhere.
  QVERIFY(clickKey(*view, "/storage/latency"));
  QCOMPARE(open.session.selection().key(), QString("/storage/latency"));
  QVERIFY(open.session.document().setValue("/loader/num_workers", "4"));
  QVERIFY(statusOf(*view).contains("changed"));
}

void PlanViewsTest::withoutUncertainInputsThereIsNone() {
  OpenSession open(kSmallJob);
  const auto view = shownView<TornadoView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "tornado.analyse");
  QVERIFY(!view->isRunning());
  QVERIFY(statusOf(*view).contains("run.uncertain"));
}

void PlanViewsTest::analysesStop() {
  OpenSession open;
  const auto view = shownView<TornadoView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "tornado.analyse");
  press(*view, "tornado.stop");
  QVERIFY(!view->isRunning());
  QVERIFY(!view->result());
  QCOMPARE(statusOf(*view), QString("Stopped."));
  press(*view, "tornado.analyse");
  QTRY_VERIFY_WITH_TIMEOUT(view->result() && !view->isRunning(), kLongest);
}

void PlanViewsTest::changesAreThoseOfExplain() {
  OpenSession open;
  const auto view = shownView<ChangesView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "changes.try");
  QVERIFY(view->isRunning());
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  const ResolvedScenario& resolved = *open.session.document().resolved();
  const Explanation explanation = explain(resolved);
  const Chart expected = changes_chart(explanation.result.gpu_utilization.mean, worded_changes(explanation));
  QVERIFY(!expected.series.empty());
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(expected));
  // Stopped for another scenario, what is known is still that of the one before.
  QVERIFY(open.session.document().setValue("/loader/num_workers", "2"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  press(*view, "changes.try");
  press(*view, "changes.stop");
  QVERIFY(!view->isRunning());
  QCOMPARE(statusOf(*view), QString("Stopped."));
  QCOMPARE(chart_csv(view->chart().chart()), chart_csv(expected));
  press(*view, "changes.try");
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  const ResolvedScenario& changed = *open.session.document().resolved();
  const Explanation after = explain(changed);
  QCOMPARE(chart_csv(view->chart().chart()),
           chart_csv(changes_chart(after.result.gpu_utilization.mean, worded_changes(after))));
}

void PlanViewsTest::aChangeIsMadeByAClick() {
  OpenSession open;
  const auto view = shownView<ChangesView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->tryNow();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  QVERIFY(clickKey(*view, "double_workers"));
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("2"));
  QCOMPARE(open.session.document().undoStack().count(), 1);
  QVERIFY(statusOf(*view).contains("changed"));
  // What is shown is of the scenario before: nothing more is made of it.
  QVERIFY(clickKey(*view, "double_workers"));
  QCOMPARE(open.session.document().undoStack().count(), 1);
  open.session.document().undoStack().undo();
  QCOMPARE(open.session.document().valueText("/loader/num_workers"), QString("1"));
}

void PlanViewsTest::theWayToATargetIsMadeUpToTheStep() {
  OpenSession open;
  const auto view = shownView<ChangesView>(open.session);
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  view->tryNow();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  auto* const to = view->findChild<QDoubleSpinBox*>("changes.to");
  to->setValue(97.0);  // tried at once
  QVERIFY(view->isRunning());
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  const ResolvedScenario& resolved = *open.session.document().resolved();
  const ShortestWay way = shortest_way(resolved, explain(resolved), 0.97, {});
  QVERIFY(!way.steps.empty());
  QCOMPARE(view->shownChanges().size(), way.steps.size());
  const Chart& chart = view->chart().chart();
  QCOMPARE(chart.series.front().data.size(), way.steps.size() + 2);
  emit view->chart().ruleMoved("target", 60.0);
  QCOMPARE(to->value(), 60.0);
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kLongest);
  QCOMPARE(view->chart().chart().rules.front().at, 60.0);
}

void PlanViewsTest::viewsMayGoWhileTheyWork() {
  OpenSession open;
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  {
    auto curve = shownView<CurveView>(open.session);
    auto pareto = shownView<FindBestView>(open.session);
    auto tornado = shownView<TornadoView>(open.session);
    auto changes = shownView<ChangesView>(open.session);
    pareto->search();
    tornado->analyseNow();
    changes->tryNow();
  }
  QTRY_VERIFY_WITH_TIMEOUT(open.session.background().isIdle(), kLongest);
  QVERIFY(open.session.document().setValue("/loader/num_workers", "2"));
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
}

void PlanViewsTest::everyViewHasItsOwnNameAndControlsWithNames() {
  OpenSession open;
  QTRY_VERIFY_WITH_TIMEOUT(open.settled(), kLongest);
  std::set<QString> names;
  for (View* made : makeViews(open.session)) {
    const std::unique_ptr<View> view(made);
    QVERIFY(!view->title().isEmpty());
    QVERIFY(names.insert(view->objectName()).second);
    for (const QComboBox* box : view->findChildren<QComboBox*>()) QVERIFY(!box->accessibleName().isEmpty());
    for (const QPushButton* button : view->findChildren<QPushButton*>()) QVERIFY(!button->objectName().isEmpty());
  }
}

}  // namespace stallcast::gui

using stallcast::gui::PlanViewsTest;
STALLCAST_GUI_TEST(PlanViewsTest);
#include "plan_views_test.moc"
