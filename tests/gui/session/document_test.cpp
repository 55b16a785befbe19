// The document: edits, steps back, files.
#include "gui/session/document.h"

#include <QSignalSpy>
#include <QTest>

#include "gui/session/cli_command.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

class DocumentTest : public QObject {
  Q_OBJECT
 private slots:
  void editsAreReadAsSetReadsThem();
  void wrongTextLeavesTheDocument();
  void changesOfOneGestureAreOneStepBack();
  void backAndForth();
  void resettingTakesWhatTheCatalogueSays();
  void savedValuesAreTheFiles();
  void savingKeepsWhatAPersonWrote();
  void warningsOfAFileAreShown();
  void refusedFilesLeaveTheDocument_data();
  void refusedFilesLeaveTheDocument();
  void aReplacedScenarioIsOneStepBack();
  void unsavableFilesLeaveTheDocument();
};

void DocumentTest::editsAreReadAsSetReadsThem() {
  Document document(shippedCatalogue());
  QVERIFY(document.setValue("/cluster/memory_per_node", "1 TiB"));
  QCOMPARE(document.file().scenario.cluster.memory_per_node.base(), 1099511627776.0);  // 2^40
  QVERIFY(document.setValue("/workload/step_time", "200 ms"));
  QVERIFY(document.setValue("/workload/step_time/mean", "0.1 s"));  // a member
  QCOMPARE(document.valueText("/workload/step_time"), QStringLiteral("100 ms"));
  QVERIFY(document.isGiven("/workload/step_time"));
  QVERIFY(!document.isGiven("/loader/num_workers"));
}

void DocumentTest::wrongTextLeavesTheDocument() {
  Document document(shippedCatalogue());
  const auto revision = document.revision();
  Findings why;
  QVERIFY(!document.setValue("/loader/num_workers", "4096", &why));
  QCOMPARE(why.list().size(), std::size_t{1});
  QCOMPARE(why.list()[0].code, std::string("out_of_range"));
  QVERIFY(!document.setValue("/storage/capacity", "12 GB/s"));
  QVERIFY(!document.setValue("/no/such", "1"));
  QCOMPARE(document.revision(), revision);
  QCOMPARE(document.undoStack().count(), 0);
}

void DocumentTest::changesOfOneGestureAreOneStepBack() {
  Document document(shippedCatalogue());
  const int gesture = document.newGesture();
  for (const char* workers : {"5", "6", "7"})
    QVERIFY(document.setValue("/loader/num_workers", workers, nullptr, gesture));
  QVERIFY(document.setValue("/loader/prefetch_factor", "3", nullptr, gesture));  // another field
  QCOMPARE(document.undoStack().count(), 2);
  QVERIFY(document.setValue("/loader/num_workers", "8", nullptr, document.newGesture()));
  QCOMPARE(document.undoStack().count(), 3);
  for (int i = 0; i < 3; ++i) document.undoStack().undo();
  QCOMPARE(document.valueText("/loader/num_workers"), QStringLiteral("4"));
  QVERIFY(!document.isGiven("/loader/num_workers"));
}

void DocumentTest::backAndForth() {
  Document document(shippedCatalogue());
  QVERIFY(document.open(shippedScenario("01_headline_parallelstore.json")).empty());
  const QString before = asText(document.toJson());
  QVERIFY(document.setValue("/loader/num_workers", "12"));
  document.clearValue("/storage/capacity");
  const QString after = asText(document.toJson());
  QVERIFY(document.isModified());
  document.undoStack().undo();
  document.undoStack().undo();
  QCOMPARE(asText(document.toJson()), before);
  QVERIFY(!document.isModified());
  QVERIFY(!document.differsFromFile("/loader/num_workers"));
  document.undoStack().redo();
  document.undoStack().redo();
  QCOMPARE(asText(document.toJson()), after);
  QVERIFY(document.differsFromFile("/storage/capacity"));
}

void DocumentTest::resettingTakesWhatTheCatalogueSays() {
  Document document(shippedCatalogue());
  document.open(shippedScenario("01_headline_parallelstore.json"));
  const QString from_catalogue = document.valueText("/workload/batch_size");
  QCOMPARE(document.provenance("/workload/batch_size")->origin, Origin::kCatalogue);
  QVERIFY(document.setValue("/workload/batch_size", "3"));
  QCOMPARE(document.provenance("/workload/batch_size")->origin, Origin::kOverride);
  document.clearValue("/workload/batch_size");
  QCOMPARE(document.valueText("/workload/batch_size"), from_catalogue);
}

void DocumentTest::savedValuesAreTheFiles() {
  const QTemporaryDir folder;
  Document document(shippedCatalogue());
  document.open(writeFile(folder, "job.json", kSmallJob));
  QVERIFY(document.setValue("/loader/num_workers", "3"));
  QSignalSpy path_changed(&document, &Document::pathChanged);
  document.save(folder.filePath("other.json"));
  QVERIFY(!path_changed.isEmpty());
  QVERIFY(!document.isModified());
  QCOMPARE(document.provenance("/loader/num_workers")->origin, Origin::kFile);
  Document again(shippedCatalogue());
  QVERIFY(again.open(folder.filePath("other.json")).empty());
  QCOMPARE(asText(again.toJson()), asText(document.toJson()));
  // One step back from there differs from the new file.
  document.undoStack().undo();
  QVERIFY(document.isModified());
  QVERIFY(document.differsFromFile("/loader/num_workers"));
  QCOMPARE(document.valueText("/loader/num_workers"), QStringLiteral("2"));
}

void DocumentTest::savingKeepsWhatAPersonWrote() {
  const QTemporaryDir folder;
  const QByteArray before =
      "// Ours.\n{\n  \"name\": \"a\",\n  \"storage\": { \"latency\": \"0.5 ms\" },  // measured in May\n"
      "  \"loader\": {\n    \"num_workers\": 2,  // of 8\n    \"prefetch_factor\": 2\n  }\n}\n";
  Document document(shippedCatalogue());
  QVERIFY(document.open(writeFile(folder, "job.json", before)).empty());
  const auto saved = [&] {
    document.save(folder.filePath("job.json"));
    QFile file(folder.filePath("job.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  };
  QCOMPARE(saved(), before);
  QVERIFY(document.setValue("/loader/num_workers", "3"));
  QByteArray after = before;
  after.replace("2,  // of 8", "3,  // of 8");
  QCOMPARE(saved(), after);
  document.clearValue("/loader/prefetch_factor");
  QVERIFY(document.setValue("/loader/pin_memory", "true"));
  after.replace("\"prefetch_factor\": 2", "\"pin_memory\": true");
  QCOMPARE(saved(), after);
  document.undoStack().undo();
  document.undoStack().undo();
  document.undoStack().undo();
  QCOMPARE(saved(), before);
}

// Two workers on one core, and neither a decode time nor a format.
void DocumentTest::warningsOfAFileAreShown() {
  const QTemporaryDir folder;
  Document document(shippedCatalogue());
  QVERIFY(!document.open(writeFile(folder, "job.json", kSmallJob)).has_errors());
  QStringList codes;
  for (const Finding& finding : document.findings().list()) {
    QCOMPARE(finding.severity, Severity::kWarning);
    codes << QString::fromStdString(finding.code);
  }
  codes.sort();
  QCOMPARE(codes, QStringList({"missing_value", "more_workers_than_cores"}));
  QVERIFY(document.resolved() != nullptr);
}

void DocumentTest::refusedFilesLeaveTheDocument_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("code");
  QTest::newRow("broken") << QByteArray("{\"name\": ") << "invalid_json";
  QTest::newRow("empty") << QByteArray() << "empty_file";
  QTest::newRow("binary") << QByteArray("\x89PNG\r\n\x1a\n\0\0", 10) << "not_utf8";
  QTest::newRow("foreign") << QByteArray(R"({"version": "3", "services": {"web": {}}})") << "unknown_key";
  QTest::newRow("a list") << QByteArray("[1, 2]") << "wrong_type";
  QTest::newRow("newer") << QByteArray(R"({"format_version": 99})") << "out_of_range";
  QTest::newRow("huge") << QByteArray(65 << 20, ' ') << "too_large";
  QTest::newRow("deep") << QByteArray(100000, '[') << "too_deep";
}

void DocumentTest::refusedFilesLeaveTheDocument() {
  QFETCH(QByteArray, text);
  QFETCH(QString, code);
  const QTemporaryDir folder;
  Document document(shippedCatalogue());
  document.open(writeFile(folder, "job.json", kSmallJob));
  document.setValue("/loader/num_workers", "3");
  const QString before = asText(document.toJson());
  const Findings findings = document.open(writeFile(folder, "refused.json", text));
  QVERIFY(findings.has_errors());
  QCOMPARE(QString::fromStdString(findings.list()[0].code), code);
  QCOMPARE(asText(document.toJson()), before);
  QCOMPARE(document.path(), folder.filePath("job.json"));
  QVERIFY(document.isModified());
  QVERIFY_THROWS_EXCEPTION(WorldError, document.open(folder.filePath("gone/gone.json")));
  QVERIFY_THROWS_EXCEPTION(WorldError, document.open(folder.path()));
  QCOMPARE(asText(document.toJson()), before);
}

void DocumentTest::aReplacedScenarioIsOneStepBack() {
  Document document(shippedCatalogue());
  document.open(shippedScenario("01_headline_parallelstore.json"));
  const QString before = asText(document.toJson());
  ScenarioFile other = document.file();
  apply_override(other, "loader.num_workers=1", *std::make_unique<Findings>());
  apply_override(other, "cluster.nodes=2", *std::make_unique<Findings>());
  document.replaceScenario(other, "Point of a sizing");
  QCOMPARE(document.undoStack().count(), 1);
  QCOMPARE(document.undoStack().undoText(), QStringLiteral("Point of a sizing"));
  QCOMPARE(document.valueText("/cluster/nodes"), QStringLiteral("2"));
  document.undoStack().undo();
  QCOMPARE(asText(document.toJson()), before);
}

void DocumentTest::unsavableFilesLeaveTheDocument() {
  const QTemporaryDir folder;
  Document document(shippedCatalogue());
  document.setValue("/loader/num_workers", "3");
  QVERIFY_THROWS_EXCEPTION(WorldError, document.save(folder.filePath("gone/job.json")));
  QVERIFY(document.isModified());
  QVERIFY(document.path().isEmpty());
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(DocumentTest);
#include "document_test.moc"
