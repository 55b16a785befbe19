// Many edits at random on a whole window. Now and then and in the end the answer is the command line's.
// STALLCAST_RANDOM_EDITS sets their number; STALLCAST_RANDOM_SEED which they are. For many, QTEST_FUNCTION_TIMEOUT (ms)
// must be set as well.
#include <QTest>

#include "gui/session/cli_command.h"
#include "tests/gui/cli_result.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/window/cheap_to_simulate.h"
#include "tests/gui/window/random_hand.h"

namespace stallcast::gui {
namespace {

constexpr int kComparisons = 5;
constexpr int kEditsBefore = 30;  // a comparison, of one scenario
constexpr int kMostAttempts = 100;

int numberFrom(const char* variable, int otherwise) {
  bool given = false;
  const int number = qEnvironmentVariableIntValue(variable, &given);
  return given ? number : otherwise;
}

void undoUntilValid(Document& document) {
  while (!document.resolved() && document.undoStack().canUndo()) document.undoStack().undo();
}

}  // namespace

class RandomEditsTest : public QObject {
  Q_OBJECT
 private slots:
  void theLastAnswerIsTheCommandLines();

 private:
  static void checkDocument(const Document& document);
  static void checkAllTheWayBack(Document& document);
  static bool findEditedAndCheap(RandomHand& hand, Document& document);
  static void checkAnswer(Session& session, const QString& path);
};

// The document is whole after every step: what is given reads back as what is there.
void RandomEditsTest::checkDocument(const Document& document) {
  const Loaded<ScenarioFile> again = parse_scenario(document.toJson(), "again");
  QVERIFY(again.ok());
  QCOMPARE(asText(scenario_to_json(again.value->scenario)), asText(scenario_to_json(document.file().scenario)));
}

// And forth again.
void RandomEditsTest::checkAllTheWayBack(Document& document) {
  const QString at_the_end = asText(document.toJson());
  const int end = document.undoStack().index();
  document.undoStack().setIndex(0);
  document.undoStack().setIndex(end);
  QCOMPARE(asText(document.toJson()), at_the_end);
}

// Goes on editing the scenario that is there, then back to where it was last without an error, with edits and cheap.
bool RandomEditsTest::findEditedAndCheap(RandomHand& hand, Document& document) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    for (int i = 0; i < kEditsBefore; ++i) hand.edit();
    undoUntilValid(document);
    const bool edited = document.undoStack().index() > 0;
    if (edited) makeCheap(document);
    if (edited && document.resolved()) return true;
    // Some can never be both: another one, then.
    if (attempt % 10 == 9) document.open(shippedScenario("14_described_by_hand.json"));
  }
  return false;
}

void RandomEditsTest::checkAnswer(Session& session, const QString& path) {
  session.document().save(path);
  QCOMPARE(session.document().undoStack().isClean(), true);
  QTRY_VERIFY_WITH_TIMEOUT(!session.isConverging(), 5 * kLongest);
  QCOMPARE(session.answer()->stage, AnswerStage::kFinal);
  QCOMPARE(session.answer()->revision, session.document().revision());
  const QString answer = QString::fromStdString(session.answer()->document->dump(2) + "\n");
  QCOMPARE(withoutTimes(answer), withoutTimes(commandOutput(cliCommand(session.document()))));
}

void RandomEditsTest::theLastAnswerIsTheCommandLines() {
  const int edits = numberFrom("STALLCAST_RANDOM_EDITS", 500);
  const QTemporaryDir folder;
  Session session(shippedCatalogue());
  MainWindow window(session);
  window.show();
  RandomHand hand(window, session, folder, static_cast<unsigned>(numberFrom("STALLCAST_RANDOM_SEED", 1)));
  for (int i = 1; i <= edits; ++i) {
    hand.act();
    if (i % 16 == 0) QApplication::processEvents();
    if (i % 50 == 0) checkDocument(session.document());
    if (i % std::max(1, edits / kComparisons) == 0) {
      checkAllTheWayBack(session.document());
      QVERIFY(findEditedAndCheap(hand, session.document()));
      checkAnswer(session, folder.filePath("compared.json"));
    }
    if (QTest::currentTestFailed()) return qWarning("after edit %d", i);
  }
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(RandomEditsTest);
#include "random_edits_test.moc"
