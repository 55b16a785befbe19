// The scenario form and the list of findings, by keys and mouse.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QHelpEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QTreeView>

#include "core/scenario/fields/field_title.h"
#include "gui/panel/field_slider.h"
#include "gui/panel/field_text.h"
#include "gui/panel/findings_panel.h"
#include "gui/panel/scenario_panel.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/gui_window_fixture.h"

namespace stallcast::gui {
namespace {

// The headline, simulated for a moment only.
constexpr const char* kJob = R"({
  "name": "UNet3D on Parallelstore",
  "cluster": {"instance": "a3-highgpu-8g", "nodes": 4},
  "workload": {"name": "unet3d"},
  "loader": {"num_workers": 8, "prefetch_factor": 2, "persistent_workers": true},
  "storage": {"tier": "parallelstore", "capacity": "100 TiB"},
  "run": {"max_steps": 20, "uncertain": []}
})";

}  // namespace

class PanelTest : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void cleanup();
  void everyFieldHasARowWithNames();
  void onlyOpenGroupsHaveRows();
  void typedTextBecomesTheValue();
  void wrongTextStaysWithItsFinding();
  void escapeBringsTheValueBack();
  void aDraggedSliderIsOneStepBack();
  void arrowKeysMoveASlider();
  void slidersOfCapacitiesTakeSizesSold();
  void slidersMoveTheMeanOfADistribution();
  void whatVariesIsShownByItsMeanUntilItIsEdited();
  void rangesAreBandsThatMove();
  void nothingScrollsSideways();
  void whatNobodyGaveIsShort();
  void namesAreChosenFromTheCatalogue();
  void switchesAndResets();
  void markersSayWhatIsGivenAndChanged();
  void tipsSayMeaningRangeAndSource();
  void searchFindsNamesAndMeanings();
  void levelsSayWhatIsShown();
  void findingsAreShownAtTheirFields();
  void jumpingOpensTheGroup();
  void aLongFindingIsWrapped();
  void selectionHighlightsARow();
  void undoKeysReachTheDocument();
  void theFindingsModelIsAModel();

 private:
  Document& document() { return session_->document(); }
  QString text(const char* pointer) { return document().valueText(pointer); }

  std::unique_ptr<Session> session_;
  std::unique_ptr<ScenarioPanel> panel_;
};

void PanelTest::init() {
  session_ = std::make_unique<Session>(shippedCatalogue());
  const QTemporaryDir folder;
  QVERIFY(document().open(writeFile(folder, "job.json", kJob)).empty());
  panel_ = std::make_unique<ScenarioPanel>(*session_);
  panel_->resize(500, 900);
  panel_->show();
  QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
}

void PanelTest::cleanup() {
  panel_.reset();
  session_.reset();
}

void PanelTest::everyFieldHasARowWithNames() {
  for (const Field& field : field_table()) {
    panel_->jumpTo(QString::fromStdString(field.pointer));
    auto* value = panel_->findChild<QWidget*>(QString::fromStdString(field.pointer) + "#value");
    QVERIFY2(value != nullptr, field.pointer.c_str());
    QVERIFY2(value->hasFocus(), field.pointer.c_str());
    QVERIFY(value->accessibleName().contains(QString::fromStdString(field_label(field.pointer))));
    QCOMPARE(value->accessibleDescription(), QString::fromStdString(field.help));
    const auto* slider = panel_->findChild<QSlider*>(QString::fromStdString(field.pointer) + "#slider");
    QCOMPARE(slider != nullptr, FieldSlider::suits(field));
  }
}

void PanelTest::onlyOpenGroupsHaveRows() {
  panel_->showLevel(FieldLevel::kExpert);
  QVERIFY(line(*panel_, "/loader/num_workers"));
  QVERIFY(!line(*panel_, "/failures/spares"));
  QTest::mouseClick(panel_->findChild<QToolButton*>("group:failures#heading"), Qt::LeftButton);
  QVERIFY(line(*panel_, "/failures/spares")->isVisibleTo(panel_.get()));
  QTest::keyClick(panel_->findChild<QToolButton*>("group:failures#heading"), Qt::Key_Space);
  QVERIFY(!line(*panel_, "/failures/spares")->isVisibleTo(panel_.get()));
}

void PanelTest::typedTextBecomesTheValue() {
  typeValue(*panel_, "/cluster/nodes", "6");
  QCOMPARE(document().file().scenario.cluster.nodes, 6);
  typeValue(*panel_, "/cluster/memory_per_node", "1024 GiB");
  QCOMPARE(line(*panel_, "/cluster/memory_per_node")->text(), QStringLiteral("1 TiB"));  // as it is written
  // Leaving the field is as good as Enter.
  QLineEdit* workers = line(*panel_, "/loader/num_workers");
  workers->setFocus();
  workers->selectAll();
  QTest::keyClicks(workers, "5");
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("8"));
  QTest::keyClick(workers, Qt::Key_Tab);
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("5"));
}

void PanelTest::wrongTextStaysWithItsFinding() {
  QSignalSpy changed(&document(), &Document::changed);
  QSignalSpy rejected(panel_.get(), &ScenarioPanel::rejectedChanged);
  typeValue(*panel_, "/loader/num_workers", "4096");
  QCOMPARE(line(*panel_, "/loader/num_workers")->text(), QStringLiteral("4096"));
  QVERIFY(findingAt(*panel_, "/loader/num_workers").contains("allowed 0 to 1024"));
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("8"));
  QVERIFY(changed.isEmpty());
  QCOMPARE(rejected.size(), 1);
  QCOMPARE(panel_->rejected().list().size(), std::size_t{1});
  typeValue(*panel_, "/cluster/nodes", "5");  // something else
  QCOMPARE(line(*panel_, "/loader/num_workers")->text(), QStringLiteral("4096"));
  typeValue(*panel_, "/loader/num_workers", "9");
  QVERIFY(findingAt(*panel_, "/loader/num_workers").isEmpty());
  QVERIFY(panel_->rejected().empty());
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("9"));
}

void PanelTest::escapeBringsTheValueBack() {
  QLineEdit* workers = line(*panel_, "/loader/num_workers");
  workers->setFocus();
  QTest::keyClicks(workers, "77");
  QTest::keyClick(workers, Qt::Key_Escape);
  QCOMPARE(workers->text(), QStringLiteral("8"));
  QTest::keyClick(workers, Qt::Key_Return);
  QCOMPARE(document().undoStack().count(), 0);
}

void PanelTest::aDraggedSliderIsOneStepBack() {
  auto* slider = panel_->findChild<QSlider*>("/loader/num_workers#slider");
  const int y = slider->height() / 2;
  QStyleOptionSlider option;
  option.initFrom(slider);
  option.minimum = slider->minimum();
  option.maximum = slider->maximum();
  option.sliderPosition = slider->value();
  const QRect handle = slider->style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, slider);
  QTest::mousePress(slider, Qt::LeftButton, {}, handle.center());
  for (int x = handle.center().x(); x < slider->width() - 4; x += 2) QTest::mouseMove(slider, QPoint(x, y));
  QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() - 4, y));
  QVERIFY(document().file().scenario.loader.num_workers > 40);  // of a decade above 8
  QCOMPARE(line(*panel_, "/loader/num_workers")->text(), text("/loader/num_workers"));
  QCOMPARE(document().undoStack().count(), 1);
  document().undoStack().undo();
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("8"));
  QCOMPARE(line(*panel_, "/loader/num_workers")->text(), QStringLiteral("8"));
}

void PanelTest::arrowKeysMoveASlider() {
  auto* slider = panel_->findChild<QSlider*>("/loader/num_workers#slider");
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_Right);
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("9"));
  QTest::keyClick(slider, Qt::Key_Left);
  QTest::keyClick(slider, Qt::Key_Left);
  QCOMPARE(text("/loader/num_workers"), QStringLiteral("7"));
  QCOMPARE(document().undoStack().count(), 3);
}

void PanelTest::slidersOfCapacitiesTakeSizesSold() {
  auto* slider = panel_->findChild<QSlider*>("/storage/capacity#slider");
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_Home);
  QCOMPARE(text("/storage/capacity"), QStringLiteral("12 TiB"));
  QTest::keyClick(slider, Qt::Key_Right);
  QCOMPARE(text("/storage/capacity"), QStringLiteral("16 TiB"));
  QVERIFY(!document().findings().has_errors());
}

void PanelTest::slidersMoveTheMeanOfADistribution() {
  panel_->jumpTo("/workload/step_time");
  typeValue(*panel_, "/workload/step_time", R"({"kind": "lognormal", "mean": "100 ms", "sigma": 0.5})");
  auto* slider = panel_->findChild<QSlider*>("/workload/step_time#slider");
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_Right);
  const Distribution& step = document().file().scenario.workload.step_time;
  QCOMPARE(step.kind, DistributionKind::kLognormal);
  QCOMPARE(step.mean, 0.11);
  QCOMPARE(step.sigma, 0.5);
  typeValue(*panel_, "/workload/step_time", R"({"kind": "uniform", "low": "1 s", "high": "2 s"})");
  QVERIFY(!slider->isEnabled());  // nothing to move
}

void PanelTest::whatVariesIsShownByItsMeanUntilItIsEdited() {
  panel_->jumpTo("/workload/step_time");
  const QString json = R"({"kind":"lognormal","mean":"100 ms","sigma":0.5})";
  typeValue(*panel_, "/workload/step_time", json);
  QLineEdit* step = line(*panel_, "/workload/step_time");
  QCOMPARE(step->text(), json);
  line(*panel_, "/cluster/nodes")->setFocus();
  QTRY_COMPARE(step->text(), QStringLiteral("mean 100 ms"));
  step->setFocus();
  QCOMPARE(step->text(), json);
  // Wrong text stays when the field is left.
  step->selectAll();
  QTest::keyClicks(step, "{oops");
  line(*panel_, "/cluster/nodes")->setFocus();
  QCoreApplication::processEvents();
  QCOMPARE(step->text(), QStringLiteral("{oops"));
  QCOMPARE(text("/workload/step_time"), json);
}

// What nobody gave has a band; its ends move, all of one drag is one step back, and the answer's range follows.
void PanelTest::rangesAreBandsThatMove() {
  panel_->showLevel(FieldLevel::kExpert);
  panel_->jumpTo("/storage/client_read_bandwidth");
  auto* slider = panel_->findChild<FieldSlider*>("/storage/client_read_bandwidth#slider");
  QVERIFY(slider != nullptr);
  QTRY_VERIFY(slider->width() > 40);
  const UncertainInput before = *document().range("/storage/client_read_bandwidth");
  QVERIFY(before.low_factor < 1.0);
  QVERIFY(slider->band());
  const int steps = document().undoStack().count();
  const QPoint low(slider->band()->first, slider->height() - 2);
  QTest::mousePress(slider, Qt::LeftButton, {}, low);
  for (int x = low.x(); x > low.x() - 12; x -= 3) QTest::mouseMove(slider, QPoint(x, low.y()));
  QTest::mouseRelease(slider, Qt::LeftButton, {}, low - QPoint(12, 0));
  const UncertainInput after = *document().range("/storage/client_read_bandwidth");
  QVERIFY(after.low_factor < before.low_factor);
  QCOMPARE(after.high_factor, before.high_factor);
  QCOMPARE(document().undoStack().count(), steps + 1);
  QCOMPARE(document().file().scenario.run.uncertain.size(), std::size_t{1});
  QVERIFY(slider->band()->first < low.x());
  document().undoStack().undo();
  QCOMPARE(document().range("/storage/client_read_bandwidth")->low_factor, before.low_factor);
  QVERIFY(document().range("/cluster/nodes") == nullptr);
  // Elsewhere it is the value that moves.
  QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() - 2, 3));
  QVERIFY(document().isGiven("/storage/client_read_bandwidth"));
}

// Names, values, sliders and buttons are within the form, however narrow it may be.
void PanelTest::nothingScrollsSideways() {
  panel_->resize(panel_->minimumSizeHint().width(), 500);
  auto* const sideways = panel_->findChild<QScrollArea*>()->horizontalScrollBar();
  line(*panel_, "/cluster/nodes")->setFocus();
  for (int i = 0; i < 12; ++i) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(sideways->value(), 0);
  }
  const QWidget* const seen = panel_->findChild<QScrollArea*>()->viewport();
  for (const char* name : {"/cluster/nodes#slider", "/cluster/nodes#reset"}) {
    const auto* const widget = panel_->findChild<QWidget*>(name);
    QVERIFY2(widget != nullptr, name);
    QTRY_VERIFY(widget->mapTo(seen, QPoint(widget->width(), 0)).x() <= seen->width());
  }
}

// Digits that nobody gave, and zeros that mean that nobody gave any, are no figures to read.
void PanelTest::whatNobodyGaveIsShort() {
  session_->document().setValue("/storage/tier", "gcs_standard");
  session_->document().clearValue("/storage/capacity");
  panel_->jumpTo("/storage/capacity");
  QLineEdit* capacity = line(*panel_, "/storage/capacity");
  line(*panel_, "/storage/read_bandwidth")->setFocus();
  QTRY_COMPARE(capacity->text(), QStringLiteral("not set"));
  capacity->setFocus();
  QCOMPARE(capacity->text(), QStringLiteral("0 B"));
  panel_->jumpTo("/loader/inline_batch_cpu");
  session_->document().setValue("/loader/inline_batch_cpu", "7.03291 ms");
  QLineEdit* given = line(*panel_, "/loader/inline_batch_cpu");
  line(*panel_, "/loader/num_workers")->setFocus();
  QTRY_COMPARE(given->text(), QStringLiteral("7.03291 ms"));  // as somebody wrote it
}

void PanelTest::namesAreChosenFromTheCatalogue() {
  auto* tiers = panel_->findChild<QComboBox*>("/storage/tier#value");
  QCOMPARE(tiers->count(), static_cast<int>(shippedCatalogue().tiers.size()) + 1);
  // In words below, too.
  auto* title = panel_->findChild<QLabel*>("/storage/tier#title");
  QCOMPARE(title->text(), QString::fromStdString(shippedCatalogue().tiers.at("parallelstore").title));
  tiers->setFocus();
  QTest::keyClick(tiers, Qt::Key_Home);
  QCOMPARE(text("/storage/tier"), QString());
  QVERIFY(title->isHidden());
  QVERIFY(document().isGiven("/storage/tier"));
  document().setValue("/storage/tier", "no_such_tier");
  QCOMPARE(tiers->currentText(), QStringLiteral("no_such_tier"));
  QVERIFY(findingAt(*panel_, "/storage/tier").contains("no_such_tier"));
}

void PanelTest::switchesAndResets() {
  auto* in_order = panel_->findChild<QCheckBox*>("/loader/in_order#value");
  auto* reset = panel_->findChild<QToolButton*>("/loader/in_order#reset");
  QVERIFY(in_order->isChecked());
  QVERIFY(!reset->isEnabled());
  in_order->setFocus();
  QTest::keyClick(in_order, Qt::Key_Space);
  QVERIFY(!document().file().scenario.loader.in_order);
  QVERIFY(reset->isEnabled());
  QTest::mouseClick(reset, Qt::LeftButton);
  QVERIFY(in_order->isChecked());
  QVERIFY(!document().isGiven("/loader/in_order"));
}

void PanelTest::markersSayWhatIsGivenAndChanged() {
  const auto name = [&](const char* pointer) {
    return panel_->findChild<QWidget*>(QString(pointer) + "#row")->findChild<QLabel*>();
  };
  QVERIFY(name("/loader/num_workers")->font().bold());
  QVERIFY(!name("/loader/pin_memory")->font().bold());
  QVERIFY(!name("/loader/num_workers")->text().contains(QStringLiteral("●")));
  typeValue(*panel_, "/loader/num_workers", "3");
  QVERIFY(name("/loader/num_workers")->text().contains(QStringLiteral("●")));
  QVERIFY(panel_->findChild<QToolButton*>("group:loader#heading")->text().contains(QStringLiteral("●")));
  typeValue(*panel_, "/loader/num_workers", "8");  // as in the file
  QVERIFY(!name("/loader/num_workers")->text().contains(QStringLiteral("●")));
}

void PanelTest::tipsSayMeaningRangeAndSource() {
  const QString tip = fieldToolTip(*find_field("/storage/latency"), document());
  QVERIFY(tip.contains(QString::fromStdString(find_field("/storage/latency")->help).toHtmlEscaped()));
  QVERIFY(tip.contains("Allowed: 0 s to 3650 d"));
  QVERIFY(tip.contains("tier/parallelstore"));
  auto* row = panel_->findChild<QWidget*>("/loader/num_workers#row");
  QHelpEvent wanted(QEvent::ToolTip, QPoint(3, 3), row->mapToGlobal(QPoint(3, 3)));
  QApplication::sendEvent(row, &wanted);
  QTRY_VERIFY_WITH_TIMEOUT(QToolTip::text().contains("given in the file"), kLongest);
  QToolTip::hideText();
}

void PanelTest::searchFindsNamesAndMeanings() {
  auto* search = panel_->findChild<QLineEdit*>("fieldSearch");
  panel_->focusSearch();
  QTest::keyClicks(search, "back-off");  // in the meaning of two fields of storage and of origin
  const auto shown = [&](const char* pointer) {
    auto* row = panel_->findChild<QWidget*>(QString(pointer) + "#row");
    return row != nullptr && row->isVisibleTo(panel_.get());
  };
  QVERIFY(shown("/storage/retry_base"));
  QVERIFY(shown("/origin/retry_base"));
  QVERIFY(!shown("/storage/capacity"));
  QVERIFY(!shown("/loader/num_workers"));
  search->clear();
  QTest::keyClicks(search, "loader workers num");
  QVERIFY(shown("/loader/num_workers"));
  QVERIFY(!shown("/storage/retry_base"));
  QTest::keyClicks(search, "xyzzy");
  QVERIFY(panel_->findChild<QLabel*>("noFieldMatches")->isVisibleTo(panel_.get()));
  panel_->findChild<QComboBox*>("shownFields")->setCurrentText("Given");
  search->clear();
  QVERIFY(shown("/storage/tier"));
  QVERIFY(!shown("/storage/retry_base"));
  panel_->showLevel(FieldLevel::kCommon);
  QVERIFY(shown("/cluster/nodes"));
  QVERIFY(!shown("/origin/retry_base"));  // folded as before
}

void PanelTest::levelsSayWhatIsShown() {
  const auto shown = [&](const char* pointer) {
    auto* row = panel_->findChild<QWidget*>(QString(pointer) + "#row");
    return row != nullptr && row->isVisibleTo(panel_.get());
  };
  auto* levels = panel_->findChild<QComboBox*>("shownFields");
  QCOMPARE(levels->currentText(), QString("Common"));
  QVERIFY(shown("/loader/num_workers") && shown("/loader/prefetch_factor"));
  QVERIFY(!shown("/cluster/time_slice"));
  levels->setCurrentText("Essential");
  QVERIFY(shown("/loader/num_workers"));
  QVERIFY(!shown("/loader/pin_memory"));
  // What is given is shown whatever its level, and what a search or a finding leads to.
  document().setValue("/cluster/time_slice", "5 ms");
  QVERIFY(shown("/cluster/time_slice"));
  document().undoStack().undo();
  QVERIFY(!shown("/cluster/time_slice"));
  panel_->jumpTo("/cluster/time_slice");
  QVERIFY(shown("/cluster/time_slice"));
  QCOMPARE(levels->currentText(), QString("All fields"));
}

void PanelTest::findingsAreShownAtTheirFields() {
  typeValue(*panel_, "/storage/capacity", "13 TiB");  // can be read, but not be bought
  QVERIFY(document().findings().has_errors());
  QVERIFY(findingAt(*panel_, "/storage/capacity").contains("16 TiB"));
  typeValue(*panel_, "/storage/capacity", "16 TiB");
  QVERIFY(findingAt(*panel_, "/storage/capacity").isEmpty());
}

void PanelTest::jumpingOpensTheGroup() {
  FindingsPanel list;
  QObject::connect(&list, &FindingsPanel::jumpWanted, panel_.get(), &ScenarioPanel::jumpTo);
  Findings findings;
  findings.add({Severity::kError, "out_of_range", "x.json", "/failures/spares/0", "-1", "0 or more", "", ""});
  list.setFindings(findings);
  list.show();
  auto* view = list.findChild<QTreeView*>("findingsList");
  view->setCurrentIndex(view->model()->index(0, 0));
  QTest::keyClick(view, Qt::Key_Return);
  QLineEdit* spares = line(*panel_, "/failures/spares");
  QVERIFY(spares != nullptr);
  QVERIFY(spares->isVisibleTo(panel_.get()));
  QVERIFY(spares->visibleRegion().boundingRect().isValid());
}

// In a narrow list too: in as many lines as it takes.
void PanelTest::aLongFindingIsWrapped() {
  FindingsPanel list;
  Findings findings;
  findings.add({Severity::kError, "out_of_range", "x.json", "/failures/spares/0", "-1",
                "a whole number of machines, which is 0 or more, and no more than the cluster has", "", "12"});
  list.setFindings(findings);
  list.resize(360, 200);
  list.show();
  auto* view = list.findChild<QTreeView*>("findingsList");
  const int line_height = view->fontMetrics().height();
  QTRY_VERIFY(view->visualRect(view->model()->index(0, 1)).height() >= 2 * line_height);
  list.resize(1600, 200);
  QTRY_VERIFY(view->visualRect(view->model()->index(0, 1)).height() < 2 * line_height);
}

void PanelTest::selectionHighlightsARow() {
  session_->selection().select("/loader/prefetch_factor");
  auto* row = panel_->findChild<QWidget*>("/loader/prefetch_factor#row");
  QVERIFY(row->autoFillBackground());
  line(*panel_, "/cluster/nodes")->setFocus();
  QCOMPARE(session_->selection().key(), QStringLiteral("/cluster/nodes"));
  QVERIFY(!row->autoFillBackground());
  session_->selection().select("storage_latency");  // no field
}

void PanelTest::undoKeysReachTheDocument() {
  typeValue(*panel_, "/cluster/nodes", "6");
  QLineEdit* nodes = line(*panel_, "/cluster/nodes");
  QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
  undo.ignore();
  QApplication::sendEvent(nodes, &undo);
  QVERIFY(!undo.isAccepted());  // nothing typed: the window's
  QTest::keyClicks(nodes, "1");
  undo.ignore();
  QApplication::sendEvent(nodes, &undo);
  QVERIFY(undo.isAccepted());  // the line's own
}

void PanelTest::theFindingsModelIsAModel() {
  FindingsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  Findings findings;
  findings.add({Severity::kWarning, "no_effect", "x.json", "/run/seed", "1", "", "", "it is so"});
  findings.add({Severity::kError, "out_of_range", "x.json", "/loader/num_workers", "-1", "0 to 1024", "", ""});
  model.setFindings(findings);
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.index(0, FindingsModel::kField).data().toString(), QStringLiteral("Loader workers per GPU"));
  QVERIFY(model.index(1, FindingsModel::kFinding).data(Qt::AccessibleTextRole).toString().startsWith("Warning"));
  model.setFindings({});
  QCOMPARE(model.rowCount(), 0);
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(PanelTest);
#include "panel_test.moc"
