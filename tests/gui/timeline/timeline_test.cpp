// The timeline by keys and mouse: zoom, pan, choosing spans; and with a session: the trace simulated and exported.
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QWheelEvent>

#include "gui/views/timeline_view.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

// Rank 0 computes for 1 s, waits for 1 s, a hundred times, from 100 s of a run of 1000 s on.
TimelineData hundredSteps() {
  Trace trace;
  trace.tracks = {{0, "rank 0"}, {0, "rank 1"}, {0, "batches ready"}};
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::int64_t at = i * 2'000'000'000;
    trace.spans.push_back({at, at + 1'000'000'000, 0, TraceSpanKind::kCompute, i});
    trace.spans.push_back({at + 1'000'000'000, at + 2'000'000'000, 0, TraceSpanKind::kBarrier, i});
    trace.spans.push_back({at, at + 500'000'000, 1, TraceSpanKind::kRead, i});
    trace.counters.push_back({at, 2, static_cast<double>(i % 3)});
  }
  TimelineData data;
  data.trace = makeTraceIndex(trace);
  data.trace_begin_s = 100.0;
  data.timeline.emplace();
  data.timeline->add(WallTime::kPreparation, 100.0);
  data.timeline->add(WallTime::kTraining, 600.0);
  data.timeline->add(WallTime::kRestart, 700.0);
  data.timeline->add(WallTime::kTraining, 1000.0);
  data.timeline->interruptions.push_back({Interruption::kFailure, 600.0});
  data.end_s = 1000.0;
  return data;
}

void wheel(TimelineCanvas& canvas, const QPointF& at, int turn, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWheelEvent event(at, canvas.viewport()->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(canvas.viewport(), &event);
}

double width(const TimelineCanvas& canvas) { return canvas.toSeconds() - canvas.fromSeconds(); }

}  // namespace

class TimelineTest : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void itShowsTheWholeRunFirst();
  void keysZoomAndPanWithinTheRun();
  void theWheelKeepsWhatIsUnderThePointer();
  void draggingMovesTheTime();
  void zoomEndsAtMicroseconds();
  void keysGoFromSpanToSpan();
  void aClickSelectsASpan();
  void textsSayWhatIsThere();
  void selectedCausesStandOut();
  void newDataKeepsThePlace();
  void theTraceIsSimulatedAndExported();
  void anEditDropsTheTrace();
  void anEditKeepsThePlace();

 private:
  std::unique_ptr<TimelineCanvas> canvas_;
};

void TimelineTest::init() {
  canvas_ = std::make_unique<TimelineCanvas>();
  canvas_->resize(1000, 400);
  canvas_->setData(hundredSteps());
  canvas_->show();
  QVERIFY(QTest::qWaitForWindowExposed(canvas_.get()));
}

void TimelineTest::itShowsTheWholeRunFirst() {
  QCOMPARE(canvas_->fromSeconds(), 0.0);
  QCOMPARE(canvas_->toSeconds(), 1000.0);
}

void TimelineTest::keysZoomAndPanWithinTheRun() {
  QTest::keyClick(canvas_.get(), Qt::Key_Plus);
  QVERIFY(width(*canvas_) < 1000.0);
  const double before = width(*canvas_);
  for (int i = 0; i < 50; ++i) QTest::keyClick(canvas_.get(), Qt::Key_Right);
  QCOMPARE(canvas_->toSeconds(), 1000.0);
  QCOMPARE(width(*canvas_), before);
  for (int i = 0; i < 50; ++i) QTest::keyClick(canvas_.get(), Qt::Key_Left);
  QCOMPARE(canvas_->fromSeconds(), 0.0);
  QTest::keyClick(canvas_.get(), Qt::Key_Minus);
  QTest::keyClick(canvas_.get(), Qt::Key_Minus);
  QCOMPARE(width(*canvas_), 1000.0);
  QTest::keyClick(canvas_.get(), Qt::Key_T);
  QCOMPARE(canvas_->fromSeconds(), 100.0);
  QCOMPARE(canvas_->toSeconds(), 300.0);
  QTest::keyClick(canvas_.get(), Qt::Key_Home);
  QCOMPARE(width(*canvas_), 1000.0);
}

void TimelineTest::theWheelKeepsWhatIsUnderThePointer() {
  canvas_->showTrace();
  const QPoint at(600, canvas_->fontMetrics().height() * 5);  // the first lane
  const QString before = canvas_->textAt(at);
  QVERIFY(!before.isEmpty());
  for (int i = 0; i < 5; ++i) wheel(*canvas_, at, 120);
  QVERIFY(width(*canvas_) < 200.0 / 5.0);
  QCOMPARE(canvas_->textAt(at), before);
  const double from = canvas_->fromSeconds();
  wheel(*canvas_, at, -120, Qt::ShiftModifier);
  QVERIFY(canvas_->fromSeconds() > from);
}

void TimelineTest::draggingMovesTheTime() {
  canvas_->showRange(200.0, 300.0);
  QTest::mousePress(canvas_->viewport(), Qt::LeftButton, {}, {700, 150});
  QTest::mouseMove(canvas_->viewport(), {500, 150});
  QTest::mouseRelease(canvas_->viewport(), Qt::LeftButton, {}, {500, 150});
  QVERIFY(canvas_->fromSeconds() > 200.0);
  QVERIFY(std::abs(width(*canvas_) - 100.0) < 1e-9);
  QVERIFY(canvas_->selectedText().isEmpty());  // dragging selects nothing
}

void TimelineTest::zoomEndsAtMicroseconds() {
  for (int i = 0; i < 200; ++i) canvas_->zoom(1.5, 150.25);
  QVERIFY(width(*canvas_) >= 0.99e-6);
  QVERIFY(std::abs(canvas_->fromSeconds() - 150.25) < 1e-5);
  canvas_->grab();
}

void TimelineTest::keysGoFromSpanToSpan() {
  canvas_->showTrace();
  QTest::keyClick(canvas_.get(), Qt::Key_Down);
  QCOMPARE(canvas_->selectedText(), QStringLiteral("rank 0"));
  QSignalSpy selected(canvas_.get(), &TimelineCanvas::spanSelected);
  QTest::keyClick(canvas_.get(), Qt::Key_Right, Qt::ControlModifier);
  QVERIFY(canvas_->selectedText().startsWith("rank 0: computing, 1 s, from 100.000000 s on, number 0"));
  QTest::keyClick(canvas_.get(), Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(selected.last().at(1).toString(), QStringLiteral("barrier"));
  QTest::keyClick(canvas_.get(), Qt::Key_Left, Qt::ControlModifier);
  QTest::keyClick(canvas_.get(), Qt::Key_Left, Qt::ControlModifier);  // no further than the first
  QVERIFY(canvas_->selectedText().contains("number 0"));
  canvas_->showRange(100.0, 101.0);
  for (int i = 0; i < 7; ++i) QTest::keyClick(canvas_.get(), Qt::Key_Right, Qt::ControlModifier);
  QVERIFY(canvas_->toSeconds() > 107.0);  // what is chosen is seen
}

void TimelineTest::aClickSelectsASpan() {
  canvas_->showRange(101.0, 101.9);  // the barrier of the first step, all over the first lane
  const int lane_y = canvas_->fontMetrics().height() * 3 / 2 * 3 + canvas_->fontMetrics().height() / 2;
  QSignalSpy selected(canvas_.get(), &TimelineCanvas::spanSelected);
  QTest::mouseClick(canvas_->viewport(), Qt::LeftButton, {}, {600, lane_y});
  QCOMPARE(selected.count(), 1);
  QCOMPARE(selected.last().at(1).toString(), QStringLiteral("barrier"));
  QVERIFY(canvas_->textAt({600, lane_y}).startsWith("rank 0: barrier"));
}

void TimelineTest::textsSayWhatIsThere() {
  const int run_y = canvas_->fontMetrics().height() * 3;
  canvas_->showRange(500.0, 700.0);
  const int middle = canvas_->viewport()->width();
  bool failure = false, restart = false;
  for (int x = 0; x < middle; ++x) {
    const QString text = canvas_->textAt({x, run_y});
    failure = failure || text.startsWith(QStringLiteral("failure after 10 min"));
    restart = restart || text.contains(QStringLiteral("for 1 min 40 s, from 10 min on"));
  }
  QVERIFY(failure);
  QVERIFY(restart);
}

// What is drawn of a barrier stays as it was, and what is not one fades.
void TimelineTest::selectedCausesStandOut() {
  canvas_->showRange(100.0, 102.0);
  const QImage before = canvas_->grab().toImage();
  canvas_->setHighlight(QStringLiteral("barrier"));
  const QImage after = canvas_->grab().toImage();
  const int y = canvas_->fontMetrics().height() * 3 / 2 * 3 + canvas_->fontMetrics().height() / 2;
  const int left = canvas_->viewport()->width() / 2, right = canvas_->viewport()->width() * 9 / 10;

  QVERIFY(before.pixelColor(left, y) != after.pixelColor(left, y));
  QCOMPARE(before.pixelColor(right, y), after.pixelColor(right, y));
}

void TimelineTest::newDataKeepsThePlace() {
  canvas_->showRange(120.0, 130.0);
  canvas_->setData(hundredSteps());
  QCOMPARE(canvas_->fromSeconds(), 120.0);
  QCOMPARE(canvas_->toSeconds(), 130.0);
  TimelineData shorter;
  shorter.end_s = 50.0;
  canvas_->setData(shorter);
  QCOMPARE(canvas_->toSeconds(), 50.0);
}

void TimelineTest::theTraceIsSimulatedAndExported() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  TimelineView view(session);
  view.resize(900, 600);
  view.show();
  session.document().open(writeFile(folder, "job.json", kSmallJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  auto* const exported = view.findChild<QPushButton*>("exportTrace");
  QVERIFY(!exported->isEnabled());
  QTest::mouseClick(view.findChild<QPushButton*>("simulateTrace"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(view.trace() != nullptr, kLongest);
  const auto index = view.findChild<TimelineCanvas*>()->data().trace;
  std::int64_t computed = 0;
  for (const TraceSpan& span : view.trace()->spans) computed += span.kind == TraceSpanKind::kCompute ? 1 : 0;
  QCOMPARE(computed, std::int64_t{20});  // 80 samples in batches of 4, simulated whole
  QCOMPARE(index->spans, view.trace()->spans.size());

  const QString path = folder.filePath("out.json");
  QTest::mouseClick(exported, Qt::LeftButton);
  auto* const dialog = view.findChild<QFileDialog*>("exportTraceDialog");
  QVERIFY(dialog != nullptr);
  dialog->selectFile(path);
  QMetaObject::invokeMethod(dialog, "accept");
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kLongest);
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const auto json = nlohmann::json::parse(file.readAll().toStdString());
  std::int64_t spans = 0;
  for (const auto& event : json.at("traceEvents")) spans += event.at("ph") == "X" ? 1 : 0;
  QCOMPARE(spans, static_cast<std::int64_t>(index->spans));
}

void TimelineTest::anEditDropsTheTrace() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  TimelineView view(session);
  session.document().open(writeFile(folder, "job.json", kSmallJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  view.findChild<QSpinBox*>("traceLimit")->setValue(1000);
  view.simulateTrace();
  QTRY_VERIFY_WITH_TIMEOUT(view.trace() != nullptr, kLongest);
  session.document().setValue("/loader/num_workers", "3");
  QTRY_VERIFY_WITH_TIMEOUT(view.trace() == nullptr, kLongest);
  QVERIFY(view.findChild<TimelineCanvas*>()->data().trace == nullptr);
}

// Of a run of 20 steps of 10 ms and more.
void TimelineTest::anEditKeepsThePlace() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  TimelineView view(session);
  view.show();
  session.document().open(writeFile(folder, "job.json", kSmallJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  auto* const canvas = view.findChild<TimelineCanvas*>();
  canvas->showRange(0.05, 0.1);
  QVERIFY(session.document().setValue("/loader/num_workers", "3"));
  QTRY_VERIFY_WITH_TIMEOUT(!session.isConverging(), kLongest);
  QCOMPARE(canvas->fromSeconds(), 0.05);
  QCOMPARE(canvas->toSeconds(), 0.1);
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(TimelineTest);
#include "timeline_test.moc"
