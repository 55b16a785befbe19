// The live answer: estimate, then simulation, and in the end exactly what the command line says.
#include <QSignalSpy>
#include <QTest>

#include "gui/session/cli_command.h"
#include "gui/session/session.h"
#include "tests/gui/cli_result.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

std::vector<AnswerStage> stagesSeen(Session& session, const std::function<void()>& change) {
  std::vector<AnswerStage> stages;
  const auto connection =
      QObject::connect(&session, &Session::answerChanged, [&] { stages.push_back(session.answer()->stage); });
  change();
  if (!QTest::qWaitFor([&] { return !session.isConverging(); }, kLongest)) stages.clear();
  QObject::disconnect(connection);
  return stages;
}

const std::vector<AnswerStage> kAllStages = {AnswerStage::kEstimate, AnswerStage::kCoarse, AnswerStage::kFinal};

}  // namespace

class LiveAnswerTest : public QObject {
  Q_OBJECT
 private slots:
  void anEstimateFirstThenSimulations();
  void estimatesLearnFromSimulations();
  void outdatedWorkIsStopped();
  void whatWasSimulatedBeforeIsOnlyPriced();
  void errorsKeepTheLastAnswer();
  void finalAnswersAreTheCommandLines_data();
  void finalAnswersAreTheCommandLines();
  void theBaselineIsWhatItsDocumentComesTo();
};

void LiveAnswerTest::anEstimateFirstThenSimulations() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  const QString path = writeFile(folder, "job.json", kSmallJob);
  const auto stages = stagesSeen(session, [&] { session.document().open(path); });
  QVERIFY(stages == kAllStages);
  QVERIFY(session.answer()->document);
  QCOMPARE(session.answer()->revision, session.document().revision());
}

void LiveAnswerTest::estimatesLearnFromSimulations() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  stagesSeen(session, [&] { session.document().open(writeFile(folder, "job.json", kSmallJob)); });
  const double part = session.answer()->gpuUtilization() / session.answer()->bound.gpu_utilization;
  QVERIFY(part < 1.0);  // the first batch of twenty steps has nothing to hide behind
  session.document().setValue("/storage/latency", "20 ms");
  QCOMPARE(session.answer()->stage, AnswerStage::kEstimate);
  QCOMPARE(session.answer()->gpuUtilization(), part * session.answer()->bound.gpu_utilization);
}

void LiveAnswerTest::outdatedWorkIsStopped() {
  Session session(shippedCatalogue());
  session.document().open(shippedScenario("03_resnet50_parallelstore.json"));
  std::vector<std::uint64_t> simulated;
  connect(&session, &Session::answerChanged, [&] {
    if (session.answer()->evaluation) simulated.push_back(session.answer()->revision);
  });
  for (int workers = 1; workers <= 20; ++workers) {
    session.document().setValue("/loader/num_workers", std::to_string(workers));
    QCOMPARE(session.answer()->revision, session.document().revision());
    QTest::qWait(1);
  }
  session.document().setValue("/storage/capacity", "13 TiB");  // not for sale: nothing is under way any more
  QTRY_VERIFY_WITH_TIMEOUT(session.background().isIdle(), kLongest);
  QVERIFY(!session.isConverging());
  QVERIFY(!session.answer()->document);
  for (const std::uint64_t revision : simulated) QVERIFY(revision < session.document().revision());
}

void LiveAnswerTest::whatWasSimulatedBeforeIsOnlyPriced() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  stagesSeen(session, [&] { session.document().open(writeFile(folder, "job.json", kSmallJob)); });
  const std::vector<AnswerStage> priced = {AnswerStage::kEstimate, AnswerStage::kFinal};
  QVERIFY(stagesSeen(session, [&] { session.document().setValue("/name", "another name"); }) == priced);
  QVERIFY((*session.answer()->document)["scenario"]["name"] == "another name");
  QVERIFY(stagesSeen(session, [&] { session.document().setValue("/loader/num_workers", "1"); }) == kAllStages);
  QVERIFY(stagesSeen(session, [&] { session.document().undoStack().undo(); }) == priced);
}

void LiveAnswerTest::errorsKeepTheLastAnswer() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  stagesSeen(session, [&] { session.document().open(writeFile(folder, "job.json", kSmallJob)); });
  const double before = session.answer()->gpuUtilization();
  QVERIFY(session.document().setValue("/storage/tier", "no_such_tier"));
  QVERIFY(session.document().findings().has_errors());
  QVERIFY(!session.document().resolved());
  QVERIFY(!session.isConverging());
  QCOMPARE(session.answer()->gpuUtilization(), before);
}

void LiveAnswerTest::finalAnswersAreTheCommandLines_data() {
  QTest::addColumn<QString>("scenario");
  for (const char* name : {"14_described_by_hand.json", "21_uncertain_inputs.json", "weeks/opt_175b.json",
                           "weeks/serving_alone.json", "weeks/serving_beside_training.json"})
    QTest::newRow(name) << QString(name);
}

void LiveAnswerTest::finalAnswersAreTheCommandLines() {
  QFETCH(QString, scenario);
  Session session(shippedCatalogue());
  const auto compare = [&](const std::function<void()>& change) {
    change();
    QTRY_VERIFY_WITH_TIMEOUT(!session.isConverging(), kLongest);
    QCOMPARE(session.answer()->stage, AnswerStage::kFinal);
    QCOMPARE(comparable(*session.answer()->document), comparable(commandResult(cliCommand(session.document()))));
  };
  compare([&] { session.document().open(shippedScenario(scenario)); });
  if (QTest::currentTestFailed()) return;
  // Values that a shell would take apart.
  compare([&] {
    session.document().setValue("/name", "it's $HOME; \"x\" > y");
    session.document().setValue("/loader/prefetch_factor", "3");
    session.document().setValue("/workload/step_time", R"({"kind": "lognormal", "mean": "0.2 s", "sigma": 0.25})");
  });
  if (QTest::currentTestFailed() || scenario.contains("beside")) return;
  // No longer what the file gives: the scenario itself is in the command.
  compare([&] { session.document().clearValue("/description"); });
}

void LiveAnswerTest::theBaselineIsWhatItsDocumentComesTo() {
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  session.document().open(writeFile(folder, "job.json", kSmallJob));
  session.pinBaseline();
  QCOMPARE(session.baseline()->stage, AnswerStage::kEstimate);
  QTRY_VERIFY_WITH_TIMEOUT(!session.isConverging(), kLongest);
  QCOMPARE(session.baseline()->stage, AnswerStage::kFinal);
  stagesSeen(session, [&] { session.document().setValue("/loader/num_workers", "1"); });
  QVERIFY(session.baseline()->revision < session.answer()->revision);
  QSignalSpy changed(&session, &Session::baselineChanged);
  session.unpinBaseline();
  QVERIFY(!session.baseline());
  QCOMPARE(changed.size(), 1);
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(LiveAnswerTest);
#include "live_answer_test.moc"
