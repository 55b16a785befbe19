// The run timeline of a job that fails, by keys and by the means beside it.
#include <QLabel>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>

#include "gui/views/run_timeline_view.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

// 20000 steps of a second, a checkpoint every 100 s, a failure every 2000 s in the mean.
constexpr const char* kFailingJob = R"({
  "format_version": 1,
  "name": "failing job",
  "workload": {"batch_size": 10, "step_time": "1 s"},
  "dataset": {"sample_size": "1 kB", "samples": 40000},
  "loader": {"num_workers": 2},
  "storage": {"read_bandwidth": "1 GB/s", "write_bandwidth": "1 GB/s"},
  "checkpoint": {"mode": "sync", "cadence": "time", "interval": "100 s", "size": "1 GB"},
  "failures": {"mtti": "2000 s", "detection_time": "5 s", "restart_time": "30 s", "node_loss_fraction": 0},
  "run": {"epochs": 5, "replications": 9, "precision": 0.05}
})";

}  // namespace

class RunTimelineTest : public QObject {
  Q_OBJECT
 private slots:
  void rowsCoverTheRun();
  void aFailureIsExplained();
  void keysGoFromFailureToFailure();
  void anotherRunIsAnother();
  void withoutFailuresThereIsOneRun();
  void itStaysUntilTheNextIsSimulated();
};

// 100 min in rows of 15 min: 7, the last one two thirds full.
void RunTimelineTest::rowsCoverTheRun() {
  RunTimelineStrip strip;
  TimelineLog log;
  log.add(WallTime::kTraining, 6000.0);
  strip.setLog(log);
  QCOMPARE(strip.rowSeconds(), 900.0);
  QCOMPARE(strip.rows(), 7);
  QVERIFY(strip.sizeHint().height() > strip.barOf(6).bottom());
}

// Training to 1000 s, of which 40 s are lost; 5 s until it is noticed, 30 s to start again.
void RunTimelineTest::aFailureIsExplained() {
  RunTimelineStrip strip;
  TimelineLog log;
  log.add(WallTime::kTraining, 1000.0);
  log.interruptions.push_back({Interruption::kFailure, 1000.0});
  log.lose(40.0);
  log.add(WallTime::kDetection, 1005.0);
  log.add(WallTime::kRestart, 1035.0);
  log.add(WallTime::kTraining, 2000.0);
  strip.setLog(log);
  QCOMPARE(strip.interruptionText(0),
           QStringLiteral("failure after 16 min 40 s: 40 s to be done again, 35 s until training went on"));
}

void RunTimelineTest::keysGoFromFailureToFailure() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  RunTimelineView view(session);
  view.resize(900, 700);
  view.show();
  session.document().open(writeFile(folder, "job.json", kFailingJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  auto* const strip = view.findChild<RunTimelineStrip*>();
  const auto failures = static_cast<int>(strip->log().interruptions.size());
  QVERIFY(failures > 2);
  QTest::keyClick(strip, Qt::Key_Right);
  QCOMPARE(strip->current(), 0);
  const QString first = view.findChild<QLabel*>("chosenInterruption")->text();
  QVERIFY(first.startsWith("failure after"));
  QTest::keyClick(strip, Qt::Key_End);
  QCOMPARE(strip->current(), failures - 1);
  QTest::keyClick(strip, Qt::Key_Right);
  QCOMPARE(strip->current(), failures - 1);
  QVERIFY(view.findChild<QLabel*>("chosenInterruption")->text() != first);

  // The point of the first failure is where it was drawn.
  const double at_s = strip->log().interruptions[0].at_s;
  const int row = static_cast<int>(at_s / strip->rowSeconds());
  const QRect bar = strip->barOf(row);
  const int x = bar.left() + static_cast<int>((at_s / strip->rowSeconds() - row) * bar.width());
  QTest::mouseClick(strip, Qt::LeftButton, {}, {x, bar.center().y()});
  QCOMPARE(strip->current(), 0);
  QCOMPARE(strip->textAt({x, bar.center().y()}), first);
}

void RunTimelineTest::anotherRunIsAnother() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  RunTimelineView view(session);
  view.show();
  session.document().open(writeFile(folder, "job.json", kFailingJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  auto* const which = view.findChild<QSpinBox*>("runNumber");
  QCOMPARE(which->maximum(), 9);
  auto* const strip = view.findChild<RunTimelineStrip*>();
  auto* const means = view.findChild<QTableWidget*>("runTimelineMeans");
  double sum_s = 0.0;
  QString mean;
  for (int i = 1; i <= 9; ++i) {
    which->setValue(i);
    sum_s += strip->log().phases.back().end_s;
    mean = means->item(0, 2)->text();
    QCOMPARE(means->item(0, 0)->text(), QStringLiteral("training that was kept"));
  }
  const double mean_s = session.answer()->evaluation->result.timeline.mean.wall_s;
  QVERIFY(std::abs(sum_s / 9.0 - mean_s) < 1e-6 * mean_s);
  which->setValue(1);
  QCOMPARE(means->item(0, 2)->text(), mean);  // the mean stays
}

void RunTimelineTest::withoutFailuresThereIsOneRun() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  RunTimelineView view(session);
  view.show();
  session.document().open(writeFile(folder, "job.json", kSmallJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  QVERIFY(!view.findChild<QSpinBox*>("runNumber")->isVisible());
  QVERIFY(view.findChild<QLabel*>("runTimelineSentence")->text().startsWith("Nothing interrupts"));
}

void RunTimelineTest::itStaysUntilTheNextIsSimulated() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  RunTimelineView view(session);
  view.show();
  const auto* const status = view.findChild<QLabel*>("runTimelineStatus");
  QVERIFY(!status->text().isEmpty());
  session.document().open(writeFile(folder, "job.json", kFailingJob));
  QTRY_VERIFY_WITH_TIMEOUT(session.answer() && !session.isConverging(), kLongest);
  QVERIFY(status->text().isEmpty());
  auto* const strip = view.findChild<RunTimelineStrip*>();
  QTest::keyClick(strip, Qt::Key_Right);
  QCOMPARE(strip->current(), 0);
  QVERIFY(session.document().setValue("/failures/mtti", "4000 s"));
  QCOMPARE(session.answer()->stage, AnswerStage::kEstimate);
  QCOMPARE(strip->current(), 0);
  QVERIFY(!strip->log().phases.empty());
  QVERIFY(!status->text().isEmpty());
  QTRY_VERIFY_WITH_TIMEOUT(!session.isConverging(), kLongest);
  QCOMPARE(strip->current(), -1);
  QVERIFY(status->text().isEmpty());
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(RunTimelineTest);
#include "run_timeline_test.moc"
