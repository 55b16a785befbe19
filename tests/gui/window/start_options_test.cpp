// What the program is started with: scenarios, and catalogues of one's own.
#include "gui/window/start_options.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QProcess>
#include <QTest>

#include "gui/main_window.h"
#include "tests/gui/cli_result.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/gui_window_fixture.h"

namespace stallcast::gui {
namespace {

// A shipped tier at another price.
constexpr const char* kOurTier = R"({
  "kind": "tier", "name": "our_parallelstore", "extends": "parallelstore", "title": "Parallelstore as quoted to us",
  "sources": {"quote": {"title": "Quote 4712", "locator": "mail of 3 November", "read": "2026-11-03"}},
  "prices": {"capacity": {"value": "$0.11", "per": "GiB-month", "source": "quote", "kind": "vendor"}}
})";

StartOptions optionsOf(const QStringList& arguments) {
  QCommandLineParser parser;
  addStartOptions(parser);
  if (!parser.parse(QStringList{"stallcast-gui"} + arguments)) qFatal("%s", qPrintable(parser.errorText()));
  return startOptions(parser);
}

}  // namespace

class StartOptionsTest : public QObject {
  Q_OBJECT
 private slots:
  void scenariosAndCataloguesAreTold();
  void theWindowHasTheRecordsOfACatalogue();
  void whatACatalogueGetsWrongIsFound();
  void helpNeedsNoDisplay();
};

void StartOptionsTest::scenariosAndCataloguesAreTold() {
  const StartOptions options = optionsOf({"a.json", "--catalogue", "mine", "b.json", "--catalogue=/theirs"});
  QCOMPARE(options.scenarios, QStringList({"a.json", "b.json"}));
  QCOMPARE(options.overlays.size(), std::size_t{2});
  QCOMPARE(options.overlays[0], std::filesystem::current_path() / "mine");  // a copied command finds it anywhere
  QCOMPARE(options.overlays[1], std::filesystem::path("/theirs"));
  QVERIFY(optionsOf({}).scenarios.isEmpty());
}

void StartOptionsTest::theWindowHasTheRecordsOfACatalogue() {
  const QTemporaryDir folder;
  QVERIFY(QDir(folder.path()).mkdir("mine"));
  writeFile(folder, "mine/our_parallelstore.json", kOurTier);
  Loaded<Catalogue> catalogue = loadCatalogue(optionsOf({"--catalogue", folder.filePath("mine")}));
  QVERIFY(catalogue.ok());
  Session session(*catalogue.value);
  MainWindow window(session);
  window.show();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  QVERIFY(window.files().open(writeFile(folder, "job.json", kSmallJob)));
  auto* tiers = window.findChild<QComboBox*>("/storage/tier#value");
  tiers->setFocus();
  QTest::keyClicks(tiers, "our_p");
  QCOMPARE(session.document().valueText("/storage/tier"), QStringLiteral("our_parallelstore"));
  session.document().setValue("/storage/capacity", "12 TiB");
  QVERIFY(!session.document().findings().has_errors());
  // The copied command takes the same catalogue, and so has the same result.
  window.findChild<QAction*>("copyCommandAction")->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(!session.isConverging(), kLongest);
  const QString command = QApplication::clipboard()->text();
  QVERIFY(command.contains("--catalogue " + folder.filePath("mine")));
  QCOMPARE(comparable(*session.answer()->document), comparable(commandResult(command)));
}

void StartOptionsTest::whatACatalogueGetsWrongIsFound() {
  const QTemporaryDir folder;
  QVERIFY_THROWS_EXCEPTION(WorldError, loadCatalogue(optionsOf({"--catalogue", folder.filePath("nowhere")})));
  writeFile(folder, "wrong.json", R"({"kind": "tier", "name": "wrong", "extends": "no_such_tier"})");
  QVERIFY(!loadCatalogue(optionsOf({"--catalogue", folder.path()})).ok());
}

void StartOptionsTest::helpNeedsNoDisplay() {
  QProcess program;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_QPA_PLATFORM", "xcb");
  environment.insert("DISPLAY", ":none");
  program.setProcessEnvironment(environment);
  program.start(STALLCAST_GUI_PROGRAM, {"--help"});
  QVERIFY(program.waitForFinished(kLongest));
  QCOMPARE(program.exitCode(), 0);
  QVERIFY(program.readAllStandardOutput().contains("--catalogue <DIR>"));
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(StartOptionsTest);
#include "start_options_test.moc"
